import type { Log } from '../log/log.ts';
import { compare, type Delivered } from './compare.ts';
import { type HistoryReader, HistoryUnreadable } from './history-reader.ts';
import {
  applyToReconcile,
  newReconcile,
  type ReconcileEffect,
  type ReconcileInput,
  type ReconcilerStatus,
} from './reconcile-state.ts';

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

/** Part of `everyMs` that the API has to show a new entry: a minute of five. */
const gracePart = 1 / 5;
/** Requests of one comparison: three a second over five minutes, at 1,000 events a second. */
const mostRequests = 1_000;

export type Reconciler = ReturnType<typeof createReconciler>;

/**
 * A 200 confirms receipt and no more (API part 3, rule 3). So confirmed events are compared with the API's request
 * history some minutes later, and missing ones are sent again, a few times. It cannot flood the API: requests and
 * resends are limited, and if the history has no entries of ours, or more than half are missing, it only logs that.
 */
export function createReconciler(options: ReconcilerOptions) {
  const { everyMs, recent, sendAgain, isFlowing, log, now } = options;
  const state = newReconcile();
  const stopping = new AbortController();
  let isLoaded = false;
  let timer: NodeJS.Timeout | undefined;
  let underWay: Promise<void> = Promise.resolve();

  async function apply(input: ReconcileInput): Promise<void> {
    for (const effect of applyToReconcile(state, input)) await carryOut(effect);
  }

  async function carryOut(effect: ReconcileEffect): Promise<void> {
    if (effect.type === 'log') log.say(effect.code, effect.fields);
    else if (effect.type === 'send-again') await send(effect.again, effect.due);
    else if (isFlowing()) {
      const found = await readHistory(effect.due, options);
      // A stop breaks off requests, which is no problem of the history.
      if (found.type === 'compared' || !stopping.signal.aborted) await apply(found);
    }
  }

  async function send(again: readonly Delivered[], due: number): Promise<void> {
    let sent: readonly number[] = [];
    try {
      sent = await sendAgain(again);
    } finally {
      await apply({ type: 'sent-again', again, sent: new Set(sent), due, at: now() });
    }
  }

  async function compareOnce(): Promise<void> {
    if (!isLoaded) await apply({ type: 'delivered', events: await recent() });
    isLoaded = true;
    const at = now();
    await apply({ type: 'time', at, deliveredBy: at - everyMs * gracePart });
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
    const waitMs = state.resends.size > 0 ? everyMs * gracePart * 1.2 : everyMs;
    timer = setTimeout(async () => {
      await compareNow();
      if (!stopping.signal.aborted) wait();
    }, waitMs);
  }

  return {
    start: wait,
    // Only the fields that are needed: hundreds of thousands may wait here.
    /** An event was delivered a moment ago. */
    delivered({ seq, callId, status }: Omit<Delivered, 'at'>) {
      applyToReconcile(state, { type: 'delivered', events: [{ seq, callId, status, at: now() }] });
    },
    compare: compareNow,
    /** Waits for a comparison that is under way. */
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await underWay;
    },
    status: (): ReconcilerStatus => state.status,
  };
}

async function readHistory(
  due: readonly Delivered[],
  { reader, beginning, now }: ReconcilerOptions,
): Promise<Extract<ReconcileInput, { type: 'compared' | 'problem' }>> {
  try {
    if (await reader.understands(beginning)) {
      const comparison = compare(due, await reader.find(due, mostRequests));
      return { type: 'compared', comparison, due: due.length, at: now() };
    }
    const reason = `none of its entries is about a call whose id begins with ${beginning}`;
    return { type: 'problem', problem: 'not-understood', reason };
  } catch (error) {
    if (!(error instanceof HistoryUnreadable)) throw error;
    return { type: 'problem', problem: 'unreadable', reason: error.message };
  }
}
