import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atExit } from '../lab/at-exit.ts';

/** A disk in memory that can be made to be full at any moment, to the page. */
type SmallDisk = {
  readonly path: string;
  /** From now on only this number of further pages of 4 KiB fit. */
  leave(pages: number): void;
  /** There is room again. */
  giveRoom(): void;
  remove(): void;
};

const roomBytes = 192 << 20;

export function smallDiskImpossible(): string | undefined {
  if (process.platform !== 'linux') return `it needs Linux, this is ${process.platform}`;
  if (process.getuid?.() !== 0) return 'it needs root, to mount a small disk';
  try {
    createSmallDisk().remove();
    return undefined;
  } catch (error) {
    return `this machine cannot mount a small disk: ${(error as Error).message.split('\n').at(-1)}`;
  }
}

export function createSmallDisk(): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), 'pbx-bridge-small-'));
  const run = (command: string, ...args: string[]) => execFileSync(command, args, { stdio: 'pipe' });
  const resize = (bytes: number) => run('mount', '-o', `remount,size=${bytes}`, path);
  const remove = () => {
    try {
      // A bridge that is being killed at this moment may have files open there.
      run('umount', '--lazy', path);
    } catch {
      // It may not be mounted; what is left then is only the folder.
    }
    rmdirSync(path);
  };
  const release = atExit(remove);
  try {
    run('mount', '-t', 'tmpfs', '-o', `size=${roomBytes},mode=0700`, 'pbx-bridge-small', path);
  } catch (error) {
    remove();
    release();
    throw error;
  }
  return {
    path,
    leave(pages) {
      for (;;) {
        const { blocks, bfree, bsize } = statfsSync(path);
        try {
          resize((blocks - bfree + pages) * bsize);
          return;
        } catch {
          // More was written meanwhile than is left now.
        }
      }
    },
    giveRoom: () => void resize(roomBytes),
    remove() {
      remove();
      release();
    },
  };
}
