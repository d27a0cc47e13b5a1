import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { accountTables } from '../../src/service/accounts/account-data.ts';
import { copiedTables, copySite, rebuiltTables } from '../../src/service/database/copy-site.ts';
import { openSqliteStore } from '../../src/service/database/sqlite-store.ts';
import type { Store } from '../../src/service/database/store.ts';
import { openDatabase } from '../../src/service/store/postgres/database.ts';
import { migrate } from '../../src/service/store/postgres/migrations.ts';
import { findPrimary } from '../../src/service/store/postgres/primary.ts';
import { serviceSchema } from '../../src/service/store/sqlite/open.ts';
import { webhookEvents } from '../../src/service/webhooks/webhook.ts';
import { callStatuses } from '../../src/shared/api/contract/call-status.ts';
import { migrate as migrateFile } from '../../src/shared/storage/migrate.ts';
import { runProgram } from '../tools/program/program.ts';
import { type Cluster, postgresImpossible, startCluster } from '../tools/servers/cluster.ts';
import { everything } from '../tools/servers/replay.ts';
import { startProcess, storeOf } from '../tools/servers/site.ts';
import { callers, event, prepare, stateFolder } from '../tools/service/harness.ts';
import { withStore } from '../tools/service/people.ts';
import { until } from '../tools/until.ts';

const skip = (await postgresImpossible()) ?? false;

function emptySite() {
  const db = new DatabaseSync(':memory:');
  migrateFile(db, serviceSchema);
  const tables = db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
    .all();
  return { db, tables: tables.map(({ name }) => String(name)) };
}

test('every table of a site is copied, or is known to be rebuilt', () => {
  assert.deepEqual(emptySite().tables, [...copiedTables, ...rebuiltTables].sort());
});

test('every table is removed with an account, after all that refer to it, or is of no account', () => {
  const { db, tables } = emptySite();
  const removed = accountTables.map(({ table }) => table);
  assert.deepEqual(tables, [...removed, 'directory', 'webhook_reader', 'written_by'].sort());
  for (const [at, table] of removed.entries())
    for (const { table: to, on_delete } of db.prepare('SELECT * FROM pragma_foreign_key_list(?)').all(table))
      assert.ok(removed.indexOf(String(to)) > at || on_delete !== 'NO ACTION', `${table} refers to ${to}`);
});

describe('a site moves from SQLite to PostgreSQL', { skip }, () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await startCluster();
  });
  after(() => cluster.remove());

  test('with nothing lost, and every token and link good as before; not while the service runs', async (t) => {
    const stateDir = stateFolder(t);
    const { a, b } = await prepare(stateDir);
    const old = fork(new URL('../tools/service/process.ts', import.meta.url), [stateDir]);
    t.after(() => old.kill('SIGKILL'));
    const [url] = (await once(old, 'message')) as [string];
    const { post, ask } = callers(url);
    for (let call = 0; call < 200; call += 1)
      for (const status of callStatuses)
        assert.equal(
          (await post((call % 2 ? a : b).token, event({ id: `call-${call}`, status }))).status,
          200,
        );
    await post(a.token, Buffer.from('{"id":"caf\xe9\0"', 'latin1'));
    await ask('/voice/call', { token: a.token, method: 'POST', body: { id: 'nul-\0', status: 'odd' } });
    await post(a.token, event({ id: 'open' }));

    const database = await cluster.database();
    const env = { SERVICE_STATE_DIR: stateDir, DATABASE_URL: database };
    const copy = () => runProgram(['service', 'copy'], { env, cwd: stateDir });
    const refused = copy();
    assert.equal((await refused.ended).code, 1);
    assert.match(refused.output(), /stop the service first/);
    old.disconnect();
    await once(old, 'exit');
    await fillWebhook(stateDir);
    await addAndRemove(stateDir);
    await withStore({ stateDir }, ({ directory }) => directory.rotateSiteToken('operator', 0));
    const copied = copy();
    assert.equal((await copied.ended).code, 0, copied.output());
    assert.match(copied.output(), /^calls: 201 rows, equal/m);
    assert.match(copied.output(), /^webhook_deliveries: 201 rows, equal/m);
    assert.match(copied.output(), /^Copied\. Set DATABASE_URL/m);

    const [left, right] = [
      await openSqliteStore(join(stateDir, 'service.db')),
      await storeOf(stateDir, database),
    ];
    t.after(() => Promise.all([left.close(), right.close()]));
    for (const account of [1, 2]) assert.deepEqual(await all(right, account), await all(left, account));
    assert.equal((await right.webhooks.queueNew(null, Date.now())).webhooks.size, 0, 'nothing is sent twice');
    await right.webhooks.addTest(1, Date.now());
    assert.ok(((await deliveries(right))[0]?.id ?? 0) > 201);
    const service = await startProcess(stateDir, database);
    t.after(() => service.stop());
    const { post: send } = callers(service.url);
    assert.equal((await send(a.token, event({ id: 'open', status: 'answered' }))).status, 200);
    assert.equal((await right.calls.get(1, 'open'))?.status, 'answered');
    const found = right.requests.all({ account: 1, search: { in: 'request', term: 'caf' }, order: 'oldest' });
    const entries = (await Array.fromAsync(found)).flat();
    assert.deepEqual([entries.length, entries[0]?.request instanceof Uint8Array], [1, true]);
    const made = await right.directory.addAccount({ uid: 'new', name: 'New', country: null });
    assert.equal(made.id, 4, 'ids go on where they were, after that of an account that is gone');

    const again = copy();
    assert.equal((await again.ended).code, 1);
    assert.match(again.output(), /holds a service already/);
  });

  test('Ctrl-C leaves the database as empty as before, and says so', async (t) => {
    const stateDir = stateFolder(t);
    await prepare(stateDir);
    const database = await cluster.database();
    const name = new URL(database).pathname.slice(1);
    const own = openDatabase(findPrimary([database]), 1);
    await migrate(own);
    const copying = await own.transaction(
      async ({ rows }) => {
        // It gets as far as the customers.
        await rows('LOCK TABLE customers');
        const program = runProgram(['service', 'copy'], {
          env: { SERVICE_STATE_DIR: stateDir, DATABASE_URL: database },
          cwd: stateDir,
        });
        const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = '${name}'`;
        await until('the copy to wait', async () => (await cluster.sql(waiting)).length > 0);
        assert.deepEqual(await program.end('SIGINT'), { code: null, signal: 'SIGINT' });
        return program;
        // However long the program takes to start, the lock is held.
      },
      { idle: 0 },
    );
    await own.close();
    assert.match(
      copying.output(),
      /^stopped: the database is as empty as before, and the service can be started/,
    );
    await until(
      'the server to notice',
      async () => (await cluster.sql('SELECT FROM accounts', name)).length === 0,
    );
    const again = runProgram(['service', 'copy'], {
      env: { SERVICE_STATE_DIR: stateDir, DATABASE_URL: database },
      cwd: stateDir,
    });
    assert.equal((await again.ended).code, 0, again.output());
  });

  test('a file that a newer version has added to is left to that version, in one line', async (t) => {
    const stateDir = stateFolder(t);
    await prepare(stateDir);
    const file = join(stateDir, 'service.db');
    const db = new DatabaseSync(file);
    const next = { name: 'later', sql: "ALTER TABLE calls ADD COLUMN later TEXT NOT NULL DEFAULT ''" };
    migrateFile(db, { ...serviceSchema, steps: [...serviceSchema.steps, next] });
    db.close();
    const url = await cluster.database();
    await assert.rejects(copySite(file, url, { keptMs: undefined, secretMark: 'x' }), {
      name: 'StorageRefused',
      message: `${file} has what a newer pbx-bridge added, which this one would leave behind: copy it with the newer version`,
    });
    assert.deepEqual(
      await cluster.sql("SELECT to_regclass('site') AS made", new URL(url).pathname.slice(1)),
      [{ made: null }],
    );
  });

  test('a row that PostgreSQL refuses is named, a copy that is not equal is found, and then nothing is copied', async (t) => {
    const stateDir = stateFolder(t);
    await prepare(stateDir);
    const file = join(stateDir, 'service.db');
    const name = (text: string) => {
      const db = new DatabaseSync(file);
      db.prepare('UPDATE customers SET name = ? WHERE id = 2').run(text);
      db.close();
    };
    name('Ann\0');
    const url = await cluster.database();
    const sql = (text: string) => cluster.sql(text, new URL(url).pathname.slice(1));
    const copy = () => copySite(file, url, { keptMs: undefined, secretMark: 'x' });
    await assert.rejects(copy(), /refuses a row of customers \(id 2, NUL in name\): unsupported Unicode/);
    name('Ann');
    await sql(`CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN NEW.name := upper(NEW.name); RETURN NEW; END $$;
      CREATE TRIGGER spoil BEFORE INSERT ON customers FOR EACH ROW EXECUTE FUNCTION spoil()`);
    await assert.rejects(
      copy(),
      /^Error: customers: 2 rows, [0-9a-f]{64}, but the copy has 2 rows, [0-9a-f]{64}$/,
    );
    assert.deepEqual(await sql('SELECT (SELECT count(*) FROM site) + (SELECT count(*) FROM accounts) AS n'), [
      { n: '0' },
    ]);
    await sql('DROP TRIGGER spoil ON customers');
    assert.deepEqual(
      (await copy()).map(({ name, rows }) => (name === 'customers' ? rows : name)).slice(0, 4),
      ['accounts', 'integrations', 'segments', 2],
    );
  });
});

/** The account with the highest id is gone. */
async function addAndRemove(stateDir: string): Promise<void> {
  const store = await openSqliteStore(join(stateDir, 'service.db'));
  const { id } = await store.directory.addAccount({ uid: 'gone', name: 'Gone', country: null });
  await store.accountData.remove(id);
  await store.close();
}

/** A webhook of the first account, with deliveries in each state. It leads nowhere. */
async function fillWebhook(stateDir: string): Promise<void> {
  const store = await openSqliteStore(join(stateDir, 'service.db'));
  const { webhooks } = store;
  await webhooks.add({
    uid: 'w',
    account: 1,
    url: 'http://127.0.0.1:9/',
    since: 0,
    events: webhookEvents.filter((event) => event !== 'call.answered'),
  });
  await webhooks.change(1, { replaces: 1, oldSecretUntil: 1_700_000_000_000 });
  await webhooks.queueNew(null, Date.now());
  const query = { priority: 'fresh', now: Date.now(), freshSince: 0, limit: 3 } as const;
  for (const [n, { id: seq, call }] of (await webhooks.due(1, query)).entries()) {
    const outcome = (['delivered', 'retry', 'dead'] as const)[n] ?? 'dead';
    const result = { seq, callId: call?.id ?? '', outcome, at: Date.now(), counted: true, durationMs: 1 };
    await webhooks.record(1, { ...result, httpStatus: 200 + n, nextAt: Date.now() }, 'caf\u00e9 \u{1f600}');
  }
  await store.close();
}

async function deliveries({ webhooks }: Store) {
  return (await webhooks.page({ webhook: 1, failed: false, before: null, limit: 1_000 })).deliveries;
}

async function all(store: Store, account: number) {
  return {
    ...(await everything(store, account)),
    directory: (await store.directory.read(0))?.directory,
    customers: await Array.fromAsync(store.customers.all(account)),
    segments: await store.customers.segments(account),
    users: await store.users.list(account),
    webhooks: await store.webhooks.list(account),
    deliveries: await deliveries(store),
    history: await Array.fromAsync(store.requests.all({ account, search: null, order: 'oldest' })),
  };
}
