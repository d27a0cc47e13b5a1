import assert from 'node:assert/strict';
import { noFilter } from '../../src/service/calls/call-store.ts';
import type { Store } from '../../src/service/database/store.ts';
import { customer } from '../../src/service/people/customer.fixture.ts';
import { report } from '../tools/service/recorded-request.ts';
import { walk } from './service-store-calls.ts';
import type { StoreTests } from './service-store-conformance.ts';

/** Who calls is who has the number now, of every store, whatever is asked. */
export const whoCallsTests: StoreTests = {
  async 'a call belongs to who has its number now, on whatever shows it'({ store, account }) {
    const { customers } = store;
    await customers.putSegment(account, { name: 'Gold', priority: 5 });
    await customers.putSegment(account, { name: 'Tin', priority: 1 });
    await customers.put(account, [customer({ reference: '9', name: 'Zoe', numbers: ['112'] })]);
    await callsOf(store, account);
    const webhook = await webhookOf(store, account);

    const shown = (of: string, ...expected: readonly (string | number | null)[]) =>
      isShown({ store, account, webhook }, of, expected);
    const ann = customer({ reference: '7', name: 'Anna Ößl', segment: 'Gold', numbers: [known] });
    const ben = customer({ reference: '8', name: 'Ben', segment: 'Tin', numbers: [known] });
    await shown(known, null, null, null);
    assert.deepEqual(await customers.put(account, [ann]), [null]);
    await shown(known, 'Anna Ößl', 'Gold', 5);
    await customers.putSegment(account, { name: 'Gold', priority: 6 });
    await shown(known, 'Anna Ößl', 'Gold', 6);
    await customers.put(account, [{ ...ann, name: 'Anna Maier' }]);
    await shown(known, 'Anna Maier', 'Gold', 6);
    await customers.put(account, [{ ...ann, segment: 'Tin' }]);
    await shown(known, 'Anna Ößl', 'Tin', 1);
    await customers.put(account, [{ ...ann, segment: null }]);
    await shown(known, 'Anna Ößl', null, null);

    // Another number is added, and the first one is given to somebody else.
    await customers.put(account, [{ ...ann, numbers: [known, '110'] }]);
    await shown('110', 'Anna Ößl', 'Gold', 6);
    await customers.put(account, [{ ...ann, numbers: ['110'] }, ben]);
    await shown(known, 'Ben', 'Tin', 1);
    await shown('110', 'Anna Ößl', 'Gold', 6);
    assert.equal(await customers.removeSegment(account, 'Tin'), true);
    await shown(known, 'Ben', null, null);
    assert.equal(await customers.remove(account, '8'), true);
    await shown(known, null, null, null);
    assert.equal(await customers.remove(account, '7'), true);
    await shown('110', null, null, null);
  },

  async 'who spoke last with a person, by whichever number and form of it'({ store, account, other }) {
    const { customers } = store;
    let at = 0;
    const answered = async (from: string, callerId: string, of = account) => {
      at += 10;
      await report(store, { account: of, id: `c${at}`, status: 'answered', at, from, callerId });
    };
    const last = async (number: string, of = account) =>
      (await customers.whoCalls(of, number, 0)).lastExtension;
    // As earlier versions stored a Mexican number; and one that calls in two forms.
    const mexican = customer({ reference: 'm', name: 'Mia', numbers: ['5215512345678', '110'] });
    const argentine = customer({ reference: 'a', name: 'Ana', numbers: ['+5491123456789'] });
    await customers.put(account, [mexican, argentine]);
    assert.equal(await last('+525512345678'), null);
    for (const [from, extension, asked] of [
      ['+525512345678', '1', '+525512345678'],
      ['110', '2', '+525512345678'],
      ['+525512345678', '3', '+525512345678'],
      ['+541123456789', '4', '+5491123456789'],
      ['+5491123456789', '5', '+541123456789'],
      ['+393331234567', '6', '+393331234567'],
    ] as const) {
      await answered(from, extension);
      assert.equal(await last(asked), extension, `${asked} after ${from}`);
    }
    assert.equal(await last('+393331234567', other), null);
    await answered('+393331234567', '7', other);
    assert.equal(await last('+393331234567'), '6');
  },

  async 'what a screen says of a caller: last talk, last note, and how often missed since then, by whichever number'({
    store,
    account,
    other,
  }) {
    const [one, two, three] = ['+4930901820', '+4930901821', '+4930901822'];
    await store.customers.put(account, [customer({ reference: '1', name: 'Ann', numbers: [one, two] })]);
    const facts = (number: string, since = 0, of = account) => store.customers.callerFacts(of, number, since);
    const nothing = { last: null, note: null, missed: 0 };
    assert.deepEqual(await facts(one), nothing);
    const call = (id: string, at: number, from: string, callerId?: string, of = account) =>
      report(store, { account: of, id, status: 'completed', at, from, ...(callerId && { callerId }) });
    const note = (number: string, at: number, text: string, of = account) =>
      store.callers.act(of, { number, at, user: 'Bilal', kind: 'note', text });
    await call('t1', 10, one, '1001');
    await call('t2', 20, two, '1002');
    await call('m1', 30, one);
    await call('m2', 40, two);
    await call('m3', 50, two);
    await note(two, 60, 'the first');
    await note(one, 70, 'the last');
    await note(one, 70, 'of two at the same time, the one that was written last');
    await store.callers.act(account, { number: one, at: 80, user: 'Eve', kind: 'taken', text: null });
    await call('t3', 90, three, '1003');
    await note(three, 90, 'of a stranger');
    await call('o', 95, one, '1009', other);
    await note(one, 95, 'of others', other);
    const last = { by: '1002', at: 20 };
    const said = {
      by: 'Bilal',
      at: 70,
      text: 'of two at the same time, the one that was written last',
    };
    assert.deepEqual(await facts(one), { last, note: said, missed: 3 });
    assert.deepEqual(await facts(two, 40), { last, note: said, missed: 2 });
    assert.deepEqual(await facts(three, 51), {
      last: { by: '1003', at: 90 },
      note: { by: 'Bilal', at: 90, text: 'of a stranger' },
      missed: 0,
    });
    assert.deepEqual(await facts('+4930901899'), nothing);
  },

  async 'a call that moves has who has its number by then'({ store, account }) {
    const moved = async (status: 'ringing' | 'answered' | 'completed', at: number, from = '110') =>
      (await report(store, { account, id: 'c', status, at, from }))?.customer?.name;
    assert.equal(await moved('ringing', 1), undefined);
    await store.customers.put(account, [customer({ reference: '1', name: 'Ann', numbers: ['110'] })]);
    // A call keeps its first number.
    assert.equal(await moved('answered', 2, '112'), 'Ann');
    await store.customers.remove(account, '1');
    assert.equal(await moved('completed', 3), undefined);
  },

  async 'a name that many have is found in the calls of all of them'({ store, account }) {
    const many = Array.from({ length: 60 }, (_, n) =>
      customer({ reference: `${n}`, name: `Ann ${n}`, numbers: [`+4930${1000 + n}`] }),
    );
    await store.customers.put(account, many);
    for (const [n, { numbers }] of many.entries())
      await report(store, { account, id: `c${n}`, status: 'completed', at: n, from: numbers[0] as string });
    await report(store, { account, id: 'other', status: 'completed', at: 99, from: '110' });
    const search = { digits: null, words: ['ann'], extensions: [] };
    const pages = await walk(store, account, { ...noFilter, search }, 'older', 100);
    assert.deepEqual(pages.flat(), many.map((_, n) => `c${n}`).reverse());
  },
};

const known = '+4930901820';
const HOURS = { since: 0, until: 3_600_000 };

/** Calls of three numbers: long over, missed, answered, and ringing now. */
async function callsOf(store: Store, account: number): Promise<void> {
  for (const [n, from] of [known, '110', '112'].entries()) {
    await report(store, { account, id: `missed-${from}`, status: 'completed', at: 1000 + n, from });
    await report(store, {
      account,
      id: `answered-${from}`,
      status: 'completed',
      at: 900_000 + n,
      from,
      callerId: '1001',
    });
    await report(store, { account, id: `rings-${from}`, status: 'ringing', at: 4_000_000 + n, from });
  }
}

async function webhookOf(store: Store, account: number): Promise<number> {
  await store.webhooks.add({
    uid: 'w',
    account,
    url: 'https://a.example',
    since: 0,
    events: ['call.missed'],
  });
  await store.webhooks.queueNew(null, 4_000_000);
  const found = (await store.webhooks.list(account)).map(({ id }) => id);
  return found[0] as number;
}

/** The calls of a number are shown with this name, segment and priority, everywhere; null: with none. */
async function isShown(
  { store, account, webhook }: { store: Store; account: number; webhook: number },
  number: string,
  [name, segment, priority]: readonly (string | number | null)[],
): Promise<void> {
  const expected = { name, segment, priority };
  type Shown = { customer: { reference: string; name: string } | null; segment: unknown; priority: unknown };
  const shown = (call: Shown | undefined) => ({
    name: call?.customer?.name ?? null,
    segment: call?.segment,
    priority: call?.priority,
  });
  const ids = ['rings', 'answered', 'missed'].map((what) => `${what}-${number}`);
  for (const id of ids) assert.deepEqual(shown(await store.calls.get(account, id)), expected, id);
  const open = (await store.openCalls(account, 9)).find((call) => call.number === number);
  assert.deepEqual(shown(open), expected, 'the bar');

  const page = async (filter: Partial<typeof noFilter>) => {
    const query = {
      account,
      filter: { ...noFilter, ...filter },
      towards: 'older',
      from: null,
      limit: 50,
    } as const;
    const found = (await store.calls.page(query)).calls.filter((call) => call.number === number);
    for (const call of found) assert.deepEqual(shown(call), expected, call.id);
    return found.map(({ id }) => id);
  };
  const reference = (await store.customers.withNumber(account, number))?.reference;
  assert.deepEqual(await page({}), ids, 'the list');
  const words = `${name ?? 'anna'}`.split(' ').map((word) => word.toLowerCase().replace('ößl', 'ossl'));
  const search = { digits: null, words, extensions: [] };
  assert.deepEqual(await page({ search }), name === null ? [] : ids, 'search');
  assert.deepEqual(await page({ segment: 'Gold' }), segment === 'Gold' ? ids : [], 'by segment');

  const missed = await store.callers.missed(account, HOURS, 9);
  assert.deepEqual(shown(missed.find(({ call }) => call.number === number)?.call), expected, 'to call back');
  const counts = await store.callers.counts(account, HOURS, null);
  assert.deepEqual(
    counts.find((one) => one.number === number),
    {
      number,
      customer: reference ?? null,
      name,
      calls: 2,
      missed: 1,
    },
  );
  const due = await store.webhooks.due(webhook, {
    priority: 'backlog',
    now: 0,
    freshSince: Number.MAX_SAFE_INTEGER,
    limit: 9,
  });
  assert.deepEqual(
    shown(due.find(({ call }) => call?.number === number)?.call ?? undefined),
    expected,
    'webhook',
  );

  // Counted the first time, kept the second; of calls that began before any of these changes.
  const bySegment = new Map<string, number>();
  for (const one of [known, '110', '112']) {
    const of = await store.customers.withNumber(account, one);
    bySegment.set(of?.segment ?? '', (bySegment.get(of?.segment ?? '') ?? 0) + 2);
  }
  for (const _ of [1, 2]) {
    const [figures] = await Array.fromAsync(store.reports.figures(account, [HOURS], HOURS.until));
    assert.deepEqual(
      new Map(figures?.segments.map(([of, { all }]) => [of, all.calls])),
      bySegment,
      'reports',
    );
  }
}
