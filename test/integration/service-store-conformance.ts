import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { CallStatus } from '../../src/api/contract/call-status.ts';
import { normaliseNumber } from '../../src/phone-number/normalise-number.ts';
import { changeAccount } from '../../src/service/accounts/change-account.ts';
import { type CallExtras, noExtras } from '../../src/service/calls/call-extras.ts';
import { forgetNumber } from '../../src/service/customers/forget-number.ts';
import type { AuditKind } from '../../src/service/store/audit-store.ts';
import { type CallFilter, everyCall } from '../../src/service/store/call-store.ts';
import type { CallerAction, CallGroup } from '../../src/service/store/caller-store.ts';
import { customer } from '../../src/service/store/customer.fixture.ts';
import type { Customer, CustomerCursor } from '../../src/service/store/customer-store.ts';
import type {
  HistoryFilter,
  HistorySearch,
  RecordedRequest,
  SearchPlace,
  StoredRequest,
} from '../../src/service/store/request-store.ts';
import type { Store } from '../../src/service/store/store.ts';
import type { User } from '../../src/service/store/user-store.ts';
import { callBackTests } from './service-store-call-backs.ts';
import { callTests } from './service-store-calls.ts';
import { forgetClearsEveryColumn, type TextColumn } from './service-store-forget.ts';
import { webhookTests } from './service-store-webhooks.ts';
import { whoCallsTests } from './service-store-who-calls.ts';

/**
 * What every store must do, whatever engine it is built on. `open` gives a store on a database of its own that is
 * closed after the test; `reopen` closes it and opens the same database again; `readColumns` reads the database itself. `ageStepMs`: retention by age is exact to
 * so much.
 */
export function storeConformance(
  engine: string,
  open: (t: TestContext) => Promise<{
    store: Store;
    reopen(): Promise<Store>;
    readColumns(): Promise<readonly TextColumn[]>;
  }>,
  { ageStepMs = 1 }: { ageStepMs?: number } = {},
): void {
  const it = (
    name: string,
    body: (context: {
      store: Store;
      account: number;
      other: number;
      reopen(): Promise<Store>;
      readColumns(): Promise<readonly TextColumn[]>;
    }) => Promise<void>,
  ) =>
    test(`${engine}: ${name}`, async (t) => {
      const { store, ...database } = await open(t);
      const [one, two] = [
        await store.directory.addAccount({ uid: 'a', name: 'A', country: 'DE' }),
        await store.directory.addAccount({ uid: 'b', name: 'B', country: null }),
      ];
      await body({ store, account: one.id, other: two.id, ...database });
    });

  it('a call moves forward only, and is given back as it moves', async ({ store, account }) => {
    const steps: [CallStatus, number, CallStatus | undefined][] = [
      ['answered', 1, 'answered'],
      ['ringing', 2, undefined],
      ['answered', 3, undefined],
      ['completed', 4, 'completed'],
      ['ringing', 5, undefined],
    ];
    for (const [status, at, expected] of steps) {
      const call = await store.requests.record(recorded({ account, at, status }));
      assert.equal(call?.status, expected);
    }
    assert.equal((await entries(store, account)).length, steps.length);
  });

  it('an activity record holds who called, who answered, and when', async ({ store, account }) => {
    const ann = customer({ reference: '7', name: 'Ann', segment: 'Gold', numbers: ['+4930901820'] });
    await store.customers.putSegment(account, { name: 'Gold', priority: 5 });
    await store.customers.put(account, [ann]);
    await store.requests.record(recorded({ account, at: 1000, status: 'ringing', number: '+4930901820' }));
    await store.requests.record(recorded({ account, at: 3000, status: 'answered', callerId: '1001' }));
    const call = await store.requests.record(recorded({ account, at: 8000, status: 'completed' }));
    assert.deepEqual(call, {
      id: 'call-1',
      integration: 1,
      status: 'completed',
      from: '+4930901820',
      number: '+4930901820',
      customer: { reference: '7', name: 'Ann' },
      segment: 'Gold',
      priority: 5,
      callerId: '1001',
      startedAt: 1000,
      ringingAt: 1000,
      answeredAt: 3000,
      completedAt: 8000,
      missed: false,
      extras: noExtras,
    });
  });

  it('open calls are those that are not completed, oldest first, of one account', async ({
    store,
    account,
    other,
  }) => {
    for (const [id, at, status] of [
      ['late', 30, 'ringing'],
      ['early', 10, 'answered'],
      ['over', 5, 'completed'],
    ] as const) {
      await store.requests.record(recorded({ account, id, at, status }));
    }
    await store.requests.record(recorded({ account: other, id: 'theirs', at: 1 }));
    assert.deepEqual(
      (await store.openCalls(account, 10)).map(({ id }) => id),
      ['early', 'late'],
    );
    assert.deepEqual(
      (await store.openCalls(account, 1)).map(({ id }) => id),
      ['late'],
      'a call whose end was never reported must not keep the next ones from the screens',
    );
    assert.deepEqual(
      (await store.openCalls(other, 10)).map(({ id }) => id),
      ['theirs'],
    );
  });

  it('the history keeps what was received, byte for byte', async ({ store, account }) => {
    const payloads = ['{"id": "x"}', '', 'a\0b', '📞 "\\\' \x1b[2J', new Uint8Array([0xff, 0, 0x80])];
    for (const [index, request] of payloads.entries()) {
      await store.requests.record({
        ...recorded({ account, at: index }),
        request,
        event: null,
        callId: null,
      });
    }
    assert.deepEqual(
      (await entries(store, account)).map(({ request }) => request),
      payloads,
    );
    const [first] = await entries(store, account);
    assert.deepEqual(
      { ...first, duration: 0 },
      {
        id: 1,
        at: 0,
        integration: 1,
        method: 'POST',
        path: '/api/v1/voice/call',
        request: '{"id": "x"}',
        status: 200,
        response: '{"result":"r"}',
        duration: 0,
        effect: null,
      },
    );
  });

  it('the history keeps what each event did, and is filtered by it, by status and by integration', async ({
    store,
    account,
    other,
  }) => {
    const record = (at: number, change: Partial<RecordedRequest>) =>
      store.requests.record({ ...recorded({ account, at, status: 'ringing' }), ...change });
    await record(1, recorded({ account, at: 1, status: 'answered' }));
    await record(2, {});
    await record(3, recorded({ account, at: 3, status: 'answered' }));
    await record(4, { status: 422, event: null, integration: 2 });
    await record(5, { account: other, status: 422, event: null });
    await Promise.all(
      (['ringing', 'completed', 'ringing'] as const).map((status, n) =>
        store.requests.record(recorded({ account, id: 'together', at: 6 + n, status })),
      ),
    );
    const found = async (filter: HistoryFilter, search: HistorySearch | null = null) => {
      const query = { account, search, filter, order: 'oldest', after: null, limit: 50 } as const;
      return (await store.requests.search(query)).entries.map(({ at, effect }) => [at, effect]);
    };
    const all = { integration: null, outcome: null };
    assert.deepEqual(await found(all), [
      ...[
        [1, 'moved'],
        [2, 'discarded'],
        [3, 'repeated'],
        [4, null],
      ],
      ...[
        [6, 'moved'],
        [7, 'moved'],
        [8, 'repeated'],
      ],
    ]);
    assert.deepEqual(await found({ ...all, outcome: 'discarded' }), [[2, 'discarded']]);
    assert.deepEqual(await found({ ...all, outcome: 'refused' }), [[4, null]]);
    assert.equal((await found({ ...all, outcome: 'accepted' })).length, 6);
    assert.deepEqual(await found({ ...all, integration: 2 }), [[4, null]]);
    assert.deepEqual(await found({ integration: 1, outcome: 'refused' }), []);
    assert.equal((await found({ ...all, outcome: 'accepted' }, { in: 'call', term: 'together' })).length, 3);
    assert.equal((await found({ ...all, outcome: 'refused' }, { in: 'request', term: 'call-1' })).length, 1);
  });

  it('pages and everything agree in both orders, with and without a search', async ({
    store,
    account,
    other,
  }) => {
    for (let n = 0; n < 25; n += 1) {
      // Times go back and repeat: the order is by time, then by recording.
      await store.requests.record(
        recorded({ account, id: `call-${n % 5}`, at: [30, 10, 10, 20][n % 4] as number }),
      );
      await store.requests.record(recorded({ account: other, id: `call-${n % 5}`, at: n }));
    }
    const searches = [
      null,
      { in: 'request', term: 'call-3' },
      { in: 'request', term: 'all-3' },
      { in: 'response', term: 'r"' },
    ] as const;
    for (const search of searches) {
      for (const order of ['oldest', 'newest'] as const) {
        const whole = await entries(store, account, search, order);
        assert.equal(whole.length, search?.in === 'request' ? 5 : 25);
        const sorted = whole.toSorted((a, b) => (a.at - b.at || a.id - b.id) * (order === 'oldest' ? 1 : -1));
        assert.deepEqual(whole, sorted);
        const pages: StoredRequest[] = [];
        for (let offset = 0; offset < whole.length; offset += 7) {
          const at = { account, order, offset, limit: 7 };
          const page = search
            ? await store.requests.textPage({ ...at, search, from: null })
            : await store.requests.page(at);
          if ('total' in page) assert.equal(page.total, whole.length);
          else assert.equal(page.passed, offset + page.count);
          const read = (await Array.fromAsync(page.chunks)).flat();
          assert.equal(read.length, page.count);
          pages.push(...read);
        }
        assert.deepEqual(pages, whole);
      }
    }
    const past = { account, order: 'oldest', offset: 99, limit: 7 } as const;
    const { chunks, ...counts } = await store.requests.page(past);
    assert.deepEqual([await Array.fromAsync(chunks), counts], [[], { count: 0, total: 25 }]);
  });

  it('a search finds text as written, in a query string also percent-encoded, and nothing of others', async ({
    store,
    account,
    other,
  }) => {
    const keep = (request: string, callId: string | null = null) =>
      store.requests.record({ ...recorded({ account, at: 1 }), request, callId, event: null });
    await keep('from=%2B4930&x=50%25', 'abc');
    await keep('{"from":"+4930","to":"abc"}', 'abcd');
    await keep("'; DROP TABLE history; --", null);
    await store.requests.record({ ...recorded({ account: other, at: 1 }), request: '+4930', callId: 'abc' });
    const count = async (term: string) => {
      const search = { in: 'request', term } as const;
      const page = { account, search, order: 'oldest', from: null, offset: 0, limit: 9 } as const;
      return (await store.requests.textPage(page)).count;
    };
    assert.equal(await count('+4930'), 2);
    assert.equal(await count('abc'), 2, 'the events of the call, and what names it elsewhere');
    assert.equal(await count('call-1'), 0);
    assert.equal(await count('FROM'), 0);
    assert.equal(await count('%'), 1);
    assert.equal(await count('_'), 0);
    assert.equal(await count("'; DROP TABLE"), 1);
  });

  it('a term that is the id of a call, or the number of its caller, finds every text that holds it, and those at once', async ({
    store,
    account,
  }) => {
    const add = (n: number, also: Partial<RecordedRequest> = {}) =>
      store.requests.record({
        ...recorded({ account, at: n, number: '+493000' }),
        ...{
          request: `{"n":${n},"status":"ringing"}`,
          callId: `call-${n}`,
          fromNumber: '+493000',
          event: null,
        },
        ...also,
      });
    const first = add(0, { callId: 'ringing' });
    const second = add(1, { fromNumber: 'ringing', request: 'names it in another form' });
    for (let n = 2; n < 12_000; n += 1) void add(n, n % 100 === 0 ? {} : { request: `text ${n}` });
    await Promise.all([first, second, store.openCalls(account, 1)]);
    const search = { in: 'request', term: 'ringing' } as const;
    for (const order of ['oldest', 'newest'] as const) {
      const whole = await entries(store, account, search, order);
      assert.equal(whole.length, 121);
      const read: StoredRequest[][] = [];
      let from: SearchPlace | null = null;
      do {
        const page: Awaited<ReturnType<Store['requests']['textPage']>> = await store.requests.textPage({
          ...{ account, search, order, from, offset: 0, limit: 50 },
        });
        read.push((await Array.fromAsync(page.chunks)).flat());
        from = page.next;
      } while (from !== null);
      const ids = read.flat().map(({ id }) => id);
      assert.deepEqual(ids.toSorted(), whole.map(({ id }) => id).toSorted(), 'each of them, once');
      const known = whole.filter(
        ({ request }) => !`${request}`.includes('00,') || `${request}`.includes('{"n":0,'),
      );
      const page = read[0] as StoredRequest[];
      assert.ok(
        known.every((entry) => page.some(({ id }) => id === entry.id)),
        'by index, on the first page',
      );
      for (const page of read)
        assert.deepEqual(
          page.map(({ id }) => id),
          whole.map(({ id }) => id).filter((id) => page.some((entry) => entry.id === id)),
          'each page is in order',
        );
    }
  });

  it('everything is what was there when the reading began, in bounded chunks', async ({ store, account }) => {
    for (let n = 0; n < 500; n += 1) void store.requests.record(recorded({ account, id: `c${n}`, at: n }));
    await store.openCalls(account, 1);
    const chunks = store.requests.all({ account, search: null, order: 'oldest' })[Symbol.asyncIterator]();
    const first = (await chunks.next()).value as StoredRequest[];
    assert.ok(first.length < 500, 'a chunk is not everything');
    await store.requests.record(recorded({ account, id: 'later', at: 9999 }));
    let read = first.length;
    for await (const chunk of { [Symbol.asyncIterator]: () => chunks }) read += chunk.length;
    assert.equal(read, 500);
  });

  it('a lookup does not wait behind everybody who searches the history', async ({
    store,
    account,
    other,
  }) => {
    await Promise.all(
      Array.from({ length: 2000 }, (_, at) => store.requests.record(recorded({ account, id: `c${at}`, at }))),
    );
    const search = { in: 'request', term: 'nowhere' } as const;
    const query = { account, search, order: 'oldest', from: null, offset: 0, limit: 1 } as const;
    const searches = Array.from({ length: 40 }, () => store.requests.textPage(query));
    let searching = true;
    const done = Promise.all(searches).finally(() => {
      searching = false;
    });
    let lookups = 0;
    // With turns of the event loop between them, as requests have: on SQLite a lookup waits for nothing.
    for (; searching; lookups += 1, await turn()) await store.customers.priorityOf(other, '+4930901820');
    assert.equal((await done)[39]?.count, 0);
    assert.ok(lookups > searches.length, `${lookups} lookups while ${searches.length} searched`);
  });

  it('a chunk of long entries is no larger than one of short ones', async ({ store, account }) => {
    const request = 'x'.repeat(60_000);
    const long = Array.from({ length: 100 }, (_, at) => ({ ...recorded({ account, at }), request }));
    await Promise.all(long.map((entry) => store.requests.record(entry)));
    await store.openCalls(account, 1);
    let read = 0;
    for await (const chunk of store.requests.all({ account, search: null, order: 'oldest' })) {
      assert.ok(chunk.length > 0 && chunk.length <= 20, `${chunk.length} entries of 60 kB at once`);
      read += chunk.length;
    }
    assert.equal(read, 100);
    const page = { account, order: 'oldest', offset: 10, limit: 60 } as const;
    const { chunks, count } = await store.requests.page(page);
    const sizes = (await Array.fromAsync(chunks)).map(({ length }) => length);
    assert.ok(Math.max(...sizes) <= 20, 'a page is read in chunks too');
    assert.deepEqual([count, sizes.reduce((sum, size) => sum + size)], [60, 60]);
  });

  it('a search that nobody waits for any more ends', async ({ store, account }) => {
    await Promise.all(
      Array.from({ length: 2000 }, (_, at) => store.requests.record(recorded({ account, id: `c${at}`, at }))),
    );
    const search = { in: 'request', term: 'nowhere' } as const;
    const gone = new AbortController();
    const query = { account, search, order: 'oldest', signal: gone.signal } as const;
    const asked = Promise.allSettled([
      store.requests.textPage({ ...query, from: null, offset: 0, limit: 1 }),
      Array.fromAsync(store.requests.all(query)),
    ]);
    gone.abort();
    for (const answer of await asked)
      assert.ok(answer.status === 'rejected' && answer.reason.name === 'AbortError');
  });

  it('retention deletes the oldest by age and by count, of each account for itself', async ({
    store,
    account,
    other,
  }) => {
    const day = (n: number) => n * ageStepMs;
    for (let n = 0; n < 30; n += 1)
      await store.requests.record(recorded({ account, id: `c${n}`, at: day(n) }));
    for (let at = 0; at < 3; at += 1)
      await store.requests.record(recorded({ account: other, id: `c${at}`, at: day(at + 100) }));
    assert.equal(await store.requests.trim({ before: day(10), keep: 5 }), 25);
    assert.deepEqual(
      (await entries(store, account)).map(({ at }) => at),
      [25, 26, 27, 28, 29].map(day),
    );
    assert.equal((await entries(store, other)).length, 3);
    assert.equal((await store.requests.page({ account, order: 'oldest', offset: 0, limit: 1 })).total, 5);
    assert.equal(await store.requests.trim({ before: day(10), keep: 5 }), 0);
    assert.equal(await store.requests.trim({}), 0);
  });

  it('retention that runs twice at once deletes no more than it should', async ({ store, account }) => {
    for (let at = 0; at < 30; at += 1) await store.requests.record(recorded({ account, id: `c${at}`, at }));
    const { requests } = store;
    const [once, twice] = await Promise.all([requests.trim({ keep: 20 }), requests.trim({ keep: 20 })]);
    assert.equal(once + twice, 10);
    const { total } = await requests.page({ account, order: 'oldest', offset: 0, limit: 1 });
    assert.deepEqual([total, (await entries(store, account)).length], [20, 20]);
  });

  it('segments and customers: what is put is found, what is removed is gone', async ({
    store,
    account,
    other,
  }) => {
    const { customers } = store;
    await customers.putSegment(account, { name: 'Gold', priority: 5 });
    await customers.putSegment(account, { name: 'Gold', priority: 7 });
    await customers.putSegment(account, { name: 'Lead', priority: -1 });
    assert.deepEqual(await customers.segments(account), [
      { name: 'Gold', priority: 7 },
      { name: 'Lead', priority: -1 },
    ]);
    assert.deepEqual(await customers.segments(other), []);

    const ann = customer({ reference: 'a', name: 'Ann', segment: 'Gold', numbers: ['+491', '+492'] });
    const bob = customer({ reference: 'b', name: 'Bob', numbers: ['+493'] });
    assert.deepEqual(
      await customers.put(account, [ann, bob, { ...bob, segment: 'None' }, { ...bob, numbers: ['+491'] }]),
      [
        null,
        null,
        { reason: 'no-such-segment', segment: 'None' },
        { reason: 'number-taken', number: '+491', by: 'Ann' },
      ],
    );
    assert.deepEqual(await Array.fromAsync(customers.all(account)), [[ann, bob]]);
    const gold = { name: 'Ann', segment: 'Gold', priority: 7 };
    const unsegmented = { segment: null, priority: null };
    assert.deepEqual(await customers.priorityOf(account, '+492'), gold);
    assert.deepEqual(await customers.priorityOf(account, '+493'), { name: 'Bob', ...unsegmented });
    assert.equal(await customers.priorityOf(other, '+492'), undefined);

    assert.deepEqual(await customers.put(account, [{ ...ann, numbers: ['+494'] }]), [null]);
    assert.equal(await customers.priorityOf(account, '+491'), undefined);
    assert.equal(await customers.removeSegment(account, 'Gold'), true);
    assert.equal(await customers.removeSegment(account, 'Gold'), false);
    assert.deepEqual(await customers.priorityOf(account, '+494'), { name: 'Ann', ...unsegmented });
    assert.equal(await customers.remove(account, 'a'), true);
    assert.equal(await customers.remove(account, 'a'), false);
    assert.deepEqual(await Array.fromAsync(customers.all(account)), [[bob]]);
  });

  it('a change of a customer leaves what it does not name as it is, also within one batch', async ({
    store,
    account,
  }) => {
    const { customers } = store;
    await customers.putSegment(account, { name: 'Gold', priority: 5 });
    const ann = customer({ reference: 'a', name: 'Ann', segment: 'Gold', numbers: ['+491', '+492'] });
    const put = async (...changes: Parameters<typeof customers.put>[1]) => {
      const outcomes = await customers.put(account, changes);
      assert.deepEqual(
        outcomes,
        changes.map(() => null),
      );
      return customers.get(account, 'a');
    };
    assert.deepEqual(await put(ann), ann);
    assert.deepEqual(await put({ reference: 'a' }), ann);
    assert.deepEqual(await put({ reference: 'a', numbers: ['+493'] }), { ...ann, numbers: ['+493'] });
    assert.deepEqual(await put({ reference: 'a', name: 'Anna' }), {
      ...ann,
      name: 'Anna',
      numbers: ['+493'],
    });
    assert.deepEqual(await put({ reference: 'a', segment: null }), {
      ...{ reference: 'a', name: 'Anna', segment: null, numbers: ['+493'] },
    });
    assert.deepEqual(
      await put(
        { reference: 'a', segment: 'Gold' },
        { reference: 'a', name: 'Ann' },
        { reference: 'a', numbers: [] },
      ),
      { ...ann, numbers: [] },
    );
    // A number that is left where it is belongs to the customer; one that was given up is free for the next.
    await put(ann, { reference: 'b', numbers: ['+494'] });
    assert.deepEqual(await customers.put(account, [{ reference: 'b', numbers: ['+491'] }]), [
      { reason: 'number-taken', number: '+491', by: 'Ann' },
    ]);
    await put({ reference: 'a', numbers: ['+492'] }, { reference: 'b', numbers: ['+491'] });
    // A new customer is named by the reference.
    assert.deepEqual(
      await customers.get(account, 'b'),
      customer({ reference: 'b', name: 'b', numbers: ['+491'] }),
    );
    const words = async (word: string) =>
      (await customers.page({ account, words: [word], segment: null, after: null, limit: 9 })).customers
        .length;
    await put({ reference: 'a', segment: null });
    assert.equal(await words('ann'), 1, 'found by the name that was left');
  });

  it('a search through more customers than one statement reads finds each once, in order', async ({
    store,
    account,
  }) => {
    const { customers } = store;
    const many = Array.from({ length: 12_000 }, (_, n) =>
      customer({ reference: String(n), name: `Customer ${String(n).padStart(5, '0')}` }),
    );
    for (let n = 0; n < many.length; n += 500) await customers.put(account, many.slice(n, n + 500));
    const found: string[] = [];
    let after: CustomerCursor | null = null;
    do {
      const query = { account, words: ['777'], segment: null, after, limit: 7 };
      const page: Awaited<ReturnType<typeof customers.page>> = await customers.page(query);
      found.push(...page.customers.map(({ reference }) => reference));
      after = page.next;
    } while (after !== null);
    assert.deepEqual(
      found,
      many
        .map(({ reference }) => reference)
        .filter((reference) => reference.padStart(5, '0').includes('777')),
    );
    const segment = await customers.page({ account, words: [], segment: 'None', after: null, limit: 7 });
    assert.deepEqual(segment, { customers: [], next: null });
  });

  it('customers are listed by name, found by every part of what is known of them, page by page', async ({
    store,
    account,
    other,
  }) => {
    const { customers } = store;
    await customers.putSegment(account, { name: 'Gold', priority: 5 });
    const list = [
      customer({ reference: '3', name: 'Ärzte am Markt', segment: 'Gold', numbers: ['+4930901820'] }),
      customer({ reference: '1', name: 'bäcker' }),
      customer({ reference: '2', name: 'Bäcker', numbers: ['+4930901830', '123'] }),
      customer({ reference: 'x%_', name: 'Zoo 100% _', segment: 'Gold' }),
    ];
    await customers.put(account, list);
    await customers.put(other, [customer({ reference: '9', name: 'Theirs' })]);
    assert.deepEqual(await customers.get(account, '2'), { ...list[2], numbers: ['+4930901830', '123'] });
    assert.equal(await customers.get(account, '9'), undefined);

    const page = (words: string[] = [], segment: string | null = null, limit = 9) =>
      customers.page({ account, words, segment, after: null, limit });
    const found = async (...query: Parameters<typeof page>) =>
      (await page(...query)).customers.map(({ reference }) => reference);
    assert.deepEqual(await found(), ['3', '1', '2', 'x%_']);
    assert.deepEqual(await found(['3090']), ['3', '2']);
    assert.deepEqual(await found(['arzte', 'markt']), ['3']);
    assert.deepEqual(await found(['%']), ['x%_']);
    assert.deepEqual(await found(['backer', '3090']), ['2']);
    assert.deepEqual(await found([], 'Gold'), ['3', 'x%_']);
    assert.deepEqual(await found(['nobody']), []);

    const first = await page([], null, 2);
    assert.deepEqual(first.customers.length, 2);
    const second = await customers.page({ account, words: [], segment: null, after: first.next, limit: 2 });
    assert.deepEqual([second.customers.map(({ reference }) => reference), second.next], [['2', 'x%_'], null]);
  });

  it('the use of an integration is counted, and its last request known', async ({
    store,
    account,
    other,
  }) => {
    const add = (of: number, uid: string) =>
      store.directory.addIntegration({ uid, account: of, name: uid, createdAt: 0 });
    const [one, two, never, theirs] = [
      await add(account, 'one'),
      await add(account, 'two'),
      await add(account, 'never'),
      await add(other, 'theirs'),
    ];
    assert.ok(never);
    const quarter = 900_000;
    for (const [integration, of, at] of [
      [one, account, quarter],
      [one, account, 5 * quarter + 7],
      [one, account, 5 * quarter + 3],
      [two, account, 2 * quarter],
      [theirs, other, 9 * quarter],
    ] as const)
      await store.requests.record({
        ...recorded({ account: of, at, id: `${at}` }),
        integration: integration.id,
      });
    assert.deepEqual(await store.requests.use(account, 5 * quarter), [
      { integration: one.id, lastAt: 5 * quarter + 7, requests: 2 },
      { integration: two.id, lastAt: 2 * quarter, requests: 0 },
    ]);
    const spans = [
      { since: 0, until: 5 * quarter },
      { since: 5 * quarter, until: 6 * quarter },
      { since: 6 * quarter, until: 9 * quarter },
    ];
    assert.deepEqual(await store.requests.usedIn(one.id, spans), [1, 2, 0]);
  });

  it('the directory reports when it changed, and what it is then', async ({ store, account }) => {
    const before = await store.directory.read(0);
    assert.equal(await store.directory.read(before?.version ?? 0), undefined);
    const made = await store.directory.addIntegration({ uid: 'i', account, name: 'PBX', createdAt: 5 });
    await store.directory.changeIntegration(made.id, { enabled: false, rotate: true });
    await store.directory.changeAccount(account, { country: null, timeZone: 'Europe/Berlin', rotate: true });
    const after = await store.directory.read(before?.version ?? 0);
    assert.deepEqual(after?.directory.integrations, [
      {
        id: made.id,
        uid: 'i',
        account,
        name: 'PBX',
        tokenCounter: 2,
        oldTokenUntil: null,
        enabled: false,
        createdAt: 5,
      },
    ]);
    assert.deepEqual(after?.directory.accounts[0], {
      id: account,
      uid: 'a',
      name: 'A',
      country: null,
      timeZone: 'Europe/Berlin',
      answerWithin: 20,
      tokenCounter: 2,
      crmUrl: null,
      openingHours: null,
      agentsDelete: false,
    });
  });

  it('extensions have names and users, which the directory knows at once', async ({
    store,
    account,
    other,
  }) => {
    const { directory, users } = store;
    const ann = { uid: 'u1', account, name: 'Ann', signInName: 'ann', role: 'agent' as const };
    const user = await users.add({ ...ann, password: null, createdAt: 1 });
    let version = (await directory.read(0))?.version ?? 0;
    const changed = async () => {
      const next = await directory.read(version);
      version = next?.version ?? version;
      return next?.directory.extensions;
    };
    const row = { account, extension: '1001', name: 'Reception', user: user?.id ?? 0, userName: 'Ann' };
    await directory.putExtension(account, { extension: '1001', name: 'Desk', user: null });
    await directory.putExtension(account, row);
    await directory.putExtension(other, { extension: '1001', name: 'Other', user: null });
    const theirs = { account: other, extension: '1001', name: 'Other', user: null, userName: null };
    assert.deepEqual(await changed(), [row, theirs]);
    await users.change(row.user, { name: 'Anna' });
    assert.deepEqual(await changed(), [{ ...row, userName: 'Anna' }, theirs]);
    await users.remove(row.user);
    assert.deepEqual(await changed(), [{ ...row, user: null, userName: null }, theirs]);
    await directory.putExtension(account, { extension: '1001', name: '', user: null });
    assert.deepEqual(await changed(), [theirs]);
    await directory.changeAccount(account, { crmUrl: 'https://crm.example/{number}', agentsDelete: true });
    const [of] = (await directory.read(version))?.directory.accounts ?? [];
    assert.deepEqual([of?.crmUrl, of?.agentsDelete], ['https://crm.example/{number}', true]);
  });

  it('numbers are read again with a new country, but not those of customers who are edited meanwhile', async ({
    store,
    account,
  }) => {
    const { customers } = store;
    const made = ['a', 'b', 'c'].map((reference, n) =>
      customer({ reference, name: 'Before', numbers: [`0309018${n}`, '+3120123456'.concat(`${n}`)] }),
    );
    await customers.put(account, made);
    const edited = { ...(made[1] as Customer), name: 'After', numbers: ['+4940123456'] };
    await customers.putSegment(account, { name: 'Gold', priority: 1 });
    const moved = { ...(made[2] as Customer), segment: 'Gold' };
    const all = async function* (of: number) {
      for await (const chunk of customers.all(of)) {
        await customers.put(account, [edited, moved]);
        yield chunk;
      }
    };
    const between = { ...store, customers: { ...customers, all } };
    await changeAccount(between, { id: account, name: 'A', country: null }, { country: 'DE' });
    const now = async (reference: string) => customers.get(account, reference);
    assert.deepEqual((await now('a'))?.numbers, ['+31201234560', '+49309018' + '0'].sort());
    assert.deepEqual(await now('b'), edited);
    assert.equal((await now('c'))?.segment, 'Gold');
    assert.deepEqual(
      (await customers.page({ account, words: ['309018'], segment: null, after: null, limit: 9 })).customers
        .length,
      2,
    );
  });

  it('extensions that answered are listed once, in their order', async ({ store, account, other }) => {
    const answered = (of: number, id: string, callerId: string | null) =>
      store.requests.record(recorded({ account: of, at: 1, id, status: 'answered', callerId }));
    for (const [n, extension] of ['1002', '1001', '1002', null].entries())
      await answered(account, `${n}`, extension);
    await answered(other, 'x', '9');
    assert.deepEqual(await store.calls.distinct(account, 'extensions', 9), ['1001', '1002']);
    assert.deepEqual(await store.calls.distinct(account, 'extensions', 1), ['1001']);
  });

  it('what only some bridges send is kept with its call, counted and found by', async ({
    store,
    account,
    other,
    reopen,
  }) => {
    const sales = { ...noExtras, numberCalled: '+49891234', line: 'PJSIP/provider' };
    const end = { where: 'queue', name: 'sales', by: 'caller', after: 4, at: 7_000 } as const;
    const take = (id: string, at: number, status: CallStatus, extras?: CallExtras, callerId?: string) =>
      store.requests.record(recorded({ account, id, at, status, callerId: callerId ?? null, extras }));
    await take('missed', 1000, 'ringing', sales);
    await take('missed', 8000, 'completed', { ...sales, missed: end });
    await take('answered', 2000, 'ringing', sales);
    await take('answered', 3000, 'answered', undefined, '1001');
    await take('answered', 4000, 'completed', { ...noExtras, missed: end }, '1001');
    await take('later', 5000, 'ringing');
    await take('later', 60_000, 'completed', {
      ...noExtras,
      missed: { ...end, where: null, name: null, by: null, after: 55 },
    });
    await take('without', 6000, 'ringing');
    await take('without', 7000, 'completed');
    const again = await reopen();
    const extras = async (id: string) => (await again.calls.get(account, id))?.extras;
    assert.deepEqual(await extras('missed'), { ...sales, missed: end });
    assert.deepEqual(await extras('answered'), sales, 'an answered call did not end unanswered');
    assert.deepEqual((await extras('later'))?.missed?.after, 55);
    assert.equal(await extras('without'), noExtras);
    assert.deepEqual(await again.calls.distinct(account, 'numbers called', 9), ['+49891234']);
    assert.deepEqual(await again.calls.distinct(other, 'numbers called', 9), []);

    const found = async (filter: Partial<CallFilter>) => {
      const page = await again.calls.page({
        ...{ account, filter: { ...everyCall, ...filter }, towards: 'older', from: null, limit: 9 },
      } as const);
      return page.calls.map(({ id }) => id);
    };
    assert.deepEqual(await found({ numberCalled: '+49891234' }), ['answered', 'missed']);
    assert.deepEqual(await found({ numberCalled: '+49891234', outcome: 'missed' }), ['missed']);
    assert.deepEqual(await found({ place: 'queue' }), ['missed']);
    assert.deepEqual(
      await found({ outcome: 'short' }),
      ['without', 'missed'],
      'exact where the bridge says it',
    );

    const [figures] = await Array.fromAsync(
      again.reports.figures(account, [{ since: 0, until: 900_000 }], 900_000),
    );
    const counted = (kind: 'numbersCalled' | 'places') =>
      figures?.[kind].map(([name, { all }]) => [name, all.calls, all.missed, all.gaveUp]);
    assert.deepEqual(counted('numbersCalled'), [['+49891234', 2, 1, [4, 1]]]);
    assert.deepEqual(counted('places'), [
      ['queue', 1, 1, [4, 1]],
      ['', 1, 1, [55, 1]],
    ]);
    for (const [kind, name, calls] of [
      ['numbersCalled', '+49891234', 2],
      ['places', 'queue', 1],
      ['places', '', 1],
    ] as const)
      assert.equal(
        (await again.callers.counts(account, { since: 0, until: 900_000 }, { kind, name }))[0]?.calls,
        calls,
        `${kind} ${name}`,
      );
  });

  it('the uses of a replaced token are kept until the next one', async ({ store, account }) => {
    const { directory } = store;
    const made = await directory.addIntegration({ uid: 'i', account, name: 'PBX', createdAt: 5 });
    const now = async () => (await directory.read(0))?.directory.integrations[0] as typeof made;
    await directory.changeIntegration(made.id, { rotate: true, oldTokenUntil: 9_000_000_000_000 });
    const first = await now();
    assert.deepEqual([first.tokenCounter, first.oldTokenUntil], [2, 9_000_000_000_000]);
    for (const [address, at] of [
      ['10.0.0.1', 1],
      ['10.0.0.2', 2],
      ['10.0.0.1', 3],
    ] as const)
      await directory.oldTokenUsed(first, address, at);
    await directory.saveBridgeReport(first.id, 6, '{}');
    await directory.saveBridgeReport(first.id, 7, '{"problems":[]}');
    assert.deepEqual(await directory.bridgeReport(first.id), { reportedAt: 7, report: '{"problems":[]}' });
    assert.deepEqual(await directory.oldTokenUses(first), [
      { address: '10.0.0.1', lastAt: 3 },
      { address: '10.0.0.2', lastAt: 2 },
    ]);
    await directory.changeIntegration(made.id, { name: 'PBX 2' });
    assert.deepEqual(await now(), { ...first, name: 'PBX 2' });
    await directory.changeIntegration(made.id, { oldTokenUntil: null });
    assert.deepEqual(await now(), { ...first, name: 'PBX 2', oldTokenUntil: null });
    await directory.changeIntegration(made.id, { rotate: true, oldTokenUntil: 8 });
    assert.deepEqual(await directory.oldTokenUses(await now()), []);
    await directory.changeIntegration(made.id, { rotate: true });
    assert.equal((await now()).oldTokenUntil, null);
    assert.deepEqual(await directory.oldTokenUses(first), [], 'uses of older tokens are gone');
  });

  it('users: names are unique in their account, and a user who goes takes sessions along', async ({
    store,
    account,
    other,
  }) => {
    const { users } = store;
    const ann = { uid: 'u1', account, name: 'Ann', signInName: 'ann', role: 'administrator' as const };
    const made = await users.add({ ...ann, password: null, createdAt: 1 });
    assert.deepEqual(made, {
      ...{ ...ann, id: made?.id, language: '', password: null, secondFactor: null, createdAt: 1, bar: null },
    });
    assert.equal(await users.add({ ...ann, uid: 'u2', password: null, createdAt: 2 }), undefined);
    const theirs = await users.add({ ...ann, uid: 'u2', account: other, password: null, createdAt: 2 });
    for (const [of, found] of [
      [null, made],
      [account, made],
      [other, theirs],
      [-1, made],
    ] as const)
      assert.deepEqual(await users.find({ signInName: 'ann', account: of }), found);
    assert.ok(theirs && (await users.setRole(made?.id ?? 0, 'agent')) === false);
    const bob = { ...ann, uid: 'u3', name: 'Bob', signInName: 'bob', role: 'agent' as const };
    const second = await users.add({ ...bob, password: 'hash', createdAt: 3 });
    assert.ok(made && second);
    assert.deepEqual(
      (await users.list(account)).map(({ name }) => name),
      ['Ann', 'Bob'],
    );
    assert.deepEqual(await users.list(other), [theirs]);

    assert.equal(await users.change(second.id, { name: 'ANN', signInName: 'ann' }), false);
    assert.deepEqual(await users.find({ uid: 'u3' }), second, 'a refused change changes nothing');
    assert.equal(
      await users.change(made.id, { name: 'Änn', signInName: 'änn', language: 'de', password: 'x' }),
      true,
    );
    const changed = { ...made, name: 'Änn', signInName: 'änn', language: 'de', password: 'x' };
    assert.deepEqual(await users.find({ signInName: 'änn', account }), changed);
    assert.equal(await users.change(made.id, { password: null }), true);
    assert.deepEqual(await users.find({ uid: 'u1' }), { ...changed, password: null });
    assert.deepEqual(await users.find({ signInName: 'ann', account }), theirs);

    const from = { address: '192.0.2.1', browser: 'Firefox' };
    await users.openSession({ id: 's1', user: second.id, at: 10, ...from });
    await users.useSession('s1', 20);
    const session = { id: 's1', openedAt: 10, usedAt: 20, ...from };
    assert.deepEqual(await users.session('s1'), { ...session, user: second });
    assert.deepEqual(await users.sessions(second.id), [session]);
    assert.deepEqual(await users.openSessions(['s1', 's2', ...Array(1000).fill('s3')]), ['s1']);
    assert.equal(await users.remove(second.id), true);
    assert.equal(await users.session('s1'), undefined);
    assert.equal(await users.find({ uid: 'u3' }), undefined);
  });

  it('an account keeps an administrator, whatever is changed at once', async ({ store }) => {
    const { users } = store;
    for (let round = 0; round < 20; round += 1) {
      const { id: account } = await store.directory.addAccount({ uid: `${round}`, name: 'C', country: null });
      const given = { account, role: 'administrator', password: null, createdAt: 0 } as const;
      const names = [1, 2, 3].map((n) => ({ uid: `${round}-${n}`, name: 'A', signInName: `${n}` }));
      const added = await Promise.all(names.map((name) => users.add({ ...given, ...name })));
      const [a, b, c] = added.map((user) => user?.id) as [number, number, number];
      const done = await Promise.all([users.setRole(a, 'agent'), users.setRole(b, 'agent'), users.remove(c)]);
      assert.deepEqual(done.toSorted(), [false, true, true], `round ${round}`);
      const left = await users.list(account);
      const [last] = left.filter(({ role }) => role === 'administrator');
      assert.ok(last && left.filter(({ role }) => role === 'administrator').length === 1);
      assert.equal(await users.remove(last.id), false);
      assert.equal(await users.setRole(last.id, 'administrator'), true, 'no change is no refusal');
      for (const { id, role } of left) if (role === 'agent') assert.equal(await users.remove(id), true);
    }
  });

  it('second factor: each step and each recovery code is used once', async ({ store, account }) => {
    const { users } = store;
    const given = { account, name: 'A', role: 'agent', password: null, createdAt: 0 } as const;
    const a = await users.add({ ...given, uid: 'a', signInName: 'a' });
    const b = await users.add({ ...given, uid: 'b', signInName: 'b' });
    assert.ok(a && b);
    const codes = ['1', '2', '3'].map((digit) => digit.repeat(64));
    await users.setSecondFactor(a.id, 'factor', codes);
    assert.equal((await users.find({ uid: 'a' }))?.secondFactor, 'factor');
    const both = await Promise.all([users.useCodeStep(a.id, 5), users.useCodeStep(a.id, 5)]);
    assert.deepEqual(both.toSorted(), [false, true]);
    assert.equal(await users.useCodeStep(a.id, 4), false);
    assert.equal(await users.useCodeStep(a.id, 6), true);
    const [first = '', second = ''] = codes;
    const uses = await Promise.all([users.useRecoveryCode(a.id, first), users.useRecoveryCode(a.id, first)]);
    assert.deepEqual(uses.toSorted(), [false, true]);
    assert.equal(await users.useRecoveryCode(b.id, second), false);
    assert.equal(await users.useRecoveryCode(a.id, second), true);
    await users.setSecondFactor(a.id, null, []);
    assert.equal((await users.find({ uid: 'a' }))?.secondFactor, null);
    assert.equal(await users.useRecoveryCode(a.id, codes[2] ?? ''), false);
  });

  it('sessions end one by one, all but one, and by age', async ({ store, account }) => {
    const { users } = store;
    const user = await users.add({
      uid: 'u',
      account,
      name: 'A',
      signInName: 'a',
      role: 'agent',
      password: null,
      createdAt: 0,
    });
    const open = async () => {
      const known = await Promise.all(['s1', 's2', 's3', 's4'].map((id) => users.session(id)));
      return known.flatMap((session) => session?.id ?? []);
    };
    for (const [at, id] of ['s1', 's2', 's3', 's4'].entries())
      await users.openSession({ id, user: user?.id ?? 0, at, address: '', browser: '' });
    await users.closeSession('s1');
    assert.deepEqual(await open(), ['s2', 's3', 's4']);
    await users.useSession('s3', 50);
    await users.useSession('s4', 40);
    await users.trimSessions({ openedBefore: 0, usedBefore: 41 });
    assert.deepEqual(await open(), ['s3']);
    await users.openSession({ id: 's1', user: user?.id ?? 0, at: 60, address: '', browser: '' });
    await users.closeSessions(user?.id ?? 0, 's1');
    assert.deepEqual(await open(), ['s1']);
    await users.trimSessions({ openedBefore: 61, usedBefore: 0 });
    assert.deepEqual(await open(), []);
  });

  it('callers are counted by their numbers, in all calls of a span or in those of a group', async ({
    store,
    account,
    other,
  }) => {
    const ann = customer({ reference: '7', name: 'Ann', segment: 'Gold', numbers: ['+4930901820'] });
    await store.customers.putSegment(account, { name: 'Gold', priority: 5 });
    await store.customers.put(account, [ann]);
    const call = async (id: string, number: string, at: number, callerId: string | null, of = account) => {
      await store.requests.record(recorded({ account: of, id, number, at }));
      await store.requests.record(
        recorded({ account: of, id, number, at: at + 1, status: 'completed', callerId }),
      );
    };
    await call('a', '+4930901820', 10, '1001');
    await call('b', '+4930901820', 20, null);
    await call('c', '110', 30, '1002');
    await call('d', '110', 40, null);
    await call('later', '110', 50, null);
    await call('theirs', '110', 10, null, other);
    const counts = async (of: CallGroup | null) =>
      (await store.callers.counts(account, { since: 10, until: 50 }, of))
        .map(({ number, customer, name, calls, missed }) => [number, customer, name, calls, missed])
        .sort();
    assert.deepEqual(await counts(null), [
      ['+4930901820', '7', 'Ann', 2, 1],
      ['110', null, null, 2, 1],
    ]);
    assert.deepEqual(await counts({ kind: 'segments', name: 'Gold' }), [['+4930901820', '7', 'Ann', 2, 1]]);
    assert.deepEqual(await counts({ kind: 'segments', name: '' }), [['110', null, null, 2, 1]]);
    assert.deepEqual(await counts({ kind: 'extensions', name: '1002' }), [['110', null, null, 1, 0]]);
    assert.equal((await counts({ kind: 'integrations', name: '1' })).length, 2);
    assert.equal((await counts({ kind: 'integrations', name: '2' })).length, 0);
    const missed = async (of: CallGroup) =>
      (await store.callers.missed(account, { since: 0, until: 50 }, 9, of)).map(({ call }) => call.id);
    assert.deepEqual(await missed({ kind: 'segments', name: 'Gold' }), ['b']);
    assert.deepEqual(await missed({ kind: 'integrations', name: '1' }), ['b', 'd']);
    assert.deepEqual(await missed({ kind: 'extensions', name: '1001' }), []);
  });

  it('a weekly report is due once for each user who wants it, and claimed by one', async ({
    store,
    account,
    other,
  }) => {
    const user = async (of: number, name: string) =>
      (await store.users.add({
        ...{ uid: name, account: of, name, signInName: name, role: 'agent', password: null, createdAt: 0 },
        ...{ language: '', bar: null },
      })) as User;
    const [ann, ben] = [await user(account, 'ann'), await user(other, 'ben')];
    await store.weekly.put(ann.id, 'ann@example.com', '2026-11-09');
    await store.weekly.put(ben.id, 'ben@example.com', '2026-11-02');
    assert.equal(await store.weekly.address(ann.id), 'ann@example.com');
    assert.deepEqual(await store.weekly.due(account, '2026-11-09'), []);
    assert.deepEqual(await store.weekly.due(account, '2026-11-16'), [
      { user: ann.id, address: 'ann@example.com', language: '', sent: '2026-11-09' },
    ]);
    const claims = await Promise.all(
      [1, 2, 3].map(() => store.weekly.move(ann.id, '2026-11-09', '2026-11-16')),
    );
    assert.deepEqual(claims.filter(Boolean).length, 1);
    assert.deepEqual(await store.weekly.due(account, '2026-11-16'), []);
    await store.weekly.put(ann.id, 'new@example.com', '2026-01-05');
    assert.deepEqual(await store.weekly.due(account, '2026-11-16'), [], 'another address is no other report');
    await store.weekly.put(ann.id, null, '');
    assert.equal(await store.weekly.address(ann.id), null);
    await store.users.remove(ben.id);
    assert.deepEqual(await store.weekly.due(other, '2026-11-16'), []);
  });

  it('missed calls are listed by their end, newest kept, with the call in which the caller got through', async ({
    store,
    account,
    other,
  }) => {
    const call = async (id: string, number: string, at: number, answeredBy?: string) => {
      await store.requests.record(recorded({ account, id, number, at }));
      if (answeredBy !== undefined)
        await store.requests.record(
          recorded({ account, id, number, at: at + 1, status: 'answered', callerId: answeredBy }),
        );
      await store.requests.record(recorded({ account, id, number, at: at + 5, status: 'completed' }));
    };
    await call('before', '110', 1, '1000');
    await call('first', '110', 10);
    await call('second', '112', 20);
    await call('third', '110', 30);
    await call('through', '110', 40, '1001');
    await call('again', '110', 50, '1002');
    await store.requests.record(recorded({ account: other, id: 'theirs', at: 42, status: 'completed' }));
    const missed = async (since: number, max: number) =>
      (await store.callers.missed(account, { since, until: 99 }, max)).map((each) => [
        each.call.id,
        each.reached,
      ]);
    const through = { id: 'through', at: 41, by: '1001' };
    assert.deepEqual(await missed(0, 9), [
      ['first', through],
      ['second', null],
      ['third', through],
    ]);
    assert.deepEqual(await missed(25, 9), [
      ['second', null],
      ['third', through],
    ]);
    assert.deepEqual(await missed(0, 1), [['third', through]]);
  });

  it('what users did about callers is found by time and by number', async ({ store, account, other }) => {
    const action = (number: string, at: number, kind: CallerAction['kind'], text: string | null = null) => ({
      ...{ number, at, user: 'Ann', kind, text },
    });
    const all = [
      action('110', 10, 'taken'),
      action('112', 20, 'note', 'calls tomorrow'),
      action('110', 20, 'done'),
      action('110', 30, 'reopened'),
    ];
    for (const each of all) await store.callers.act(account, each);
    await store.callers.act(other, action('110', 99, 'done'));
    assert.deepEqual(await store.callers.actions(account, { since: 0 }, 9), all);
    assert.deepEqual(await store.callers.actions(account, { since: 20 }, 9), all.slice(1));
    const until = all.at(-1)?.at as number;
    assert.deepEqual(
      await store.callers.actions(account, { since: 0, until }, 9),
      all.filter(({ at }) => at < until),
    );
    assert.deepEqual(await store.callers.actions(account, { since: 0 }, 2), all.slice(2));
    assert.deepEqual(
      await store.callers.actions(account, { number: '110' }, 9),
      all.filter(({ number }) => number === '110'),
    );
  });

  it("a user's newest one-time link is used once, and ends with a change of the password", async ({
    store,
    account,
  }) => {
    const { users } = store;
    const given = { account, role: 'agent', password: null, createdAt: 0 } as const;
    const a = await users.add({ uid: 'a', name: 'A', signInName: 'a', ...given });
    const b = await users.add({ uid: 'b', name: 'B', signInName: 'b', ...given });
    assert.ok(a && b);
    const [first, second, other] = [
      await users.newLink(a.id),
      await users.newLink(a.id),
      await users.newLink(b.id),
    ];
    assert.equal(await users.useLink('a', first), undefined);
    const uses = await Promise.all([users.useLink('a', second), users.useLink('a', second)]);
    assert.deepEqual(uses.filter(Boolean), [a]);
    assert.equal(await users.useLink('a', second), undefined);
    for (const password of ['x', null]) {
      const link = await users.newLink(a.id);
      await users.change(a.id, { password });
      assert.equal(await users.useLink('a', link), undefined);
    }
    const kept = await users.newLink(a.id);
    await users.setRole(a.id, 'administrator');
    assert.deepEqual(await users.useLink('a', kept), { ...a, role: 'administrator' });
    assert.deepEqual(await users.useLink('b', other), b);
  });

  it('a request that cannot be stored fails alone', async ({ store, account }) => {
    const good = (id: string) => store.requests.record(recorded({ account, id, at: 1 }));
    const bad = store.requests.record({ ...recorded({ account, id: 'bad', at: 1 }), method: null as never });
    const outcomes = await Promise.allSettled([good('before'), bad, good('after')]);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.deepEqual(
      (await store.openCalls(account, 9)).map(({ id }) => id),
      ['before', 'after'],
    );
  });

  it('the audit log gives entries newest first, by kind and person, and forgets the old', async ({
    store: { audit },
    account,
    other,
  }) => {
    const add = (at: number, what: AuditKind, who: string, target = '') =>
      audit.write({ account, at, what, who, from: '::1', target });
    await add(1, 'sign-in', 'Ann');
    await add(2, 'role', 'Ann', 'Bob:\0 \u202e\x1b[2J\n\ud800');
    await add(2, 'role', 'Bob');
    await add(4, 'sign-in', 'Bob', 'x'.repeat(999));
    await audit.write({ account: other, at: 3, what: 'sign-in', who: 'Eve', from: 'command', target: '' });
    type Query = Partial<Parameters<typeof audit.page>[0]>;
    const page = (query: Query = {}) =>
      audit.page({ account, what: null, who: null, before: null, limit: 9, ...query });
    const found = async (query: Query) =>
      (await page(query)).entries.map(({ at, who }) => `${who}${at}`).join(' ');

    assert.equal(await found({}), 'Bob4 Bob2 Ann2 Ann1');
    assert.equal(await found({ what: 'role' }), 'Bob2 Ann2');
    assert.equal(await found({ who: 'Ann' }), 'Ann2 Ann1');
    assert.equal(await found({ who: 'Ann', what: 'role' }), 'Ann2');
    const first = await page({ limit: 2 });
    const rest = await page({ limit: 2, before: first.next });
    assert.equal(rest.next, null);
    assert.deepEqual(rest.entries, [
      {
        ...{ account, at: 2, what: 'role', who: 'Ann', from: '::1' },
        target: 'Bob:\ufffd \ufffd\ufffd[2J\ufffd\ufffd',
      },
      { account, at: 1, what: 'sign-in', who: 'Ann', from: '::1', target: '' },
    ]);
    assert.equal((await page()).entries[0]?.target.length, 300);
    assert.deepEqual([await audit.trim(2), await audit.trim(4), await audit.trim(4)], [1, 3, 0]);
    assert.equal(await found({}), 'Bob4');
  });

  it('calls are deleted by age, with the figures of their days', async ({ store, account, other }) => {
    for (const at of [1, 2, 30]) {
      await store.requests.record(recorded({ account, id: `c${at}`, at, status: 'completed' }));
      await store.requests.record(recorded({ account: other, id: `c${at}`, at }));
    }
    const counted = async (of: number) =>
      (await Array.fromAsync(store.reports.figures(of, [{ since: 0, until: 50 }], 99)))[0]?.all.calls;
    assert.deepEqual([await counted(account), await counted(account)], [3, 3]);
    assert.deepEqual([await store.calls.trim(30), await store.calls.trim(30)], [4, 0]);
    assert.deepEqual([await counted(account), await counted(other)], [1, 1]);
    assert.equal((await store.calls.get(account, 'c30'))?.startedAt, 30);
    assert.equal(await store.calls.get(account, 'c2'), undefined);
  });

  it('a number is forgotten in calls, requests, customers and the audit log of its account alone', async ({
    store,
    account,
    other,
  }) => {
    const number = '+4930901820';
    const ann = customer({ reference: number, name: 'Ann', numbers: [number, '+4930901821'] });
    for (const id of [account, other]) {
      await store.customers.put(id, [ann]);
      for (const status of ['ringing', 'completed'] as const)
        await store.requests.record({
          ...recorded({ account: id, id: `call-${id}`, at: 1, status, number: '030 901820', country: 'DE' }),
          request: JSON.stringify({ id: `call-${id}`, status, from: '030 901820', name: 'Ann' }),
        });
      const read = { callId: null, event: null, method: 'GET' };
      await store.requests.record({
        ...recorded({ account: id, at: 2 }),
        ...read,
        request: 'number=%2B4930901820',
      });
      const search = 'search=request&search_term=4930901820';
      await store.requests.record({
        ...recorded({ account: id, at: 3 }),
        ...read,
        fromNumber: null,
        request: search,
      });
      await store.requests.record({
        ...recorded({ account: id, id: 'else', at: 4, number: '+4930901821' }),
        request: '{"id":"else","from":"+4930901821"}',
      });
      const note = { number, at: 1, user: 'Eve', kind: 'note', text: 'Ann calls' } as const;
      await store.callers.act(id, note);
      await store.audit.write({
        ...{ account: id, at: 1, what: 'removal', who: 'Eve', from: '::1', target: `customer ${number}` },
      });
    }
    const all = async (of: number) =>
      JSON.stringify([
        await entries(store, of),
        await Array.fromAsync(store.customers.all(of)),
        await Array.fromAsync(store.calls.ofNumber(of, number)),
        await store.calls.get(of, `call-${of}`),
        await store.callers.actions(of, { since: 0 }, 9),
        await store.audit.page({ account: of, what: null, who: null, before: null, limit: 9 }),
      ]);
    const theirs = await all(other);
    assert.deepEqual(await forgetNumber(store, account, number), { calls: 1, requests: 4, customers: 1 });
    const left = await all(account);
    assert.doesNotMatch(left, /901820|030 9/);
    assert.equal(await all(other), theirs);

    const [ringing, ended, lookup, search, untouched] = await entries(store, account);
    const kept = (status: string) => ({ id: `call-${account}`, status, from: 'forgotten' });
    assert.deepEqual(JSON.parse(`${ringing?.request}`), kept('ringing'));
    assert.deepEqual(JSON.parse(`${ended?.request}`), kept('completed'));
    assert.equal(lookup?.request, 'number=forgotten');
    assert.equal(search?.request, 'search=request&search_term=forgotten');
    assert.equal(untouched?.request, '{"id":"else","from":"+4930901821"}');
    const call = await store.calls.get(account, `call-${account}`);
    assert.deepEqual([call?.from, call?.number, call?.customer], ['forgotten', 'forgotten', null]);
    assert.deepEqual((await store.customers.withNumber(account, '+4930901821'))?.name, 'Ann');
    assert.deepEqual(await forgetNumber(store, account, number), { calls: 0, requests: 0, customers: 0 });
    assert.deepEqual((await forgetNumber(store, account, '+4930901821')).customers, 1);
    assert.deepEqual(await Array.fromAsync(store.customers.all(account)), []);
  });

  it('forgetting a number clears every column that names its caller', ({ store, account, readColumns }) =>
    forgetClearsEveryColumn(store, account, readColumns));

  it('what was recorded is there after it is opened again', async ({ store, account, reopen }) => {
    await store.requests.record(recorded({ account, at: 1 }));
    const again = await reopen();
    assert.equal((await entries(again, account)).length, 1);
    assert.equal((await again.openCalls(account, 9)).length, 1);
    await assert.rejects(store.requests.record(recorded({ account, at: 2 })), /closed/);
  });

  for (const [name, body] of Object.entries({
    ...callTests,
    ...callBackTests,
    ...whoCallsTests,
    ...webhookTests,
  }))
    it(name, body);
}

function recorded({
  account,
  at,
  id = 'call-1',
  status = 'ringing',
  number = '+4930901820',
  callerId = null,
  country = null,
  extras,
}: {
  account: number;
  at: number;
  id?: string;
  status?: CallStatus;
  number?: string;
  callerId?: string | null;
  country?: string | null;
  extras?: CallExtras | undefined;
}): RecordedRequest {
  return {
    account,
    integration: 1,
    at,
    began: 0,
    method: 'POST',
    path: '/api/v1/voice/call',
    request: `{"id":"${id}"}`,
    status: 200,
    response: '{"result":"r"}',
    callId: id,
    fromNumber: number,
    event: { id, status, from: number, number: normaliseNumber(number, country), callerId, extras },
  };
}

async function entries(
  store: Store,
  account: number,
  search: Parameters<Store['requests']['all']>[0]['search'] = null,
  order: 'oldest' | 'newest' = 'oldest',
): Promise<StoredRequest[]> {
  return (await Array.fromAsync(store.requests.all({ account, search, order }))).flat();
}
