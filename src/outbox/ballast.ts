import { randomFillSync } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';

/** Room beyond the ballast that must be there before it counts as refilled: else a full disk flaps, bytes. */
const margin = 1 << 20;

/**
 * A file that holds disk space for bad times: on a full disk SQLite cannot even mark an event as delivered, so the
 * ballast is dropped then and made again when there is room. 0 bytes: no ballast.
 */
export function createBallast(path: string, bytes: number) {
  const part = `${path}.part`;

  /** Makes it if it is not there. False if there is no room. */
  function fill(): boolean {
    if (bytes === 0 || isThere()) return true;
    try {
      const fd = openSync(part, 'w', 0o600);
      try {
        // Random, since a file system that compresses keeps no room for zeros.
        const block = randomFillSync(Buffer.alloc(Math.min(bytes, 1 << 20)));
        for (let left = bytes + margin; left > 0; left -= block.length) {
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
      rmSync(part, { force: true });
      return false;
    }
  }

  function isThere(): boolean {
    return statSync(path, { throwIfNoEntry: false })?.size === bytes;
  }

  return {
    fill,
    /** Gives its room free. False if there was none to give. */
    drop(): boolean {
      const had = bytes > 0 && statSync(path, { throwIfNoEntry: false }) !== undefined;
      rmSync(path, { force: true });
      return had;
    },
  };
}
