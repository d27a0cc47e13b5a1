import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, type TestContext, test } from 'node:test';
import { Client } from 'pg';
import { openPostgresStore } from '../../src/service/store/postgres/postgres-store.ts';
import type { HistoryCursor, HistoryOrder } from '../../src/service/store/request-store.ts';
import type { Store } from '../../src/service/store/store.ts';
import { type Cluster, postgresImpossible, startCluster } from '../postgres/cluster.ts';

/** The digests of the history on PostgreSQL: a text search finds the same with them, and reads less. */
const skip = (await postgresImpossible()) ?? false;
const DAY_MS = 86_400_000;
const HOUR_MS = DAY_MS / 24;

describe('a text search on PostgreSQL', { skip }, () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await startCluster();
  });
  after(() => cluster.remove());

  /** Entries n of the second day, one for each number from `first` to `last`; `at` and `request` are SQL. */
  const many = (
    of: Record<'name' | 'at' | 'request', string> & Record<'account' | 'last', number> & { first?: number },
  ) => {
    const { name, account, at, request, first = 1, last } = of;
    return cluster.sql(
      `INSERT INTO history (account_id, integration_id, created_at, method, path, request, status, duration)
         SELECT ${account}, 1, ${at}, 'POST', '/', ${request}, 200, 1 FROM generate_series(${first}, ${last}) AS n;
       INSERT INTO history_counts VALUES (${account}, 1, -1, ${last - first + 1})`,
      name,
    );
  };

  test('finds the same with digests as by reading every text, in both orders and page by page', async (t) => {
    const { store, account, texts } = await filled(t, cluster, 9_000);
    const terms = [
      'call-8990',
      '+4930123',
      '123456',
      '77',
      'inbound',
      'nowhere-at-all',
      'naïve ☎ 1',
      '8990"',
      '9',
      '8"',
      'ZZ',
      '☎',
      'é ☎',
      'nix',
      '493',
      '"call',
      '12345',
      'nowhe',
    ];
    const before = await Promise.all(terms.map((term) => find(store, account, term, 'newest')));
    assert.deepEqual(
      before.map(({ length }) => length),
      terms.map((term) => texts.filter((text) => text.includes(term)).length),
    );
    assert.ok((before[0]?.length ?? 0) > 0 && (before[6]?.length ?? 0) > 0);
    await record(store, account, 1_000, Buffer.from('\xffno-text-of-utf-8', 'latin1'));
    // The first three days are over; of the fourth a full digest is made and the rest has none.
    const digested = await store.requests.digest(4 * DAY_MS - 1);
    assert.ok(digested > 3_000 && digested < 9_000, `${digested} of 9000`);
    for (const [index, term] of terms.entries()) {
      const expected = before[index] ?? [];
      assert.deepEqual(await find(store, account, term, 'newest'), expected, term);
      assert.deepEqual(await find(store, account, term, 'oldest'), expected.toReversed(), term);
      assert.deepEqual(await pages(store, account, term), expected, term);
    }
    assert.equal((await find(store, account, 'no-text-of-utf-8', 'newest')).length, 1);
    assert.equal(await store.requests.digest(4 * DAY_MS - 1), 0, 'nothing twice');
  });

  test('reads nothing that the digests rule out', async (t) => {
    const { store, account, name } = await filled(t, cluster, 5_000);
    await store.requests.digest(9 * DAY_MS);
    await cluster.sql("UPDATE history SET request = request || 'never-digested'", name);
    // Whoever has no digest begins in the last one's last millisecond.
    assert.equal((await find(store, account, 'never-digested', 'newest')).length, 1);
    for (const term of ['g', 'nev', 'er-d', 'never'])
      assert.equal((await find(store, account, term, 'newest')).length, 1, term);
  });

  test('finds the same in the joined filters of a busy day, and does that anew, too', async (t) => {
    const { store, account, name } = await filled(t, cluster, 0);
    // What is so long is a block of its own. The first day is over, the other one is not.
    const long = (n: number) => createHash('shake256', { outputLength: 30_000 }).update(`${n}`).digest('hex');
    for (let n = 0; n < 75; n += 1) await record(store, account, n * 1_000, `long-${n}: ${long(n)}`);
    await record(store, account, DAY_MS, 'short');
    await many({ name, account, at: `${DAY_MS} + n`, request: `'many of them, ' || n`, last: 40_000 });
    const terms = ['long-7', long(40).slice(30_000, 30_020), long(74).slice(-6), 'nowhere', ', 399', ', 7'];
    const before = await Promise.all(terms.map((term) => find(store, account, term, 'newest')));
    assert.deepEqual(
      before.map(({ length }) => length),
      [6, 1, 1, 0, 111, 1_111],
    );
    const same = async () => {
      for (const [n, term] of terms.entries()) {
        assert.deepEqual(await find(store, account, term, 'newest'), before[n], term);
        assert.deepEqual(await find(store, account, term, 'oldest'), before[n]?.toReversed(), term);
      }
    };
    const joined = async () => {
      const sql = `SELECT blocks FROM history_filters WHERE account_id = ${account} ORDER BY last_at, last_id`;
      return (await cluster.sql(sql, name)).map(({ blocks }) => blocks);
    };
    assert.equal(await store.requests.digest(2 * DAY_MS - HOUR_MS), 75 + 9 * 4096);
    assert.deepEqual(await joined(), [64, 8, 1, 1, 1, ...Array(9).fill(1)]);
    await same();
    await record(store, account, 50_500, `late: ${long(100)}`);
    assert.equal(await store.requests.digest(2 * DAY_MS + HOUR_MS), 76 + 40_001 + 1); // of the other account
    assert.deepEqual(await joined(), [64, 8, 1, 1, 1, 1, 8, 1, 1]);
    assert.equal((await find(store, account, long(100).slice(-20), 'newest')).length, 1);
    await same();
    await cluster.sql("UPDATE history SET request = request || 'never'", name);
    assert.equal((await find(store, account, 'never', 'newest')).length, 1, 'reads what is ruled out');
  });

  test('finds what is on either side of a block that ends within a millisecond', async (t) => {
    const { store, account, name } = await filled(t, cluster, 0);
    await record(store, account, DAY_MS, 'first');
    await many({ name, account, at: `${DAY_MS}`, request: `'one of them ' || n`, first: 2, last: 9_000 });
    assert.equal(await store.requests.digest(2 * DAY_MS + HOUR_MS), 9_001);
    for (const n of [2, 4_095, 4_096, 4_097, 4_098, 8_192, 8_193, 9_000])
      for (const order of ['newest', 'oldest'] as const)
        assert.equal((await find(store, account, `them ${n}`, order)).length, matching(n), `${n} ${order}`);
    const page = { account, search: { in: 'request', term: 'of them' }, order: 'newest' } as const;
    assert.equal((await store.requests.page({ ...page, offset: 0, limit: 2 })).total, 8_999);
    function matching(n: number) {
      return Array.from({ length: 8_999 }, (_, at) => `${at + 2}`).filter((at) => at.startsWith(`${n}`))
        .length;
    }
  });

  test('a page knows how many match after it if few thousand entries have to be looked at', async (t) => {
    const { store, account, name } = await filled(t, cluster, 0);
    await record(store, account, DAY_MS, 'first');
    const request = `CASE WHEN n <= 20 THEN 'seldom, ' ELSE '' END || 'often'`;
    await many({ name, account, at: `${DAY_MS} + n`, request, last: 40_000 });
    const totals = async () => {
      const both: (number | null)[] = [];
      for (const term of ['often', 'seldom'])
        for (const order of ['newest', 'oldest'] as const) {
          const search = { in: 'request', term } as const;
          const page = await store.requests.page({ account, search, order, offset: 4, limit: 2 });
          assert.equal(page.count, 2);
          both.push(page.total);
        }
      return both;
    };
    assert.deepEqual(await totals(), [null, null, 20, null]);
    await store.requests.digest(3 * DAY_MS);
    assert.deepEqual(await totals(), [null, null, 20, 20]);
  });

  test('ends a block of long texts soon, and goes on with the next', async (t) => {
    const { store, account, name } = await filled(t, cluster, 0);
    for (let n = 0; n < 50; n += 1) await record(store, account, DAY_MS + n, `${n}: ${'a'.repeat(60_000)}`);
    assert.equal(await store.requests.digest(3 * DAY_MS), 51);
    const sql = `SELECT entries FROM history_filters WHERE account_id = ${account} ORDER BY last_at`;
    assert.deepEqual(await cluster.sql(sql, name), [{ entries: 17 }, { entries: 17 }, { entries: 16 }]);
    assert.equal((await find(store, account, '49: a', 'newest')).length, 1);
  });

  test('takes nothing any more that only a version before would read', async (t) => {
    const { name } = await filled(t, cluster, 0);
    const insert = 'INSERT INTO history_digests VALUES (1, 1, 1, 1, 1, 1, ARRAY[1])';
    await assert.rejects(cluster.sql(insert, name), /history_digests_check/);
  });

  test('leaves what another process is at, and does it the next time', async (t) => {
    const { store, account, url } = await filled(t, cluster, 100);
    const other = new Client({ connectionString: url });
    await other.connect();
    await other.query('BEGIN; SELECT pg_advisory_xact_lock(5727006)');
    assert.equal(await store.requests.digest(9 * DAY_MS), 0);
    await other.query('COMMIT');
    await other.end();
    assert.equal(await store.requests.digest(9 * DAY_MS), 101);
    assert.equal((await find(store, account, 'inbound', 'newest')).length, 100);
  });

  test('finds what came late once the day is over, what another account has never, and what is deleted not', async (t) => {
    const { store, account, other, name } = await filled(t, cluster, 1_000);
    await store.requests.digest(9 * DAY_MS);
    await record(store, account, 1.5 * DAY_MS, 'late: 5551234567');
    await record(store, other, 1.5 * DAY_MS, 'of another: 5551234567');
    await record(store, account, 9.5 * DAY_MS, 'in time: 5557654321');
    await store.requests.digest(11 * DAY_MS);
    assert.equal((await find(store, account, '5551234567', 'newest')).length, 1);
    assert.equal((await find(store, other, '5551234567', 'newest')).length, 1);
    assert.equal(await store.requests.digest(12 * DAY_MS), 0);
    await record(store, other, 1.2 * DAY_MS, 'late, and nothing after it: 5559876543');
    assert.equal((await find(store, other, '5559876543', 'newest')).length, 0);
    assert.equal(await store.requests.digest(13 * DAY_MS), 3);
    assert.equal((await find(store, other, '5559876543', 'newest')).length, 1);
    await cluster.sql("UPDATE history SET request = request || 'never'", name);
    assert.equal((await find(store, other, 'never', 'newest')).length, 1, 'the last of what has a filter');
    await store.requests.trim({ keep: 100 });
    assert.equal((await find(store, account, '5551234567', 'newest')).length, 0);
    assert.equal((await find(store, account, 'inbound', 'newest')).length, 98); // two are no JSON
    await store.requests.trim({ before: 4 * DAY_MS });
    assert.equal((await find(store, account, 'inbound', 'newest')).length, 0);
  });

  test('two processes digest at once, while others record', async (t) => {
    const { store, account, url } = await filled(t, cluster, 9_000);
    const second = await openPostgresStore({ url, connections: 4, secretMark: 'x' });
    t.after(() => second.close());
    const late = Array.from({ length: 500 }, (_, n) =>
      record(store, account, 4 * DAY_MS + n, `more ${n}-telephone`),
    );
    const made = await Promise.all(
      [store, second].map(({ requests }) => requests.digest(4 * DAY_MS + HOUR_MS)),
    );
    await Promise.all(late);
    assert.equal(
      (made[0] ?? 0) + (made[1] ?? 0) + (await store.requests.digest(4 * DAY_MS + HOUR_MS)),
      9_001,
    );
    const times = Array.from({ length: 40 }, (_, n) => (n / 10) * DAY_MS);
    await Promise.all(times.map((at) => record(store, account, at, 'too-late-telephone')));
    const both = () =>
      Promise.all([store, second].map(({ requests }) => requests.digest(6 * DAY_MS + HOUR_MS)));
    while ((await both()).some((entries) => entries > 0));
    assert.equal((await find(store, account, '-telephone', 'newest')).length, 540);
    assert.equal((await find(store, account, 'inbound', 'newest')).length, 8_991);
  });
});

/** Entries of an account over four days, several of them in the same millisecond, and some of another's. */
async function filled(t: TestContext, cluster: Cluster, count: number) {
  const url = await cluster.database();
  const store = await openPostgresStore({ url, connections: 4, keptMs: 30 * DAY_MS, secretMark: 'x' });
  t.after(() => store.close());
  const add = (uid: string) => store.directory.addAccount({ uid, name: uid, country: null });
  const [{ id: account }, { id: other }] = [await add('a'), await add('b')];
  const texts = Array.from({ length: count }, (_, n) =>
    n % 1_000 === 999
      ? `from=%2B4930${n * 7919}&note=${encodeURIComponent('naïve ☎')}%20${n % 10}, naïve ☎ ${n}`
      : `{"id":"call-${n}","direction":"inbound","from":"+4930${(n * 7919 * 104_729) % 10_000_000}"}`,
  );
  await Promise.all(
    texts.map((text, n) => record(store, account, Math.floor((n / count) * 2 * DAY_MS) * 2, text)),
  );
  await record(store, other, DAY_MS, '{"id":"nowhere-at-all"}');
  return { store, account, other, texts, url, name: new URL(url).pathname.slice(1) };
}

function record(store: Store, account: number, at: number, request: string | Uint8Array) {
  return store.requests.record({
    ...{
      account,
      integration: 1,
      at: Math.floor(at),
      began: 0,
      method: 'POST',
      path: '/',
      request,
      status: 200,
    },
    ...{ response: null, callId: null, event: null, watched: false },
  });
}

/** The entries' ids. */
async function find(store: Store, account: number, term: string, order: HistoryOrder): Promise<number[]> {
  const search = { in: 'request', term } as const;
  const { chunks, total } = await store.requests.page({ account, search, order, offset: 0, limit: 1e9 });
  const ids = (await Array.fromAsync(chunks)).flat().map(({ id }) => id);
  assert.equal(ids.length, total);
  return ids;
}

async function pages(store: Store, account: number, term: string): Promise<number[]> {
  const ids: number[] = [];
  let after: HistoryCursor | null = null;
  do {
    const page: Awaited<ReturnType<Store['requests']['search']>> = await store.requests.search({
      ...{ account, search: { in: 'request', term }, order: 'newest', after, limit: 700 },
    });
    ids.push(...page.entries.map(({ id }) => id));
    after = page.next;
  } while (after !== null);
  return ids;
}
