import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../../shared/log/log.ts';
import { messageOf } from '../../shared/process/parse-json.ts';
import { backUpInThread } from '../../shared/storage/backup-aside.ts';
import { backupOf } from '../store/sqlite/backup-of.ts';

export type BackupSettings = {
  readonly directory: string;
  /** From one backup to the next, ms; a day when absent. */
  readonly everyMs?: number;
  /** How many of our backups are kept there. */
  readonly keep: number;
};

type Backup = { readonly name: string; readonly at: number };

export type Backups = ReturnType<typeof createBackups>;

/** `service-2026-11-22T15-30-00Z.backup` */
const nameOf = (at: number) =>
  `service-${new Date(at).toISOString().slice(0, 19).replaceAll(':', '-')}Z.backup`;
const pattern = /^service-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z\.backup(\.part)?$/;

/** Backups of the SQLite file at `path` in a directory, by the times in their names. */
export function createBackups(
  path: string,
  { directory, everyMs = 86_400_000, keep }: BackupSettings,
  { clock, log }: { readonly clock: () => number; readonly log: Log },
) {
  const startedAt = clock();
  let lastAt: number | undefined;
  let failure: { error: string; since: number } | undefined;
  let running: Promise<void> | undefined;

  /** Newest first; backups with a time in the future, made when the clock was wrong, count as the oldest. */
  async function existing(now: number): Promise<Backup[]> {
    const names = await readdir(directory);
    const age = ({ at }: Backup) => (at > now ? Number.MAX_VALUE : now - at);
    return names
      .map((name) => ({ name, at: Date.parse(name.replace(pattern, '$1T$2:$3:$4Z')) }))
      .filter(({ name, at }) => pattern.test(name) && !Number.isNaN(at))
      .sort((a, b) => age(a) - age(b) || b.at - a.at);
  }

  async function runOnce(): Promise<void> {
    const now = clock();
    let newest: number | undefined;
    try {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const isWhole = ({ name }: Backup) => !name.endsWith('.part');
      newest = (await existing(now)).find((it) => isWhole(it) && it.at <= now)?.at;
      lastAt = newest;
      if (newest !== undefined && now - newest < everyMs) return;
      const file = join(directory, nameOf(now));
      await backUpInThread(path, file, { ...backupOf(now), overwrite: true });
      const there = await existing(now);
      // A killed service leaves an unfinished file; a recent one may be a backup in progress.
      const parts = there.filter((it) => !isWhole(it) && Math.abs(now - it.at) > everyMs);
      for (const { name } of [...there.filter(isWhole).slice(keep), ...parts])
        await rm(join(directory, name));
      failure = undefined;
      lastAt = now;
      log.say('service.backed-up', { file });
    } catch (error) {
      if (failure === undefined) log.say('service.backup-failed', { error });
      failure = { error: messageOf(error), since: newest ?? startedAt };
    }
  }

  return {
    /** When the newest was made, Unix ms. */
    lastAt: (): number | undefined => lastAt,
    /** Why backups fail, and since when (Unix ms) none was made; undefined if they work. */
    failing: (): { readonly error: string; readonly since: number } | undefined => failure,
    /** Makes a backup if the newest is old enough, and deletes the oldest beyond those to keep; one at a time. Never rejects. */
    run(): Promise<void> {
      running ??= runOnce().finally(() => {
        running = undefined;
      });
      return running;
    },
  };
}
