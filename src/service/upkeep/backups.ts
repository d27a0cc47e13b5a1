import { once } from 'node:events';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Log } from '../../log/log.ts';
import { messageOf } from '../../process/message-of.ts';

export type BackupSettings = {
  readonly directory: string;
  /** From one backup to the next, ms. */
  readonly everyMs: number;
  /** How many of our backups are kept there. */
  readonly keep: number;
};

export type Backups = {
  /** Makes a backup if the newest is old enough, and deletes the oldest beyond those to keep. Never rejects. */
  run(): Promise<void>;
  /** Why backups fail, and since when (Unix ms) none was made; undefined if they work. */
  failing(): { readonly error: string; readonly since: number } | undefined;
};

/** `service-2026-11-22T15-30-00Z.backup` */
const nameOf = (at: number) =>
  `service-${new Date(at).toISOString().slice(0, 19).replaceAll(':', '-')}Z.backup`;
const pattern = /^service-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z\.backup$/;

/** Backups of the SQLite file at `path` in a directory, by the times in their names. */
export function makeBackups(
  path: string,
  { directory, everyMs, keep }: BackupSettings,
  { clock, log }: { readonly clock: () => number; readonly log: Log },
): Backups {
  const startedAt = clock();
  let failure: { error: string; since: number } | undefined;

  /** Newest first. */
  async function existing(): Promise<{ name: string; at: number }[]> {
    const names = await readdir(directory);
    return names
      .map((name) => ({
        name,
        at: Date.parse(name.replace(pattern, '$1T$2:$3:$4Z').replace(/^service-/, '')),
      }))
      .filter(({ name, at }) => pattern.test(name) && !Number.isNaN(at))
      .sort((a, b) => b.at - a.at);
  }

  return {
    failing: () => failure,
    async run() {
      const now = clock();
      let newest: number | undefined;
      try {
        await mkdir(directory, { recursive: true, mode: 0o700 });
        newest = (await existing())[0]?.at;
        if (newest !== undefined && newest <= now && now - newest < everyMs) return;
        const name = nameOf(now);
        const worker = new Worker(new URL('./backup-worker.ts', import.meta.url), {
          workerData: { path, file: join(directory, name) },
        });
        await once(worker, 'exit');
        for (const old of (await existing()).slice(keep)) await rm(join(directory, old.name));
        failure = undefined;
        log.say('service.backed-up', { file: join(directory, name) });
      } catch (error) {
        if (failure === undefined) log.say('service.backup-failed', { error });
        failure = { error: messageOf(error), since: newest ?? startedAt };
      }
    },
  };
}
