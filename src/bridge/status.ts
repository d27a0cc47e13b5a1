import type { Dispatcher } from '../shared/delivery/dispatcher.ts';
import type { LogStatus } from '../shared/log/log-destination.ts';
import { within } from '../shared/process/within.ts';
import type { Lookups } from './agi/agi.ts';
import { describeFailure } from './ami/failure.ts';
import type { AmiLink } from './ami/link.ts';
import type { AmiStatus } from './ami/link-state.ts';
import type { CallBackReporter } from './call-back-reporter.ts';
import type { WatchedOutbox } from './outbox/append-watch.ts';
import type { Outbox } from './outbox/outbox.ts';
import type { Counters } from './outbox/tables/counters.ts';
import type { Reconciliation } from './reconciliation.ts';
import { type BridgeState, readinessProblems } from './status/bridge-status.ts';
import type { TrackerDriver } from './tracker-driver.ts';

type Parts = {
  readonly version: string;
  readonly pbxId: string;
  /** Of the PBX. */
  readonly address: string;
  readonly outbox: WatchedOutbox;
  readonly tracker: TrackerDriver;
  readonly link: AmiLink;
  readonly dispatcher: Dispatcher;
  readonly agi: Lookups['agi'] | undefined;
  readonly callBacks: Pick<CallBackReporter, 'status'> | undefined;
  readonly reconciliation: Pick<Reconciliation, 'status'> | undefined;
  readonly log: (() => LogStatus) | undefined;
};

/** How long the disk may take to count the waiting events, ms, before the last known count is shown. */
const COUNT_TIMEOUT_MS = 2_000;

/** Gathers how the parts of a bridge are doing. */
export function createStatusReader(parts: Parts, now: () => number): () => Promise<BridgeState> {
  const { version, pbxId, address, outbox, tracker, link, dispatcher, agi, callBacks, reconciliation, log } =
    parts;
  const startedAt = now();
  const readQueue = createQueueReader(outbox, COUNT_TIMEOUT_MS);
  // So that there are figures to show if the disk fails before the first request.
  void readQueue().catch(() => {});
  return async () => {
    const figures = await readQueue();
    const status = {
      version,
      pbxId,
      pid: process.pid,
      startedAt,
      now: now(),
      pbx: pbxOf(link.status(), address),
      calls: tracker.status(),
      outbox: {
        ...figures,
        storage: outbox.storage(),
        commits: outbox.commits(),
        ...outbox.appendStatus(),
      },
      delivery: dispatcher.status(),
      reconcile: reconciliation?.status(),
      lookups: agi?.status(),
      callBacks: callBacks?.status(),
      log: log?.(),
    };
    const reasons = readinessProblems(status);
    return { ...status, ready: reasons.length === 0, reasons };
  };
}

function pbxOf(status: AmiStatus, address: string): BridgeState['pbx'] {
  const { failure, counters, ...link } = status;
  const ignored = [...counters.ignored.values()].reduce((sum, count) => sum + count, 0);
  return {
    address,
    ...link,
    ...(failure && { failure: describeFailure(failure) }),
    connects: counters.connects,
    bytesIn: counters.bytesIn,
    lineBreaks: counters.lineBreaks,
    events: {
      used: counters.events,
      ignored,
      bad: counters.bad,
      lost: counters.tooLong,
      failed: counters.failed,
    },
  };
}

type QueueFigures = Counters & { readonly oldestWaitingAt: number | undefined };

/**
 * Reads the counts of events. While the disk fails it cannot be read, but that is when people look: after `timeoutMs`
 * it returns the last known counts. Rejects if there are none yet, or if the outbox has ended.
 */
export function createQueueReader(
  outbox: Pick<Outbox, 'counters' | 'oldestWaiting'>,
  timeoutMs: number,
): () => Promise<QueueFigures> {
  let known: QueueFigures | undefined;
  let underWay: Promise<void> | undefined;

  async function read(): Promise<void> {
    try {
      const [counters, oldestWaitingAt] = await Promise.all([outbox.counters(), outbox.oldestWaiting()]);
      known = { ...counters, oldestWaitingAt };
    } finally {
      underWay = undefined;
    }
  }

  return async () => {
    // One request at a time: while the disk fails, those of all readers would pile up.
    underWay ??= read();
    await within(timeoutMs, underWay);
    if (known === undefined) throw new Error('the disk of the state folder does not answer');
    return known;
  };
}
