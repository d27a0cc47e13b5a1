import { duration } from '../rules/duration.ts';
import { filled, parts } from '../rules/filled.ts';
import { MAX_NOTE_LENGTH } from '../rules/limits.ts';
import { personAddress } from '../rules/person-address.ts';
import { plainText } from '../rules/plain-text.ts';
import type { MissedPerson, ScreenCall } from '../rules/screen-call.ts';
import { spanText } from '../rules/span.ts';
import { isOver, nameOf } from './board.ts';
import { html } from './html.ts';
import type { Note } from './own-calls.ts';
import { post } from './post.ts';
import type { Screen } from './screen.ts';

/** An action that the service did not take: the person or call, and why. */
export type Refused = { readonly one: string; readonly why: string };

/** A picture of icons.svg. */
export const icon = ({ icons }: Screen, name: string, also = '') =>
  html`<svg class=${`i ${also}`.trim()} aria-hidden="true"><use href=${`${icons}#${name}`} /></svg>`;

const name = (text: string, longest?: number) => html`<bdi>${plainText(text, longest)}</bdi>`;

/** The page of who calls, which leads back to this one. */
function address(caller: ScreenCall): string {
  const back = new URLSearchParams(location.search).get('back') ?? location.pathname + location.search;
  return personAddress(caller, back);
}

const who = (call: ScreenCall) =>
  html`<a class="who" href=${address(call)} title=${nameOf(call)}><bdi>${nameOf(call)}</bdi></a>`;

const why = (refused: Refused | undefined, one: string, is: string) =>
  refused?.one === one && html`<span class=${is} role="alert">${refused.why}</span>`;

const talked = ({ answered_at, completed_at }: ScreenCall, now: number) =>
  duration((completed_at ?? now) - (answered_at ?? now));

const typeInto =
  (note: Note) =>
  ({ target }: Event): void => {
    if (target instanceof HTMLTextAreaElement) note.type(target.value);
  };

type OnAction = (one: string, why: string | undefined) => void;

/** What several cards show. */
function createParts(screen: Screen) {
  const { words, firstSegment } = screen;
  const picture = (name: string, also?: string) => icon(screen, name, also);

  const segment = ({ segment: text }: ScreenCall) =>
    text && html`<span class=${text === firstSegment ? 'chip first' : 'chip'}>${name(text, 24)}</span>`;

  /** Besides the name: the segment, the number, who spoke with them last and what was called. */
  const more = (call: ScreenCall) => html`
    ${segment(call)}
    ${call.customer && html`<span class="digits">${name(call.number_shown)}</span>`}
    ${call.last_with && html`<span class="quiet">${parts(words.lastWith, { name: name(call.last_with, 40) })}</span>`}
    ${call.called && html`<span class="quiet">${parts(words.calledFor, { name: name(call.called, 60) })}</span>`}`;

  return { picture, segment, more };
}

/**
 * The calls of the line and the column, one row each. `onAction` gets the result of each action: which person or call, and
 * why the service refused it, if it did.
 */
export function createCards(screen: Screen, onAction: OnAction) {
  const { words, locale } = screen;
  const { picture, more } = createParts(screen);

  const ringing = (
    call: ScreenCall,
    now: number,
  ) => html`<li key=${call.id} class="call ringing" data-call=${call.id}>
    ${picture('bell-ring')}${who(call)}<time>${duration(now - call.started_at)}</time>
    <p class="more"><span class="unseen">${words.ringing}</span>${more(call)}</p>
  </li>`;

  /** A call that has rung too long, so that its end was probably lost: any user can close it. */
  const doubtful = (call: ScreenCall, now: number, refused: Refused | undefined) => {
    const close = async () => onAction(call.id, await post(screen, '/calls/close', { id: call.id }));
    return html`<li key=${call.id} class="call doubtful" data-call=${call.id}>
      ${picture('bell-ring')}${who(call)}
      <button type="button" class="soft" onClick=${close} aria-label=${`${words.close}: ${nameOf(call)}`}>${words.close}</button>
      <p class="more small quiet"><span>${filled(words.stillRinging, { time: spanText(now - call.started_at, locale) })}</span>${more(call)}${why(refused, call.id, 'is-missed')}</p>
    </li>`;
  };

  /** A call of somebody else. */
  const other = (call: ScreenCall, now: number) => html`<li key=${call.id} class="call" data-call=${call.id}>
    ${picture('phone', 'is-talking')}${who(call)}<time>${talked(call, now)}</time>
    <p class="more small quiet">${
      isOver(call)
        ? words.ended
        : call.answered_by
          ? html`<span>${parts(words.with, { name: name(call.answered_by, 60) })}</span>`
          : words.answered
    }</p>
  </li>`;

  /** The user's own call, with its note. */
  const mine = (call: ScreenCall, now: number, note: Note) => {
    const save = (event: Event) => {
      event.preventDefault();
      void note.save();
    };
    return html`<li key=${call.id} class=${isOver(call) ? 'call mine over' : 'call mine'} data-call=${call.id}>
      ${picture('phone')}${who(call)}<time>${talked(call, now)}</time>
      <p class="more">${
        isOver(call)
          ? html`${more(call)}<span class="quiet">${words.ended}</span>`
          : html`<span class="unseen">${words.talking}</span>${more(call)}`
      }</p>
      <form onSubmit=${save}>
        <label class="unseen" for=${`note-${call.id}`}>${words.note}</label>
        <textarea id=${`note-${call.id}`} rows="1" maxlength=${MAX_NOTE_LENGTH} placeholder=${words.note} value=${note.text} onInput=${typeInto(note)}></textarea>
        <button class="soft">${words.save}</button>
        <p class="small" role="status">${note.state}</p>
      </form>
    </li>`;
  };

  return { ringing, doubtful, other, mine, later: createLater(screen, onAction) };
}

/** The cards of people to call back. */
function createLater(screen: Screen, onAction: OnAction) {
  const { words, firstSegment, user } = screen;
  const { segment } = createParts(screen);

  /** Takes or closes a missed person, for all users. */
  async function act({ person, number, taken_by }: MissedPerson, kind: 'taken' | 'done'): Promise<void> {
    onAction(person, await post(screen, '/call-back', { number, kind, taker: taken_by ?? '' }));
  }

  return (person: MissedPerson, now: number, refused: Refused | undefined) => {
    const { taken_by: taker, times, completed_at } = person;
    const time = screen.clock(completed_at ?? 0, now);
    const missed =
      times > 1 ? filled(words.missedTimes, { count: times, time }) : filled(words.missedAt, { time });
    const isMine = taker === user;
    const button = (kind: 'taken' | 'done', text: string) =>
      html`<button type="button" class="soft" onClick=${() => act(person, kind)} aria-label=${`${text}: ${nameOf(person)}`}>${text}</button>`;
    return html`<li key=${person.person} data-person=${person.person}>
      <span class="name"><a href=${address(person)} title=${nameOf(person)}><bdi>${nameOf(person)}</bdi></a>${person.segment === firstSegment && segment(person)}</span>
      <span class="small quiet">${missed}${taker && html`, ${isMine ? words.takenByYou : parts(words.takenBy, { name: name(taker, 24) })}`}</span>
      ${isMine ? button('done', words.done) : button('taken', taker === null ? words.take : words.takeOver)}
      ${why(refused, person.person, 'small is-missed')}
    </li>`;
  };
}
