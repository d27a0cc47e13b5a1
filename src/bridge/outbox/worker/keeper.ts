import type { Log } from '../../../shared/log/log.ts';
import { messageOf } from '../../../shared/process/parse-json.ts';
import { lockFolder } from '../../../shared/storage/instance-lock.ts';
import { makeFolder } from '../../../shared/storage/open-database.ts';
import type { Main, Server } from '../../../shared/storage/serve-thread.ts';
import { FileMoved, storageErrorKind } from '../../../shared/storage/storage-error.ts';
import {
  type Answers,
  addAnswer,
  noAnswers,
  type ThreadRequest,
} from '../../../shared/storage/thread-messages.ts';
import { WATCH_MS, watchFile } from '../../../shared/storage/watch-file.ts';
import { databasePath, occupant, saveRoom } from '../tables/database.ts';
import { appendTogether, type IntakeBatch } from '../tables/intake.ts';
import { type OpenStore, openStore, repairAndOpen } from './open-store.ts';
import type { Notice, StorageState, Store, StoreOp } from './store.ts';

export type KeeperOptions = {
  /** The folder of the database; made with mode 0700 when it is not there. */
  readonly directory: string;
};

/** Wait after a failed write before the next attempt, ms. */
const retryMs = { full: 500, failing: 2_000, moved: 2_000 } as const;

/** Those that only read need no transaction, and no room on the disk. */
const kinds: Readonly<Record<StoreOp, 'reads' | 'writes'>> = {
  load: 'reads',
  trunks: 'reads',
  due: 'reads',
  isNext: 'reads',
  nextDue: 'reads',
  counters: 'reads',
  oldestWaiting: 'reads',
  eventsOf: 'reads',
  ledgerEntries: 'reads',
  callIdsFrom: 'reads',
  lastDelivered: 'reads',
  check: 'reads',
  append: 'writes',
  record: 'writes',
  expire: 'writes',
  sendAgain: 'writes',
  prune: 'writes',
  pruneUnreported: 'writes',
  pruneJournal: 'writes',
};
const onlyReads = ({ name }: ThreadRequest) => kinds[name as StoreOp] === 'reads';

/**
 * Owns the database and answers requests in order, all of one run in one transaction: a request is answered only when
 * everything before it is on disk. Requests that the disk refuses are held and tried again until they succeed:
 * - disk full: as many as fit are written, in order, twice a second; reads are answered at once;
 * - errors: all are held, and the file is opened again before each attempt;
 * - a file that was moved away or replaced: all are held until it is back;
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
  let file: ReturnType<typeof watchFile> | undefined;
  let state: StorageState['state'] = 'working';
  let announced: StorageState['state'] = 'working';
  let held: ThreadRequest[] = [];
  let timer: NodeJS.Timeout | undefined;
  let commits = 0;
  let closing = false;
  const watching = setInterval(watch, WATCH_MS).unref();

  try {
    start();
  } catch (error) {
    clearInterval(watching);
    unlock();
    throw error;
  }

  /** Between requests, which may be hours apart. */
  function watch(): void {
    const what = state === 'working' ? file?.look() : undefined;
    if (what !== undefined) enter('moved', new FileMoved(what));
  }

  /** Looks now and then. */
  function assertThere(): void {
    const what = !closing && file?.isDue() ? file.look() : undefined;
    if (what !== undefined) throw new FileMoved(what);
  }

  function start(): void {
    try {
      open();
    } catch (error) {
      retryLater(error);
    }
  }

  function open(): OpenStore {
    if (opened === undefined) {
      opened = openStore(path, now(), log);
      file = watchFile(path);
    }
    return opened;
  }

  function close(): void {
    const { db } = opened ?? {};
    opened = undefined;
    try {
      if (file === undefined) db?.close();
      else file.closeBy(() => db?.close());
    } catch {
      // A failing disk may fail to close the file too. Only the next attempt to open it counts.
    }
    file?.closed();
  }

  /** Answers all of these requests, or throws and has done none. */
  function answerAll(requests: readonly ThreadRequest[]): unknown[] {
    const { store } = open();
    assertThere();
    const each = () => requests.flatMap((one, i) => answerOrAppend(store, requests, one, i));
    if (requests.every(onlyReads)) return each();
    const values = store.transact(each);
    commits++;
    return values;
  }

  function handle(requests: readonly ThreadRequest[], answers: Answers, repaired = false): void {
    const mayRun = requests.filter(runsNow);
    if (mayRun.length < requests.length) hold(requests.filter((one) => !runsNow(one)));
    if (mayRun.length > 0) attempt(mayRun, answers, repaired);
  }

  function attempt(mayRun: readonly ThreadRequest[], answers: Answers, repaired: boolean): void {
    try {
      const values = answerAll(mayRun);
      mayRun.forEach(({ id }, i) => {
        addAnswer(answers, id, values[i]);
      });
    } catch (error) {
      onFailure(mayRun, error, answers, repaired);
    }
  }

  function runsNow(request: ThreadRequest): boolean {
    return state === 'working' || (state === 'full' && opened !== undefined && onlyReads(request));
  }

  function hold(requests: readonly ThreadRequest[]): void {
    held = held.concat(requests);
  }

  function onFailure(
    requests: readonly ThreadRequest[],
    error: unknown,
    answers: Answers,
    repaired: boolean,
  ): void {
    const kind = storageErrorKind(error);
    if (kind === 'other' && requests.length === 1) {
      for (const { id } of requests) answers.errors.push(id, messageOf(error));
    } else if (kind === 'other') {
      // One of them is at fault: the others must not suffer for it.
      for (const one of requests) handle([one], answers);
    } else if (kind === 'full' && state !== 'full') {
      enter('full', error);
      handle(requests, answers);
    } else if (kind === 'full') {
      writeWhatFits(requests, answers);
    } else if (kind !== 'corrupt') {
      enter(kind === 'moved' ? 'moved' : 'failing', error);
      hold(requests);
    } else if (repaired) {
      throw error;
    } else {
      repairNow(error);
      handle(requests, answers, true);
    }
  }

  /** Writes as many requests as fit, by halving them; none overtakes one that did not fit. */
  function writeWhatFits(requests: readonly ThreadRequest[], answers: Answers): void {
    if (requests.length <= 1) {
      hold(requests);
      return;
    }
    const middle = requests.length >> 1;
    const before = held.length;
    attempt(requests.slice(0, middle), answers, false);
    const rest = requests.slice(middle);
    if (held.length === before) attempt(rest, answers, false);
    else hold(rest);
  }

  /** Repairs the damaged file. If the disk does not allow it now, the next attempt does. */
  function repairNow(error: unknown): void {
    close();
    file = undefined;
    // A repair may take minutes without a commit: the watchdog must know the reason.
    main.notify({ type: 'storage', storage: { state: 'failing', error: 'the database is being repaired' } });
    try {
      opened = repairAndOpen(path, now(), error, log);
      file = watchFile(path);
      if (state === 'working') main.notify({ type: 'storage', storage: { state } });
    } catch (failure) {
      retryLater(failure);
    }
  }

  /** The program does not end for a failing disk: the service manager would only start it again and again. */
  function retryLater(error: unknown): void {
    const kind = storageErrorKind(error);
    if (kind === 'other' || kind === 'corrupt') throw error;
    enter(kind === 'full' ? 'full' : 'failing', error);
  }

  function enter(next: keyof typeof retryMs, error: unknown): void {
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
    const moved = closing ? undefined : file?.look();
    if (moved !== undefined) {
      enter('moved', new FileMoved(moved));
      return;
    }
    if (state === 'moved' && opened !== undefined) {
      state = 'working';
      main.answer(run([]));
    } else if (state !== 'full' || opened === undefined) {
      try {
        close();
        open();
      } catch (error) {
        enter(storageErrorKind(error) === 'full' ? 'full' : 'failing', error);
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

  /** Writes the requests that wait for room on the disk: changes of rows first, as they need less of it than new rows. */
  function writeHeld(): Answers {
    const answers = noAnswers();
    makeRoom();
    const { append: appends = [], change: changes = [] } = Object.groupBy(held, ({ name }) =>
      name === 'append' ? 'append' : 'change',
    );
    held = [];
    for (const requests of [changes, appends]) {
      if (requests.length > 0 && state === 'full') attempt(requests, answers, false);
      else hold(requests);
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
      // The disk is still full, or fails otherwise, as the next write will show.
    }
  }

  function run(requests: readonly ThreadRequest[]): Answers {
    const answers = noAnswers();
    const all = [...held.filter(runsNow), ...requests];
    held = held.filter((one) => !runsNow(one));
    handle(all, answers);
    return { ...answers, commits };
  }

  return {
    /** Answers what can be answered now, the rest when it can be. */
    run,
    /**
     * Tries once more to write the batches in memory; those that do not fit are lost. A file that was moved away gets
     * them, too: it may be put back.
     */
    close(): void {
      clearTimeout(timer);
      clearInterval(watching);
      closing = true;
      try {
        if (held.length > 0) tryAgain();
      } finally {
        clearTimeout(timer);
        close();
        unlock();
      }
    },
  };
}

/** Appends that follow each other are written together, by the first of them: that takes far fewer statements. */
function answerOrAppend(
  store: Store,
  requests: readonly ThreadRequest[],
  one: ThreadRequest,
  i: number,
): unknown[] {
  if (one.name !== 'append') return [answer(store, one)];
  if (requests[i - 1]?.name === 'append') return [];
  const end = requests.findIndex(({ name }, at) => at > i && name !== 'append');
  const batches = requests
    .slice(i, end < 0 ? requests.length : end)
    .map(({ args }) => args[0] as IntakeBatch);
  return appendTogether(store.ops.append, batches);
}

function answer(store: Store, { name, args }: ThreadRequest): unknown {
  const op = store.ops[name as StoreOp] as (...args: readonly unknown[]) => unknown;
  return op(...args);
}
