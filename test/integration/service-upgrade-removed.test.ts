import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openSqliteStore } from '../../src/service/database/sqlite-store.ts';
import { serviceSchema } from '../../src/service/store/sqlite/open.ts';
import { lacks, migrate, stepsIn } from '../../src/shared/storage/migrate.ts';
import { stateFolder } from '../tools/service/harness.ts';
import { upgradeTests } from './service-upgrade-removed.ts';

const released = { ...serviceSchema, steps: serviceSchema.steps.slice(0, 1) };

upgradeTests('sqlite', async (t, rows) => {
  const file = join(stateFolder(t), 'service.db');
  const work = async <T>(what: (db: DatabaseSync) => T): Promise<T> => {
    using db = new DatabaseSync(file);
    return what(db);
  };
  await work((db) => {
    db.exec('PRAGMA journal_mode = WAL');
    migrate(db, released);
    db.exec(rows('1, 1 UNION ALL SELECT 5, 1'));
  });
  return {
    sql: (text) => work((db) => db.prepare(text).all()),
    // This thread migrates, so that the test sees what is printed.
    async open() {
      await work((db) => migrate(db, serviceSchema));
      return openSqliteStore(file);
    },
    goBack: () =>
      work((db) => {
        assert.equal(stepsIn(db, released), serviceSchema.steps.length);
        assert.equal(lacks(db, released, 1), undefined);
        migrate(db, released);
        assert.equal(db.prepare('PRAGMA integrity_check').get()?.integrity_check, 'ok');
        assert.deepEqual(db.prepare('PRAGMA foreign_key_check').all(), []);
      }),
  };
});
