import type { Log } from '../../log/log.ts';
import { messageOf } from '../../process/message-of.ts';
import { lockFolder } from '../../storage/instance-lock.ts';
import { makeFolder } from '../../storage/open-database.ts';
import { StorageRefused } from '../../storage/refused.ts';
import type { Main, Server } from '../../storage/serve-thread.ts';
import { type Answers, addAnswer, type Call, noAnswers } from '../../storage/thread-messages.ts';
import { troubleOf } from '../../storage/trouble.ts';
import { databasePath, occupant, saveRoom } from '../tables/database.ts';
import { appendTogether, type IntakeBatch } from '../tables/intake.ts';
import type { Notice, StorageState } from './notice.ts';
import { type OpenStore, openStore, repairAndOpen } from './open-store.ts';
import type { Store, StoreOp } from './store.ts';

export type KeeperOptions = {
  readonly directory: string;
};

/** How long trouble with the disk is waited out before the next try, ms. */
const retryMs = { full: 500, failing: 2_000 } as const;

/** Questions that write nothing: they need no transaction, and no room on the disk. */
const reads: ReadonlySet<string> = new Set<string>([
  'load',
  'trunks',
  'due',
  'nextDue',
  'counters',
  'oldestWaiting',
  'eventsOf',
  'verdicts',
  'lastDelivered',
  'check',
] satisfies StoreOp[]);

/**
 * Keeps the database and answers questions in order, all of one run in one transaction: an answer is given only when
 * everything before it is on disk. What the disk refuses is held and tried again until it succeeds:
 * - disk full: as much of it as fits is written, in order, twice a second; what only reads is answered at once;
 * - errors: everything is held, and the file is opened afresh before each try;
 * - a damaged file is repaired at once, and the run is tried again.
 */
export function createKeeper(
  options: KeeperOptions,
  { main, log, now }: { main: Main<Notice>; log: Log; now: () => number },
): Server {
  const { directory } = options;
  const path = databasePath(directory);
  makeFolder(directory);
  const unlock = lockFolder(directory, occupant, process.pid);
  main.notify({ type: 'held' });
  let opened: OpenStore | undefined;
  let state: StorageState['state'] = 'working';
  let announced: StorageState['state'] = 'working';
  let held: Call[] = [];
  let timer: NodeJS.Timeout | undefined;
  let commits = 0;

  try {
    start();
  } catch (error) {
    unlock();
    throw error;
  }

  function start(): void {
    try {
      open();
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
  function answerAll(calls: readonly Call[]): unknown[] {
    const { store } = open();
    const each = () => calls.flatMap((one, i) => answerOrAppend(store, calls, one, i));
    if (calls.every(({ name }) => reads.has(name))) return each();
    const values = store.transact(each);
    commits++;
    return values;
  }

  function handle(calls: readonly Call[], answers: Answers, repaired = false): void {
    const mayRun = calls.filter(runsNow);
    if (mayRun.length < calls.length) hold(calls.filter((one) => !runsNow(one)));
    if (mayRun.length > 0) attempt(mayRun, answers, repaired);
  }

  function attempt(mayRun: readonly Call[], answers: Answers, repaired: boolean): void {
    try {
      const values = answerAll(mayRun);
      mayRun.forEach(({ id }, i) => {
        addAnswer(answers, id, values[i]);
      });
    } catch (error) {
      setback(mayRun, error, answers, repaired);
    }
  }

  function runsNow({ name }: Call): boolean {
    return state === 'working' || (state === 'full' && reads.has(name));
  }

  function hold(calls: readonly Call[]): void {
    held = held.concat(calls);
  }

  function setback(calls: readonly Call[], error: unknown, answers: Answers, repaired: boolean): void {
    const trouble = troubleOf(error);
    if (trouble === 'other' && calls.length === 1) {
      for (const { id } of calls) answers.errors.push(id, messageOf(error));
    } else if (trouble === 'other') {
      // One of them is at fault: the others must not suffer for it.
      for (const one of calls) handle([one], answers);
    } else if (trouble === 'full' && state !== 'full') {
      enter('full', error);
      handle(calls, answers);
    } else if (trouble === 'full') {
      takeWhatFits(calls, answers);
    } else if (trouble !== 'corrupt') {
      enter('failing', error);
      hold(calls);
    } else if (repaired) {
      throw error;
    } else {
      repairNow(error);
      handle(calls, answers, true);
    }
  }

  /** Halves what did not fit until it does; nothing goes before what did not. */
  function takeWhatFits(calls: readonly Call[], answers: Answers): void {
    if (calls.length <= 1) {
      hold(calls);
      return;
    }
    const middle = calls.length >> 1;
    const before = held.length;
    attempt(calls.slice(0, middle), answers, false);
    const rest = calls.slice(middle);
    if (held.length === before) attempt(rest, answers, false);
    else hold(rest);
  }

  /** Repairs the damaged file, or leaves that to the next try when the disk does not allow it now. */
  function repairNow(error: unknown): void {
    close();
    // It may take minutes, in which nothing is committed: the watchdog must know why.
    main.notify({ type: 'storage', storage: { state: 'failing', error: 'the database is being repaired' } });
    try {
      opened = repairAndOpen(path, now(), error, log);
      if (state === 'working') main.notify({ type: 'storage', storage: { state } });
    } catch (failure) {
      waitOut(failure);
    }
  }

  /** Ending the program for trouble with the disk would only make it start again and again. */
  function waitOut(error: unknown): void {
    const trouble = troubleOf(error);
    if (error instanceof StorageRefused || trouble === 'other' || trouble === 'corrupt') throw error;
    enter('failing', error);
  }

  function enter(next: 'full' | 'failing', error: unknown): void {
    state = next;
    if (announced !== next) {
      announced = next;
      const text = messageOf(error);
      main.notify({ type: 'storage', storage: { state: next, error: text } });
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
      state = 'working';
      main.answer(run([]));
    } else main.answer(writeHeld());
    if (state !== 'working') return;
    announced = state;
    main.notify({ type: 'storage', storage: { state } });
    log.say('outbox.working', { directory });
  }

  /** Writes what waits for room: what changes rows first, which needs less of it than what adds some. */
  function writeHeld(): Answers {
    const answers = noAnswers();
    makeRoom();
    const { append: appends = [], change: changes = [] } = Object.groupBy(held, ({ name }) =>
      name === 'append' ? 'append' : 'change',
    );
    held = [];
    for (const calls of [changes, appends]) {
      if (calls.length > 0 && state === 'full') attempt(calls, answers, false);
      else hold(calls);
    }
    if (state !== 'full') return { ...answers, commits };
    if (held.length === 0) state = 'working';
    else timer = setTimeout(tryAgain, retryMs.full);
    return { ...answers, commits };
  }

  function makeRoom(): void {
    try {
      if (opened) saveRoom(opened.db);
    } catch {
      // There is no room for that either, or other trouble, which the next write meets as well.
    }
  }

  function run(calls: readonly Call[]): Answers {
    const answers = noAnswers();
    const all = [...held.filter(runsNow), ...calls];
    held = held.filter((one) => !runsNow(one));
    handle(all, answers);
    return { ...answers, commits };
  }

  return {
    /** Answers what can be answered now, the rest when it can be. */
    run,
    close(): void {
      clearTimeout(timer);
      close();
      unlock();
    },
  };
}

/** Appends that follow each other are written together, by the first of them: that takes far fewer statements. */
function answerOrAppend(store: Store, calls: readonly Call[], one: Call, i: number): unknown[] {
  if (one.name !== 'append') return [answer(store, one)];
  if (calls[i - 1]?.name === 'append') return [];
  const end = calls.findIndex(({ name }, at) => at > i && name !== 'append');
  const batches = calls.slice(i, end < 0 ? calls.length : end).map(({ args }) => args[0] as IntakeBatch);
  return appendTogether(store.ops.append, batches);
}

function answer(store: Store, { name, args }: Call): unknown {
  const op = store.ops[name as StoreOp] as (...args: readonly unknown[]) => unknown;
  return op(...args);
}
