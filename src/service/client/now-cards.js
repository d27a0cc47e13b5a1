import htm from 'htm';
import { h } from 'preact';
import { lasting, nameOf, plainText } from './board.js';
import { filled, parts, words } from './words.js';

/** @typedef {import('./board.js').Call} Call */
/** @typedef {import('./board.js').Missed} Missed */

/** The calls of the line and the column, one row each. */
const html = htm.bind(h);
const {
  token = '',
  zone: timeZone,
  locale,
  icons,
  first,
  user,
} = document.getElementById('now')?.dataset ?? {};
const time = new Intl.DateTimeFormat(locale, { timeZone, hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat(locale, { timeZone, weekday: 'short' });

/** `10:14`, or `Mon 10:14` of another day. @param {number} at @param {number} now */
export const clock = (at, now) =>
  day.format(at) === day.format(now) ? time.format(at) : `${day.format(at)} ${time.format(at)}`;

/** A picture of icons.svg. @param {string} name @param {string} [also] */
export const icon = (name, also = '') =>
  html`<svg class=${`i ${also}`.trim()} aria-hidden="true"><use href=${`${icons}#${name}`} /></svg>`;

/** @param {string} text @param {number} [longest] */
const name = (text, longest) => html`<bdi>${plainText(text, longest)}</bdi>`;

/** The page of who calls, which leads back to this one. @param {Call} call */
function address({ customer, number }) {
  const back = new URLSearchParams(location.search).get('back') ?? location.pathname + location.search;
  return `/person?${new URLSearchParams({ ...(customer ? { customer: customer.reference } : { number }), back })}`;
}

/** @param {Call} call */
const segment = ({ segment: text }) =>
  text && html`<span class=${text === first ? 'chip first' : 'chip'}>${name(text, 24)}</span>`;

/** Besides the name: the segment, the number, who spoke with them last and what was called. @param {Call} call */
const more = (call) => html`
  ${segment(call)}
  ${call.customer && html`<span class="digits">${name(call.number_shown)}</span>`}
  ${call.last_with && html`<span class="quiet">${parts(words.lastWith, { name: name(call.last_with, 40) })}</span>`}
  ${call.called && html`<span class="quiet">${parts(words.calledFor, { name: name(call.called, 60) })}</span>`}`;

/** @param {Call} call */
const who = (call) =>
  html`<a class="who" href=${address(call)} title=${nameOf(call)}><bdi>${nameOf(call)}</bdi></a>`;

/** @param {Call} call @param {number} now */
export const ringing = (call, now) => html`<li key=${call.id} class="call ringing" data-call=${call.id}>
  ${icon('bell-ring')}${who(call)}<time>${lasting(now - call.started_at)}</time>
  <p class="more"><span class="unseen">${words.ringing}</span>${more(call)}</p>
</li>`;

/**
 * A call that rings for so long that its end was probably lost: anybody can close it.
 * @param {Call} call @param {number} now @param {Refused} [refused] what failed last
 */
export const doubtful = (call, now, refused) => {
  const time = `${Math.floor((now - call.started_at) / 60_000)}\u00a0min`;
  const close = async () => actions.refused(call.id, await post('/calls/close', { id: call.id }));
  return html`<li key=${call.id} class="call doubtful" data-call=${call.id}>
    ${icon('bell-ring')}${who(call)}
    <button type="button" class="soft" onClick=${close} aria-label=${`${words.close}: ${nameOf(call)}`}>${words.close}</button>
    <p class="more small quiet"><span>${filled(words.stillRinging, { time })}</span>${more(call)}${
      refused?.one === call.id && html`<span class="is-missed" role="alert">${refused.why}</span>`
    }</p>
  </li>`;
};

/** A call of somebody else. @param {Call} call @param {number} now */
export const other = (call, now) => html`<li key=${call.id} class="call" data-call=${call.id}>
  ${icon('phone', 'is-talking')}${who(call)}<time>${talked(call, now)}</time>
  <p class="more small quiet">${
    call.status === 'completed'
      ? words.ended
      : call.answered_by
        ? html`<span>${parts(words.with, { name: name(call.answered_by, 60) })}</span>`
        : words.answered
  }</p>
</li>`;

/** @param {Call} call @param {number} now */
const talked = ({ answered_at, completed_at }, now) => lasting((completed_at ?? now) - (answered_at ?? now));

/**
 * The user's own call, with its note. `note`: the text so far and what became of it.
 * @param {Call} call @param {number} now
 * @param {{ text: string, state: string, type(text: string): void, save(): void }} note
 */
export const mine = (
  call,
  now,
  note,
) => html`<li key=${call.id} class=${call.status === 'completed' ? 'call mine over' : 'call mine'} data-call=${call.id}>
  ${icon('phone')}${who(call)}<time>${talked(call, now)}</time>
  <p class="more">${
    call.status === 'completed'
      ? html`${more(call)}<span class="quiet">${words.ended}</span>`
      : html`<span class="unseen">${words.talking}</span>${more(call)}`
  }</p>
  <form onSubmit=${(/** @type {Event} */ event) => {
    event.preventDefault();
    note.save();
  }}>
    <label class="unseen" for=${`note-${call.id}`}>${words.note}</label>
    <textarea id=${`note-${call.id}`} rows="1" maxlength="1000" placeholder=${words.note} value=${note.text} onInput=${(/** @type {Event} */ { target }) => note.type(/** @type {HTMLTextAreaElement} */ (target).value)}></textarea>
    <button class="soft">${words.save}</button>
    <p class="small" role="status">${note.state}</p>
  </form>
</li>`;

/** A person to call back. @param {Missed} person @param {number} now @param {Refused} [refused] what failed last */
export function later(person, now, refused) {
  const { taken_by: taker, times, completed_at } = person;
  const when = clock(completed_at ?? 0, now);
  const missed =
    times > 1
      ? filled(words.missedTimes, { count: times, time: when })
      : filled(words.missedAt, { time: when });
  const isMine = taker === user;
  const button = (/** @type {'taken' | 'done'} */ kind, /** @type {string | undefined} */ text) =>
    html`<button type="button" class="soft" onClick=${() => act(person, kind)} aria-label=${`${text}: ${nameOf(person)}`}>${text}</button>`;
  return html`<li key=${person.person} data-person=${person.person}>
    <span class="name"><a href=${address(person)} title=${nameOf(person)}><bdi>${nameOf(person)}</bdi></a>${person.segment === first && segment(person)}</span>
    <span class="small quiet">${missed}${taker && html`, ${isMine ? words.takenByYou : parts(words.takenBy, { name: name(taker, 24) })}`}</span>
    ${isMine ? button('done', words.done) : button('taken', taker === null ? words.take : words.takeOver)}
    ${refused?.one === person.person && html`<span class="small is-missed" role="alert">${refused.why}</span>`}
  </li>`;
}

/**
 * An action that the service did not take: the person or call, and why.
 * @typedef {{ one: string, why: string }} Refused
 */

/** Told how each action went. @type {{ refused(one: string, why: string | undefined): void }} */
export const actions = { refused() {} };

/** Takes or closes a missed person, for all users. @param {Missed} person @param {'taken' | 'done'} kind */
async function act({ person, number, taken_by }, kind) {
  actions.refused(person, await post('/call-back', { number, kind, taker: taken_by ?? '' }));
}

/** Undefined if the service took it, else why not. @param {string} path @param {Record<string, string>} fields */
export async function post(path, fields) {
  const body = new URLSearchParams({ ...fields, token, from: 'now' });
  const answer = await fetch(path, { method: 'POST', body }).catch(() => undefined);
  if (answer?.status === 204) return undefined;
  const page = new DOMParser().parseFromString((await answer?.text().catch(() => '')) ?? '', 'text/html');
  return page.querySelector('[role=alert]')?.textContent || String(words.refused);
}
