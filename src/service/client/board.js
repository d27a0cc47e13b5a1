/**
 * The calls on a screen and their changes, as pure functions. Times are the server's, Unix milliseconds.
 *
 * @typedef {{
 *   id: string, status: 'ringing' | 'answered' | 'completed', number: string, number_shown: string,
 *   customer: { reference: string, name: string } | null, segment: string | null, priority: number | null,
 *   caller_id: string | null, started_at: number, answered_at: number | null, completed_at: number | null,
 *   missed: boolean | null, answered_by: string | null, integration: number, called?: string, last_with?: string,
 * }} Call
 * @typedef {Call & { person: string, times: number, since: number, taken_by: string | null }} Missed a person to call back: the newest of so many calls `since`
 * @typedef {{ mine: readonly string[] | null, segments: readonly string[], integrations: readonly number[] }} Choice of calls by what the user set; an empty list, or null, chooses all
 * @typedef {ReadonlyMap<string, Call>} Board
 * @typedef {ReadonlyMap<string, Missed>} People by person
 */

/** An answered call stays this long after its end. */
const LEAVE_MS = 4000;
/** A call that rings for longer: its end was lost, in all likelihood (DOUBTFUL_MS of calls/call-record.ts). */
const DOUBTFUL_MS = 3 * 60_000;

const order = ['ringing', 'missed', 'answered', 'ended'];

/** A missed call can still be answered: the service had closed it, and its events came later. @param {Call} call */
const progress = (call) => order.indexOf(isOver(call) ? (call.missed ? 'missed' : 'ended') : call.status);

/** @type {Board} */
export const empty = new Map();

/** The board at the start of a stream, which replaces any earlier one. @param {readonly Call[]} calls @returns {Board} */
export const boardOf = (calls) => new Map(calls.map((call) => [call.id, call]));

/** Applies a call's new state, which only moves forward; the end of an unknown call counts only if it was missed. @param {Board} board @param {Call} call @returns {Board} */
export function moved(board, call) {
  const known = board.get(call.id);
  if (known ? progress(call) <= progress(known) : isOver(call) && !call.missed) return board;
  return new Map(board).set(call.id, { ...(known?.last_with && { last_with: known.last_with }), ...call });
}

/** The board with more about some of its calls, such as who calls now. @param {Board} board @param {readonly (Partial<Call> & Pick<Call, 'id'>)[]} calls @returns {Board} */
export function told(board, calls) {
  const news = new Map(calls.map((call) => [call.id, call]));
  return boardOf([...board.values()].map((call) => ({ ...call, ...news.get(call.id) })));
}

/** The people to call back after a change. @param {People} people @param {{ missed: readonly Missed[], gone?: readonly string[] }} change @returns {People} */
export function withPeople(people, { missed, gone = [] }) {
  const next = new Map(people);
  for (const person of gone) next.delete(person);
  for (const one of missed) next.set(one.person, one);
  return next;
}

/** The highest priority first, then who has waited longest. @param {People} people @returns {Missed[]} */
export const inOrder = (people) =>
  [...people.values()].sort((a, b) => rank(b) - rank(a) || a.since - b.since);

/**
 * The calls to show at `now`: ringing calls by priority, then by waiting time; then answered calls; last those whose end
 * was probably lost, the newest first. Without a live stream none is certain.
 * @param {Board} board @param {number} now @param {boolean} live
 * @returns {{ ringing: Call[], others: Call[], doubtful: Call[] }}
 */
export function shownAt(board, now, live) {
  const current = live ? [...board.values()] : [];
  const ringing = current.filter((call) => call.status === 'ringing');
  return {
    ringing: ringing
      .filter((call) => !isDoubtful(call, now))
      .sort((a, b) => rank(b) - rank(a) || a.started_at - b.started_at),
    others: current
      .filter(
        (call) =>
          call.status === 'answered' ||
          (isOver(call) && !call.missed && now - (call.completed_at ?? 0) < LEAVE_MS),
      )
      .sort((a, b) => rank(b) - rank(a) || a.started_at - b.started_at),
    doubtful: ringing.filter((call) => isDoubtful(call, now)).sort((a, b) => b.started_at - a.started_at),
  };
}

/**
 * Whether the user chose to see a call. Which extension a call rings at is often unknown: then it may be the user's.
 * @param {Pick<Call, 'caller_id' | 'segment' | 'integration'>} call @param {Choice} choice
 */
export const isChosen = ({ caller_id, segment, integration }, { mine, segments, integrations }) =>
  (mine === null || caller_id === null || mine.includes(caller_id)) &&
  (segments.length === 0 || segments.includes(segment ?? '')) &&
  (integrations.length === 0 || integrations.includes(integration));

/**
 * The call that a user with these extensions is on. Of several, the last that was answered: the others are on hold, or
 * their ends were never reported.
 * @param {readonly Call[]} calls @param {readonly string[]} extensions
 */
export const ownCall = (calls, extensions) =>
  calls
    .filter(({ status, caller_id }) => status === 'answered' && extensions.includes(caller_id ?? ''))
    .sort((a, b) => (b.answered_at ?? 0) - (a.answered_at ?? 0))[0];

/** @param {Call} call @param {number} now */
export const isDoubtful = ({ status, started_at }, now) =>
  status === 'ringing' && now - started_at > DOUBTFUL_MS;

/** Without ended calls, so that a screen that is open for a year does not grow. @param {Board} board @param {number} now @returns {Board} */
export function tidied(board, now) {
  const stays = (/** @type {Call} */ call) => !isOver(call) || now - (call.completed_at ?? 0) < LEAVE_MS;
  const calls = [...board.values()];
  return calls.every(stays) ? board : boardOf(calls.filter(stays));
}

/** @param {Call} call */
const isOver = (call) => call.status === 'completed';

/** No priority ranks lowest. @param {Call} call */
const rank = (call) => call.priority ?? Number.NEGATIVE_INFINITY;

/** `0:12`, `1:02:03` @param {number} ms */
export function lasting(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (/** @type {number} */ value) => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return `${hours > 0 ? `${hours}:${two(minutes)}` : minutes}:${two(seconds % 60)}`;
}

/** Who calls, for people. @param {Call} call */
export const nameOf = (call) => plainText(call.customer?.name ?? call.number_shown);

/** An untrusted text without invisible characters, shortened (see kit/display-text.ts). @param {string} text @param {number} [longest] */
export function plainText(text, longest = 120) {
  const clean = text.replace(
    /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029\ufeff]/gu,
    '\ufffd',
  );
  if (/^[\s\p{Default_Ignorable_Code_Point}]*$/u.test(clean)) return '(blank)';
  return clean.length > longest ? `${clean.slice(0, longest - 1).toWellFormed()}…` : clean;
}
