import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { lockFolder } from '../../shared/storage/instance-lock.ts';
import { StorageRefused } from '../../shared/storage/storage-error.ts';
import { makeKeys } from '../accounts/keys.ts';
import { serverSecret } from '../accounts/server-secret.ts';
import { fileIn, occupant, secretMarkOf } from '../database/open-store.ts';
import { type CommandContext, CommandRefused } from './command-context.ts';

const REPORT_MS = 5_000;

export function copyCommand(parent: Command, { print, io }: CommandContext): void {
  parent
    .command('copy')
    .description("copy the service's data to PostgreSQL; stop the service first")
    .option('--from <file>', 'the SQLite file (default: in SERVICE_STATE_DIR)')
    .option('--to <address>', 'an empty database, postgres://… (default: DATABASE_URL)')
    .addHelpText(
      'after',
      `
Stop the service first. Bridges keep their events until it answers again. Everything is copied in one transaction; the
number of rows and a hash of each table are compared before it is committed. If it fails, the database stays empty.

Example:
  pbx-bridge service copy --from /var/lib/pbx-bridge-service/service.db --to postgres://pbx:secret@db/pbx`,
    )
    .action(async (given: { from?: string; to?: string }) => {
      const options = io.options();
      const from = given.from ?? fileIn(options.stateDir);
      const to = given.to ?? options.database?.url;
      if (to === undefined) throw new CommandRefused('--to or DATABASE_URL must name a PostgreSQL database');
      if (!existsSync(from)) throw new CommandRefused(`${from} does not exist`);
      const stateDir = dirname(from);
      const release = holdFolder(stateDir);
      try {
        const { copySite } = await import('../database/copy-site.ts');
        const keys = makeKeys(serverSecret(stateDir));
        const database = { keptMs: options.retention.maxAgeMs, secretMark: secretMarkOf(keys) };
        let reported = Date.now();
        const tables = await copySite(from, to, database, (table, rows) => {
          if (Date.now() - reported < REPORT_MS) return;
          reported = Date.now();
          print(`${table}: ${rows} rows so far`);
        });
        for (const { name, rows, hash } of tables)
          print(`${name}: ${rows} rows, equal (${hash.slice(0, 16)})`);
        print(
          'Copied. Set DATABASE_URL to this database and start the service.',
          `Every further machine needs a copy of ${join(stateDir, 'service-secret')} in its SERVICE_STATE_DIR.`,
          `${from} is unchanged. Do not start a service on it again.`,
        );
      } finally {
        release();
      }
    });
}

/** Keeps the service from starting on the folder meanwhile. */
function holdFolder(stateDir: string): () => void {
  try {
    return lockFolder(stateDir, occupant, process.pid);
  } catch (error) {
    if (!(error instanceof StorageRefused)) throw error;
    throw new CommandRefused(
      `stop the service first (${error.message}); bridges keep their events meanwhile`,
    );
  }
}
