import type { Dispatcher } from '../shared/delivery/dispatcher.ts';
import type { LogStatus } from '../shared/log/log-destination.ts';
import { within } from '../shared/process/within.ts';
import type { Lookups } from './agi/agi.ts';
import { describeFailure } from './ami/failure.ts';
import type { AmiLink } from './ami/link.ts';
import type { AmiStatus } from './ami/link-state.ts';
import type { Appended, Batch, Outbox } from './outbox/outbox.ts';
import type { Counters } from './outbox/tables/counters.ts';
import type { Reconciliation } from './reconciliation.ts';
import { type BridgeState, readinessProblems } from './status/bridge-status.ts';
import type { TrackerDriver } from './tracker-driver.ts';

type Parts = {
  readonly version: string;
  readonly pbxId: string;
  /** Of the PBX. */
  readonly address: string;
  readonly outbox: Outbox;
  readonly appends: AppendWatch;
  readonly tracker: TrackerDriver;
  readonly link: AmiLink;
  readonly dispatcher: Dispatcher;
  readonly agi: Lookups['agi'] | undefined;
  readonly reconciliation: Pick<Reconciliation, 'status'> | undefined;
  readonly log: (() => LogStatus) | undefined;
};

/** How long the disk may take to count the waiting events, ms, before the last known count is shown. */
const COUNT_TIMEOUT_MS = 2_000;

/** Gathers how the parts of a bridge are doing. */
export function createStatusReader(parts: Parts, now: () => number): () => Promise<BridgeState> {
  const { version, pbxId, address, outbox, appends, tracker, link, dispatcher, agi, reconciliation, log } =
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
        ...appends.status(),
      },
      delivery: dispatcher.status(),
      reconcile: reconciliation?.status(),
      lookups: agi?.status(),
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

type AppendStatus = Pick<BridgeState['outbox'], 'lastCommitAt' | 'uncommitted' | 'uncommittedSince'>;

type AppendWatch = ReturnType<typeof watchAppends>;

/** Watches the batches on their way to the disk, and how long they take. Batches are written in their order. */
export function watchAppends(append: Outbox['append'], now: () => number) {
  const underWay = new Map<Batch, { readonly since: number; readonly done: Promise<unknown> }>();
  let lastCommitAt: number | undefined;

  async function appendOne(batch: Batch): Promise<Appended> {
    try {
      const appended = await append(batch);
      lastCommitAt = now();
      return appended;
    } finally {
      underWay.delete(batch);
    }
  }

  return {
    append(batch: Batch) {
      const done = appendOne(batch);
      underWay.set(batch, { since: now(), done });
      return done;
    },
    /** Whether everything appended until now is on disk within `limitMs`. Rejects if a batch was refused. */
    written: (limitMs: number) =>
      within(limitMs, Promise.all([...underWay.values()].map(({ done }) => done))),
    /** Calls of which something is in memory only. */
    callsInMemory() {
      const batches = [...underWay.keys()];
      const changed = batches.flatMap(({ calls }) => calls.map(({ id }) => id));
      return new Set([...changed, ...batches.flatMap(({ events }) => events.map(({ callId }) => callId))])
        .size;
    },
    status(): AppendStatus {
      const [oldest] = underWay.values();
      const uncommitted = [...underWay.keys()].reduce((sum, { events }) => sum + events.length, 0);
      return { lastCommitAt, uncommitted, uncommittedSince: oldest?.since };
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

  async function ask(): Promise<void> {
    try {
      const [counters, oldestWaitingAt] = await Promise.all([outbox.counters(), outbox.oldestWaiting()]);
      known = { ...counters, oldestWaitingAt };
    } finally {
      underWay = undefined;
    }
  }

  return async () => {
    // One request at a time: while the disk fails, those of all readers would pile up.
    underWay ??= ask();
    await within(timeoutMs, underWay);
    if (known === undefined) throw new Error('the disk of the state folder does not answer');
    return known;
  };
}
