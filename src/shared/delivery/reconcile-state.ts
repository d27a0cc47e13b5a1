import type { LogFields } from '../log/log.ts';
import type { MessageCode } from '../log/messages.ts';
import type { Comparison, Delivered } from './compare.ts';

/** Times are Unix ms; counts are since the start. */
export type ReconcilerStatus = {
  /** `ok`: the last comparison worked, or there was none yet. */
  readonly state: 'ok' | HistoryProblem;
  /** Why it is not `ok`. */
  readonly reason?: string | undefined;
  readonly lastAt?: number | undefined;
  /** Events that were found there. */
  readonly compared: number;
  /** Events that were sent again. */
  readonly sentAgain: number;
  /** Not there, but a later state of their call is. */
  readonly overtaken: number;
  /** Not there although they were sent again a few times. */
  readonly gaveUp: number;
  /** Events that were not compared: there were too many, or the history could not be read for too long. */
  readonly skipped: number;
};

type HistoryProblem = 'unreadable' | 'not-understood' | 'too-much-missing';

/** Plain tables, which `applyToReconcile` changes: hundreds of thousands of events may wait in them. */
type ReconcileState = {
  /** Events that are to be compared, by seq, the longest delivered first. */
  readonly waiting: Map<number, Delivered>;
  /** Events that were sent again and not found since: how often, and when last (Unix ms). */
  readonly resends: Map<number, { readonly count: number; readonly at: number }>;
  status: ReconcilerStatus;
};

/** `at`: Unix ms. */
export type ReconcileInput =
  | { readonly type: 'delivered'; readonly events: Iterable<Delivered> }
  /** Time to compare what was delivered at or before `deliveredBy`. */
  | { readonly type: 'time'; readonly at: number; readonly deliveredBy: number }
  | { readonly type: 'compared'; readonly at: number; readonly comparison: Comparison; readonly due: number }
  | { readonly type: 'problem'; readonly problem: HistoryProblem; readonly reason: string }
  /** Of `again` these were sent again; the others cannot be, or not now. */
  | {
      readonly type: 'sent-again';
      readonly at: number;
      readonly again: readonly Delivered[];
      readonly sent: ReadonlySet<number>;
      readonly due: number;
    };

export type ReconcileEffect =
  | { readonly type: 'compare'; readonly due: readonly Delivered[] }
  | { readonly type: 'send-again'; readonly again: readonly Delivered[]; readonly due: number }
  | { readonly type: 'log'; readonly code: MessageCode; readonly fields: LogFields };

/** An event that could not be compared for this long, ms, is no longer compared: the API may have deleted its entry. */
const longestMs = 3_600_000;
/** Events that may wait to be compared, 20 MB and while they are compared twice that: five minutes at 330 a second. */
const mostWaiting = 100_000;
/** Skipped together: a Map is slow to find its first entry after many single deletions. */
const skippedAtOnce = 10_000;
/** Events that are sent again by one comparison: 1 % of five minutes at 1,000 a second, and some. */
const mostAgain = 5_000;
/** How often an event is sent again. */
const mostResends = 5;
/** If more than half of more than this many events seem to be missing, the history is not understood. */
const fewEvents = 20;

export function newReconcile(): ReconcileState {
  return {
    waiting: new Map(),
    resends: new Map(),
    status: {
      state: 'ok',
      reason: undefined,
      lastAt: undefined,
      compared: 0,
      sentAgain: 0,
      overtaken: 0,
      gaveUp: 0,
      skipped: 0,
    },
  };
}

/** Changes the tables, and returns what is to be done, in this order. The same inputs always give the same effects. */
export function applyToReconcile(state: ReconcileState, input: ReconcileInput): ReconcileEffect[] {
  switch (input.type) {
    case 'delivered':
      for (const event of input.events) wait(state, event);
      return [];
    case 'time':
      return dueAt(state, input);
    case 'compared':
      return afterComparison(state, input);
    case 'problem':
      return meet(state, input);
    case 'sent-again':
      return afterSending(state, input);
    default:
      return input satisfies never;
  }
}

type InputOf<Type> = Extract<ReconcileInput, { type: Type }>;

function wait(state: ReconcileState, event: Delivered): void {
  state.waiting.set(event.seq, event);
  if (state.waiting.size > mostWaiting) skip(state, [...state.waiting.keys().take(skippedAtOnce)]);
}

function skip(state: ReconcileState, seqs: readonly number[]): void {
  forget(state, seqs);
  state.status = { ...state.status, skipped: state.status.skipped + seqs.length };
}

function forget({ waiting, resends }: ReconcileState, seqs: readonly number[]): void {
  for (const seq of seqs) {
    waiting.delete(seq);
    resends.delete(seq);
  }
}

function dueAt(state: ReconcileState, { at, deliveredBy }: InputOf<'time'>): ReconcileEffect[] {
  const { waiting, resends } = state;
  const old = [...waiting.values()].filter((event) => event.at < at - longestMs);
  skip(state, seqsOf(old));
  // Events that became dead letters, or wait because of an outage: the dispatcher logs both.
  for (const [seq, last] of resends) if (last.at < at - longestMs) resends.delete(seq);
  const due = [...waiting.values()].filter((event) => event.at <= deliveredBy);
  return due.length === 0 ? [] : [{ type: 'compare', due }];
}

/** A problem is logged when it begins and when it changes. */
function meet(state: ReconcileState, { problem, reason }: InputOf<'problem'>): ReconcileEffect[] {
  const isKnown = state.status.state === problem;
  state.status = { ...state.status, state: problem, reason };
  return isKnown ? [] : [line(`reconcile.${problem}`, { reason })];
}

function afterComparison(state: ReconcileState, { comparison, at, due }: InputOf<'compared'>) {
  const { there, missing, overtaken } = comparison;
  const compared = there.length + missing.length + overtaken.length;
  state.status = { ...state.status, lastAt: at };
  if (compared > fewEvents && missing.length > compared / 2) {
    const reason = `${missing.length} of ${compared} events are not in it`;
    return meet(state, { type: 'problem', problem: 'too-much-missing', reason });
  }
  const hopeless = missing.filter(({ seq }) => resendCount(state, seq) >= mostResends);
  forget(state, seqsOf([...there, ...overtaken, ...hopeless]));
  const again = missing.filter(({ seq }) => state.waiting.has(seq)).slice(0, mostAgain);
  // Sent again, they are delivered once more, perhaps before we know that they were sent.
  for (const { seq } of again) {
    state.waiting.delete(seq);
    state.resends.set(seq, { count: resendCount(state, seq) + 1, at });
  }
  const before = state.status;
  state.status = {
    ...before,
    state: 'ok',
    reason: undefined,
    compared: before.compared + there.length,
    overtaken: before.overtaken + overtaken.length,
    gaveUp: before.gaveUp + hopeless.length,
  };
  return [
    ...(before.state === 'ok' ? [] : [line('reconcile.working', { compared })]),
    ...(again.length === 0 ? [] : [{ type: 'send-again', again, due } as const]),
    ...linesOf('reconcile.overtaken', overtaken),
    ...linesOf('reconcile.gave-up', hopeless, { tries: mostResends }),
  ];
}

function afterSending(state: ReconcileState, { at, again, sent, due }: InputOf<'sent-again'>) {
  for (const event of again.filter(({ seq }) => !sent.has(seq))) {
    state.resends.set(event.seq, { count: resendCount(state, event.seq) - 1, at });
    if (!state.waiting.has(event.seq)) wait(state, event);
  }
  const done = again.filter(({ seq }) => sent.has(seq));
  state.status = { ...state.status, sentAgain: state.status.sentAgain + done.length };
  return linesOf('reconcile.sent-again', done, { compared: due });
}

function resendCount({ resends }: ReconcileState, seq: number): number {
  return resends.get(seq)?.count ?? 0;
}

const seqsOf = (events: readonly Delivered[]) => events.map(({ seq }) => seq);

const line = (code: MessageCode, fields: LogFields): ReconcileEffect => ({ type: 'log', code, fields });

/** One line for all of them, with the first as an example. */
function linesOf(code: MessageCode, events: readonly Delivered[], more: LogFields = {}): ReconcileEffect[] {
  const [first] = events;
  if (first === undefined) return [];
  return [line(code, { count: events.length, ...more, status: first.status, call: first.callId })];
}
