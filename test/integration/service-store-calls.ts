import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { CallStatus } from '../../src/api/contract/call-status.ts';
import type { Figures, Group, SpanFigures } from '../../src/service/reports/aggregate.ts';
import { quantile } from '../../src/service/reports/durations.ts';
import { type CallFilter, everyCall } from '../../src/service/store/call-store.ts';
import { customer } from '../../src/service/store/customer.fixture.ts';
import type { HistorySearch, StoredRequest } from '../../src/service/store/request-store.ts';
import type { Store } from '../../src/service/store/store.ts';

/** What activity, reports and history ask of every store: see service-store-conformance.ts. */
export const callTests: Record<string, (context: { store: Store; other: number }) => Promise<void>> = {
  async 'activity finds what the history reports, whatever is asked, in pages of any size and both ways'({
    store,
  }) {
    await property(store, async (account, reported) => {
      for (const filter of filters) {
        const expected = reported()
          .filter((call) => matches(call, filter))
          .map(({ id }) => id);
        for (const limit of [4, 50]) {
          const older = await walk(store, account, filter, 'older', limit);
          assert.deepEqual(older.flat(), expected, JSON.stringify(filter));
          const newer = await walk(store, account, filter, 'newer', limit);
          assert.deepEqual(newer.toReversed().flat(), expected, JSON.stringify(filter));
          if (filter === everyCall)
            assert.equal(older.length, Math.max(1, Math.ceil(expected.length / limit)), 'no empty page');
        }
      }
    });
  },

  async 'of thousands of calls none is passed over, by activity or by figures'({ store }) {
    const account = await newAccount(store);
    const calls = Array.from({ length: 12_000 }, (_, n) => ({
      id: `c${n}`,
      at: n,
      number: n % 6000 ? '110' : '112',
    }));
    for (const call of calls) void report(store, account, { ...call, status: 'completed', extension: null });
    await store.openCalls(account, 1);
    const found = await walk(
      store,
      account,
      { ...everyCall, search: { digits: '2', words: [], extensions: [] }, outcome: 'missed' },
      'older',
      9,
    );
    assert.deepEqual(found.flat(), ['c6000', 'c0']);
    assert.equal((await walk(store, account, everyCall, 'newer', 1000)).flat().length, 12_000);
    const [figures] = await Array.fromAsync(store.reports.figures(account, [HOURS], HOURS.until));
    assert.deepEqual([figures?.all.calls, figures?.all.missed], [12_000, 12_000]);
  },

  async 'report figures are those counted from the history, again after calls have moved'({ store, other }) {
    await property(store, async (account, reported) => {
      // Spans as days are: beside each other, one of them over an hour's edge, one without calls.
      const edges = [0, 15 * MINUTE, 75 * MINUTE, 210 * MINUTE, 300 * MINUTE];
      const spans = edges.slice(1).map((until, index) => ({ since: edges[index] as number, until }));
      // While none of them is over, one of them goes on, all are over.
      for (const now of [0, 240 * MINUTE, 300 * MINUTE]) {
        const figures = await Array.fromAsync(store.reports.figures(account, spans, now));
        for (const [index, { since, until }] of spans.entries()) {
          const calls = reported().filter(({ began }) => began >= since && began < until);
          checkFigures(figures[index] as SpanFigures, calls, since);
        }
      }
    });
    const [empty] = await Array.fromAsync(
      store.reports.figures(other, [{ since: 0, until: 300 * MINUTE }], 0),
    );
    assert.equal(empty?.all.calls, 0, 'of nobody else');
  },

  async 'figures that are asked for while calls move are right when they have moved'({ store }) {
    const account = await newAccount(store);
    const spans = [HOURS, { since: 0, until: HOURS.until / 2 }];
    const ids = Array.from({ length: 60 }, (_, n) => `c${n}`);
    for (const status of ['ringing', 'answered', 'completed'] as const) {
      const asked: Promise<unknown>[] = [];
      const reported = ids.map((id, n) => {
        asked.push(Array.fromAsync(store.reports.figures(account, spans, HOURS.until)));
        return report(store, account, { id, status, at: n * MINUTE, number: '110', extension: '1001' });
      });
      await Promise.all([...reported, ...asked]);
      for (const [index, calls] of [60, 60].entries()) {
        const figures = (await Array.fromAsync(store.reports.figures(account, spans, HOURS.until)))[index];
        assert.deepEqual(
          [figures?.all.calls, figures?.all.answered, figures?.all.talkedSeconds],
          [calls, status === 'ringing' ? 0 : calls, 0],
          status,
        );
      }
    }
  },

  async 'figures stay when the history is trimmed'({ store }) {
    await property(store, async (account) => {
      const figures = async () =>
        (await Array.fromAsync(store.reports.figures(account, [HOURS], HOURS.until)))[0];
      const span = async () =>
        (await Array.fromAsync(store.reports.figures(account, [{ ...HOURS, until: HOURS.until + 1 }], 0)))[0];
      const before = await figures();
      await store.requests.trim({ keep: 0 });
      assert.deepEqual(await figures(), before);
      assert.deepEqual((await span())?.all, before?.all, 'counted anew');
    });
  },

  async 'one call is found by its id, in its account only'({ store, other }) {
    const account = await newAccount(store);
    await report(store, account, {
      id: 'a',
      status: 'ringing',
      at: 5,
      number: '+4930901820',
      extension: null,
    });
    assert.equal((await store.calls.get(account, 'a'))?.startedAt, 5);
    assert.equal(await store.calls.get(account, 'b'), undefined);
    assert.equal(await store.calls.get(other, 'a'), undefined);
  },

  async 'a search of the history goes on where it stopped, and gives the same entries as a list'({ store }) {
    const account = await newAccount(store);
    for (let n = 0; n < 30; n += 1) {
      const at = [30, 10, 10, 20][n % 4] as number;
      await report(store, account, {
        id: `call-${n % 5}`,
        status: 'ringing',
        at,
        number: '1',
        extension: null,
      });
    }
    const searches: (HistorySearch | null)[] = [
      null,
      { in: 'call', term: 'call-3' },
      { in: 'call', term: 'all-3' },
      { in: 'number', term: '1' },
      { in: 'request', term: 'all-3' },
      { in: 'response', term: 'nothing' },
    ];
    for (const search of searches) {
      for (const order of ['oldest', 'newest'] as const) {
        const whole = (await Array.fromAsync(store.requests.all({ account, search, order }))).flat();
        for (const limit of [1, 4, 30]) {
          const found: StoredRequest[] = [];
          let after = null;
          do {
            const page = await store.requests.search({ account, search, order, after, limit });
            assert.ok(page.entries.length <= limit);
            found.push(...page.entries);
            after = page.next;
          } while (after !== null);
          assert.deepEqual(found, whole);
        }
      }
    }
    const none = await store.requests.search({
      account,
      search: { in: 'call', term: 'all-3' },
      order: 'newest',
      after: null,
      limit: 9,
    });
    assert.deepEqual(none, { entries: [], next: null }, 'a part of an id is no id');
  },
};

const MINUTE = 60_000;
const HOURS = { since: 0, until: 300 * MINUTE };

const numbers = ['+4930901820', '+4930901821', '+31201234567', '110'];
const extensions = [null, '1001', '1002', "'; --"];

type Event = { id: string; status: CallStatus; at: number; number: string; extension: string | null };

/** Events of some calls: in any order, again, without a ringing, without an end. */
const someEvents = fc.array(
  fc.record({
    id: fc.integer({ min: 0, max: 12 }).map((n) => `call-${n}`),
    status: fc.constantFrom<CallStatus>('ringing', 'answered', 'completed'),
    pause: fc.oneof(fc.constant(0), fc.integer({ max: 15 * MINUTE, min: 0 })),
    number: fc.constantFrom(...numbers),
    extension: fc.constantFrom(...extensions),
  }),
  { maxLength: 40 },
);

/** Reports two lots of events to an account of their own, and checks after each. `reported` is newest first. */
async function property(
  store: Store,
  check: (account: number, reported: () => ReportedCall[]) => Promise<void>,
) {
  await fc.assert(
    fc.asyncProperty(someEvents, someEvents, async (...lots) => {
      const account = await newAccount(store);
      let at = 0;
      for (const lot of lots) {
        for (const { pause, ...event } of lot) {
          at += pause;
          await report(store, account, { ...event, at });
        }
        await store.openCalls(account, 1);
        const history = (
          await Array.fromAsync(store.requests.all({ account, search: null, order: 'oldest' }))
        ).flat();
        const calls = calledIn(history);
        await check(account, () => calls);
      }
    }),
    { numRuns: 5 },
  );
}

let accounts = 0;
async function newAccount(store: Store): Promise<number> {
  accounts += 1;
  const { id } = await store.directory.addAccount({ uid: `calls-${accounts}`, name: 'A', country: null });
  await store.customers.putSegment(id, { name: 'Gold', priority: 5 });
  await store.customers.put(id, [
    customer({ reference: '7', name: 'Anna Ößl', segment: 'Gold', numbers: ['+4930901820'] }),
    customer({ reference: '8', name: 'Ben', numbers: ['+31201234567'] }),
  ]);
  return id;
}

async function report(
  store: Store,
  account: number,
  { id, status, at, number, extension }: Event,
): Promise<void> {
  await store.requests.record({
    account,
    integration: 1,
    at,
    began: 0,
    method: 'POST',
    path: '/api/v1/voice/call',
    request: JSON.stringify({ id, status, from: number, caller_id: extension }),
    status: 200,
    response: '{"result":"r"}',
    callId: id,
    fromNumber: number,
    event: { id, status, from: number, number, callerId: extension },
  });
}

type ReportedCall = {
  id: string;
  began: number;
  number: string;
  extension: string | null;
  ringing: number | null;
  answered: number | null;
  completed: number | null;
  missed: boolean;
  spokenTo: boolean;
};

/** The calls that the history's requests report, newest first: counted anew, from the texts alone. */
function calledIn(history: readonly StoredRequest[]): ReportedCall[] {
  const calls = new Map<string, ReportedCall>();
  const rank = { ringing: 1, answered: 2, completed: 3 };
  for (const { at, request } of history.toSorted((a, b) => a.id - b.id)) {
    const { id, status, from, caller_id } = JSON.parse(request as string);
    const call = calls.get(id) ?? {
      ...{ id, began: at, number: from, extension: null, ringing: null, answered: null, completed: null },
      ...{ missed: false, spokenTo: false },
    };
    const reached = call.completed !== null ? 3 : call.answered !== null ? 2 : call.ringing !== null ? 1 : 0;
    if (rank[status as CallStatus] <= reached) continue;
    calls.set(id, call);
    call[status as CallStatus] = at;
    call.extension = caller_id ?? call.extension;
    if (status === 'answered' || (status === 'completed' && caller_id !== null)) call.spokenTo = true;
    if (status === 'completed') call.missed = !call.spokenTo;
  }
  // Of calls that began at the same time, the one that was reported last is the newest.
  return [...calls.values()].reverse().sort((a, b) => b.began - a.began);
}

const filters: CallFilter[] = [
  everyCall,
  { ...everyCall, number: { is: '+4930901820' } },
  { ...everyCall, search: { digits: '90182', words: [], extensions: [] } },
  { ...everyCall, search: { digits: '1', words: ['en'], extensions: ['1001', '%'] } },
  { ...everyCall, search: { digits: null, words: ['%'], extensions: [] } },
  { ...everyCall, search: { digits: null, words: [], extensions: [] } },
  { ...everyCall, customer: { is: '7' } },
  { ...everyCall, search: { digits: null, words: ['anna', 'ossl'], extensions: [] } },
  { ...everyCall, search: { digits: null, words: ['anna', 'ben'], extensions: ['1002'] } },
  { ...everyCall, segment: 'Gold' },
  { ...everyCall, integration: 1, segment: 'Gold', outcome: 'answered' },
  { ...everyCall, integration: 2 },
  { ...everyCall, extensions: ['1001'] },
  { ...everyCall, extensions: ["'; --"] },
  { ...everyCall, extensions: ['1002', '1001'] },
  { ...everyCall, extensions: [] },
  { ...everyCall, outcome: 'open' },
  { ...everyCall, outcome: 'answered' },
  { ...everyCall, outcome: 'missed' },
  { ...everyCall, outcome: 'short' },
  { ...everyCall, numberCalled: '110' },
  { ...everyCall, place: 'queue' },
  { ...everyCall, since: 20 * MINUTE, until: 90 * MINUTE },
  { ...everyCall, number: { is: '+4930901820' }, extensions: ['1002'], outcome: 'answered' },
  { ...everyCall, customer: { is: '8' }, outcome: 'open', since: MINUTE },
  { ...everyCall, search: { digits: '1', words: [], extensions: [] }, outcome: 'missed', until: 99 * MINUTE },
];

const names: Record<string, { reference: string; folded: string }> = {
  '+4930901820': { reference: '7', folded: 'anna ossl' },
  '+31201234567': { reference: '8', folded: 'ben' },
};

function matches(call: ReportedCall, filter: CallFilter): boolean {
  const { number, customer, extensions, segment, integration, search, outcome, since, until } = filter;
  const known = names[call.number];
  return [
    filter.numberCalled === null && filter.place === null,
    number === null || call.number === number.is,
    customer === null || known?.reference === customer.is,
    extensions === null || extensions.includes(call.extension ?? ''),
    segment === null || (segment === 'Gold' && call.number === '+4930901820'),
    integration === null || integration === 1,
    search === null ||
      (search.digits !== null && call.number.includes(search.digits)) ||
      (search.words.length > 0 && search.words.every((word) => known?.folded.includes(word))) ||
      search.extensions.some((one) => one === call.extension),
    outcome !== 'open' || call.completed === null,
    outcome !== 'answered' || call.spokenTo,
    outcome !== 'missed' || call.missed,
    outcome !== 'short' ||
      (call.missed && call.ringing !== null && (call.completed ?? 0) - call.ringing < 6000),
    since === null || call.began >= since,
    until === null || call.began < until,
  ].every(Boolean);
}

/** Every page from one end to the other; the way back of each page leads to the one before it. */
async function walk(
  store: Store,
  account: number,
  filter: CallFilter,
  towards: 'older' | 'newer',
  limit: number,
) {
  const pages: string[][] = [];
  let from = null;
  do {
    const page = await store.calls.page({ account, filter, towards, from, limit });
    const ids = page.calls.map(({ id }) => id);
    assert.ok(ids.length <= limit);
    assert.equal(page.back === null, from === null);
    if (page.back !== null && ids.length > 0) {
      const way = towards === 'older' ? 'newer' : 'older';
      const before = await store.calls.page({ account, filter, towards: way, from: page.back, limit });
      assert.deepEqual(
        before.calls.map(({ id }) => id),
        pages.at(-1),
      );
    }
    pages.push(ids);
    from = page.next;
  } while (from !== null);
  return pages;
}

function checkFigures(figures: SpanFigures, calls: ReportedCall[], since: number): void {
  checkPart(figures, calls, since);
  const groups = (key: (call: ReportedCall) => string, of: ReportedCall[]) => Map.groupBy(of, key);
  for (const [kind, expected] of [
    ['segments', groups(({ number }) => (number === '+4930901820' ? 'Gold' : ''), calls)],
    [
      'extensions',
      groups(
        ({ extension }) => extension ?? '',
        calls.filter(({ spokenTo }) => spokenTo),
      ),
    ],
  ] as const) {
    assert.deepEqual(new Set(figures[kind].map(([name]) => name)), new Set(expected.keys()));
    for (const [name, part] of figures[kind]) checkPart(part, expected.get(name) ?? [], since);
  }
}

function checkPart(figures: Figures, calls: ReportedCall[], since: number): void {
  checkGroup(figures.all, calls);
  const quarters = Map.groupBy(calls, ({ began }) => Math.floor((began - since) / (15 * MINUTE)));
  const expected = [...quarters]
    .sort(([a], [b]) => a - b)
    .map(([quarter, those]) => [
      quarter,
      those.length,
      those.filter(({ spokenTo }) => spokenTo).length,
      those.filter(({ missed }) => missed).length,
    ]);
  assert.deepEqual(figures.quarters, expected.flat());
}

function checkGroup(group: Group, calls: ReportedCall[]): void {
  const seconds = (of: (call: ReportedCall) => [number | null, number | null]) =>
    calls
      .map(of)
      .filter((pair): pair is [number, number] => pair[0] !== null && pair[1] !== null)
      .map(([from, to]) => Math.floor((to - from) / 1000))
      .sort((a, b) => a - b);
  const talked = seconds(({ answered, completed }) => [answered, completed]);
  assert.equal(group.calls, calls.length);
  assert.equal(group.answered, calls.filter(({ spokenTo }) => spokenTo).length);
  assert.equal(group.missed, calls.filter(({ missed }) => missed).length);
  assert.equal(
    group.talkedSeconds,
    talked.reduce((sum, value) => sum + value, 0),
  );
  for (const [name, values] of [
    ['waited', seconds(({ ringing, answered }) => [ringing, answered])],
    ['gaveUp', seconds(({ ringing, completed, missed }) => [ringing, missed ? completed : null])],
    ['talked', talked],
  ] as const) {
    for (const share of [0.5, 0.9]) {
      // Nearest rank: the value at which so large a share of the sorted values is reached.
      const expected = values[Math.ceil(values.length * share) - 1] ?? null;
      assert.equal(quantile(group[name], share), expected, `${name} ${share}`);
    }
  }
}
