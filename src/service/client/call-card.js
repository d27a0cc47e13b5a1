import htm from 'htm';
import { h } from 'preact';
import { lasting, nameOf, plainText } from './board.js';
import { filled, parts, words } from './words.js';

/** @typedef {import('./board.js').Call} Call */

/** The calls in the bar, one card each. */
const html = htm.bind(h);
const { token = '', zone: timeZone, locale } = document.getElementById('bar')?.dataset ?? {};
const time = new Intl.DateTimeFormat(locale, { timeZone, hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat(locale, { timeZone, weekday: 'short' });

/** @param {string} text */
const bold = (text) => html`<b>${text}</b>`;

/**
 * A call in progress or just ended. `now`: Unix ms of the server. `isOwn`: the user is on it.
 * @param {Call} call @param {number} now @param {boolean} [isOwn]
 */
export function card(call, now, isOwn = false) {
  return html`<li key=${call.id} class=${`call ${call.status}`} data-call=${call.id}>
    <span class="dot" aria-hidden="true"></span>
    <div class="caller">${who(call)}</div>
    ${segment(call)}
    <div class="what">${what(call, now, isOwn)}${called(call)}</div>
  </li>`;
}

/** The number that was called, where the bridge reports it. @param {Call} call */
const called = (call) =>
  call.called &&
  html` <span class="called">${parts(words.calledFor, { name: html`<bdi>${plainText(call.called, 60)}</bdi>` })}</span>`;

/** @param {Call} call @param {number} now @param {boolean} isOwn */
function what({ status, started_at, answered_at, completed_at, answered_by }, now, isOwn) {
  if (status === 'ringing') return parts(words.ringingFor, { time: bold(lasting(now - started_at)) });
  if (status === 'completed')
    return answered_at && completed_at
      ? parts(words.endedAfter, { time: bold(lasting(completed_at - answered_at)) })
      : words.ended;
  return parts(isOwn ? words.withYou : answered_by ? words.answeredBy : words.answered, {
    name: answered_by && html`<bdi>${plainText(answered_by, 60)}</bdi>`,
    time: bold(lasting(now - (answered_at ?? now))),
  });
}

/** A missed caller. @param {readonly Call[]} calls of one caller, newest first @param {number} now */
export function missedCard(calls, now) {
  const [call] = calls;
  if (call === undefined) return null;
  const taker = calls.find(({ taken_by }) => taken_by)?.taken_by;
  const at = call.completed_at ?? 0;
  const when = day.format(at) === day.format(now) ? time.format(at) : `${day.format(at)} ${time.format(at)}`;
  const count = calls.reduce((sum, { times: so = 1 }) => sum + so, 0);
  const times =
    count > 1 && html` <span role="img" aria-label=${filled(words.missedTimes, { count })}>×${count}</span>`;
  return html`<li key=${call.id} class="call missed-call" data-call=${call.id}>
    <span class="dot" aria-hidden="true"></span>
    <div class="caller">${who(call)}</div>
    ${segment(call)}
    <div class="what">${parts(words.missedAt, { time: bold(when) })}${times}${called(call)}</div>
    <div class="actions">
      ${
        taker
          ? html`<span>${parts(words.takenBy, { name: html`<bdi>${plainText(taker, 24)}</bdi>` })}</span>`
          : html`<button type="button" class="take" onClick=${() => act(call, 'taken')} aria-label=${filled(words.takeCaller, { name: nameOf(call) })}>${words.take}</button>`
      }
      <button type="button" onClick=${() => act(call, 'done')} aria-label=${filled(words.doneCaller, { name: nameOf(call) })}>${words.done}</button>
    </div>
  </li>`;
}

/** @param {Call} call */
function who(call) {
  const shown = html`<bdi class="number">${plainText(call.number_shown)}</bdi>`;
  const number = call.missed ? html`<a href=${`tel:${call.number}`}>${shown}</a>` : shown;
  const back = new URLSearchParams(location.search).get('back') ?? location.pathname + location.search;
  const to = `/callers?${new URLSearchParams({ number: call.number, back })}`;
  return call.customer
    ? html`<strong><a href=${to} title=${nameOf(call)}><bdi>${nameOf(call)}</bdi></a></strong> ${number}`
    : html`<strong>${call.missed ? number : html`<a href=${to}>${shown}</a>`}</strong>`;
}

/** @param {Call} call */
const segment = (call) =>
  call.segment &&
  html`<span class="chip" title=${words.segment}><bdi>${plainText(call.segment, 24)}</bdi> ${call.priority}</span>`;

/** Takes or closes a missed caller, for all users. @param {Call} call @param {'taken' | 'done'} kind */
function act({ number }, kind) {
  const body = new URLSearchParams({ token, number, kind, from: 'bar' });
  void fetch('/call-back', { method: 'POST', body });
}
