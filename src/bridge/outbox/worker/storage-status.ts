import type { Log } from '../../../shared/log/log.ts';
import { messageOf } from '../../../shared/process/parse-json.ts';
import type { Main } from '../../../shared/storage/serve-thread.ts';
import { storageErrorKind } from '../../../shared/storage/storage-error.ts';
import type { Trouble } from './failed-run.ts';
import type { Notice, StorageState } from './store.ts';

/** Wait after a failed write before the next attempt, ms. */
const retryMs: Readonly<Record<Trouble, number>> = { full: 500, failing: 2_000, moved: 2_000 };

export type StorageStatus = ReturnType<typeof createStorageStatus>;

/** How the storage is, and what is said of it. `tryAgain` is called some time after a failure. */
export function createStorageStatus(
  directory: string,
  { main, log }: { main: Main<Notice>; log: Log },
  tryAgain: () => void,
) {
  let state: StorageState['state'] = 'working';
  let announced: StorageState['state'] = state;
  let timer: NodeJS.Timeout | undefined;
  const notify = (storage: StorageState) => main.notify({ type: 'storage', storage });

  function tryAgainLater(trouble: Trouble): void {
    clearTimeout(timer);
    timer = setTimeout(tryAgain, retryMs[trouble]);
  }
  return {
    state: () => state,
    enter(trouble: Trouble, error: unknown): void {
      state = trouble;
      if (announced !== trouble) {
        announced = trouble;
        const text = messageOf(error);
        notify({ state: trouble, error: text });
        log.say(`outbox.${trouble}`, { directory, error: text });
      }
      tryAgainLater(trouble);
    },
    /** Requests may be run again. It is announced when those that were held are written. */
    works(): void {
      state = 'working';
    },
    announceWorking(): void {
      announced = 'working';
      notify({ state: 'working' });
      log.say('outbox.working', { directory });
    },
    /** A repair may take minutes without a commit: the watchdog must know the reason. */
    repairing: () => notify({ state: 'failing', error: 'the database is being repaired' }),
    repaired(): void {
      if (state === 'working') notify({ state });
    },
    tryAgainLater,
    cancelRetry: () => clearTimeout(timer),
  };
}

/** The program does not end for a failing disk: the service manager would only start it again and again. */
export function openOrRetry(status: StorageStatus, open: () => void): void {
  try {
    open();
  } catch (error) {
    const kind = storageErrorKind(error);
    if (kind === 'other' || kind === 'corrupt') throw error;
    status.enter(kind === 'full' ? 'full' : 'failing', error);
  }
}
