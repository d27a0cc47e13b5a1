import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { openOperator } from '../operator.ts';
import { batchOf, byNewer, keepingLog, opened, temporaryFolder } from '../outbox.fixture.ts';
import { openOutbox } from '../outbox.ts';
import { openReader } from '../reader.ts';
import { databasePath } from './database.ts';

for (const [what, sql, message] of [
  [
    'that a newer version wrote',
    byNewer,
    /was written by pbx-bridge 9\.0\.0, and .*: install 9\.0\.0 or newer/,
  ],
  [
    'of before the first release',
    'DROP TABLE written_by; PRAGMA user_version = 3',
    /was made by a pbx-bridge from before 1\.0\.0, .*: let that version deliver what waits in it/,
  ],
] as const)
  test(`migrations: a database ${what} is refused in one line, and left as it is`, async (t) => {
    const directory = temporaryFolder(t);
    await withTables(directory, sql);
    const before = readFileSync(databasePath(directory));
    const refused = { name: 'StorageRefused', message };
    await assert.rejects(openOutbox({ directory }, { log: keepingLog() }), refused);
    for (const open of [openReader, openOperator]) assert.throws(() => open(directory), refused);
    assert.deepEqual(readFileSync(databasePath(directory)), before);
  });

for (const [what, sql] of [
  ['is gone', 'DROP TABLE written_by'],
  ['is empty', 'DELETE FROM written_by'],
  ['makes no sense', "UPDATE written_by SET version = 'pbx'"],
] as const)
  test(`migrations: where the table of its writers ${what}, the database is damaged, and is repaired`, async (t) => {
    const directory = temporaryFolder(t);
    await withTables(directory, sql);
    const log = keepingLog();
    const outbox = await opened(t, { directory }, log);
    assert.equal((await outbox.counters()).queued, 1);
    assert.deepEqual(
      log.lines.map(({ code }) => code),
      ['outbox.repaired'],
    );
  });

/** An outbox with one event, closed, and changed by hand. */
async function withTables(directory: string, sql: string): Promise<void> {
  const outbox = await openOutbox({ directory }, { log: keepingLog() });
  await outbox.append(batchOf({ a: 'ringing' }));
  await outbox.close();
  const db = new DatabaseSync(databasePath(directory));
  db.exec(sql);
  db.close();
}
