import { renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { monotonicMs } from '../process/clock.ts';
import { stampOf, sync } from './replace.ts';

/** A write is preceded by a look unless the last one was this short a time ago, ms. */
const LOOK_MS = 1_000;
/** Interval at which a thread that is asked nothing looks, ms. */
export const WATCH_MS = 10_000;

/**
 * Watches the name of an open database. SQLite writes on to a file that was moved away, deleted or replaced, also over a
 * mount, and says nothing. Create it when the database is open: what is under the name then is what counts.
 */
export function watchFile(path: string, clock: () => number = monotonicMs) {
  /** The file, its log and the log's index, which exist for as long as a connection is open. */
  const open = new Map([path, `${path}-wal`, `${path}-shm`].map((name) => [name, idOf(name)]));
  let lookedAt = clock();

  /** What has happened to the file, in a sentence; undefined if it is there, or cannot be seen now. */
  function look(): string | undefined {
    lookedAt = clock();
    for (const [name, id] of open) {
      const now = idOf(name);
      if (id === undefined || now === 'unknown' || now === id) continue;
      return `${name} was ${now === undefined ? 'moved away or deleted' : 'replaced by another file'} while the program runs`;
    }
    return undefined;
  }

  /** The log and its index that would meet a file that is not theirs; not those that came with that file. */
  function misplaced(): string[] {
    const [was, now] = [open.get(path), idOf(path)];
    if (was === undefined || now === undefined || now === 'unknown' || now === was) return [];
    return [...open].flatMap(([name, id]) =>
      name !== path && id !== undefined && id !== 'unknown' && id === idOf(name) ? [name] : [],
    );
  }

  return {
    look,
    /**
     * Calls `close`, which closes the last connection. If another file has the name by then, SQLite leaves the old log
     * next to it, and opening that file would replay it: the log is renamed, as it may hold the only copy of rows.
     */
    closeBy(close: () => void): void {
      const names = misplaced(); // found while they are open: no other file can have their numbers
      try {
        close();
      } finally {
        for (const name of names) renameSync(name, `${name}.old-${stampOf(Date.now())}`);
        if (names.length > 0) sync(dirname(path));
      }
    },
    /** Whether the last look was so long ago that a write needs another. */
    isDue: () => clock() - lookedAt >= LOOK_MS,
    /** SQLite has removed the log with its last connection: from now on only the database counts. */
    closed(): void {
      open.delete(`${path}-wal`);
      open.delete(`${path}-shm`);
    },
  };
}

/** Undefined if there is no such file. */
function idOf(name: string): string | undefined {
  try {
    const stat = statSync(name, { bigint: true, throwIfNoEntry: false });
    return stat && `${stat.dev} ${stat.ino}`;
  } catch {
    return 'unknown'; // a disk that fails, which is announced otherwise
  }
}
