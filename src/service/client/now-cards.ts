import { duration } from '../rules/duration.ts';
import { faceOf } from '../rules/face.ts';
import { filled, parts } from '../rules/filled.ts';
import { MAX_NOTE_LENGTH } from '../rules/limits.ts';
import { personAddress } from '../rules/person-address.ts';
import { plainText } from '../rules/plain-text.ts';
import type { MissedPerson, Person, ScreenCall } from '../rules/screen-call.ts';
import { spanText } from '../rules/span.ts';
import { isDue, isOver, nameOf } from './board.ts';
import { dial } from './dial.ts';
import { html } from './html.ts';
import type { Note } from './own-calls.ts';
import { post } from './post.ts';
import type { Screen } from './screen.ts';

/** Ringing calls after the first that have a small card. */
const SMALL_CARDS = 2;

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

/** A person's initials; the name stands beside it. */
function face(of: string) {
  const { letters, tint } = faceOf(of);
  return letters !== '' && html`<span class=${`face s f${tint}`} aria-hidden="true">${letters}</span>`;
}

const namesOf = (people: readonly Person[]): string => people.flatMap((one) => one.name ?? []).join(', ');

/** Who has the caller now; the one who answered where the bridge does not say more. */
const withWhom = ({ talks, answered_by }: ScreenCall): string =>
  talks && talks.length > 0 ? namesOf(talks) : (answered_by ?? '');

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

  const numberOf = (call: ScreenCall) =>
    call.customer && html`<span class="digits">${name(call.number_shown)}</span>`;

  /** Besides the name: the segment, the number and what was called. */
  const more = (call: ScreenCall) => html`
    ${segment(call)}
    ${numberOf(call)}
    ${call.called && html`<span class="quiet">${parts(words.calledFor, { name: name(call.called, 60) })}</span>`}`;

  /** Who of the user's colleagues it was, or the user: `you`, as the sentence says it. */
  const lastWith = ({ by, name: called = by }: Person, you: string) =>
    screen.extensions.includes(by) ? you : name(called, 40);

  /** What was said last: the note, then who talked last with the caller and how often the caller was missed today. */
  const about = ({ about: known = {} }: ScreenCall, now: number) => {
    const { note, last, missed_today: missed } = known;
    const facts = [
      last &&
        html`<span>${parts(words.lastWith, { name: lastWith(last, words.withYou) })}, ${screen.day(last.at, now)}</span>`,
      missed &&
        html`<span class="is-missed">${missed === 1 ? words.missedToday : filled(words.missedTodayTimes, { count: missed })}</span>`,
    ].filter(Boolean);
    return (
      (note || facts.length > 0) &&
      html`<div class="about">
        ${note && html`<blockquote><p dir="auto">${plainText(note.text, 300)}</p><div class="note-by">${face(note.by)}<span>${note.by === screen.user ? words.noteYou : name(note.by, 40)}, ${screen.day(note.at, now)}</span></div></blockquote>`}
        ${facts.length > 0 && html`<p class="facts-line">${facts}</p>`}
      </div>`
    );
  };

  return { picture, segment, numberOf, more, about };
}

/**
 * The calls of the line and the column, one row each. `onAction` gets the result of each action: which person or call, and
 * why the service refused it, if it did.
 */
export function createCards(screen: Screen, onAction: OnAction) {
  const { words, locale } = screen;
  const { picture, segment, numberOf, more, about } = createParts(screen);
  const list = new Intl.ListFormat(locale, { type: 'conjunction' });

  /** Whose phones ring, the user's first. */
  function ringsAt({ rings = [] }: ScreenCall) {
    const isMine = ({ by }: Person) => screen.extensions.includes(by);
    const colleagues = rings.flatMap((one) => (isMine(one) ? [] : (one.name ?? [])));
    const names = [...(rings.some(isMine) ? [words.atYou] : []), ...colleagues];
    return (
      names.length > 0 &&
      html`<p class="at">${picture('phone')}<span>${parts(words.ringsAt, { name: name(list.format(names), 120) })}</span></p>`
    );
  }

  /** The first call has a large card that says what was said last, the next two small ones, the others a line each. */
  const ringing = (call: ScreenCall, now: number, place: number) => {
    const size = place === 0 ? 'large' : place <= SMALL_CARDS ? 'little' : 'line';
    return html`<li key=${call.id} class=${`call ringing ${size}`} data-call=${call.id}>
      ${picture('bell-ring')}${who(call)}<time>${duration(now - call.started_at)}</time>
      <p class=${size === 'line' ? 'unseen' : 'more'}><span class="unseen">${words.ringing}</span>${
        size === 'large' ? more(call) : html`${segment(call)}${size === 'little' && numberOf(call)}`
      }</p>
      ${size === 'large' && html`${ringsAt(call)}${about(call, now)}`}
    </li>`;
  };

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
    ${face(withWhom(call)) || picture('phone', 'is-talking')}${who(call)}<time>${talked(call, now)}</time>
    <p class="more small quiet">${
      isOver(call)
        ? words.ended
        : withWhom(call)
          ? html`<span>${parts(words.with, { name: name(withWhom(call), 60) })}</span>`
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
      ${about(call, now)}
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

  /** Takes or closes a missed person, for all users. Somebody whom nobody had taken is called. */
  async function act({ person, number, taken_by }: MissedPerson, kind: 'taken' | 'done'): Promise<void> {
    const why = await post(screen, '/call-back', { number, kind, taker: taken_by ?? '' });
    onAction(person, why);
    if (why === undefined && kind === 'taken' && taken_by === null) dial(number);
  }

  const nextTry = (due: number, now: number) => filled(words.nextTry, { time: screen.clock(due, now) });

  return (person: MissedPerson, now: number, refused: Refused | undefined) => {
    const { taken_by: taker, due_at: due, times, completed_at } = person;
    const time = screen.clock(completed_at ?? 0, now);
    const missed =
      times > 1 ? filled(words.missedTimes, { count: times, time }) : filled(words.missedAt, { time });
    const isMine = taker === user;
    const button = (kind: 'taken' | 'done', text: string) =>
      html`<button type="button" class="soft" onClick=${() => act(person, kind)} aria-label=${`${text}: ${nameOf(person)}`}>${text}</button>`;
    return html`<li key=${person.person} data-person=${person.person}>
      <span class="name"><a href=${address(person)} title=${nameOf(person)}><bdi>${nameOf(person)}</bdi></a>${person.segment === firstSegment && segment(person)}</span>
      <span class="small quiet">${missed}${taker && html`, ${isMine ? words.takenByYou : parts(words.takenBy, { name: name(taker, 24) })}`}${due !== null && html`, ${isDue(person, user ?? '', now) ? html`<b class="is-due">${nextTry(due, now)}</b>` : nextTry(due, now)}`}</span>
      ${isMine ? button('done', words.done) : button('taken', taker === null ? words.take : words.takeOver)}
      ${why(refused, person.person, 'small is-missed')}
    </li>`;
  };
}
