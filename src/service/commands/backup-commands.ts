import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { longWork } from '../../shared/process/long-work.ts';
import { yieldToTelephony } from '../../shared/process/low-priority.ts';
import { readBackupInfo, restoreBackup } from '../../shared/storage/backup.ts';
import { writeBackupAside } from '../../shared/storage/backup-aside.ts';
import { lockFolder } from '../../shared/storage/instance-lock.ts';
import { migrate } from '../../shared/storage/migrate.ts';
import { makeFolder } from '../../shared/storage/open-database.ts';
import { StorageRefused } from '../../shared/storage/storage-error.ts';
import { createKeys, serverSecret } from '../accounts/keys.ts';
import { fileIn, holdsData, occupant, secretMarkOf } from '../database/open-store.ts';
import { backupFiles, backupOf, backupProgram } from '../store/sqlite/backup-of.ts';
import { serviceSchema } from '../store/sqlite/open.ts';
import { type CommandContext, CommandRefused } from './command-context.ts';

export function backupCommands(parent: Command, { print, io }: CommandContext): void {
  parent
    .command('backup')
    .description("write the service's data and secret into one file; the service may keep running")
    .argument('<file>', 'the file to create, readable by its owner only: it holds the secret of all tokens')
    .option('--overwrite', 'replace the file if it exists')
    .action(async (file: string, { overwrite = false }: { overwrite?: boolean }) => {
      const path = sqliteFile();
      if (!existsSync(path))
        throw new CommandRefused(`${path} does not exist; pbx-bridge service creates it`);
      yieldToTelephony();
      await writeBackupAside(path, file, { ...backupOf(Date.now()), overwrite });
      print(`${file} is a backup of the service with its tokens`);
    });
  parent
    .command('restore')
    .description('replace the data with a backup, on this or another machine; stop the service first')
    .argument('<file>', 'a file written by service backup')
    .option('--replace', 'also if there is data: it is kept under another name')
    .action((file: string, { replace = false }: { replace?: boolean }) => {
      const path = sqliteFile();
      const { stateDir } = io.options();
      const { program: made, madeAt } = readBackupInfo(file);
      if (made !== backupProgram)
        throw new CommandRefused(`${file} is a backup of ${made}, not of the service`);
      makeFolder(stateDir);
      const release = lockFolder(stateDir, occupant, process.pid);
      try {
        if (!replace && holdsData({ stateDir, database: null }))
          throw new CommandRefused(`${stateDir} already holds data; --replace keeps it under another name`);
        const check = (db: Parameters<typeof migrate>[0]) => migrate(db, serviceSchema);
        const aside = restoreBackup(path, file, { files: backupFiles, now: Date.now(), check });
        print(`restored ${stateDir} as of ${new Date(madeAt).toISOString()}`);
        for (const name of aside) print(`old data kept as ${name}`);
      } finally {
        release();
      }
    });

  function sqliteFile(): string {
    const { stateDir, database } = io.options();
    if (database !== null)
      throw new CommandRefused(
        'the data is in PostgreSQL (DATABASE_URL): use pg_dump, and keep the file service-secret with it',
      );
    return fileIn(stateDir);
  }
}

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
        const keys = createKeys(serverSecret(stateDir));
        const database = { keptMs: options.retention.maxAgeMs, secretMark: secretMarkOf(keys) };
        const left = () => 'the database is as empty as before, and the service can be started as it was';
        const tables = await longWork('copying and comparing rows', { left }, (progress) =>
          copySite(from, to, database, progress),
        );
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
