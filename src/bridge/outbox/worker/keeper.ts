import type { Log } from '../../../shared/log/log.ts';
import { messageOf } from '../../../shared/process/parse-json.ts';
import { addError } from '../../../shared/storage/answer.ts';
import { lockFolder } from '../../../shared/storage/instance-lock.ts';
import { makeFolder } from '../../../shared/storage/open-database.ts';
import type { Main, Server } from '../../../shared/storage/serve-thread.ts';
import { storageErrorKind } from '../../../shared/storage/storage-error.ts';
import {
  type Answers,
  addAnswer,
  noAnswers,
  type ThreadRequest,
} from '../../../shared/storage/thread-messages.ts';
import { WATCH_MS } from '../../../shared/storage/watch-file.ts';
import { occupant } from '../tables/database.ts';
import { answerAll, onlyReads } from './answer-requests.ts';
import { remedyOf, type Trouble } from './failed-run.ts';
import { createOutboxFile } from './outbox-file.ts';
import type { Notice, StorageState } from './store.ts';

export type KeeperOptions = {
  /** The folder of the database; made with mode 0700 when it is not there. */
  readonly directory: string;
};

/** Wait after a failed write before the next attempt, ms. */
const retryMs: Readonly<Record<Trouble, number>> = { full: 500, failing: 2_000, moved: 2_000 };

/**
 * Owns the database and answers requests in order, all of one run in one transaction: a request is answered only when
 * everything before it is on disk. Requests that the disk refuses are held and tried again until they succeed:
 * - disk full: as many as fit are written, in order, twice a second; reads are answered at once;
 * - errors: all are held, and the file is opened again before each attempt;
 * - a file that was moved away or replaced: all are held until it is back;
 * - a damaged file is repaired at once, and the run is tried again.
 */
export function createKeeper(
  { directory }: KeeperOptions,
  { main, log, now }: { main: Main<Notice>; log: Log; now: () => number },
): Server {
  makeFolder(directory);
  const unlock = lockFolder(directory, occupant, process.pid);
  main.notify({ type: 'held' });
  const file = createOutboxFile(directory, log, now);
  /** `announced`: what was said of it last. */
  const storage: Record<'state' | 'announced', StorageState['state']> = {
    state: 'working',
    announced: 'working',
  };
  /** They wait for the disk. */
  let held: readonly ThreadRequest[] = [];
  let timer: NodeJS.Timeout | undefined;
  let commits = 0;
  /** From then on, a file that was moved away is written to, too: it may be put back. */
  let closing = false;
  // Between requests, which may be hours apart.
  const watching = setInterval(() => {
    const moved = storage.state === 'working' ? file.moved() : undefined;
    if (moved) enter('moved', moved);
  }, WATCH_MS).unref();

  try {
    openOrRetry(() => file.open());
  } catch (error) {
    clearInterval(watching);
    unlock();
    throw error;
  }

  /** The program does not end for a failing disk: the service manager would only start it again and again. */
  function openOrRetry(open: () => void): void {
    try {
      open();
    } catch (error) {
      const kind = storageErrorKind(error);
      if (kind === 'other' || kind === 'corrupt') throw error;
      enter(kind === 'full' ? 'full' : 'failing', error);
    }
  }

  function run(requests: readonly ThreadRequest[]): Answers {
    const answers = noAnswers();
    const all = [...held, ...requests];
    held = [];
    handle(all, answers);
    return { ...answers, commits };
  }

  function handle(requests: readonly ThreadRequest[], answers: Answers, isRepaired = false): void {
    const { now: mayRun = [], later = [] } = Object.groupBy(requests, (one) =>
      runsNow(one) ? 'now' : 'later',
    );
    hold(later);
    if (mayRun.length > 0) attempt(mayRun, answers, isRepaired);
  }

  const runsNow = (request: ThreadRequest) =>
    storage.state === 'working' || (storage.state === 'full' && file.isOpen() && onlyReads(request));

  function hold(requests: readonly ThreadRequest[]): void {
    held = [...held, ...requests];
  }

  /** Answers these, which may run now, or does what their failure asks for. */
  function attempt(requests: readonly ThreadRequest[], answers: Answers, isRepaired = false): void {
    let values: unknown[];
    try {
      const store = file.open();
      const moved = closing ? undefined : file.movedLately();
      if (moved) throw moved;
      values = answerAll(store, requests);
      if (!requests.every(onlyReads)) commits += 1;
    } catch (error) {
      afterFailure(requests, error, answers, isRepaired);
      return;
    }
    for (const [i, { id }] of requests.entries()) addAnswer(answers, id, values[i]);
  }

  function afterFailure(
    requests: readonly ThreadRequest[],
    error: unknown,
    answers: Answers,
    isRepaired: boolean,
  ): void {
    const { state } = storage;
    const remedy = remedyOf({ kind: storageErrorKind(error), state, count: requests.length, isRepaired });
    switch (remedy.do) {
      case 'refuse':
        for (const { id } of requests) addError(answers, id, error);
        return;
      case 'each alone':
        for (const one of requests) handle([one], answers);
        return;
      case 'write what fits':
        writeWhatFits(requests, answers);
        return;
      case 'again':
        enter(remedy.enter, error);
        handle(requests, answers);
        return;
      case 'hold':
        enter(remedy.enter, error);
        hold(requests);
        return;
      case 'repair':
        repair(error);
        handle(requests, answers, true);
        return;
      case 'give up':
        throw error;
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
    attempt(requests.slice(0, middle), answers);
    const rest = requests.slice(middle);
    if (held.length === before) attempt(rest, answers);
    else hold(rest);
  }

  /** Repairs the damaged file. If the disk does not allow it now, the next attempt does. */
  function repair(error: unknown): void {
    // A repair may take minutes without a commit: the watchdog must know the reason.
    main.notify({ type: 'storage', storage: { state: 'failing', error: 'the database is being repaired' } });
    openOrRetry(() => {
      file.repair(error);
      if (storage.state === 'working') main.notify({ type: 'storage', storage: { state: 'working' } });
    });
  }

  function enter(state: Trouble, error: unknown): void {
    storage.state = state;
    if (storage.announced !== state) {
      storage.announced = state;
      const text = messageOf(error);
      main.notify({ type: 'storage', storage: { state, error: text } });
      log.say(`outbox.${state}`, { directory, error: text });
    }
    tryAgainIn(retryMs[state]);
  }

  function tryAgainIn(ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(tryAgain, ms);
  }

  function tryAgain(): void {
    const moved = closing ? undefined : file.moved();
    if (moved) {
      enter('moved', moved);
      return;
    }
    if (storage.state === 'full' && file.isOpen()) main.answer(writeHeld());
    else {
      try {
        // After an error, only a new connection tells whether the disk works. A file that is back was never closed.
        if (storage.state !== 'moved') file.close();
        file.open();
      } catch (error) {
        enter(storageErrorKind(error) === 'full' ? 'full' : 'failing', error);
        return;
      }
      storage.state = 'working';
      main.answer(run([]));
    }
    if (storage.state !== 'working') return;
    storage.announced = 'working';
    main.notify({ type: 'storage', storage: { state: 'working' } });
    log.say('outbox.working', { directory });
  }

  /** Writes the requests that wait for room on the disk: changes of rows first, as they need less of it than new rows. */
  function writeHeld(): Answers {
    const answers = noAnswers();
    file.makeRoom();
    const { append: appends = [], change: changes = [] } = Object.groupBy(held, ({ name }) =>
      name === 'append' ? 'append' : 'change',
    );
    held = [];
    for (const requests of [changes, appends]) {
      if (requests.length > 0 && storage.state === 'full') attempt(requests, answers);
      else hold(requests);
    }
    if (storage.state === 'full') {
      if (held.length === 0) storage.state = 'working';
      else tryAgainIn(retryMs.full);
    }
    return { ...answers, commits };
  }

  return {
    /** Answers what can be answered now, the rest when it can be. */
    run,
    /** Tries once more to write what is held; what does not fit is lost. */
    close(): void {
      clearTimeout(timer);
      clearInterval(watching);
      closing = true;
      try {
        if (held.length > 0) tryAgain();
      } finally {
        clearTimeout(timer);
        file.close();
        unlock();
      }
    },
  };
}
