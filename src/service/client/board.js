/**
 * The calls on a screen and their changes, as pure functions. Times are the server's, Unix milliseconds.
 *
 * @typedef {{
 *   id: string, status: 'ringing' | 'answered' | 'completed', number: string, number_shown: string,
 *   customer: { reference: string, name: string } | null, segment: string | null, priority: number | null,
 *   caller_id: string | null, started_at: number, answered_at: number | null, completed_at: number | null,
 *   missed: boolean | null, taken_by?: string | null, answered_by: string | null, integration: number,
 *   called?: string, times?: number, unlisted?: true,
 * }} Call of a caller to be called back, the newest of so many `times`; `unlisted`: one that only counts
 * @typedef {{ missed: readonly Call[], others: readonly Pick<Call, 'id' | 'number' | 'times' | 'taken_by'>[] }} CallBacks
 * @typedef {{ mine: readonly string[] | null, segments: readonly string[], integrations: readonly number[] }} Choice of calls by what the user set; an empty list, or null, chooses all
 * @typedef {ReadonlyMap<string, Call>} Board
 */

/** An answered call stays this long after its end. */
const LEAVE_MS = 4000;
/** Longer calls have ended without a report. */
const MAX_MS = { ringing: 2 * 3_600_000, answered: 24 * 3_600_000 };

const order = ['ringing', 'answered', 'completed'];

/** @type {Board} */
export const empty = new Map();

/** The board at the start of a stream, which replaces any earlier one. @param {readonly Call[]} calls @returns {Board} */
export const boardOf = (calls) => new Map(calls.map((call) => [call.id, call]));

/** The callers to be called back, as the service sends them. @param {CallBacks} callBacks @returns {Call[]} */
export const missedOf = ({ missed, others }) => [
  ...missed,
  ...others.map((one) => ({ ...unlisted, ...one })),
];

/** Of a caller beyond those that a screen shows. @type {Omit<Call, 'id' | 'number'>} */
const unlisted = {
  ...{ unlisted: true, status: 'completed', missed: true, number_shown: '' },
  ...{ customer: null, segment: null, priority: null, caller_id: null, answered_by: null, integration: 0 },
  ...{ started_at: 0, answered_at: null, completed_at: 0 },
};

/**
 * Applies a call's new state, which only moves forward. The end of an unknown call counts only if it was missed. A
 * caller who gets through is no longer missed.
 * @param {Board} board @param {Call} call @returns {Board}
 */
export function moved(board, call) {
  const known = board.get(call.id);
  if (known ? order.indexOf(call.status) <= order.indexOf(known.status) : isOver(call) && !call.missed)
    return board;
  const through = call.answered_at !== null || call.missed === false;
  const others = [...board.values()].filter(({ missed, number }) => missed && number === call.number);
  const rest = through
    ? without(
        board,
        others.map(({ id }) => id),
      )
    : board;
  return new Map(rest).set(call.id, call);
}

/** The board with other missed calls: a user did something about them. @param {Board} board @param {readonly Call[]} missed @returns {Board} */
export const withMissed = (board, missed) =>
  boardOf([...missed, ...[...board.values()].filter((call) => !call.missed)]);

/** The board with who calls now: customers have changed. @param {Board} board @param {readonly Pick<Call, 'id' | 'customer' | 'segment' | 'priority'>[]} calls @returns {Board} */
export function withCustomers(board, calls) {
  const known = new Map(calls.map((call) => [call.id, call]));
  return boardOf([...board.values()].map((call) => ({ ...call, ...known.get(call.id) })));
}

/** @param {Board} board @param {readonly string[]} ids @returns {Board} */
export function without(board, ids) {
  const next = new Map(board);
  for (const id of ids) next.delete(id);
  return next;
}

/**
 * The calls to show at `now`: ringing calls by priority, then by waiting time; then answered calls; then missed calls,
 * newest first. Without a live stream only missed calls are certain.
 * @param {Board} board @param {number} now @param {boolean} live @returns {{ ringing: Call[], others: Call[], missed: Call[][] }} missed calls by caller
 */
export function shownAt(board, now, live) {
  const calls = [...board.values()];
  const current = live ? calls : [];
  return {
    ringing: current
      .filter((call) => call.status === 'ringing' && now - call.started_at < MAX_MS.ringing)
      .sort((a, b) => rank(b) - rank(a) || a.started_at - b.started_at),
    others: current
      .filter(
        (call) =>
          (call.status === 'answered' && now - (call.answered_at ?? now) < MAX_MS.answered) ||
          (isOver(call) && !call.missed && now - (call.completed_at ?? 0) < LEAVE_MS),
      )
      .sort((a, b) => rank(b) - rank(a) || a.started_at - b.started_at),
    missed: byCaller(
      calls
        .filter((call) => call.missed && canBeCalled(call))
        .sort((a, b) => (b.completed_at ?? 0) - (a.completed_at ?? 0)),
    ),
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

/** As isDialable of callers/call-backs.ts: nobody calls a withheld number back. @param {Call} call */
const canBeCalled = ({ number }) => /^\+?\d{3,}$/.test(number);

/**
 * The call that a user with these extensions is on. Of several, the last that was answered: the others are on hold, or
 * their ends were never reported.
 * @param {readonly Call[]} calls @param {readonly string[]} extensions
 */
export const ownCall = (calls, extensions) =>
  calls
    .filter(({ status, caller_id }) => status === 'answered' && extensions.includes(caller_id ?? ''))
    .sort((a, b) => (b.answered_at ?? 0) - (a.answered_at ?? 0))[0];

/** Groups missed calls by caller, who is called back once. @param {readonly Call[]} calls @returns {Call[][]} */
function byCaller(calls) {
  /** @type {Map<string, Call[]>} */
  const callers = new Map();
  for (const call of calls) {
    const known = callers.get(call.number);
    if (known) known.push(call);
    else callers.set(call.number, [call]);
  }
  return [...callers.values()];
}

/** Without ended calls, so that a screen that is open for a year does not grow. @param {Board} board @param {number} now @returns {Board} */
export function tidied(board, now) {
  const gone = [...board.values()].filter(
    (call) => isOver(call) && !call.missed && now - (call.completed_at ?? 0) >= LEAVE_MS,
  );
  return gone.length === 0
    ? board
    : without(
        board,
        gone.map(({ id }) => id),
      );
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
