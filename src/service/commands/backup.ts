import { existsSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import type { Command } from 'commander';
import { readNote, restoreBackup, writeBackup } from '../../storage/backup.ts';
import { lockFolder } from '../../storage/instance-lock.ts';
import { migrate } from '../../storage/migrate.ts';
import { makeFolder } from '../../storage/open-database.ts';
import { fileIn, holdsData, occupant } from '../store/open-store.ts';
import { migrations } from '../store/sqlite/migrations.ts';
import { CommandRefused, type Session } from './session.ts';

const program = 'service';

/** Every token and every session is made with it. */
const files = ['service-secret'] as const;

export function backupCommands(parent: Command, { print, io }: Session): void {
  parent
    .command('backup')
    .description("write the service's data and its secret into one file, while it runs or not")
    .argument('<file>', 'a new file; only its owner can read it, and its tokens are made with what is in it')
    .option('--overwrite', 'the file may be there')
    .action((file: string, { overwrite = false }: { overwrite?: boolean }) => {
      const path = sqliteFile();
      if (!existsSync(path)) throw new CommandRefused(`there is no ${path} yet; pbx-bridge service makes it`);
      setPriority(constants.priority.PRIORITY_LOW);
      writeBackup(path, file, { note: { program, madeAt: Date.now() }, files, overwrite });
      print(`${file} is the service as of now, with its tokens`);
    });
  parent
    .command('restore')
    .description('put a backup in the place of the data, here or elsewhere; the service must not run')
    .argument('<file>', 'what service backup wrote')
    .option('--replace', 'even if there is data already: it is set aside')
    .action((file: string, { replace = false }: { replace?: boolean }) => {
      const path = sqliteFile();
      const { stateDir } = io.options();
      const { program: made, madeAt } = readNote(file);
      if (made !== program) throw new CommandRefused(`${file} is a backup of ${made}, not of the service`);
      makeFolder(stateDir);
      const release = lockFolder(stateDir, occupant, process.pid);
      try {
        if (!replace && holdsData({ stateDir, database: null }))
          throw new CommandRefused(`there is data in ${stateDir} already; --replace sets it aside`);
        const check = (db: Parameters<typeof migrate>[0]) => migrate(db, migrations);
        const aside = restoreBackup(path, file, { files, now: Date.now(), check });
        print(`${stateDir} is as it was at ${new Date(madeAt).toISOString()}`);
        for (const name of aside) print(`set aside: ${name}`);
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
