import { setTimeout as wait } from 'node:timers/promises';
import type { Log } from '../../shared/log/log.ts';
import { messageOf } from '../../shared/process/parse-json.ts';
import { within } from '../../shared/process/within.ts';
import type { Appended, NewEvent, Outbox } from '../outbox/outbox.ts';
import type { StoredBackfill } from '../outbox/tables/backfill.ts';
import {
  type BackfillProgress,
  counted,
  dayOf,
  finished,
  ledgerSinceOf,
  progressOf,
  readProgress,
  readWish,
  totals,
  type Wish,
  withProblems,
} from './backfill-state.ts';
import { type RecordFault, type RecordSource, RecordsRefused } from './cdr-source.ts';
import type { LiveCalls } from './live-calls.ts';
import { createPastReader, type PastCall } from './past-reader.ts';

/** Events that are queued at once: far fewer than may be on the way, so that a live call never waits for them. */
const EVENTS_AT_ONCE = 20;
/** Chunks that are read for them, at most; then the position is saved. */
const CHUNKS_AT_ONCE = 40;
/** With it, a step a minute. */
const MAX_SLOWNESS = 30;
/** A stop waits so long for what is under way, ms. */
const STOP_MS = 1_000;

/** Waits, ms. */
export const backfillPace = {
  /** After queued events, and between two looks whether they are delivered. */
  report: 2_000,
  look: 250,
  /** Between two chunks: nothing else waits for long. */
  chunk: 20,
  /** Until the next look at what an operator wants. */
  idle: 2_000,
  /** After a failure, or while something is missing. */
  missing: 5_000,
  /** A dry run says how far it is. */
  dry: 1_000,
};

type BackfillTools = {
  readonly outbox: Pick<Outbox, 'backfill' | 'saveDryBackfill' | 'append' | 'ledgerEntries' | 'waiting'>;
  readonly onAppended: (taken: Appended) => void;
  /** Why nothing may be reported now, in one line; undefined if it may. */
  readonly hindrance: () => string | undefined;
  readonly log: Log;
  readonly now: () => number;
  readonly pace?: typeof backfillPace;
};

type Known = Pick<
  LiveCalls,
  'rules' | 'trunks' | 'isPhone' | 'presumesWithheld' | 'recordOptions' | 'snapshots'
>;

/** What is being done. */
type Run = {
  progress: BackfillProgress;
  readonly isDry: boolean;
  readonly reader: ReturnType<typeof createPastReader>;
  /** Calls that were read, and are not reported or counted yet. */
  ready: PastCall[];
  atEnd: boolean;
};

/**
 * Reports the calls of before the bridge's first day from call records, when an operator wishes (`pbx-bridge backfill`), by
 * the rules of a gap. Only while nothing else waits to be delivered, and a few at a time. How far it is goes to disk with
 * the events.
 */
export function createBackfill(source: RecordSource<unknown>, live: Known, tools: BackfillTools) {
  const { outbox, onAppended, hindrance, log, now, pace = backfillPace } = tools;
  let run: Run | undefined;
  let holding: BackfillProgress | undefined;
  let timer: NodeJS.Timeout | undefined;
  let underWay: Promise<unknown> = Promise.resolve();
  let isStopped = false;
  /** Grows with each hindrance: an API that limits requests must not hold live calls back for these. */
  let slowness = 1;

  async function save(progress: BackfillProgress, isDry: boolean, events: NewEvent[] = []): Promise<void> {
    const text = JSON.stringify(progress);
    if (isDry) await outbox.saveDryBackfill(text);
    else {
      onAppended(await outbox.append({ calls: [], trunks: [], events, backfill: text }));
      holding = progress;
    }
  }

  /** How far a wish is: as it was saved, or at its beginning. */
  function progressFor(wish: Wish, stored: StoredBackfill): BackfillProgress {
    const saved = savedFor(wish, stored);
    if (saved?.of === wish.at && saved.source === source.name) return saved;
    const bounds = { source: source.name, bridgeSince: stored.bridgeSince, now: now() };
    return progressOf(wish, readProgress(stored.progress), bounds);
  }

  async function begin(wish: Wish, stored: StoredBackfill): Promise<Run> {
    const { isDry } = wish;
    let progress = progressFor(wish, stored);
    let position = progress.position === undefined ? undefined : source.positionOf(progress.position);
    if (position === undefined) {
      const first = await source.beginning(progress.since);
      position = first.position;
      progress = withProblems(progress, first.unread);
    }
    const { since, until } = progress;
    const reader = createPastReader(source, { since, until }, position, {
      live,
      ledgerEntries: outbox.ledgerEntries,
    });
    if (!isDry && progress.position === undefined)
      log.say('cdr.backfill-begun', {
        source: source.name,
        since: dayOf(since),
        until: new Date(until).toISOString(),
      });
    return { progress, isDry, reader, ready: [], atEnd: since >= until };
  }

  async function readMore(current: Run): Promise<void> {
    const { calls, faults, leftOut, atEnd, restarted } = await current.reader.read();
    if (restarted) log.say('cdr.lost-position', { source: source.name });
    current.progress = withProblems(current.progress, [
      ...faults.map((fault) => faultTexts[fault]),
      ...leftOut,
    ]);
    current.ready.push(...calls);
    current.atEnd = atEnd;
  }

  /** Counts these calls, and returns the events of those to report. */
  function take(current: Run, calls: readonly PastCall[]): NewEvent[] {
    for (const call of calls) current.progress = counted(current.progress, call);
    const at = now();
    const events = calls.flatMap((call) => ('event' in call ? [call.event] : []));
    return events.map((event) => ({
      callId: event.id,
      status: event.status,
      body: JSON.stringify(event),
      queuedAt: at,
    }));
  }

  async function saveAfter(current: Run, events: NewEvent[]): Promise<void> {
    const { why: _, ...rest } = current.progress;
    const position = current.ready[0]?.from ?? current.reader.position();
    const isDone = current.atEnd && current.ready.length === 0;
    current.progress = isDone ? finished(rest) : { ...rest, state: 'reading', position };
    await save(current.progress, current.isDry, events);
    if (isDone && !current.isDry) log.say('cdr.backfill-done', totals(current.progress));
  }

  /** Reports a few calls; returns how long to wait then. */
  async function report(current: Run): Promise<number> {
    if ((await outbox.waiting()) > 0) return pace.look;
    const reports = () => current.ready.filter((call) => 'event' in call).length;
    for (let chunks = 0; chunks < CHUNKS_AT_ONCE && reports() < EVENTS_AT_ONCE && !current.atEnd; chunks++) {
      await readMore(current);
      await wait(pace.chunk);
    }
    const { ready } = current;
    let [count, events] = [0, 0];
    while (count < ready.length && events < EVENTS_AT_ONCE)
      if ('event' in (ready[count++] as PastCall)) events++;
    await saveAfter(current, take(current, ready.splice(0, count)));
    return events > 0 ? pace.report * slowness : pace.chunk;
  }

  async function countAll(current: Run): Promise<number> {
    const until = now() + pace.dry;
    do {
      if (!current.atEnd) await readMore(current);
      take(current, current.ready.splice(0));
      await wait(pace.chunk);
    } while (!current.atEnd && now() < until);
    await saveAfter(current, []);
    return pace.chunk;
  }

  /** Says once what it waits for. */
  async function waitFor(why: string, wish: Wish, stored: StoredBackfill): Promise<number> {
    const progress = progressFor(wish, stored);
    if (progress.why !== why || savedFor(wish, stored)?.of !== wish.at) {
      await save({ ...progress, state: 'waiting', why }, wish.isDry);
      if (!wish.isDry) log.say('cdr.backfill-waits', { why });
    }
    if (run !== undefined) slowness = Math.min(slowness * 2, MAX_SLOWNESS);
    run = undefined;
    return pace.missing;
  }

  /** One step; returns how long to wait then. */
  async function step(): Promise<number> {
    const stored = await outbox.backfill();
    const wish = readWish(stored.wish);
    holding = readProgress(stored.progress);
    const saved = wish && savedFor(wish, stored);
    if (wish === undefined || (saved?.of === wish.at && saved.state === 'done')) {
      run = undefined;
      return pace.idle;
    }
    const missing = live.snapshots() === 0 ? 'there is no link to Asterisk yet' : undefined;
    const why = missing ?? (wish.isDry ? undefined : hindrance());
    if (why !== undefined) return waitFor(why, wish, stored);
    try {
      if (run?.progress.of !== wish.at) run = await begin(wish, stored);
      return await (wish.isDry ? countAll(run) : report(run));
    } catch (error) {
      return await waitFor(`${source.name} cannot be read: ${failureText(error)}`, wish, stored);
    }
  }

  async function go(): Promise<void> {
    underWay = step().then(
      (ms) => {
        if (!isStopped) timer = setTimeout(go, ms);
      },
      // The outbox says itself what is wrong with the disk.
      () => {
        run = undefined;
        if (!isStopped) timer = setTimeout(go, pace.missing);
      },
    );
    await underWay;
  }

  return {
    step,
    /** Unix ms: what was delivered since must not be forgotten. */
    ledgerSince: () => ledgerSinceOf(holding, now()),
    start: (): void => void go(),
    async stop(): Promise<void> {
      isStopped = true;
      clearTimeout(timer);
      await within(STOP_MS, underWay);
      clearTimeout(timer);
      await source.close();
    },
  };
}

/** What was saved last of wishes of this kind. */
const savedFor = ({ isDry }: Wish, stored: StoredBackfill): BackfillProgress | undefined =>
  readProgress(isDry ? stored.dry : stored.progress);

const faultTexts: Readonly<Record<RecordFault, string>> = {
  bad: 'no call record',
  'no-uniqueid': 'a record without a uniqueid',
  'cut-uniqueid': 'a record whose uniqueid does not fit into its column',
};

const failureText = (error: unknown): string =>
  error instanceof RecordsRefused ? `${error.message}. ${error.todo}` : messageOf(error);
