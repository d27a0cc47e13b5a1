import type { CallStatus } from '../../shared/api/contract/call-status.ts';
import type { DeliveryQueue, QueuedEvent } from '../../shared/delivery/queue.ts';
import type { Log } from '../../shared/log/log.ts';
import { moduleBeside } from '../../shared/process/module-beside.ts';
import { startThread } from '../../shared/storage/thread.ts';
import type { StoredBackfill } from './tables/backfill.ts';
import type { Counters } from './tables/counters.ts';
import type { DeliveredEvent, StoredEvent } from './tables/history.ts';
import { behind, type IntakeBatch, repeated } from './tables/intake.ts';
import type { LedgerEntry } from './tables/ledger.ts';
import type { StoredTrunk } from './tables/trunks.ts';
import type { KeeperOptions } from './worker/keeper.ts';
import type { Notice, StorageState, StoreOps } from './worker/store.ts';

/** A call event to report. `body` is the JSON as it will go on the wire. */
export type NewEvent = {
  readonly callId: string;
  readonly status: CallStatus;
  readonly body: string;
  /** Unix ms. */
  readonly queuedAt: number;
};

/** What changed at one moment: on disk together, or not at all. */
export type Batch = {
  /** Calls that changed, in order; `state` is opaque text, null when the call has ended and is forgotten. */
  readonly calls: readonly { readonly id: string; readonly state: string | null }[];
  /** Trunks that changed; `state` is opaque text, null when the endpoint is no trunk. */
  readonly trunks: readonly {
    readonly endpoint: string;
    readonly source: string;
    readonly state: string | null;
  }[];
  readonly events: readonly NewEvent[];
  /** What was seen and decided until then: lines, joined, for explain. */
  readonly journal?: { readonly lines: string; readonly at: number };
  /** Calls that are not reported by decision, with the reason; `at` is Unix ms. */
  readonly unreported?: readonly { readonly id: string; readonly at: number; readonly why: string }[];
  /** How far Asterisk's call records were read: opaque text. */
  readonly cdrCheckpoint?: string;
  /** How far those of the past are: opaque text. */
  readonly backfill?: string;
};

export type Appended = {
  /** The events that are now the oldest waiting one of their call: they may be sent. */
  readonly nextEvents: readonly QueuedEvent[];
  /** The events that had been queued before (same call and status): they were ignored. */
  readonly repeated: readonly NewEvent[];
};

/** What a start needs: open calls, known trunks, and how far the call records were read. */
export type Saved = {
  readonly calls: { id: string; state: string }[];
  readonly trunks: StoredTrunk[];
  /** Ids of the calls of the last two days that are not reported by decision. */
  readonly unreported: string[];
  readonly cdrCheckpoint: string | undefined;
};

const workerScript = moduleBeside(import.meta.url, './worker/worker');

/** Most events that wait in memory for the disk; more are rejected. */
const mostUnderWay = 200_000;

/** Rows read by one step of long work: other requests get their turn between the steps. */
const stepRows = 500;

type Step = { readonly done: number; readonly next?: number };

async function inSteps(step: (after: number) => Promise<Step>): Promise<number> {
  let total = 0;
  for (let after: number | undefined = 0; after !== undefined; ) {
    const { done, next }: Step = await step(after);
    total += done;
    after = next;
  }
  return total;
}

export type Outbox = Awaited<ReturnType<typeof openOutbox>>;

/**
 * Opens the outbox of a folder, a durable queue of call events and the memory of open calls, in a thread of its own. `onLocked` is called when the folder is locked for us: what
 * follows may take as long as the disk does. Rejects with StorageRefused (one line) if another process uses it, a newer
 * version wrote it, or the disk cannot promise durability.
 */
export async function openOutbox(
  options: KeeperOptions,
  { log, onLocked }: { log: Log; onLocked?: () => void },
) {
  let storage: StorageState = { state: 'working' };
  const onNotice = (notice: Notice): void => {
    if (notice.type === 'locked') onLocked?.();
    else if (notice.type === 'storage') storage = notice.storage;
    else log.say(notice.code, notice.fields);
  };
  const thread = await startThread<StoreOps, Notice>(workerScript, options, { onNotice });
  const { request } = thread;
  let underWay = 0;

  return {
    /**
     * Resolves when everything is on disk (fsynced). While the disk is full or fails it retries, in order, and
     * `storage()` reports it. Rejects only if the outbox has failed or was closed, or if 200,000 events wait for the disk
     * already: then nothing was queued.
     */
    async append(batch: Batch): Promise<Appended> {
      const { events } = batch;
      const intake = flat(batch);
      if (underWay + events.length > mostUnderWay)
        throw new Error('too many events wait for the disk already');
      underWay += events.length;
      const numbers = await request('append', intake).finally(() => {
        underWay -= events.length;
      });
      const nextEvents: QueuedEvent[] = [];
      const again: NewEvent[] = [];
      events.forEach((event, i) => {
        const number = numbers[i] as number;
        if (number === repeated) again.push(event);
        else if (number !== behind) nextEvents.push({ seq: number, ...event, attempts: 0, rejections: 0 });
      });
      return { nextEvents, repeated: again };
    },
    /** Open calls, known trunks and the checkpoint of the call records, for the start. */
    load: (): Promise<Saved> => request('load'),
    /** The known trunks as they are on disk, corrected by operators perhaps. */
    trunks: (): Promise<StoredTrunk[]> => request('trunks'),
    /** The entries of those of the calls that have one. */
    ledgerEntries: (callIds: readonly string[]): Promise<Map<string, LedgerEntry>> =>
      request('ledgerEntries', callIds),
    /** Of these beginnings of call ids, those of a call in the ledger, each with the id of one. */
    callIdsFrom: (beginnings: readonly string[]): Promise<Map<string, string>> =>
      request('callIdsFrom', beginnings),
    /** What is stored of the call records of the past. */
    backfill: (): Promise<StoredBackfill> => request('backfill'),
    saveDryBackfill: (text: string) => request('saveDryBackfill', text),
    due: (query) => request('due', query),
    nextDue: (now) => request('nextDue', now),
    record: (results) => request('record', results),
    expire: (queuedBefore, at) => inSteps((after) => request('expire', queuedBefore, at, after, stepRows)),
    waiting: async () => (await request('counters')).waiting,
    /** Exact counts; `queued = delivered + waiting + dead`. */
    counters: (): Promise<Counters> => request('counters'),
    /** Unix ms at which the oldest waiting event was queued. */
    oldestWaiting: (): Promise<number | undefined> => request('oldestWaiting'),
    /** All that is kept about a call's events, each with its attempts. */
    eventsOf: (callId: string): Promise<StoredEvent[]> => request('eventsOf', callId),
    /** Those of the `limit` events queued last that were delivered since (Unix ms). */
    lastDelivered: (since: number, limit: number): Promise<DeliveredEvent[]> =>
      request('lastDelivered', since, limit),
    /**
     * Makes delivered events wait again that are missing at the API, in the order of their calls. Returns the
     * numbers of those that do. It leaves out events that are no longer delivered, and events that would come after a
     * later one of their call.
     */
    sendAgain: (seqs: readonly number[], at: number) => request('sendAgain', seqs, at),
    /** Deletes events delivered before `before` (Unix ms), and the unreported calls from before; returns the number of events. */
    async prune(before: number) {
      const total = await inSteps((after) => request('prune', before, after, stepRows));
      while ((await request('pruneUnreported', before, stepRows)) > 0);
      return total;
    },
    /** Deletes journal lines written before `before` (Unix ms), and the oldest beyond `most` characters. */
    async pruneJournal(before: number, most: number) {
      while ((await request('pruneJournal', before, most, stepRows)) > 0);
    },
    /** Reads the whole database, and repairs damage. Other requests wait: about a second for each 100 MB. */
    check: () => request('check'),
    /** How storage is doing, for health. */
    storage: () => storage,
    /** Transactions so far. */
    commits: thread.commits,
    /** Resolves if the storage thread dies: every request is rejected from then on, and the program must end. */
    failed: thread.failed,
    /** Writes everything in progress, and unlocks the folder. */
    close: thread.close,
  } satisfies DeliveryQueue & Record<string, unknown>;
}

function flat({ calls, trunks, events, journal, unreported, cdrCheckpoint, backfill }: Batch): IntakeBatch {
  const bad = events.find(({ queuedAt }) => !Number.isSafeInteger(queuedAt));
  if (bad) throw new TypeError(`${bad.callId} was queued at ${bad.queuedAt}, which is no time`);
  return {
    calls: calls.flatMap(({ id, state }) => [id, state]),
    trunks: trunks.flatMap(({ endpoint, source, state }) => [endpoint, source, state]),
    events: events.flatMap(({ callId, status, body }) => [callId, status, body]),
    queuedAt: events.map(({ queuedAt }) => queuedAt),
    journal: journal?.lines ?? '',
    journalAt: journal?.at ?? 0,
    unreported: unreported?.flatMap(({ id, at, why }) => [id, at, why]) ?? [],
    cdrCheckpoint: cdrCheckpoint ?? '',
    backfill: backfill ?? '',
  };
}

/** How often old delivered events are forgotten, ms. */
const PRUNE_EVERY_MS = 600_000;

/** The journal's oldest lines go when it has more characters than this: a month of 4,000 calls a day. */
const MOST_JOURNAL = 256 << 20;

/** Every 144th pruning, which is once a day, the database is checked as well. */
const CHECK_EVERY = 144;

/**
 * Deletes delivered events and journal lines at the end of their retention, and looks for damage. The outbox logs disk
 * errors. `ledgerSince`: Unix ms of the oldest calls that the call records may still contain.
 */
export function createPruning(
  outbox: Pick<Outbox, 'prune' | 'pruneJournal' | 'check'>,
  { keepMs, journalKeepMs }: { keepMs: number; journalKeepMs: number },
  ledgerSince = () => Number.POSITIVE_INFINITY,
) {
  let rounds = 0;
  let timer: NodeJS.Timeout | undefined;
  const prune = () => {
    void outbox.prune(Math.min(Date.now() - keepMs, ledgerSince())).catch(() => {});
    void outbox.pruneJournal(Date.now() - journalKeepMs, MOST_JOURNAL).catch(() => {});
    if (rounds++ % CHECK_EVERY === 0) void outbox.check().catch(() => {});
  };
  return {
    start() {
      timer = setInterval(prune, PRUNE_EVERY_MS).unref();
    },
    stop: () => clearInterval(timer),
  };
}
