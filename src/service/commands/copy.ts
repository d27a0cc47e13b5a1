import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Command } from 'commander';
import { lockFolder } from '../../storage/instance-lock.ts';
import { StorageRefused } from '../../storage/refused.ts';
import { makeKeys } from '../accounts/keys.ts';
import { serverSecret } from '../accounts/server-secret.ts';
import { copySite } from '../store/copy-site.ts';
import { fileIn, occupant, secretMarkOf } from '../store/open-store.ts';
import { type CommandContext, CommandRefused } from './command-context.ts';

const FOLLOW_MS = 1_000;
const REPORT_MS = 5_000;

export function copyCommand(parent: Command, { print, io }: CommandContext): void {
  parent
    .command('copy')
    .description('move this site to PostgreSQL, most of it while the service runs')
    .option('--from <file>', 'the SQLite file; that in SERVICE_STATE_DIR if left out')
    .option('--to <address>', 'postgres://…, an empty database; DATABASE_URL if left out')
    .addHelpText(
      'after',
      `
Copies what there is, then follows the running service. When it says so, stop the service: it copies the last
events, says when to start it on the database, and compares everything. Cut off, it goes on where it was. Nothing is
lost meanwhile: bridges keep their events until a service answers.

Example:
  pbx-bridge service copy --from /var/lib/pbx-bridge/service/service.db --to postgres://pbx:secret@db/pbx`,
    )
    .action(async (given: { from?: string; to?: string }) => {
      const options = io.options();
      const from = given.from ?? fileIn(options.stateDir);
      const to = given.to ?? options.database?.url;
      if (to === undefined) throw new CommandRefused('--to or DATABASE_URL must name a PostgreSQL database');
      if (!existsSync(from)) throw new CommandRefused(`there is no file ${from}`);
      const stateDir = dirname(from);
      const [{ openCopySource }, { openCopyTarget }] = await Promise.all([
        import('../store/sqlite/copy-source.ts'),
        import('../store/postgres/copy-target.ts'),
      ]);
      const source = openCopySource(from);
      const target = await openCopyTarget(to, {
        keptMs: options.retention.maxAgeMs,
        secretMark: secretMarkOf(makeKeys(serverSecret(stateDir))),
      });
      let reported = Date.now();
      try {
        const { entries, calls, others } = await copySite(source, target, {
          progress(copied) {
            if (Date.now() - reported < REPORT_MS) return;
            reported = Date.now();
            print(`up to call ${copied.calls}, entry ${copied.entries} of the history`);
          },
          following: () =>
            print('all is copied that is there so far. Stop the service now; the rest follows.'),
          tryToHold: () => holdFolder(stateDir),
          wait: () => wait(FOLLOW_MS),
          ready: () =>
            print(
              'copied. Set DATABASE_URL and start the service on it; meanwhile all is compared once more.',
              `A further machine needs ${join(stateDir, 'service-secret')} in its SERVICE_STATE_DIR.`,
            ),
          trimmed: Object.values(options.retention).some((limit) => limit !== undefined),
        });
        print(
          `compared: ${calls} calls, ${entries} entries of the history, ${others} other rows. All are equal.`,
          `${from} is as it was. Keep it as long as you like, and start no service on it again.`,
        );
      } finally {
        source.close();
        await target.close();
      }
    });
}

/** Undefined while a service works on the folder. */
function holdFolder(stateDir: string): (() => void) | undefined {
  try {
    return lockFolder(stateDir, occupant, process.pid);
  } catch (error) {
    if (error instanceof StorageRefused) return undefined;
    throw error;
  }
}
