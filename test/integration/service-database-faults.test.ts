import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { firstAccount } from '../../src/service/accounts/directory.ts';
import { openPostgresStore } from '../../src/service/database/postgres-store.ts';
import type { Store } from '../../src/service/database/store.ts';
import { steps } from '../../src/service/store/postgres/migrations.ts';
import { type CallStatus, callStatuses } from '../../src/shared/api/contract/call-status.ts';
import { StoreUnavailable } from '../../src/shared/storage/storage-error.ts';
import { type Cluster, postgresImpossible, startCluster } from '../tools/servers/cluster.ts';
import { startPgBouncer } from '../tools/servers/pgbouncer.ts';
import { allCalls, everything, replay } from '../tools/servers/replay.ts';
import { startReplicated } from '../tools/servers/replicated.ts';
import { startSite, watch } from '../tools/servers/site.ts';
import { callers, event } from '../tools/service/harness.ts';
import { report } from '../tools/service/recorded-request.ts';
import { until } from '../tools/until.ts';

const skip = (await postgresImpossible()) ?? false;
const CLIENTS = 20;

describe('the database breaks', { skip }, () => {
  test('kill -9 of the whole server under load, again and again: what got its 200 is there', async (t) => {
    const cluster = await startCluster();
    t.after(() => cluster.remove());
    const site = await startSite(t, await cluster.database(), 2);
    const screen = watch(t, site.services[1]?.url ?? '', site.token);
    await screen.open;
    const load = startLoad(t, site.url, site.token);
    for (let kill = 0; kill < 3; kill += 1) {
      await load.acknowledges(150);
      await cluster.kill();
      await load.isRefused();
      assert.equal((await fetch(`${site.services[0]?.url}/healthz`)).status, 503);
      await cluster.start();
    }
    await load.acknowledges(150);
    const acknowledged = await load.stop();
    await checkAcknowledged(site.store, acknowledged);
    assert.deepEqual(await everything(site.store), await everything(await replay(t, site.store)));
  });

  test('the primary dies and its synchronous standby takes over: what got its 200 is there, and screens catch up', async (t) => {
    const { primary, standby, address, promote } = await startReplicated(t, { synchronous: true });
    const site = await startSite(t, address, 2);
    assert.match(
      (await site.store.about()).survives,
      /synchronous standbys \(.* = second\): it survives the loss of the primary/,
    );
    const watching = watch(t, site.services[0]?.url ?? '', site.token);
    await watching.open;
    const load = startLoad(t, site.url, site.token);
    await load.acknowledges(200);

    // The standby is away: nothing is acknowledged that it does not have.
    standby.signal('SIGSTOP');
    const direct = callers(site.services[0]?.url ?? '');
    assert.equal((await direct.post(site.token, event({ id: 'alone' }))).status, 503);
    const waiting = await primary.sql("SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
    assert.ok(waiting.length <= 2, 'no more wait than there are processes');
    standby.signal('SIGCONT');
    await load.acknowledges(100);

    await primary.kill();
    await promote();
    await load.acknowledges(200);
    const acknowledged = await load.stop();

    await checkAcknowledged(site.store, acknowledged);
    // A screen that was connected is sent back to the start: it connects again, and goes on with what is true now.
    await watching.ended;
    const screen = watch(t, site.services[0]?.url ?? '', site.token);
    await screen.open;
    const { post } = callers(site.services[1]?.url ?? '');
    assert.equal((await post(site.token, event({ id: 'after', status: 'completed' }))).status, 200);
    await screen.saw([{ id: 'after', status: 'completed' }]);
  });
});

describe('on a database that is not as it should be', { skip }, () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await startCluster();
  });
  after(() => cluster.remove());
  const open = (url: string, steps?: Parameters<typeof openPostgresStore>[1]) =>
    openPostgresStore({ url, connections: 4, secretMark: 'x' }, steps);

  test('fsync=off is refused, and what synchronous_commit means is said', async (t) => {
    const careless = await startCluster({ fsync: 'off' });
    t.after(() => careless.remove());
    await assert.rejects(open(await careless.database()), /fsync=off/);
    const database = await cluster.database();
    const store = await open(database);
    assert.deepEqual((await store.about()).safe, true);
    await store.close();
    await cluster.sql(`ALTER DATABASE ${new URL(database).pathname.slice(1)} SET synchronous_commit = off`);
    const lax = await open(database);
    t.after(() => lax.close());
    assert.equal((await lax.about()).safe, false);
  });

  test('a standby that does not confirm fails a batch as a whole, once', async (t) => {
    const lonely = await startCluster();
    t.after(() => lonely.remove());
    const store = await open(await lonely.database());
    t.after(() => store.close());
    const account = (await firstAccount(store, null, 0))?.account.id ?? assert.fail();
    await record(store, account, 'before', 'ringing');
    await lonely.sql("ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (b, c)'");
    await lonely.sql('SELECT pg_reload_conf()');
    const firstThatWaits = await waitsForStandby(lonely);
    assert.match(
      (await store.about()).survives,
      /on the disk of its synchronous standbys \(.* = ANY 1 \(b, c\)\)/,
    );
    const records = await Promise.allSettled(
      ['a', 'b', 'c'].map((id) => record(store, account, id, 'ringing')),
    );
    for (const { status, reason } of records as PromiseRejectedResult[]) {
      assert.equal(status, 'rejected');
      assert.ok(reason instanceof StoreUnavailable, String(reason));
    }
    await lonely.sql("ALTER SYSTEM SET synchronous_standby_names = ''");
    await lonely.sql('SELECT pg_reload_conf()');
    await firstThatWaits.over;
    // It counts on this server all the same. To try each alone would have written it twice, after as many waits.
    const entries = await Array.fromAsync(store.requests.all({ account, search: null, order: 'oldest' }));
    assert.deepEqual(
      entries.flat().map(({ request }) => JSON.parse(`${request}`).id),
      ['before', 'a', 'b', 'c'],
    );
  });

  test('through PgBouncer in transaction mode: calls, activity and figures are the same', async (t) => {
    const database = await cluster.database();
    const bouncer = await startPgBouncer(database);
    t.after(() => bouncer.stop());
    const site = await startSite(t, bouncer.url, 2, database);
    const screen = watch(t, site.services[0]?.url ?? '', site.token);
    await screen.open;
    const load = startLoad(t, site.url, site.token);
    await load.acknowledges(400);
    await checkAcknowledged(site.store, await load.stop());
    assert.deepEqual(await everything(site.store), await everything(await replay(t, site.store)));
    await screen.saw(await allCalls(site.store));
  });

  test('two versions side by side: the new one adds, the old one goes on and may start again', async () => {
    const database = await cluster.database();
    const old = await open(database);
    const next = {
      name: 'notes',
      sql: 'ALTER TABLE calls ADD COLUMN note text; CREATE TABLE notes (id bigint PRIMARY KEY)',
    };
    const opened = await Promise.all([1, 2].map(() => open(database, [...steps, next])));
    const again = await open(database);
    const all = [old, ...opened, again];
    const account = (await firstAccount(old, null, 0))?.account.id ?? assert.fail();
    for (const [at, store] of all.entries()) await record(store, account, `call-${at}`, 'ringing');
    await Promise.all(all.map((store) => record(store, account, 'one', 'completed')));
    assert.equal((await allCalls(old, account)).length, all.length + 1);
    const breaking = await open(database, [
      ...steps,
      next,
      { name: 'breaks', sql: 'SELECT 1', breaks: true },
    ]);
    await Promise.all([...all, breaking].map((store) => store.close()));
    await assert.rejects(
      open(database),
      /written by pbx-bridge \d+\.\d+\.\d+, and pbx-bridge .* cannot read it: install/,
    );
  });

  test('a step whose connection dies in the middle leaves the database as it was, and is done at the next start', async () => {
    const database = await cluster.database();
    const old = await open(database);
    const next = { name: 'notes', sql: 'CREATE TABLE notes (id bigint PRIMARY KEY)' };
    const dies = { name: 'dies', sql: `${next.sql}; SELECT pg_terminate_backend(pg_backend_pid())` };
    await assert.rejects(open(database, [...steps, dies]), /cannot be used|terminat/);
    const account = (await firstAccount(old, null, 0))?.account.id ?? assert.fail();
    await record(old, account, 'call', 'ringing');
    // If the table were there, it could not be made again.
    const again = await open(database, [...steps, next]);
    assert.equal((await allCalls(again, account)).length, 1);
    await Promise.all([old, again].map((store) => store.close()));
  });

  test('a database of before the first release is named as such', async () => {
    const database = await cluster.database();
    await (await open(database)).close();
    await cluster.sql('DROP TABLE written_by', new URL(database).pathname.slice(1));
    await assert.rejects(open(database), {
      name: 'StorageRefused',
      message:
        /^the database of DATABASE_URL was made by a pbx-bridge from before 1\.0\.0, .*: save customers as CSV/,
    });
  });

  test('an address that the server refuses is named by its setting, with what the server says', async () => {
    await cluster.sql("CREATE ROLE asked LOGIN PASSWORD 'right'");
    const rules = join(cluster.dataDir, 'pg_hba.conf');
    writeFileSync(rules, `host all asked all scram-sha-256\n${readFileSync(rules, 'utf8')}`);
    await cluster.sql('SELECT pg_reload_conf()');
    const refusal = (why: string, todo = 'start it, or correct DATABASE_URL') => ({
      message: `the database of DATABASE_URL cannot be used: ${why}; ${todo}`,
    });
    const wrong = cluster.url('postgres', 'asked');
    await assert.rejects(open(wrong), refusal('password authentication failed for user "asked"'));
    const none = cluster.url('none');
    await assert.rejects(open(none), refusal('database "none" does not exist'));
    await assert.rejects(
      open(wrong.replace('secret', 'right')),
      refusal(
        'permission denied for schema public',
        'make its user the owner of the database (ALTER DATABASE ... OWNER TO ...)',
      ),
    );
  });

  test('retention drops a partition while everybody writes, and a process that knew it makes another', async (t) => {
    const database = await cluster.database();
    const daily = { url: database, connections: 4, keptMs: 30 * DAY_MS, secretMark: 'x' };
    const [one, two] = [await openPostgresStore(daily), await openPostgresStore(daily)];
    t.after(() => Promise.all([one.close(), two.close()]));
    const account = (await firstAccount(one, null, 0))?.account.id ?? assert.fail();
    for (const store of [one, two]) await record(store, account, 'old', 'ringing', 5 * DAY_MS);
    const writing = Promise.all(
      Array.from({ length: 200 }, (_, n) =>
        record(n % 2 ? one : two, account, `new-${n}`, 'ringing', 40 * DAY_MS),
      ),
    );
    // It gives way to those who write, and is tried again.
    const trim = () =>
      one.requests.trim({ before: 10 * DAY_MS }).catch((error: unknown) => {
        assert.ok(error instanceof StoreUnavailable, String(error));
        return 0;
      });
    const dropped = await until('the partition to be dropped', trim);
    assert.equal(dropped, 2);
    await writing;
    await record(two, account, 'late', 'ringing', 5 * DAY_MS);
    const entries = await Array.fromAsync(one.requests.all({ account, search: null, order: 'oldest' }));
    assert.equal(entries.flat().length, 201);
    assert.equal((await one.calls.get(account, 'old'))?.status, 'ringing', 'activity outlives the history');
  });
});

const DAY_MS = 86_400_000;

/** Commits until one waits for a standby: some time after the reload, the server does. `over` when it waits no more. */
async function waitsForStandby(cluster: Cluster): Promise<{ over: Promise<void> }> {
  let waits = false;
  const commits = (async () => {
    for (let n = 0; !waits; n += 1) await cluster.sql(`CREATE TABLE waiting_${n} ()`);
  })();
  const waiting = "SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
  await until('a commit to wait for the standby', async () => (await cluster.sql(waiting)).length > 0);
  waits = true;
  return { over: commits };
}

const record = (store: Store, account: number, id: string, status: CallStatus, at = 1) =>
  report(store, { account, id, status, at, from: '110' });

/**
 * Clients that report calls as a bridge does: one event of a call after the other, each again until it is acknowledged.
 * `stop` gives the events that were.
 */
function startLoad(t: TestContext, url: string, token: string) {
  const { post } = callers(url);
  const acknowledged: { id: string; status: CallStatus }[] = [];
  let refused = 0;
  let stopped = false;
  let over = false;
  // A test that failed leaves nothing behind that tries for ever.
  t.after(() => {
    over = true;
  });
  async function send(id: string, status: CallStatus): Promise<void> {
    while (!over) {
      const answer = await post(token, event({ id, status })).catch(() => undefined);
      if (answer?.status === 200) acknowledged.push({ id, status });
      else refused += 1;
      if (answer?.status === 200) return;
      assert.ok(
        answer === undefined || answer.status >= 500,
        `${answer?.status} is no delay: ${answer?.text}`,
      );
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    for (let call = 0; !stopped && !over; call += 1)
      for (const status of callStatuses) await send(`client-${client}-call-${call}`, status);
  });
  const state = () => ({ acknowledged: acknowledged.length, refused });
  return {
    /** Resolves after this number of further ones. */
    acknowledges(more: number) {
      const goal = acknowledged.length + more;
      return until(`${more} more events acknowledged`, () => acknowledged.length >= goal, { state });
    },
    isRefused() {
      const before = refused;
      return until('an event to be refused', () => refused > before, { state });
    },
    async stop() {
      stopped = true;
      await Promise.all(clients);
      return acknowledged;
    },
  };
}

/** Every acknowledged event is in the history, and its call is at least as far. */
async function checkAcknowledged(
  store: Store,
  acknowledged: readonly { id: string; status: CallStatus }[],
): Promise<void> {
  const entries = await Array.fromAsync(store.requests.all({ account: 1, search: null, order: 'oldest' }));
  const recorded = new Set(
    entries.flat().map(({ request }) => {
      const { id, status } = JSON.parse(request as string);
      return `${id} ${status}`;
    }),
  );
  assert.deepEqual(
    acknowledged.filter(({ id, status }) => !recorded.has(`${id} ${status}`)),
    [],
  );
  const calls = new Map((await allCalls(store)).map((call) => [call.id, call.status]));
  const rank = (status: CallStatus | undefined) => callStatuses.indexOf(status as CallStatus);
  assert.deepEqual(
    acknowledged.filter(({ id, status }) => rank(calls.get(id)) < rank(status)),
    [],
  );
}
