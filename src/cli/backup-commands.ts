import { statSync } from 'node:fs';
import { type Backup, backUp, restore } from '../bridge/outbox/backup.ts';
import { monotonicMs } from '../shared/process/clock.ts';
import { yieldToTelephony } from '../shared/process/low-priority.ts';
import { type Context, exitCodes } from './command-context.ts';
import { callsSection } from './config/calls-section.ts';
import { loadConfig } from './config/env.ts';
import { outboxSection } from './config/outbox-section.ts';
import { clockTime, count } from './text/format-text.ts';

export type BackupOptions = { readonly overwrite?: boolean };
export type RestoreOptions = { readonly replace?: boolean };

/** Writes the state into a file; the bridge may be running. */
export async function writeBackup(context: Context, file: string, { overwrite = false }: BackupOptions) {
  const { stateDir, pbxId } = settings(context);
  yieldToTelephony();
  const began = monotonicMs();
  const info = { version: context.io.version, of: pbxId, madeAt: Date.now() };
  const backup = await backUp(stateDir, file, { ...info, overwrite });
  if (backup === undefined) {
    context.printError(`no state in ${stateDir}: the bridge has never been started there`);
    return exitCodes.notFound;
  }
  const { size } = statSync(file);
  const { json, terminal } = context;
  if (json) terminal.json({ file, bytes: size, ...backup });
  else {
    const seconds = ((monotonicMs() - began) / 1_000).toFixed(1);
    terminal.wrapped('', `${file}: ${contents(backup)}; ${(size / 1e6).toFixed(1)} MB in ${seconds} s`, 0);
  }
  return exitCodes.ok;
}

/** Replaces the state by a backup. */
export async function restoreBackup(context: Context, file: string, { replace = false }: RestoreOptions) {
  const { stateDir, pbxId } = settings(context);
  const { backup, aside } = restore(stateDir, file, {
    of: pbxId,
    now: Date.now(),
    replace,
    pid: process.pid,
  });
  const { json, terminal } = context;
  if (json) terminal.json({ stateDir, ...backup, aside });
  else {
    terminal.wrapped(
      '',
      `restored ${stateDir} from the backup of ${at(backup.madeAt)}: ${contents(backup)}`,
      0,
    );
    for (const name of aside) terminal.wrapped('', `set aside: ${name}`, 2);
    terminal.wrapped(
      '',
      'Now start the bridge. It reads the channels in progress, ends calls that are gone, and may report events of the time since the backup twice, which is harmless.',
      0,
    );
  }
  return exitCodes.ok;
}

function settings({ io }: Context): { stateDir: string; pbxId: string } {
  const { outbox, calls } = loadConfig({ outbox: outboxSection, calls: callsSection }, io.environment());
  return { stateDir: outbox.stateDir, pbxId: calls.pbxId };
}

function contents({ openCalls, waiting, dead }: Backup): string {
  return `${count(openCalls, 'open call')}, ${count(waiting, 'event')} waiting, ${count(dead, 'dead letter')}`;
}

function at(time: number): string {
  return clockTime(time, Date.now());
}
