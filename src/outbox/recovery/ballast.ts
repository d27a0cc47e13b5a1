import { randomFillSync } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';

/**
 * A file that holds disk space for bad times: on a full disk SQLite cannot even mark an event as delivered, so the
 * ballast is dropped then and made again when there is room. 0 bytes: no ballast. Nothing here throws: it is a help,
 * and no reason to end.
 */
export function createBallast(path: string, bytes: number) {
  const part = `${path}.part`;
  // More than what dropping it gave free must be there: else a full disk would look well every other moment.
  const wanted = bytes + Math.ceil(bytes / 4);

  /** Makes it if it is not there. False if there is no room, or the disk does not let us. */
  function fill(): boolean {
    if (bytes === 0) return true;
    try {
      if (isThere()) return true;
      const { bavail, bsize } = statfsSync(dirname(path));
      if (bavail * bsize < wanted) return false;
      const fd = openSync(part, 'w', 0o600);
      try {
        // Random, since a file system that compresses keeps no room for zeros.
        const block = randomFillSync(Buffer.alloc(Math.min(bytes, 1 << 20)));
        for (let left = wanted; left > 0; left -= block.length) {
          const size = Math.min(left, block.length);
          if (writeSync(fd, block, 0, size) < size) throw new Error('no room');
        }
        fsyncSync(fd);
        ftruncateSync(fd, bytes);
      } finally {
        closeSync(fd);
      }
      renameSync(part, path);
      return true;
    } catch {
      remove(part);
      return false;
    }
  }

  /** Why a file cannot be deleted; undefined when it is gone. */
  function remove(file: string): unknown {
    try {
      rmSync(file, { force: true });
      return undefined;
    } catch (error) {
      return error;
    }
  }

  function isThere(): boolean {
    return statSync(path, { throwIfNoEntry: false })?.size === bytes;
  }

  return {
    fill,
    /** Gives its room free. `freed`: whether there was any; `error`: why it could not be. */
    drop(): { readonly freed: boolean; readonly error?: unknown } {
      try {
        const there = isThere();
        const error = remove(path);
        return error === undefined ? { freed: there && bytes > 0 } : { freed: false, error };
      } catch (error) {
        return { freed: false, error };
      }
    },
  };
}
