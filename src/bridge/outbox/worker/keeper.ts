import type { Log } from '../../../shared/log/log.ts';
import { lockFolder } from '../../../shared/storage/instance-lock.ts';
import { makeFolder } from '../../../shared/storage/open-database.ts';
import type { Main, Server } from '../../../shared/storage/serve-thread.ts';
import { storageErrorKind } from '../../../shared/storage/storage-error.ts';
import { WATCH_MS } from '../../../shared/storage/watch-file.ts';
import { occupant } from '../tables/database.ts';
import { createOutboxFile } from './outbox-file.ts';
import { type Keeping, run, writeHeld } from './run-requests.ts';
import { createStorageStatus, openOrRetry } from './storage-status.ts';
import type { Notice } from './store.ts';

export type KeeperOptions = {
  /** The folder of the database; made with mode 0700 when it is not there. */
  readonly directory: string;
};

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
  main.notify({ type: 'locked' });
  const keeping: Keeping = {
    file: createOutboxFile(directory, log, now),
    status: createStorageStatus(directory, { main, log }, () => tryAgain(keeping, main)),
    held: [],
    commits: 0,
    isClosing: false,
  };
  const { file, status } = keeping;
  // Between requests, which may be hours apart.
  const watching = setInterval(() => {
    const moved = status.state() === 'working' ? file.moved() : undefined;
    if (moved) status.enter('moved', moved);
  }, WATCH_MS).unref();

  try {
    openOrRetry(status, () => file.open());
  } catch (error) {
    clearInterval(watching);
    unlock();
    throw error;
  }

  return {
    run: (requests) => run(keeping, requests),
    /** Tries once more to write what is held; what does not fit is lost. */
    close(): void {
      status.cancelRetry();
      clearInterval(watching);
      keeping.isClosing = true;
      try {
        if (keeping.held.length > 0) tryAgain(keeping, main);
      } finally {
        status.cancelRetry();
        file.close();
        unlock();
      }
    },
  };
}

/** Looks whether the disk works again, and answers what was held. */
function tryAgain(keeping: Keeping, main: Main<Notice>): void {
  const { file, status } = keeping;
  const moved = keeping.isClosing ? undefined : file.moved();
  if (moved) {
    status.enter('moved', moved);
    return;
  }
  if (status.state() === 'full' && file.isOpen()) main.answer(writeHeld(keeping));
  else if (isOpenAgain(keeping)) {
    status.works();
    main.answer(run(keeping, []));
  }
  if (status.state() === 'working') status.announceWorking();
}

/** After an error, only a new connection tells whether the disk works. A file that is back was never closed. */
function isOpenAgain({ file, status }: Keeping): boolean {
  try {
    if (status.state() !== 'moved') file.close();
    file.open();
    return true;
  } catch (error) {
    status.enter(storageErrorKind(error) === 'full' ? 'full' : 'failing', error);
    return false;
  }
}
