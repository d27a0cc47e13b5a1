import { answererName } from '../accounts/extensions.ts';
import { mayDelete, type UserRequest } from '../accounts/user-request.ts';
import { callAddress, endText, isDialable, stateOf } from '../calls/call-cells.ts';
import { type CallRecord, talkedFor } from '../calls/call-record.ts';
import { type CallStore, noFilter } from '../calls/call-store.ts';
import { displayText, lines } from '../kit/display-text.ts';
import { changeForm, hiddenFields } from '../kit/form.ts';
import { icon } from '../kit/icon.ts';
import { duration } from '../rules/duration.ts';
import { MAX_NOTE_LENGTH } from '../rules/limits.ts';
import { type Html, html } from '../words/html.ts';
import { withoutUndone } from './call-backs.ts';
import type { StoredAction } from './caller-action-store.ts';
import type { CallerStore } from './caller-store.ts';
import { type Person, personPath } from './person.ts';

const PER_PAGE = 30;

type Moment = { readonly at: number } & ({ readonly call: CallRecord } | { readonly action: StoredAction });

export type Story = {
  /** Newest first. */
  readonly moments: readonly Moment[];
  /** Where the next page begins, Unix ms; null at the end. */
  readonly older: number | null;
};

/** The calls, notes and call-backs of all numbers of a person before a time, a page of them. */
export async function readStory(
  store: { readonly calls: CallStore; readonly callers: CallerStore },
  account: number,
  { customer, numbers }: Person,
  until: number,
): Promise<Story> {
  const [number = ''] = numbers;
  const who = customer ? { customer: { is: customer.reference } } : { number: { is: number } };
  const [page, actions] = await Promise.all([
    store.calls.page({
      account,
      filter: { ...noFilter, ...who, until },
      towards: 'older',
      from: null,
      limit: PER_PAGE,
    }),
    store.callers.actions(account, { numbers, until }, PER_PAGE),
  ]);
  const ends = page.calls.flatMap(({ missed, completedAt }) => (missed ? (completedAt ?? []) : []));
  const all: Moment[] = [
    ...page.calls.map((call) => ({ at: call.startedAt, call })),
    ...withoutUndone(actions, ends)
      .filter(({ kind }) => kind === 'note' || kind === 'done')
      .map((action) => ({ at: action.at, action })),
  ].sort((a, b) => b.at - a.at);
  // All are known down to the place that the shorter of the lists has reached.
  const from = Math.max(
    page.next?.at ?? 0,
    actions.length < PER_PAGE ? 0 : (actions[0]?.at ?? 0),
    all[PER_PAGE - 1]?.at ?? 0,
  );
  const moments = all.filter(({ at }) => at >= from);
  const isLast = page.next === null && actions.length < PER_PAGE && moments.length === all.length;
  return { moments, older: isLast ? null : from };
}

/** The field for a note, and below it what happened. */
export function storyPart(person: Person, { moments, older }: Story, request: UserRequest): Html {
  const { words, formats, now, query, token } = request;
  const dayOf = ({ at }: Moment) => formats.day(at, now);
  return html`<section class="story" data-place="story">
    ${
      isDialable(person.number) &&
      changeForm(
        { action: '/call-back', token, is: 'write', refused: words.bar.refused },
        html`${hiddenFields({
          number: person.number,
          kind: 'note',
          from: 'person',
          customer: person.customer?.reference ?? '',
          back: query.get('back') ?? '',
        })}
          <textarea name="text" rows="1" maxlength=${MAX_NOTE_LENGTH} required aria-label=${words.person.note} placeholder=${words.person.note} autofocus=${query.get('at') === 'note'}></textarea>
          <button type="submit">${words.common.save}</button>`,
      )
    }
    <div id="story" data-live>
      ${moments.length === 0 && html`<p class="empty">${words.calls.none}</p>`}
      ${
        moments.length > 0 &&
        html`<ol class="timeline">${moments.map((one, index) => [
          (index === 0 || dayOf(one) !== dayOf(moments[index - 1] as Moment)) &&
            html`<li class="day" data-key=${`day ${dayOf(one)}`}>${dayOf(one)}</li>`,
          'call' in one ? callMoment(one.call, request) : actionMoment(one.action, person, request),
        ])}</ol>`
      }
      ${older !== null && html`<a class="button" href=${personPath(person, request, { until: String(older) })}>${words.kit.older}</a>`}
    </div>
  </section>`;
}

const timeOf = (at: number, { formats }: UserRequest) =>
  html`<time class="quiet" datetime=${new Date(at).toISOString()} title=${formats.dateTime(at)}>${formats.time(at)}</time>`;

function callMoment(call: CallRecord, request: UserRequest): Html {
  const { words, extensions } = request;
  const { picture, word, live } = stateOf(call, request);
  const by = call.callerId && displayText(answererName(extensions, call.callerId), 60);
  const end = endText(call, words);
  const talked = talkedFor(call);
  const text = call.missed || live === 'ringing' || !by ? word : words.person.answered(by);
  return html`<li data-key=${call.id}>${picture}<div><a href=${callAddress(call.id)}>${text}</a>${
    (end || talked !== null) && html` <span class="quiet">${end || duration(talked)}</span>`
  }</div>${timeOf(call.startedAt, request)}</li>`;
}

function actionMoment(action: StoredAction, person: Person, request: UserRequest): Html {
  const { words, token, query } = request;
  const { id, number, at, kind, user: author, text } = action;
  const key = `${kind} ${id}`;
  if (kind === 'done')
    return html`<li data-key=${key}>${icon('phone-outgoing', 'quiet')}<div>${words.callBack.calledBack(displayText(author, 40))}</div>${timeOf(at, request)}</li>`;
  const fields = {
    id: String(id),
    number,
    at: String(at),
    user: author,
    customer: person.customer?.reference ?? '',
    back: query.get('back') ?? '',
  };
  const note = text ?? '';
  return html`<li class="note" data-key=${key}>${icon('message-square-text')}
    <div><p>${lines(note)}</p><p class="small quiet">${displayText(author, 40)}</p></div>${timeOf(at, request)}
    ${
      mayDelete(request) &&
      html`<details class="menu"><summary class="button bare" aria-label=${words.person.changeNote} title=${words.person.changeNote}>${icon('pencil')}</summary><div>
        ${changeForm(
          { action: '/person/note', token, is: 'form', refused: words.bar.refused },
          html`${hiddenFields(fields)}
            <textarea name="text" rows="3" maxlength=${MAX_NOTE_LENGTH} required aria-label=${words.person.changeNote}>${note}</textarea>
            <button type="submit">${words.common.save}</button>`,
        )}
        ${changeForm(
          { action: '/person/note', token, refused: words.bar.refused },
          html`${hiddenFields({ ...fields, text: '' })}<button type="submit" class="danger">${words.common.remove}</button>`,
        )}
      </div></details>`
    }
  </li>`;
}
