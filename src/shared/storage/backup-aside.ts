import { once } from 'node:events';
import { rmSync, statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { longWork } from '../process/long-work.ts';
import { moduleBeside } from '../process/module-beside.ts';
import type { BackupOptions } from './backup.ts';
import { partOf } from './replace.ts';

/** `writeBackup` in a thread of its own, so that this one goes on. Rejects as it throws. */
export async function backUpInThread(path: string, file: string, options: BackupOptions): Promise<void> {
  await once(
    new Worker(moduleBeside(import.meta.url, './backup-worker'), { workerData: { path, file, options } }),
    'exit',
  );
}

/** What there is of a file. What cannot be read is the writer's to say. */
function megabytes(path: string): number {
  try {
    return Math.round(statSync(path).size / 1_000_000);
  } catch {
    return 0;
  }
}

/** The same for a command: says how far it is, and leaves nothing when it is stopped. */
export async function writeBackupAside(path: string, file: string, options: BackupOptions): Promise<void> {
  const part = partOf(file);
  const how = {
    left: () => `${file} is not written`,
    undo() {
      for (const name of [part, `${part}-journal`]) rmSync(name, { force: true });
    },
  };
  await longWork(`writing ${file}, MB`, how, async (progress) => {
    const timer = setInterval(() => progress(megabytes(part), megabytes(path)), 250);
    try {
      await backUpInThread(path, file, options);
    } finally {
      clearInterval(timer);
    }
  });
}
