import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { createBallast } from './ballast.ts';
import { databasePath, makeFolder, openDatabase } from './database.ts';
import { lockFolder } from './instance-lock.ts';
import { troubleOf } from './sqlite-trouble.ts';
import { type Ask, createStore, type Store, type StoreOp } from './store.ts';
import type { Answers, FromWorker, Numbered, StorageState, WorkerOptions } from './worker-messages.ts';

/** How long storage trouble is waited out before the next try, ms. */
const retryMs = 500;

/** Questions that write nothing: they need no transaction, and no disk space. */
const reads: ReadonlySet<StoreOp> = new Set<StoreOp>([
  'load',
  'due',
  'nextDue',
  'tally',
  'oldestWaiting',
  'eventsOf',
  'deadLetters',
]);

/**
 * Keeps the database and answers questions, in order, all of one run in one transaction: an answer is given only
 * when everything before it is on disk. What the disk refuses is held and tried again until it succeeds:
 * - full: the ballast is dropped, so that deliveries can still be marked; only the intake is held;
 * - errors: everything is held, the file is opened afresh before each try.
 */
export function createKeeper(options: WorkerOptions, post: (message: FromWorker) => void) {
  const { directory } = options;
  makeFolder(directory);
  const unlock = lockFolder(directory, process.pid);
  const ballast = createBallast(join(directory, 'outbox.ballast'), options.ballastBytes);
  let { db, store } = open();
  let state: StorageState['state'] = 'working';
  const held: Numbered[] = [];
  let timer: NodeJS.Timeout | undefined;
  let commits = 0;
  ballast.fill();

  function open(): { db: DatabaseSync; store: Store } {
    const db = openDatabase(databasePath(directory));
    return { db, store: createStore(db) };
  }

  /** Answers these questions, or throws with nothing of them done. */
  function answerAll(asks: readonly Numbered[]): unknown[] {
    const each = () => asks.map(({ ask }) => answer(store, ask));
    if (asks.every(({ ask }) => reads.has(ask.op))) return each();
    const values = store.transact(each);
    commits++;
    return values;
  }

  function handle(asks: readonly Numbered[], answers: Answers): void {
    const mayRun = asks.filter(({ ask }) => state === 'working' || (state === 'full' && ask.op !== 'append'));
    if (mayRun.length < asks.length) held.push(...asks.filter((one) => !mayRun.includes(one)));
    if (mayRun.length === 0) return;
    try {
      const values = answerAll(mayRun);
      answers.ids.push(...mayRun.map(({ id }) => id));
      answers.values.push(...values);
    } catch (error) {
      setback(mayRun, error, answers);
    }
  }

  function setback(asks: readonly Numbered[], error: unknown, answers: Answers): void {
    const trouble = troubleOf(error);
    const [first] = asks;
    if (trouble === 'corrupt' || first === undefined) throw error;
    if (trouble === 'other' && asks.length === 1) {
      answers.refused.push({ id: first.id, message: messageOf(error) });
    } else if (trouble === 'other') {
      // One of them is at fault: the others must not suffer for it.
      for (const one of asks) handle([one], answers);
    } else if (trouble === 'full' && ballast.drop()) {
      handle(asks, answers);
    } else if (trouble === 'full' && state === 'working') {
      enter('full', error);
      handle(asks, answers);
    } else {
      if (trouble !== 'full') enter('failing', error);
      held.push(...asks);
    }
  }

  function enter(next: StorageState['state'], error?: unknown): void {
    state = next;
    post({ type: 'storage', storage: error === undefined ? { state } : { state, error: messageOf(error) } });
    clearTimeout(timer);
    if (state !== 'working') timer = setTimeout(tryAgain, retryMs);
  }

  function tryAgain(): void {
    db.close();
    ({ db, store } = open());
    enter('working');
    run([], 0);
  }

  function run(asks: readonly Numbered[], messages: number): void {
    const answers: Answers = { ids: [], values: [], refused: [] };
    const all = state === 'working' && held.length > 0 ? [...held.splice(0), ...asks] : asks;
    handle(all, answers);
    post({ type: 'done', messages, commits, answers });
  }

  return {
    /** Answers what can be answered; `messages` is only handed on. */
    run,
    close(): void {
      clearTimeout(timer);
      db.close();
      unlock();
    },
  };
}

function answer(store: Store, { op, args }: Ask): unknown {
  const ask = store.ops[op] as (...args: readonly unknown[]) => unknown;
  return ask(...args);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
