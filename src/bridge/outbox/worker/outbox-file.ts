import type { Log } from '../../../shared/log/log.ts';
import { FileMoved } from '../../../shared/storage/storage-error.ts';
import { watchFile } from '../../../shared/storage/watch-file.ts';
import { databasePath, saveRoom } from '../tables/database.ts';
import { type OpenStore, openStore, repairAndOpen } from './open-store.ts';
import type { Store } from './store.ts';

/** The database's file: open or not, watched while it is. */
export function createOutboxFile(directory: string, log: Log, now: () => number) {
  const path = databasePath(directory);
  let opened: OpenStore | undefined;
  let watched: ReturnType<typeof watchFile> | undefined;

  const file = {
    isOpen: () => opened !== undefined,

    /** Opens it, unless it is open. Throws StorageRefused, or SQLite's error when the disk is full or failing. */
    open(): Store {
      if (opened === undefined) {
        opened = openStore(path, now(), log);
        watched = watchFile(path);
      }
      return opened.store;
    },

    close(): void {
      const { db } = opened ?? {};
      opened = undefined;
      try {
        if (watched === undefined) db?.close();
        else watched.closeBy(() => db?.close());
      } catch {
        // A failing disk may fail to close the file too. Only the next attempt to open it counts.
      }
      watched?.closed();
    },

    /** Opens a damaged file as far as it can be repaired. */
    repair(error: unknown): void {
      file.close();
      watched = undefined;
      opened = repairAndOpen(path, now(), error, log);
      watched = watchFile(path);
    },

    /** What has happened to a file that was moved away, deleted or replaced. */
    moved(): FileMoved | undefined {
      const what = watched?.look();
      return what === undefined ? undefined : new FileMoved(what);
    },

    /** The same, looked at now and then: before each write would be too often. */
    movedLately: () => (watched?.isDue() ? file.moved() : undefined),

    /** Leaves as much room as it can on a disk that is full. */
    makeRoom(): void {
      try {
        if (opened) saveRoom(opened.db);
      } catch {
        // The disk is still full, or fails otherwise, as the next write will show.
      }
    },
  };
  return file;
}
