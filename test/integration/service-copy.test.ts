import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { callStatuses } from '../../src/api/contract/call-event.ts';
import { makeKeys } from '../../src/service/accounts/keys.ts';
import { serverSecret } from '../../src/service/accounts/server-secret.ts';
import { type CopySteps, copySite } from '../../src/service/store/copy-site.ts';
import { secretMarkOf } from '../../src/service/store/open-store.ts';
import { openCopyTarget } from '../../src/service/store/postgres/copy-target.ts';
import { calls, history, madeAgain, smallTables } from '../../src/service/store/shared/copied-tables.ts';
import { openCopySource } from '../../src/service/store/sqlite/copy-source.ts';
import { migrations } from '../../src/service/store/sqlite/migrations.ts';
import { openSqliteStore } from '../../src/service/store/sqlite/sqlite-store.ts';
import type { Store } from '../../src/service/store/store.ts';
import { migrate } from '../../src/storage/migrate.ts';
import { type Cluster, postgresImpossible, startCluster } from '../postgres/cluster.ts';
import { everything } from '../postgres/replay.ts';
import { startProcess, storeOf } from '../postgres/site.ts';
import { runProgram } from './program.ts';
import { callers, event, prepare, stateFolder } from './service-harness.ts';

const skip = (await postgresImpossible()) ?? false;

test('every table and column of a site is copied, or is known to be made again', () => {
  const db = new DatabaseSync(':memory:');
  migrate(db, migrations);
  const copied = new Map(
    [history, calls, ...smallTables].map(({ name, columns }) => [name, [...columns].sort()]),
  );
  const tables = db.prepare(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
  );
  for (const { name } of tables.all() as { name: string }[]) {
    if (madeAgain.includes(name)) continue;
    const columns = db.prepare('SELECT name FROM pragma_table_info(?) ORDER BY name').all(name);
    assert.deepEqual(
      copied.get(name),
      columns.map((column) => column.name),
      name,
    );
  }
});

describe('a site moves from SQLite to PostgreSQL', { skip }, () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await startCluster();
  });
  after(() => cluster.remove());

  test('while it runs, with nothing lost, and every token and link good as before', async (t) => {
    const stateDir = stateFolder(t);
    const { a, b } = await prepare(stateDir);
    const old = fork(new URL('./service-process.ts', import.meta.url), [stateDir]);
    t.after(() => old.kill('SIGKILL'));
    const [url] = (await once(old, 'message')) as [string];
    const { post, ask } = callers(url);
    let stopped = false;
    let told = 0;
    const clients = Array.from({ length: 8 }, async (_, client) => {
      for (let call = 0; !stopped; call += 1)
        for (const status of callStatuses) {
          const { token } = client % 2 ? a : b;
          await post(token, event({ id: `${client}-${call}`, status })).catch(() => {});
          told += 1;
        }
    });
    await post(a.token, Buffer.from('{"id":"caf\xe9\0"', 'latin1'));
    await ask('/voice/call', { token: a.token, method: 'POST', body: { id: 'nul-\0', status: 'odd' } });

    const database = await cluster.database();
    const env = { SERVICE_STATE_DIR: stateDir, DATABASE_URL: database };
    const copy = runProgram(['service', 'copy'], { env, cwd: stateDir });
    await copy.says(/Stop the service now/);
    const before = told;
    while (told < before + 100) await new Promise((resolve) => setImmediate(resolve));
    stopped = true;
    await Promise.all(clients);
    await post(a.token, event({ id: 'open' }));
    old.disconnect();
    await once(old, 'exit');
    await copy.says(/start the service on it/);
    const service = await startProcess(stateDir, database);
    t.after(() => service.stop());
    assert.equal(
      (await callers(service.url).post(a.token, event({ id: 'open', status: 'answered' }))).status,
      200,
    );
    assert.equal((await copy.ended).code, 0, copy.output());
    assert.match(copy.output(), /All are equal/);

    const [left, right] = [
      await openSqliteStore(join(stateDir, 'service.db')),
      await storeOf(stateDir, database),
    ];
    t.after(() => Promise.all([left.close(), right.close()]));
    assert.equal((await right.calls.get(1, 'open'))?.status, 'answered');
    assert.deepEqual(await all(right, 2), await all(left, 2));
    const { total, chunks } = await right.requests.page({
      ...{ account: 1, search: { in: 'request', term: 'caf' }, order: 'oldest', offset: 0, limit: 5 },
    });
    const [[entry] = []] = await Array.fromAsync(chunks);
    assert.deepEqual([total, entry?.request instanceof Uint8Array], [1, true]);
    const made = await right.directory.addAccount({ uid: 'new', name: 'New', country: null });
    assert.equal(made.id, 3, 'ids go on where they were');
  });

  test('cut off, it goes on where it was; a copy that is not equal is found; a database in use is refused', async (t) => {
    const stateDir = stateFolder(t);
    await prepare(stateDir);
    const file = join(stateDir, 'service.db');
    const store = await openSqliteStore(file);
    for (let n = 0; n < 5000; n += 1) void store.requests.record(recorded(n));
    await store.openCalls(1, 1);
    const before = await all(store, 1);
    await store.close();

    const url = await cluster.database();
    const secretMark = secretMarkOf(makeKeys(serverSecret(stateDir)));
    const open = () => openCopyTarget(url, { keptMs: undefined, secretMark });
    async function copy(changed: Partial<CopySteps>) {
      const [source, target] = [openCopySource(file), await open()];
      try {
        return await copySite(source, target, { ...quiet, ...changed });
      } finally {
        source.close();
        await target.close();
      }
    }
    const cut = () => {
      throw new Error('cut off');
    };
    await assert.rejects(copy({ progress: cut }), /cut off/);
    await assert.rejects(storeOf(stateDir, url), /has not finished/);
    const copied = await copy({});
    assert.deepEqual([copied.entries, copied.calls], [5000, 5000]);
    await assert.rejects(open(), /holds a service already/);
    const moved = await storeOf(stateDir, url);
    t.after(() => moved.close());
    assert.deepEqual(await all(moved, 1), before);

    const other = await cluster.database();
    const spoil = () =>
      cluster.sql("UPDATE history SET response = '{}' WHERE id = 77", new URL(other).pathname.slice(1));
    const [source, target] = [
      openCopySource(file),
      await openCopyTarget(other, { keptMs: undefined, secretMark }),
    ];
    t.after(() => target.close());
    let looks = 0;
    const hold = () => (looks++ === 0 ? undefined : () => {});
    await assert.rejects(
      copySite(source, target, { ...quiet, tryToHold: hold, wait: () => spoil().then(() => {}) }),
      /history: \d+ rows, \d+ copied, not equal \(id 77\)/,
    );
    source.close();
  });
});

const quiet: CopySteps = {
  progress: () => {},
  following: () => {},
  tryToHold: () => () => {},
  wait: async () => {},
  ready: () => {},
  trimmed: false,
};

async function all(store: Store, account: number) {
  return {
    ...(await everything(store, account)),
    directory: (await store.directory.read(0))?.directory,
    customers: await Array.fromAsync(store.customers.all(account)),
    segments: await store.customers.segments(account),
    users: await store.users.list(account),
    history: await Array.fromAsync(store.requests.all({ account, search: null, order: 'oldest' })),
  };
}

function recorded(n: number): Parameters<Store['requests']['record']>[0] {
  return {
    ...{ account: 1, integration: 1, at: 1_800_000_000_000 + n, began: 0, method: 'POST', path: '/x' },
    ...{ request: n % 100 ? `text ${n}` : new Uint8Array([0xff, n % 256]), status: 200, response: null },
    ...{ callId: `call-${n}`, fromNumber: null },
    event: {
      id: `call-${n}`,
      status: callStatuses[n % 3] ?? 'ringing',
      from: '110',
      country: 'DE',
      callerId: null,
    },
  };
}
