import type { Log } from '../log/log.ts';
import { type Comparison, compare, type Delivered } from './compare.ts';
import { type HistoryReader, HistoryUnreadable } from './history-reader.ts';

export type ReconcilerOptions = {
  /** The common beginning of our call ids. */
  readonly beginning: string;
  /** Interval between comparisons, ms. */
  readonly everyMs: number;
  readonly reader: Pick<HistoryReader, 'find' | 'understands'>;
  /** Events that were delivered before the start, the newest ones. */
  readonly recent: () => Promise<readonly Delivered[]>;
  /**
   * Makes delivered events wait again, in the order of their calls; returns the numbers of those that can still be sent
   * again.
   */
  readonly sendAgain: (missing: readonly Delivered[]) => Promise<readonly number[]>;
  /** False while delivery is stopped: then nothing is compared. */
  readonly isFlowing: () => boolean;
  readonly log: Log;
  /** Unix ms. */
  readonly now: () => number;
};

/** Times are Unix ms; counts are since the start. */
export type ReconcilerStatus = {
  /** `ok`: the last comparison worked, or there was none yet. */
  readonly state: 'ok' | 'unreadable' | 'not-understood' | 'too-much-missing';
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

/** Part of `everyMs` that the far side has to show a new entry: a minute of five. */
const gracePart = 1 / 5;
/** An event that could not be compared for this long, ms, is no longer compared: the far side may have deleted its entry. */
const longestMs = 3_600_000;
/** Events that may wait to be compared, 20 MB and while they are compared twice that: five minutes at 330 a second. */
const mostWaiting = 100_000;
/** Skipped together: a Map is slow to find its first entry after many single deletions. */
const skippedAtOnce = 10_000;
/** Requests of one comparison: three a second over five minutes, at 1,000 events a second. */
const mostRequests = 1_000;
/** Events that are sent again by one comparison: 1 % of five minutes at 1,000 a second, and some. */
const mostAgain = 5_000;
/** How often an event is sent again. */
const mostResends = 5;
/** If more than half of more than this many events seem to be missing, the history is not understood. */
const fewEvents = 20;

export type Reconciler = ReturnType<typeof createReconciler>;

/**
 * A 200 confirms receipt and no more (API part 3, rule 3). So confirmed events are compared with the far side's request
 * history some minutes later, and missing ones are sent again, a few times. It cannot flood the API: requests and
 * resends are limited, and if the history has no entries of ours, or more than half are missing, it only logs that.
 */
export function createReconciler(options: ReconcilerOptions) {
  const { beginning, everyMs, reader, recent, sendAgain, isFlowing, log, now } = options;
  /** By seq, the longest delivered first. */
  const waiting = new Map<number, Delivered>();
  /** Events that were sent again and not found since: how often, and when last (Unix ms). */
  const resends = new Map<number, { readonly count: number; readonly at: number }>();
  const counts = { compared: 0, sentAgain: 0, overtaken: 0, gaveUp: 0, skipped: 0 };
  let state: ReconcilerStatus['state'] = 'ok';
  let reason: string | undefined;
  let lastAt: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let underWay: Promise<void> = Promise.resolve();
  let started = false;
  let stopped = false;

  function add(event: Delivered): void {
    waiting.set(event.seq, event);
    if (waiting.size > mostWaiting) for (const seq of waiting.keys().take(skippedAtOnce)) skip(seq);
  }

  function skip(seq: number): void {
    counts.skipped += 1;
    forget(seq);
  }

  function forget(seq: number): void {
    waiting.delete(seq);
    resends.delete(seq);
  }

  async function compareOnce(): Promise<void> {
    if (!started) {
      for (const event of await recent()) add(event);
      started = true;
    }
    const at = now();
    for (const { seq, at: confirmed } of [...waiting.values()]) if (confirmed < at - longestMs) skip(seq);
    // Events that became dead letters, or wait because of an outage: the dispatcher logs both.
    for (const [seq, last] of resends) if (last.at < at - longestMs) resends.delete(seq);
    const due = [...waiting.values()].filter((event) => event.at <= at - everyMs * gracePart);
    if (due.length === 0 || !isFlowing()) return;
    const found = await readHistory(due);
    if (found === undefined) return;
    await conclude(found, due);
    lastAt = at;
  }

  /** Undefined if the history cannot be read or understood. */
  async function readHistory(due: readonly Delivered[]): Promise<Comparison | undefined> {
    try {
      if (!(await reader.understands(beginning))) {
        problem('not-understood', `none of its entries is about a call whose id begins with ${beginning}`);
        return undefined;
      }
      return compare(due, await reader.find(due, mostRequests));
    } catch (error) {
      if (!(error instanceof HistoryUnreadable)) throw error;
      problem('unreadable', error.message);
      return undefined;
    }
  }

  async function conclude(
    { there, missing, overtaken }: Comparison,
    due: readonly Delivered[],
  ): Promise<void> {
    const known = there.length + missing.length + overtaken.length;
    if (known > fewEvents && missing.length > known / 2) {
      problem('too-much-missing', `${missing.length} of ${known} events are not in it`);
      return;
    }
    if (state !== 'ok') log.say('reconcile.working', { compared: known });
    state = 'ok';
    reason = undefined;
    for (const { seq } of [...there, ...overtaken]) forget(seq);
    counts.compared += there.length;
    counts.overtaken += overtaken.length;
    const hopeless = missing.filter(({ seq }) => resendCount(seq) >= mostResends);
    for (const { seq } of hopeless) forget(seq);
    const again = missing.filter(({ seq }) => waiting.has(seq)).slice(0, mostAgain);
    const sent = again.length > 0 ? await send(again) : [];
    if (sent.length > 0) {
      counts.sentAgain += sent.length;
      const [{ status, callId }] = sent as [Delivered];
      log.say('reconcile.sent-again', { count: sent.length, compared: due.length, status, call: callId });
    }
    if (overtaken.length > 0) {
      const [{ status, callId }] = overtaken as [Delivered, ...Delivered[]];
      log.say('reconcile.overtaken', { count: overtaken.length, status, call: callId });
    }
    if (hopeless.length > 0) {
      counts.gaveUp += hopeless.length;
      const [{ status, callId }] = hopeless as [Delivered];
      log.say('reconcile.gave-up', { count: hopeless.length, tries: mostResends, status, call: callId });
    }
  }

  function resendCount(seq: number): number {
    return resends.get(seq)?.count ?? 0;
  }

  /** Events that were sent again come back through `delivered`, perhaps before this resolves; the others stay here. */
  async function send(again: readonly Delivered[]): Promise<Delivered[]> {
    const at = now();
    for (const { seq } of again) {
      waiting.delete(seq);
      resends.set(seq, { count: resendCount(seq) + 1, at });
    }
    let sent = new Set<number>();
    try {
      sent = new Set(await sendAgain(again));
    } finally {
      for (const event of again.filter(({ seq }) => !sent.has(seq))) {
        resends.set(event.seq, { count: resendCount(event.seq) - 1, at });
        if (!waiting.has(event.seq)) add(event);
      }
    }
    return again.filter(({ seq }) => sent.has(seq));
  }

  /** Logs a problem when it begins and when it changes. */
  function problem(now: Exclude<ReconcilerStatus['state'], 'ok'>, why: string): void {
    if (stopped) return;
    if (state !== now) log.say(`reconcile.${now}`, { reason: why });
    state = now;
    reason = why;
  }

  /** One at a time. */
  function compareNow(): Promise<void> {
    underWay = underWay.then(compareOnce).catch((error: unknown) => {
      log.say('reconcile.failed', { error: String(error) });
    });
    return underWay;
  }

  function wait(): void {
    // Events that were sent again are compared as soon as possible.
    const soonMs = everyMs * gracePart * 1.2;
    timer = setTimeout(
      async () => {
        await compareNow();
        if (!stopped) wait();
      },
      resends.size > 0 ? soonMs : everyMs,
    );
  }

  return {
    start: wait,
    // Only the fields that are needed: hundreds of thousands may wait here.
    /** An event was delivered a moment ago. */
    delivered: ({ seq, callId, status }: Omit<Delivered, 'at'>) => add({ seq, callId, status, at: now() }),
    compare: compareNow,
    /** Waits for a comparison that is under way. */
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await underWay;
    },
    status: (): ReconcilerStatus => ({ state, reason, lastAt, ...counts }),
  };
}
