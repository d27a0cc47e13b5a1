import assert from 'node:assert/strict';
import { globSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { firstAccount } from '../../src/service/accounts/directory.ts';
import { openSqliteStore } from '../../src/service/database/sqlite-store.ts';
import type { Store } from '../../src/service/database/store.ts';
import { customer } from '../../src/service/people/customer.fixture.ts';
import { forgetNumber, forgetSummary } from '../../src/service/people/forget-number.ts';
import { serviceSchema } from '../../src/service/store/sqlite/open.ts';
import { stateFolder } from '../tools/service/harness.ts';
import { report } from '../tools/service/recorded-request.ts';
import { storeConformance } from './service-store-conformance.ts';

storeConformance('sqlite', async (t) => {
  const file = join(stateFolder(t), 'service.db');
  let store: Store = await openSqliteStore(file);
  t.after(() => store.close());
  const reopen = async () => {
    await store.close();
    store = await openSqliteStore(file);
    return store;
  };
  const readColumns = async () => {
    using db = new DatabaseSync(file, { readOnly: true });
    const columns =
      db.prepare(`SELECT t.name AS "table", c.name AS "column" FROM pragma_table_list t, pragma_table_info(t.name) c
      WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND c.type IN ('TEXT', 'ANY', 'BLOB')`);
    return (columns.all() as { table: string; column: string }[]).map(({ table, column }) => {
      const all = `SELECT group_concat(CAST(${column} AS TEXT)) AS "values" FROM ${table}`;
      return { table, column, values: `${db.prepare(all).get()?.values}` };
    });
  };
  const readFiles = () =>
    globSync(`${file}*`)
      .map((path) => readFileSync(path, 'latin1'))
      .join('');
  return { store, reopen, readColumns, readFiles };
});

test('sqlite: an event does not wait for all that is done to many rows of an account', async (t) => {
  const store = await openSqliteStore(join(stateFolder(t), 'service.db'));
  t.after(() => store.close());
  const account = (await firstAccount(store, 'DE', 0))?.account.id ?? 0;
  const { customers, webhooks } = store;
  await customers.putSegment(account, { name: 'Gold', priority: 1 });
  const many = Array.from({ length: 5_000 }, (_, n) => n);
  const names = many.map((n) => customer({ reference: `r${n}`, name: `N${n}`, segment: 'Gold' }));
  await customers.put(account, names);
  await webhooks.add({ uid: 'w', account, url: 'https://a.example', events: ['call.ringing'], since: 0 });
  const [webhook] = await webhooks.list(account);
  const id = webhook?.id ?? 0;
  const { cursor } = await webhooks.queueNew(null, 0);
  await Promise.all(many.map((n) => report(store, { account, id: `call-${n}`, at: 100 + n })));
  await webhooks.queueNew(cursor, 0);
  const works: Record<string, () => Promise<unknown>> = {
    'the removal of a segment': () => customers.removeSegment(account, 'Gold'),
    'switching a webhook off': () => webhooks.switchOff(id, null),
    'sending its events again': () => webhooks.switchOn(id, 0).then(() => webhooks.sendAgain(id, null, 900)),
    'giving events up': () => webhooks.expire(id, 901),
    'the removal of a webhook': () => webhooks.remove(id),
  };
  for (const [what, work] of Object.entries(works)) {
    let isOver = false;
    const done = work().then(() => {
      isOver = true;
    });
    // The third comes after the first piece at the latest.
    for (const n of [1, 2, 3]) await report(store, { account, id: `${what} ${n}`, at: 1 });
    assert.equal(isOver, false, what);
    await done;
  }
});

test('sqlite: a purge tells whether somebody who reads keeps what was removed, and nothing waits for it', async (t) => {
  const file = join(stateFolder(t), 'service.db');
  const store = await openSqliteStore(file);
  t.after(() => store.close());
  const account = (await firstAccount(store, 'DE', 0))?.account.id ?? 0;
  const number = '+4930901820';
  await report(store, { account, id: 'call', at: 1, from: number });
  const isOnDisk = () => globSync(`${file}*`).some((path) => readFileSync(path, 'latin1').includes(number));
  const reader = new DatabaseSync(file, { readOnly: true });
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM calls').get();
  const forgotten = forgetNumber(store, account, number);
  let turns = 0;
  for (let isOver = false; !isOver; turns += 1) {
    isOver = await Promise.race([forgotten.then(() => true), sleep(1, false)]);
    await store.calls.get(account, 'call');
  }
  assert.ok(turns > 5, `${turns} others had their turn`);
  assert.match(forgetSummary(await forgotten), /still in service\.db-wal/);
  assert.ok(isOnDisk());
  reader.close();
  assert.equal(await store.purge(), true);
  assert.ok(!isOnDisk());
});

test('sqlite: the file is for its owner alone', async (t) => {
  const file = join(stateFolder(t), 'service.db');
  const store = await openSqliteStore(file);
  t.after(() => store.close());
  for (const suffix of ['', '-wal']) assert.equal(statSync(file + suffix).mode & 0o777, 0o600);
});

test('sqlite: a database of a newer version, or none at all, is refused', async (t) => {
  const file = join(stateFolder(t), 'service.db');
  const db = new DatabaseSync(file);
  db.exec('PRAGMA user_version = 1000; CREATE TABLE x (y)');
  db.close();
  await assert.rejects(openSqliteStore(file), /there is no table written_by/);
  rmSync(file);
  await (await openSqliteStore(file)).close();
  const newer = new DatabaseSync(file);
  const steps = serviceSchema.steps.length + 1;
  newer.exec(`INSERT INTO written_by VALUES (9e12, 'pbx-bridge', '9.0.0', ${steps}, ${steps})`);
  newer.close();
  await assert.rejects(
    openSqliteStore(file),
    /^StorageRefused: (?!.*damaged).*written by pbx-bridge 9\.0\.0, .*: install 9\.0\.0/,
  );
  await assert.rejects(openSqliteStore(join(file, 'not-a-folder')), /not a directory/);
});

test('sqlite: a database of before the first release is named as such', async (t) => {
  const file = join(stateFolder(t), 'service.db');
  const db = new DatabaseSync(file);
  db.exec('CREATE TABLE accounts (id INTEGER PRIMARY KEY); PRAGMA user_version = 1');
  db.close();
  await assert.rejects(openSqliteStore(file), /from before 1\.0\.0, .*: save customers as CSV/);
});

test('sqlite: a database that lacks a column is refused in words', async (t) => {
  const file = join(stateFolder(t), 'service.db');
  await (await openSqliteStore(file)).close();
  const db = new DatabaseSync(file);
  db.exec('ALTER TABLE accounts DROP COLUMN crm_url');
  db.close();
  await assert.rejects(
    openSqliteStore(file),
    /lacks the table accounts accounts crm_url TEXT: restore a backup/,
  );
});
