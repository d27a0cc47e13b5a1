import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { versionOf } from '../../../shared/storage/migrate.ts';
import { openOperator } from '../operator.ts';
import { batchOf, keepingLog, opened, temporaryFolder } from '../outbox.fixture.ts';
import { openOutbox } from '../outbox.ts';
import { openReader } from '../reader.ts';
import { databasePath } from './database.ts';
import { schemaVersion } from './migrations.ts';

test('migrations: a database that a newer version wrote is refused in one line, and left as it is', async (t) => {
  const directory = temporaryFolder(t);
  await withTables(directory, `CREATE TABLE later (x); PRAGMA user_version = ${schemaVersion + 1}`);
  const before = readFileSync(databasePath(directory));
  await assert.rejects(openOutbox({ directory }, { log: keepingLog() }), {
    name: 'StorageRefused',
    message: new RegExp(
      `^${databasePath(directory)} was written by a newer pbx-bridge \\(schema version ${schemaVersion + 1}, .*knows ${schemaVersion}\\).*$`,
    ),
  });
  for (const open of [openReader, openOperator])
    assert.throws(() => open(directory), {
      name: 'StorageRefused',
      message: /by a newer pbx-bridge: use that/,
    });
  assert.deepEqual(readFileSync(databasePath(directory)), before);
});

test('migrations: a wrong version number alone is damage, and is put right', async (t) => {
  const directory = temporaryFolder(t);
  await withTables(directory, `PRAGMA user_version = ${schemaVersion + 64}`);
  const outbox = await opened(t, { directory });
  assert.equal((await outbox.counters()).queued, 1);
  await outbox.close();
  const db = new DatabaseSync(databasePath(directory));
  t.after(() => db.close());
  assert.equal(versionOf(db), schemaVersion);
});

/** An outbox with one event, closed, and changed by hand. */
async function withTables(directory: string, sql: string): Promise<void> {
  const outbox = await openOutbox({ directory }, { log: keepingLog() });
  await outbox.append(batchOf('a:ringing'));
  await outbox.close();
  const db = new DatabaseSync(databasePath(directory));
  db.exec(sql);
  db.close();
}
