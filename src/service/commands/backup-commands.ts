import { existsSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import type { Command } from 'commander';
import { readBackupInfo, restoreBackup, writeBackup } from '../../shared/storage/backup.ts';
import { lockFolder } from '../../shared/storage/instance-lock.ts';
import { migrate } from '../../shared/storage/migrate.ts';
import { makeFolder } from '../../shared/storage/open-database.ts';
import { fileIn, holdsData, occupant } from '../database/open-store.ts';
import { migrations } from '../store/sqlite/open.ts';
import { backupFiles, backupOf, backupProgram } from '../upkeep/backup-of.ts';
import { type CommandContext, CommandRefused } from './command-context.ts';

export function backupCommands(parent: Command, { print, io }: CommandContext): void {
  parent
    .command('backup')
    .description("write the service's data and secret into one file; the service may keep running")
    .argument('<file>', 'the file to create, readable by its owner only: it holds the secret of all tokens')
    .option('--overwrite', 'replace the file if it exists')
    .action((file: string, { overwrite = false }: { overwrite?: boolean }) => {
      const path = sqliteFile();
      if (!existsSync(path))
        throw new CommandRefused(`${path} does not exist; pbx-bridge service creates it`);
      setPriority(constants.priority.PRIORITY_LOW);
      writeBackup(path, file, { ...backupOf(Date.now()), overwrite });
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
        const check = (db: Parameters<typeof migrate>[0]) => migrate(db, migrations);
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
