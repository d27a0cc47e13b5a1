import { join } from 'node:path';
import type { Log } from '../ops/log.ts';
import { createBallast } from './ballast.ts';
import { databasePath, makeFolder, OutboxRefused } from './database.ts';
import { lockFolder } from './instance-lock.ts';
import { type OpenStore, openStore, repairAndOpen } from './open-store.ts';
import { messageOf, troubleOf } from './sqlite-trouble.ts';
import type { Ask, Store, StoreOp } from './store.ts';
import type { Answers, FromWorker, Numbered, StorageState, WorkerOptions } from './worker-messages.ts';

/** How long trouble with the disk is waited out before the next try, ms. */
const retryMs = { full: 500, failing: 2_000 } as const;

/** Questions that write nothing: they need no transaction, and no room on the disk. */
const reads: ReadonlySet<StoreOp> = new Set<StoreOp>([
  'load',
  'due',
  'nextDue',
  'tally',
  'oldestWaiting',
  'eventsOf',
]);

/**
 * Keeps the database and answers questions in order, all of one run in one transaction: an answer is given only when
 * everything before it is on disk. What the disk refuses is held and tried again until it succeeds:
 * - disk full: the ballast is dropped, so that deliveries can still be marked, and only the intake is held, until
 *   there is room for the ballast again; without one, until something fits;
 * - errors: everything is held, and the file is opened afresh before each try;
 * - a damaged file is repaired at once, and the run is tried again.
 */
export function createKeeper(
  options: WorkerOptions,
  { post, log, now }: { post: (message: FromWorker) => void; log: Log; now: () => number },
) {
  const { directory } = options;
  const path = databasePath(directory);
  makeFolder(directory);
  const unlock = lockFolder(directory, process.pid);
  const ballast = createBallast(join(directory, 'outbox.ballast'), options.ballastBytes);
  let opened: OpenStore | undefined;
  let state: StorageState['state'] = 'working';
  let announced: StorageState['state'] = 'working';
  let held: Numbered[] = [];
  let timer: NodeJS.Timeout | undefined;
  let commits = 0;
  /** True while the ballast's room is given to deliveries. */
  let dropped = false;

  try {
    start();
  } catch (error) {
    unlock();
    throw error;
  }

  function start(): void {
    try {
      open();
      fillBallast();
    } catch (error) {
      waitOut(error);
    }
  }

  function open(): OpenStore {
    opened ??= openStore(path, now(), log);
    return opened;
  }

  function close(): void {
    const { db } = opened ?? {};
    opened = undefined;
    try {
      db?.close();
    } catch {
      // A disk that fails may fail to close as well; what matters is that the next try opens afresh.
    }
  }

  /** Answers these questions, or throws with nothing of them done. */
  function answerAll(asks: readonly Numbered[]): unknown[] {
    const { store } = open();
    const each = () => asks.map(({ ask }) => answer(store, ask));
    if (asks.every(({ ask }) => reads.has(ask.op))) return each();
    const values = store.transact(each);
    commits++;
    return values;
  }

  function handle(asks: readonly Numbered[], answers: Answers, repaired = false): void {
    const mayRun = asks.filter(runsNow);
    if (mayRun.length < asks.length) hold(asks.filter((one) => !runsNow(one)));
    const looks = mayRun.filter(({ ask }) => reads.has(ask.op));
    if (state === 'full' && looks.length > 0 && looks.length < mayRun.length) {
      // What only looks must not wait for the room that the others need.
      handle(looks, answers, repaired);
      handle(
        mayRun.filter((one) => !looks.includes(one)),
        answers,
        repaired,
      );
    } else if (mayRun.length > 0) attempt(mayRun, answers, repaired);
  }

  function attempt(mayRun: readonly Numbered[], answers: Answers, repaired: boolean): void {
    try {
      const values = answerAll(mayRun);
      for (const { id } of mayRun) answers.ids.push(id);
      for (const value of values) answers.values.push(value);
    } catch (error) {
      setback(mayRun, error, answers, repaired);
    }
  }

  function runsNow({ ask }: Numbered): boolean {
    return state === 'working' || (state === 'full' && ask.op !== 'append');
  }

  function hold(asks: readonly Numbered[]): void {
    held = held.concat(asks);
  }

  function setback(asks: readonly Numbered[], error: unknown, answers: Answers, repaired: boolean): void {
    const trouble = troubleOf(error);
    if (trouble === 'other' && asks.length === 1) {
      for (const { id } of asks) answers.refused.push({ id, message: messageOf(error) });
    } else if (trouble === 'other') {
      // One of them is at fault: the others must not suffer for it.
      for (const one of asks) handle([one], answers);
    } else if (trouble === 'full' && state === 'working') {
      dropBallast();
      enter('full', error);
      handle(asks, answers);
    } else if (trouble === 'full') {
      hold(asks);
    } else if (trouble !== 'corrupt') {
      enter('failing', error);
      hold(asks);
    } else if (repaired) {
      throw error;
    } else {
      close();
      repairNow(error);
      handle(asks, answers, true);
    }
  }

  /** Repairs the damaged file, or leaves that to the next try when the disk does not allow it now. */
  function repairNow(error: unknown): void {
    try {
      opened = repairAndOpen(path, now(), error, log);
    } catch (failure) {
      waitOut(failure);
    }
  }

  /** Ending the program for trouble with the disk would only make it start again and again. */
  function waitOut(error: unknown): void {
    const trouble = troubleOf(error);
    if (error instanceof OutboxRefused || trouble === 'other' || trouble === 'corrupt') throw error;
    if (trouble === 'full') dropBallast();
    enter('failing', error);
  }

  function fillBallast(): void {
    if (!ballast.fill()) log.say('outbox.no-ballast', { directory, bytes: options.ballastBytes });
  }

  function dropBallast(): void {
    const { freed, error } = ballast.drop();
    dropped = freed;
    // It is tried again with each try for room: once is enough to say.
    if (error !== undefined && announced === 'working') log.say('outbox.ballast-stuck', { directory, error });
  }

  function enter(next: 'full' | 'failing', error: unknown): void {
    state = next;
    if (announced !== next) {
      announced = next;
      const text = messageOf(error);
      post({ type: 'storage', storage: { state: next, error: text } });
      log.say(`outbox.${next}`, { directory, error: text });
    }
    clearTimeout(timer);
    timer = setTimeout(tryAgain, retryMs[next]);
  }

  function tryAgain(): void {
    if (state === 'failing') {
      try {
        close();
        open();
      } catch (error) {
        enter('failing', error);
        return;
      }
    } else {
      // Marks of deliveries that did not fit a moment ago.
      run([], 0);
      if (state !== 'full') return;
      if (dropped && !ballast.fill()) {
        waitForRoom();
        return;
      }
    }
    state = 'working';
    run([], 0);
    if (state !== 'working') return;
    announced = state;
    dropped = false;
    fillBallast();
    post({ type: 'storage', storage: { state } });
    log.say('outbox.working', { directory });
  }

  function waitForRoom(): void {
    try {
      // What is in the WAL goes to its place, so that the marks of deliveries need no more room.
      opened?.db.exec('PRAGMA wal_checkpoint(PASSIVE)');
      timer = setTimeout(tryAgain, retryMs.full);
    } catch (error) {
      enter('full', error);
    }
  }

  function run(asks: readonly Numbered[], messages: number): void {
    const answers: Answers = { ids: [], values: [], refused: [] };
    const all = [...held.filter(runsNow), ...asks];
    held = held.filter((one) => !runsNow(one));
    handle(all, answers);
    post({ type: 'done', messages, commits, answers });
  }

  return {
    /** Answers what can be answered now, the rest when it can be; `messages` is only handed on. */
    run,
    close(): void {
      clearTimeout(timer);
      close();
      unlock();
    },
  };
}

function answer(store: Store, { op, args }: Ask): unknown {
  const ask = store.ops[op] as (...args: readonly unknown[]) => unknown;
  return ask(...args);
}
