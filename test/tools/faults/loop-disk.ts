import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, ftruncateSync, mkdirSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installPackages } from '../debian.ts';
import { atExit } from '../lab/at-exit.ts';

export type FileSystem = 'ext4' | 'xfs';

/** A disk of its own, in a file, whose power can be cut. */
type Disk = {
  /** Where it is mounted. */
  readonly path: string;
  /** From now on nothing gets onto it, and what was not synced is gone. */
  cutPower(): void;
  /** Mounts it as it was left. No process may have a file open there. */
  restorePower(): void;
  remove(): void;
};

/** XFS takes no less. */
const leastBytes = 320 << 20;

/** Why there can be no such disk on this machine, in one line; undefined if there can. Installs the tools. */
export async function diskImpossible(): Promise<string | undefined> {
  if (process.platform !== 'linux') return `it needs Linux, this is ${process.platform}`;
  if (process.getuid?.() !== 0) return 'it needs root, to mount disks of its own';
  if (!existsSync('/usr/bin/apt-get')) return 'it needs Debian or Ubuntu: there is no apt-get';
  await installPackages({ '/usr/sbin/xfs_io': 'xfsprogs', '/usr/sbin/mkfs.ext4': 'e2fsprogs' });
  try {
    createDisk('xfs').remove();
    return undefined;
  } catch (error) {
    return `this machine cannot mount disks in files: ${(error as Error).message.split('\n').at(-1)}`;
  }
}

/** @param bytes its size, with what the file system needs for itself. */
export function createDisk(fileSystem: FileSystem, bytes = leastBytes): Disk {
  // In memory where that is possible, so that the machine's disk is not kept busy.
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'pbx-bridge-disk-'));
  const image = join(folder, 'image');
  const path = join(folder, 'mounted');
  mkdirSync(path);
  const fd = openSync(image, 'w');
  ftruncateSync(fd, bytes);
  closeSync(fd);
  const run = (command: string, ...args: string[]) => execFileSync(command, args, { stdio: 'pipe' });
  let device = '';
  const mount = () => {
    // A device of its own for each mount: where somebody's copy of the mounts keeps the old one alive, the same device
    // would give the dead file system back.
    device = run('losetup', '--find', '--show', image).toString().trim();
    run('mount', ...(fileSystem === 'xfs' ? ['-o', 'nouuid'] : []), device, path);
  };
  const unmount = () => {
    run('umount', path);
    run('losetup', '--detach', device);
  };
  const remove = () => {
    try {
      // A bridge that is being killed at this moment may have files open there.
      run('umount', '--lazy', path);
      run('losetup', '--detach', device);
    } catch {
      // It may not be mounted; what is left then is only the folder.
    }
    rmSync(folder, { recursive: true, force: true });
  };
  const release = atExit(remove);
  try {
    run(`mkfs.${fileSystem}`, '-q', image);
    mount();
  } catch (error) {
    remove();
    release();
    throw error;
  }
  return {
    path,
    cutPower: () => void run('xfs_io', '-x', '-c', 'shutdown', path),
    restorePower() {
      unmount();
      mount();
    },
    remove() {
      remove();
      release();
    },
  };
}
