import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import type { Store } from '../../src/service/database/store.ts';
import type {
  HistoryFilter,
  HistorySearch,
  RecordedRequest,
  StoredRequest,
} from '../../src/service/history/request-store.ts';
import { type ReportedEvent, recorded, report } from '../tools/service/recorded-request.ts';
import type { StoreTests } from './service-store-conformance.ts';

type Search = Parameters<Store['requests']['all']>[0]['search'];

/** Every entry that a search finds. */
export const entries = async (
  store: Store,
  account: number,
  search: Search = null,
  order: 'oldest' | 'newest' = 'oldest',
) => (await Array.fromAsync(store.requests.all({ account, search, order }))).flat();

const many = (store: Store, count: number, event: (n: number) => ReportedEvent) =>
  Promise.all(Array.from({ length: count }, (_, n) => report(store, { id: `c${n}`, at: n, ...event(n) })));
const total = async ({ requests }: Store, account: number) =>
  (await requests.page({ account, order: 'oldest', offset: 0, limit: 1 })).total;

/** What the request history asks of every store. */
export const historyTests: StoreTests = {
  async 'the history keeps what was received, byte for byte'({ store, account, reopen }) {
    const payloads = ['{"id": "x"}', '', 'a\0b', '📞 "\\\' \x1b[2J', new Uint8Array([0xff, 0, 0x80])];
    for (const [at, request] of payloads.entries())
      await store.requests.record({ ...recorded({ account, at }), request, event: null, callId: null });
    const kept = await entries(store, account);
    assert.deepEqual(
      kept.map(({ request }) => request),
      payloads,
    );
    const [{ duration, ...first } = assert.fail()] = kept;
    assert.ok(duration > 0);
    assert.deepEqual(first, {
      id: 1,
      at: 0,
      integration: 1,
      method: 'POST',
      path: '/api/v1/voice/call',
      request: '{"id": "x"}',
      status: 200,
      response: '{"result":"r"}',
      effect: null,
    });
    assert.deepEqual(await entries(await reopen(), account), kept);
    await assert.rejects(report(store, { account }), /closed/);
  },

  async 'the history keeps what each event did, and is filtered by it, by status and by integration'({
    store,
    account,
    other,
  }) {
    const record = (at: number, event: ReportedEvent, change: Partial<RecordedRequest> = {}) =>
      store.requests.record({ ...recorded({ account, at, ...event }), ...change });
    await record(1, { status: 'answered' });
    await record(2, {});
    await record(3, { status: 'answered' });
    await record(4, {}, { status: 422, event: null, integration: 2 });
    await record(5, { account: other }, { status: 422, event: null });
    const statuses = ['ringing', 'completed', 'ringing'] as const;
    await Promise.all(statuses.map((status, n) => record(6 + n, { id: 'together', status })));
    const found = async (filter: Partial<HistoryFilter>, search: HistorySearch | null = null) => {
      const all = { integration: null, outcome: null, ...filter };
      const query = { account, search, filter: all, order: 'oldest', after: null, limit: 50 } as const;
      return (await store.requests.search(query)).entries.map(({ at, effect }) => `${at} ${effect}`).join();
    };
    assert.equal(await found({}), '1 moved,2 discarded,3 repeated,4 null,6 moved,7 moved,8 repeated');
    assert.equal(await found({ outcome: 'discarded' }), '2 discarded');
    assert.equal(await found({ outcome: 'refused' }), '4 null');
    assert.equal(
      await found({ outcome: 'accepted' }),
      '1 moved,2 discarded,3 repeated,6 moved,7 moved,8 repeated',
    );
    assert.equal(await found({ integration: 2 }), '4 null');
    assert.equal(await found({ integration: 1, outcome: 'refused' }), '');
    assert.equal(
      await found({ outcome: 'accepted' }, { in: 'call', term: 'together' }),
      '6 moved,7 moved,8 repeated',
    );
    assert.equal(await found({ outcome: 'refused' }, { in: 'request', term: 'call-1' }), '4 null');
  },

  async 'pages, searches that go on where they stopped, and everything agree in both orders'({
    store,
    account,
    other,
  }) {
    const { requests } = store;
    for (let n = 0; n < 25; n += 1) {
      // Times go back and repeat: the order is by time, then by recording.
      await report(store, { account, id: `call-${n % 5}`, at: [30, 10, 10, 20][n % 4] as number });
      await report(store, { account: other, id: `call-${n % 5}`, at: n });
    }
    for (const [search, count] of [
      [null, 25],
      [{ in: 'request', term: 'call-3' }, 5],
      [{ in: 'request', term: 'all-3' }, 5],
      [{ in: 'response', term: 'r"' }, 25],
      [{ in: 'response', term: 'nothing' }, 0],
      [{ in: 'call', term: 'call-3' }, 5],
      [{ in: 'call', term: 'all-3' }, 0],
      [{ in: 'number', term: '+4930901820' }, 25],
      [{ in: 'number', term: '030 901820', forms: ['030901820', '+4930901820'] }, 25],
    ] as const)
      for (const order of ['oldest', 'newest'] as const) {
        const whole = await entries(store, account, search, order);
        assert.equal(whole.length, count, JSON.stringify(search));
        const sorted = whole.toSorted((a, b) => (a.at - b.at || a.id - b.id) * (order === 'oldest' ? 1 : -1));
        assert.deepEqual(whole, sorted);
        for (const limit of [1, 4, 30]) {
          const found: StoredRequest[] = [];
          let after = null;
          do {
            const page = await requests.search({ account, search, order, after, limit });
            assert.ok(page.entries.length <= limit);
            found.push(...page.entries);
            after = page.next;
          } while (after !== null);
          assert.deepEqual(found, whole);
        }
        if (search?.in === 'call' || search?.in === 'number') continue;
        const pages: StoredRequest[] = [];
        for (let offset = 0; offset < whole.length; offset += 7) {
          const at = { account, order, offset, limit: 7 };
          const read = async (page: { count: number; chunks: AsyncIterable<readonly StoredRequest[]> }) => {
            const chunks = (await Array.fromAsync(page.chunks)).flat();
            assert.equal(chunks.length, page.count);
            pages.push(...chunks);
          };
          if (search === null) {
            const page = await requests.page(at);
            assert.equal(page.total, whole.length);
            await read(page);
          } else {
            const page = await requests.textPage({ ...at, search, from: null });
            assert.equal(page.passed, offset + page.count);
            await read(page);
          }
        }
        assert.deepEqual(pages, whole);
      }
    const { chunks, ...counts } = await requests.page({ account, order: 'oldest', offset: 99, limit: 7 });
    assert.deepEqual([await Array.fromAsync(chunks), counts], [[], { count: 0, total: 25 }]);
  },

  async 'a search finds text as written, in a query string also percent-encoded, and nothing of others'({
    store,
    account,
    other,
  }) {
    const keep = (request: string, callId: string | null = null, of = account) =>
      store.requests.record({ ...recorded({ account: of }), request, callId, event: null });
    await keep('from=%2B4930&x=50%25', 'abc');
    await keep('{"from":"+4930","to":"abc"}', 'abcd');
    await keep("'; DROP TABLE history; --");
    await keep('+4930', 'abc', other);
    for (const [term, count] of [
      ['+4930', 2],
      ['abc', 2], // the events of the call, and what names it elsewhere
      ['call-1', 0],
      ['FROM', 0],
      ['%', 1],
      ['_', 0],
      ["'; DROP TABLE", 1],
    ] as const) {
      const search = { in: 'request', term } as const;
      const page = { account, search, order: 'oldest', from: null, offset: 0, limit: 9 } as const;
      assert.equal((await store.requests.textPage(page)).count, count, term);
    }
  },

  async 'everything is what was there when the reading began, in chunks of bounded size'({ store, account }) {
    const request = 'x'.repeat(60_000);
    await many(store, 500, () => ({ account }));
    for (let at = 0; at < 100; at += 1)
      void store.requests.record({ ...recorded({ account, at: 1000 + at }), request });
    await store.openCalls(account, 1);
    const chunks = store.requests.all({ account, search: null, order: 'oldest' })[Symbol.asyncIterator]();
    const first = (await chunks.next()).value as StoredRequest[];
    assert.ok(first.length < 500, 'a chunk is not everything');
    await report(store, { account, id: 'later', at: 9999 });
    const rest = await Array.fromAsync({ [Symbol.asyncIterator]: () => chunks });
    assert.equal([first, ...rest].flat().length, 600);
    const longOnes = rest.filter((chunk) => chunk.some((entry) => entry.at >= 1000)).slice(1);
    assert.ok(
      longOnes.length > 3 && longOnes.every(({ length }) => length <= 20),
      'few long entries at once',
    );
    const page = await store.requests.page({ account, order: 'newest', offset: 10, limit: 60 });
    const sizes = (await Array.fromAsync(page.chunks)).map(({ length }) => length);
    assert.ok(Math.max(...sizes) <= 20, 'a page is read in chunks too');
    assert.deepEqual([page.count, sizes.reduce((sum, size) => sum + size)], [60, 60]);
  },

  async 'a lookup does not wait behind everybody who searches the history; a search whose client has left ends'({
    store,
    account,
    other,
  }) {
    await many(store, 2000, () => ({ account }));
    const gone = new AbortController();
    const search = { in: 'request', term: 'nowhere' } as const;
    const query = { account, search, order: 'oldest', from: null, offset: 0, limit: 1 } as const;
    const searches = Array.from({ length: 40 }, () => store.requests.textPage(query));
    let searching = true;
    const done = Promise.all(searches).finally(() => {
      searching = false;
    });
    let lookups = 0;
    // With turns of the event loop between them, as requests have: on SQLite a lookup waits for nothing.
    for (; searching; lookups += 1, await turn()) await store.customers.whoCalls(other, '+4930901820', 0);
    assert.equal((await done)[39]?.count, 0);
    assert.ok(lookups > searches.length, `${lookups} lookups while ${searches.length} searched`);

    const asked = Promise.allSettled([
      store.requests.textPage({ ...query, signal: gone.signal }),
      Array.fromAsync(store.requests.all({ ...query, signal: gone.signal })),
    ]);
    gone.abort();
    for (const answer of await asked)
      assert.ok(answer.status === 'rejected' && answer.reason.name === 'AbortError');
  },

  async 'retention deletes the oldest by age and by count, of each account for itself'({
    store,
    account,
    other,
    ageStepMs,
  }) {
    const day = (n: number) => n * ageStepMs;
    await many(store, 30, (n) => ({ account, at: day(n) }));
    await many(store, 3, (n) => ({ account: other, at: day(n + 100) }));
    assert.equal(await store.requests.trim({ before: day(10), keep: 5 }), 25);
    const times = (await entries(store, account)).map(({ at }) => at);
    assert.deepEqual(times, [25, 26, 27, 28, 29].map(day));
    assert.deepEqual([(await entries(store, other)).length, await total(store, account)], [3, 5]);
    assert.equal(await store.requests.trim({ before: day(10), keep: 5 }), 0);
    assert.equal(await store.requests.trim({}), 0);

    await many(store, 30, () => ({ account }));
    const [once, twice] = await Promise.all([
      store.requests.trim({ keep: 20 }),
      store.requests.trim({ keep: 20 }),
    ]);
    assert.equal(once + twice, 15, 'twice at once, it deletes no more than it should');
    assert.deepEqual([await total(store, account), (await entries(store, account)).length], [20, 20]);

    await many(store, 18, () => ({ account: other }));
    const ofSecond = await store.requests.trim({ keep: 20 });
    assert.equal(ofSecond, 1, 'of the second account, beside one with none too many');
    assert.equal(await total(store, account), 20);
  },

  async 'a request that cannot be stored fails alone'({ store, account }) {
    const good = (id: string) => report(store, { account, id });
    const bad = store.requests.record({ ...recorded({ account, id: 'bad' }), method: null as never });
    const outcomes = await Promise.allSettled([good('before'), bad, good('after')]);
    assert.equal(outcomes.map(({ status }) => status).join(), 'fulfilled,rejected,fulfilled');
    assert.equal((await store.openCalls(account, 9)).map(({ id }) => id).join(), 'before,after');
  },

  async 'the use of an integration is counted, and its last request known'({ store, account, other }) {
    const add = async (uid: string, of = account) =>
      (await store.directory.addIntegration({ uid, account: of, name: uid, createdAt: 0 })).id;
    const [one, two, theirs] = [await add('one'), await add('two'), await add('theirs', other)];
    await add('never');
    const quarter = 900_000;
    for (const [integration, of, at] of [
      [one, account, quarter],
      [one, account, 5 * quarter + 7],
      [one, account, 5 * quarter + 3],
      [two, account, 2 * quarter],
      [theirs, other, 9 * quarter],
    ] as const)
      await store.requests.record({ ...recorded({ account: of, at, id: `${at}` }), integration });
    assert.deepEqual(await store.requests.use(account, 5 * quarter), [
      { integration: one, lastAt: 5 * quarter + 7, requests: 2 },
      { integration: two, lastAt: 2 * quarter, requests: 0 },
    ]);
    const edges = [0, 5 * quarter, 6 * quarter, 9 * quarter];
    const spans = edges.slice(1).map((until, n) => ({ since: edges[n] as number, until }));
    assert.deepEqual(await store.requests.usedIn(one, spans), [1, 2, 0]);
  },
};
