import { answererName } from '../accounts/extensions.ts';
import { mayDelete, type UserRequest } from '../accounts/user-request.ts';
import { callAddress, endText, isDialable, stateOf, talkedText } from '../calls/call-cells.ts';
import { type CallRecord, talkedFor } from '../calls/call-record.ts';
import { dateAt } from '../kit/calendar.ts';
import { displayText, lines } from '../kit/display-text.ts';
import { face } from '../kit/face.ts';
import { changeForm, hiddenFields, oneOf } from '../kit/form.ts';
import { icon } from '../kit/icon.ts';
import { duration } from '../rules/duration.ts';
import { MAX_NOTE_LENGTH } from '../rules/limits.ts';
import { type Html, html } from '../words/html.ts';
import { extensionText, triedBy } from './call-back-texts.ts';
import type { StoredAction } from './caller-action-store.ts';
import { type Person, personPath } from './person.ts';
import {
  type Moment,
  type Story,
  type StoryChoice,
  type StoryDay,
  type StoryWeek,
  storyDays,
  storyKinds,
} from './person-story.ts';

/** The field for a note, and below it what happened. */
export function storyPart(person: Person, story: Story, choice: StoryChoice, request: UserRequest): Html {
  const { words, query, token } = request;
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
    ${storyHead(person, story, choice, request)}
    <div id="story" data-live>${storyList(person, story, choice, request)}</div>
  </section>`;
}

/** What of it is shown: everything, or one kind; notes with some words; one week. */
function storyHead(person: Person, { moments }: Story, choice: StoryChoice, request: UserRequest): Html {
  const { words, formats } = request;
  const { person: text } = words;
  const { show, search, week } = choice;
  if (moments.length === 0 && show === 'all' && search === '' && week === undefined) return null;
  const kind = (one: (typeof storyKinds)[number]) => (one === 'all' ? {} : { show: one });
  return html`<div class="story-head">
    ${oneOf(
      text.show,
      storyKinds.map((one) => ({
        text: text.kinds[one],
        href: personPath(person, request, { ...(week && { week: week.toString() }), ...kind(one) }),
        chosen: search === '' && one === show,
      })),
    )}
    <form class="search" role="search" action="/person" aria-label=${text.searchNotes}>
      ${hiddenFields({
        ...(person.customer ? { customer: person.customer.reference } : { number: person.number }),
        ...(week && { week: week.toString() }),
        back: request.query.get('back') ?? '',
      })}
      ${icon('search')}<input type="search" name="q" value=${search} maxlength="200" aria-label=${text.searchNotes} placeholder=${text.searchNotes} />
    </form>
    ${week && html`<a class="button" href=${personPath(person, request, { ...kind(show), ...(search && { q: search }) })} aria-label=${`${words.common.clearFilter}: ${formats.week(week)}`}>${formats.week(week)}${icon('x')}</a>`}
  </div>`;
}

function storyList(
  person: Person,
  { moments, older }: Story,
  choice: StoryChoice,
  request: UserRequest,
): Html {
  const { words, formats, now } = request;
  const { show, search, week } = choice;
  const isAll = show === 'all' && search === '';
  const days = storyDays(moments, { timeZone: formats.timeZone, now, fold: isAll });
  const momentOf = (one: Moment) =>
    'call' in one ? callMoment(one.call, request) : actionMoment(one.action, person, request);
  return html`
    ${moments.length === 0 && html`<p class="empty">${isAll && !week ? words.calls.none : words.person.noneOfIt}</p>`}
    ${days.map(
      (day) => html`<div class="of-day" data-key=${`day ${formats.date(day.at)}`}>
        <h2 class="day"><time datetime=${dateAt(day.at, formats.timeZone).toString()}>${formats.longDay(day.at, now)}</time></h2>
        ${
          day.folded
            ? html`<details class="day-fold"><summary>${dayGist(day, request)}</summary><ol class="timeline">${day.moments.map(momentOf)}</ol></details>`
            : html`<ol class="timeline">${day.moments.map(momentOf)}</ol>`
        }
      </div>`,
    )}
    ${
      older !== null &&
      html`<a class="button" href=${personPath(person, request, {
        until: String(older),
        ...(show !== 'all' && { show }),
        ...(search && { q: search }),
        ...(week && { week: week.toString() }),
      })}>${words.kit.older}</a>`
    }`;
}

/** People of a folded day whose faces fit on its line. */
const FACES = 3;

/** A day of calls alone in a line: who talked, how many calls there were, how long all of them were. */
function dayGist({ moments }: StoryDay, request: UserRequest): Html {
  const { words, extensions } = request;
  const calls = moments.flatMap((one) => ('call' in one ? [one.call] : []));
  const missed = calls.filter((call) => call.missed).length;
  const names = new Set(
    calls.flatMap(({ callerId, missed }) =>
      callerId !== null && !missed ? [answererName(extensions, callerId)] : [],
    ),
  );
  const talked = calls.reduce((sum, call) => sum + (talkedFor(call) ?? 0), 0);
  const gist = [
    missed > 0 && html`<span class="is-missed">${words.person.missedOfDay(missed)}</span>`,
    names.size > 0 &&
      html`<span>${displayText([...names].slice(0, FACES).join(', '), 80)}${names.size > FACES && '…'}</span>`,
    talked > 0 && html`<span class="digits">${duration(talked)}</span>`,
  ];
  return html`${icon('chevron-down')}<span class="faces">${[...names].slice(0, FACES).map((name) => face(name))}${names.size === 0 && html`<span class="face is-missed">${icon('phone-missed')}</span>`}</span>
    <b>${words.person.callsOfDay(calls.length)}</b>${gist}`;
}

/** Twelve weeks as bars, each of which leads to what happened in it. */
export function weekBars(
  person: Person,
  weeks: readonly StoryWeek[],
  { week: chosen }: StoryChoice,
  request: UserRequest,
): Html {
  const { words, formats } = request;
  const most = Math.max(1, ...weeks.map(({ calls }) => calls));
  const percent = (part: number) => `${Math.round((100 * part) / most)}%`;
  const sum = (of: 'calls' | 'missed') => weeks.reduce((all, week) => all + week[of], 0);
  return html`<ol class="weeks">${weeks.map(({ monday, calls, missed }) => {
    const says = `${formats.week(monday)}: ${words.person.callsOfDay(calls)}${missed > 0 ? `, ${words.person.missedOfDay(missed)}` : ''}`;
    return html`<li><a href=${personPath(person, request, { week: monday.toString() })} title=${says} aria-label=${says} aria-current=${chosen?.equals(monday) ? 'true' : undefined}><svg aria-hidden="true"><rect class="bar" x="0" width="100%" y=${percent(most - calls)} height=${percent(calls)} /><rect class="bar missed" x="0" width="100%" y=${percent(most - calls)} height=${percent(missed)} /></svg></a></li>`;
  })}</ol><p class="small quiet">${words.person.callsOfDay(sum('calls'))}${sum('missed') > 0 && `, ${words.person.missedOfDay(sum('missed'))}`}</p>`;
}

const timeOf = (at: number, { formats }: UserRequest) =>
  html`<time class="quiet" datetime=${new Date(at).toISOString()} title=${formats.dateTime(at)}>${formats.time(at)}</time>`;

function callMoment(call: CallRecord, request: UserRequest): Html {
  const { words, extensions } = request;
  const { picture, word, live } = stateOf(call, request);
  const by =
    call.missed || live === 'ringing' || !call.callerId ? '' : answererName(extensions, call.callerId);
  const end = endText(call, words);
  const talked = talkedFor(call);
  // Who talked after whom, where the bridge says it.
  const several = (call.talked ?? []).length > 1 ? talkedText(call, extensions, words.calls.thenBy) : '';
  const long = talked === null ? '' : several || duration(talked);
  return html`<li data-key=${call.id}>${by ? face(by) : html`<span class=${call.missed ? 'face is-missed' : 'face'}>${picture}</span>`}<div><a href=${callAddress(call.id)}>${by ? words.person.answered(displayText(by, 60)) : word}</a>${
    (end || long) && html` <span class="quiet">${end || long}</span>`
  }</div>${timeOf(call.startedAt, request)}</li>`;
}

function actionMoment(action: StoredAction, person: Person, request: UserRequest): Html {
  const { words, token, query } = request;
  const { id, number, at, kind, user: author, text } = action;
  const key = `${kind} ${id}`;
  if (kind === 'done')
    return html`<li data-key=${key}>${face(author)}<div>${words.callBack.calledBack(displayText(author, 40))}</div>${timeOf(at, request)}</li>`;
  if (kind === 'talked' || kind === 'tried') {
    const text =
      kind === 'tried'
        ? words.callBack.tried(author && triedBy(author, action.due !== undefined, request), 1)
        : words.callBack.talked(
            author && extensionText(author, request),
            duration((action.seconds ?? 0) * 1_000),
          );
    return html`<li data-key=${key}><span class="face">${icon('phone-outgoing')}</span><div>${text}</div>${timeOf(at, request)}</li>`;
  }
  const note = text ?? '';
  const fields = {
    id: String(id),
    number,
    at: String(at),
    user: author,
    customer: person.customer?.reference ?? '',
    back: query.get('back') ?? '',
    read: note,
  };
  return html`<li class="note" data-key=${key}>${face(author)}
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
