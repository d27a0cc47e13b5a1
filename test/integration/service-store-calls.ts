import assert from 'node:assert/strict';
import fc from 'fast-check';
import { closeCall, closeStaleCalls } from '../../src/service/activity/close-call.ts';
import { type Figures, type Group, quantile, type SpanFigures } from '../../src/service/calls/aggregate.ts';
import type { CallFilter } from '../../src/service/calls/call-conditions.ts';
import { type CallExtras, type CallRecord, noExtras } from '../../src/service/calls/call-record.ts';
import type { CallCursor } from '../../src/service/calls/call-slices.ts';
import { noFilter } from '../../src/service/calls/call-store.ts';
import type { Store } from '../../src/service/database/store.ts';
import type { StoredRequest } from '../../src/service/history/request-store.ts';
import { customer } from '../../src/service/people/customer.fixture.ts';
import type { CallStatus } from '../../src/shared/api/contract/call-status.ts';
import { report } from '../tools/service/recorded-request.ts';
import type { StoreTests } from './service-store-conformance.ts';
import { entries } from './service-store-history.ts';

/** Rows without the prototype that an engine gives them. */
const plain = <Row extends object>(rows: readonly Row[]): Row[] => rows.map((row) => ({ ...row }));

/** What calls, activity and reports ask of every store. */
export const callTests: StoreTests = {
  async 'calls of an account are listed by the characters of their ids, between two others, with their integrations'({
    store,
    account,
    other,
  }) {
    const ids = [
      'pbx-1000.10',
      'pbx-1000.2',
      'pbx-1000.9',
      'pbx-999.1',
      'pbx-2000.1',
      'Pbx-1000.3',
      'pbx-b-1000.1',
    ];
    for (const id of ids) await report(store, { account, id, at: 1 });
    await report(store, { account, id: 'pbx-1000.2', status: 'completed', at: 2 });
    await report(store, { account: other, id: 'pbx-1000.5', at: 1 });
    const range = { from: 'pbx-1000', to: 'pbx-2000' };
    const call = { status: 'ringing', integration: 1 } as const;
    const [first, second] = [
      { ...call, id: 'pbx-1000.10' },
      { ...call, id: 'pbx-1000.2', status: 'completed' },
    ];
    assert.deepEqual(plain(await store.calls.byId(account, range, 2)), [first, second]);
    assert.deepEqual(plain(await store.calls.byId(account, { ...range, from: 'pbx-1000.2' }, 9)), [
      { ...call, id: 'pbx-1000.9' },
    ]);
    assert.deepEqual(
      plain(await store.calls.byId(other, range, 9)).map(({ id }) => id),
      ['pbx-1000.5'],
    );
  },

  async 'a call moves forward only, is given back as it moves, and holds who called, who answered, and when'({
    store,
    account,
  }) {
    const ann = customer({ reference: '7', name: 'Ann', segment: 'Gold', numbers: ['+4930901820'] });
    await store.customers.putSegment(account, { name: 'Gold', priority: 5 });
    await store.customers.put(account, [ann]);
    const steps: [CallStatus, CallStatus | undefined][] = [
      ['ringing', 'ringing'],
      ['answered', 'answered'],
      ['ringing', undefined],
      ['answered', undefined],
      ['completed', 'completed'],
      ['ringing', undefined],
    ];
    for (const [n, [status, expected]] of steps.entries()) {
      const callerId = status === 'answered' ? '1001' : null;
      const call = await report(store, { account, at: (n + 1) * 1000, status, callerId });
      assert.equal(call?.status, expected);
    }
    assert.equal((await entries(store, account)).length, steps.length);
    assert.deepEqual(await store.calls.get(account, 'call-1'), {
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
      answeredAt: 2000,
      completedAt: 5000,
      updatedAt: 5000,
      missed: false,
      closedFrom: null,
      past: false,
      rang: null,
      talked: null,
      extras: noExtras,
    });
  },

  async 'calls that changed since a time are in the order of their last change, and none is lost that changes meanwhile'({
    store,
    account,
  }) {
    const other = (await store.directory.addAccount({ uid: 'u', name: 'U', country: null })).id;
    await report(store, { account, at: 100, id: 'old' });
    await report(store, { account, at: 200, id: 'long' });
    await report(store, { account, at: 300, id: 'short' });
    await report(store, { account: other, at: 400, id: 'theirs' });
    await report(store, { account, at: 400, id: 'short', status: 'completed' });
    await report(store, { account, at: 500, id: 'long', status: 'answered' });
    // What was long ago is news when it arrives.
    await report(store, { account, at: 600, id: 'past', status: 'completed', past: { began: 1, ended: 2 } });
    await report(store, { account, at: 700, id: 'short', status: 'ringing' }); // too late: it changes nothing
    const page = (updatedSince: number, from: CallCursor | null, filter: Partial<CallFilter> = {}) =>
      store.calls.page({
        account,
        filter: { ...noFilter, updatedSince, ...filter },
        towards: 'newer',
        from,
        limit: 2,
      });
    const first = await page(300, null);
    const changed = first.calls.toReversed().map(({ id, updatedAt }) => `${id} ${updatedAt}`);
    assert.deepEqual(changed, ['short 400', 'long 500']);
    await report(store, { account, at: 800, id: 'long', status: 'completed' });
    const next = await page(300, first.next);
    const more = next.calls.toReversed().map(({ id, updatedAt }) => `${id} ${updatedAt}`);
    assert.deepEqual(more, ['past 600', 'long 800']);
    assert.equal(next.next, null);
    const answered = await page(300, null, { outcome: 'answered', since: 150 });
    assert.deepEqual(
      answered.calls.map(({ id }) => id),
      ['long'],
    );
    assert.deepEqual((await page(801, null)).calls, []);
  },

  async 'who rang and who talked is what the newest event of a call says'({ store, account, reopen }) {
    const rang = [
      { by: '101', from: 0, for: 15_000 },
      { by: '+491713920011', from: 15_000, for: 20_000 },
    ];
    const talked = [
      { by: '101', from: 35_000, to: 55_000 },
      { by: '1"0\\2', from: 55_000 },
    ];
    const whoOf = async (of: typeof store) => {
      const call = await of.calls.get(account, 'call-1');
      return [call?.rang, call?.talked];
    };
    await report(store, { account, at: 1, rang: [] });
    assert.deepEqual(await whoOf(store), [[], null]);
    await report(store, { account, at: 2, status: 'answered', callerId: '101', rang });
    assert.deepEqual(await whoOf(store), [rang, null]);
    await report(store, { account, at: 3, status: 'completed', talked });
    assert.deepEqual(await whoOf(store), [rang, talked]);
    await report(store, { account, at: 4, status: 'completed', rang: [] });
    await report(store, { account, at: 5, id: 'other' });
    assert.equal((await store.calls.get(account, 'other'))?.rang, null);
    assert.deepEqual(await whoOf(await reopen()), [rang, talked], 'an event that moves nothing says nothing');
  },

  async 'report figures have whose phones rang and who talked, counted or cached'({
    store,
    account,
    reopen,
  }) {
    const rang = [
      { by: '102', from: 0, for: 15_000 },
      { by: '101', from: 0, for: 15_000 },
    ];
    const talked = [{ by: '102', from: 15_000, to: 55_000 }];
    const answered = { status: 'answered', callerId: '102' } as const;
    await report(store, { account, at: 1, rang });
    await report(store, { account, at: 2, ...answered });
    await report(store, { account, at: 40_002, status: 'completed', talked });
    await report(store, { account, at: 3, id: 'missed', status: 'completed', rang, talked: [] });
    await report(store, { account, at: 4, id: 'unknown', ...answered });
    await report(store, { account, at: 5, id: 'nobody', status: 'completed' });
    const expected = [
      { rang: ['101', '102'], talked: [['102', 40]], outcome: 'answered', calls: 1 },
      { rang: ['101', '102'], talked: [], outcome: 'missed', calls: 1 },
      { rang: null, talked: [['102', 0]], outcome: 'answered', calls: 1 },
    ];
    const shared = async (from: typeof store) => (await figuresOf(from, account, [HOURS]))[0]?.shared;
    for (const _ of ['counted', 'cached']) assert.deepEqual(await shared(store), expected);
    assert.deepEqual(await shared(await reopen()), expected);
  },

  async 'open calls are those that are not completed, oldest first, of one account'({
    store,
    account,
    other,
    reopen,
  }) {
    for (const [id, at, status] of [
      ['late', 30, 'ringing'],
      ['early', 10, 'answered'],
      ['over', 5, 'completed'],
    ] as const)
      await report(store, { account, id, at, status });
    await report(store, { account: other, id: 'theirs' });
    const again = await reopen();
    const open = async (of: number, limit: number) =>
      (await again.openCalls(of, limit)).map(({ id }) => id).join();
    assert.deepEqual([await open(account, 10), await open(other, 10)], ['early,late', 'theirs']);
    const newest = await open(account, 1);
    assert.equal(
      newest,
      'late',
      'a call whose end was never reported must not keep the next ones from the screens',
    );
  },

  async 'calls whose end never came are closed once, also when several try'({ store, account, other }) {
    const [hour, now] = [3_600_000, Date.now()];
    const opened: [string, number, CallStatus?][] = [
      ['rings', now - 2 * hour - 1],
      ['rings still', now - 2 * hour + 60_000],
      ['talks', now - 24 * hour - 1, 'answered'],
      ['talks still', now - 23 * hour, 'answered'],
      ['by hand', now - 200_000],
      ['is answered', now - 200_000],
    ];
    for (const [id, at, status = 'ringing'] of opened) {
      await report(store, { account, id, at });
      if (status === 'answered') await report(store, { account, id, at, status, callerId: '1001' });
    }
    await report(store, { account: other, id: 'theirs', at: now - 3 * hour });
    const published: string[] = [];
    const parts = {
      store,
      screens: { publish: (of: number, { id }: CallRecord) => void published.push(`${of} ${id}`) },
    };
    const byId = async (id: string) => (await store.calls.get(account, id)) as CallRecord;
    const ends = async (id: string) => {
      const { status, completedAt, missed } = await byId(id);
      return [status, completedAt, missed];
    };

    const hook = { uid: 'closed', account, url: 'https://a.example/hook', since: 0 };
    await store.webhooks.add({ ...hook, events: ['call.missed', 'call.ended'] });
    const { cursor } = await store.webhooks.queueNew(null, now);

    const [read, answered] = [await byId('by hand'), await byId('is answered')];
    const use = await store.requests.use(account, 0);
    const both = await Promise.all([
      closeCall(parts, account, read, now),
      closeCall(parts, account, read, now),
    ]);
    assert.deepEqual(both.toSorted(), [false, true], 'one of two users');
    assert.deepEqual(await ends('by hand'), ['completed', read.startedAt, true]);
    await report(store, { account, id: 'is answered', at: now, status: 'answered', callerId: '1001' });
    assert.equal(await closeCall(parts, account, answered, now), false);
    assert.deepEqual(await ends('is answered'), ['answered', null, null], 'a call that is talked on');

    const accounts = [{ id: account }, { id: other }];
    const counts = await Promise.all([1, 2].map(() => closeStaleCalls(parts, accounts, now)));
    assert.equal(
      counts.reduce((sum, count) => sum + count),
      3,
      'two processes',
    );
    assert.deepEqual(await ends('rings'), ['completed', opened[0]?.[1], true]);
    assert.deepEqual(await ends('talks'), ['completed', opened[2]?.[1], false]);
    assert.deepEqual((await store.openCalls(account, 9)).map(({ id }) => id).sort(), [
      'is answered',
      'rings still',
      'talks still',
    ]);
    assert.deepEqual(
      published.sort(),
      [`${account} by hand`, `${account} rings`, `${account} talks`, `${other} theirs`].sort(),
    );
    assert.deepEqual(
      (await store.requests.use(account, 0)).map(({ requests }) => requests),
      use.map(({ requests }) => requests + 1),
      'a phone system that is silent stays silent',
    );

    await store.webhooks.queueNew(cursor, now);
    const [webhook] = await store.webhooks.list(account);
    const page = { webhook: webhook?.id as number, failed: false, before: null, limit: 9 };
    assert.deepEqual(
      (await store.webhooks.page(page)).deliveries.map(({ callId, event }) => `${callId} ${event}`).sort(),
      ['by hand call.missed', 'rings call.missed', 'talks call.ended'],
    );

    const { callers: missed } = await store.callers.missedCallers(account, 0);
    assert.deepEqual(missed.flatMap(({ calls }) => calls).length, 2, 'they are to be called back');
    const [figures] = await figuresOf(
      store,
      account,
      [{ since: 0, until: Math.ceil(now / hour) * hour }],
      now,
    );
    assert.deepEqual([figures?.all.missed, figures?.all.answered], [2, 3]);
  },

  async 'a call of the past is history at its own time, and nobody is told of it'({
    store,
    account,
    reopen,
  }) {
    const now = 5 * 3_600_000;
    const hook = { uid: 'past', account, url: 'https://a.example/hook', since: 0 };
    await store.webhooks.add({ ...hook, events: ['call.ringing', 'call.missed', 'call.ended'] });
    const { cursor } = await store.webhooks.queueNew(null, now);
    const use = await store.requests.use(account, 0);
    await report(store, { account, id: 'live', from: '110', at: 60_000 });
    const before = await figuresOf(store, account, [HOURS], now);
    assert.equal(before[0]?.all.calls, 1);

    const said = { account, at: now, status: 'completed' } as const;
    const missed = { ...said, id: 'missed', from: '111', past: { began: 120_000, ended: 150_000 } };
    const extras = {
      ...noExtras,
      missed: { where: 'queue', name: '400', by: null, after: 30, at: 150_000 },
    } as const;
    const shape = (call: CallRecord | undefined) =>
      call && [call.startedAt, call.ringingAt, call.answeredAt, call.completedAt, call.missed, call.past];
    assert.deepEqual(shape(await report(store, { ...missed, extras })), [
      120_000,
      null,
      null,
      150_000,
      true,
      true,
    ]);
    await report(store, {
      ...said,
      id: 'answered',
      callerId: '1001',
      past: { began: 180_000, ended: 240_000 },
    });
    assert.equal(await report(store, missed), undefined, 'it is stored once');
    assert.equal(
      await report(store, { ...said, id: 'live', from: '110', past: { began: 1, ended: 2 } }),
      undefined,
      'live events say more',
    );

    const again = await reopen();
    assert.deepEqual(shape(await again.calls.get(account, 'answered')), [
      180_000,
      null,
      null,
      240_000,
      false,
      true,
    ]);
    const found = await again.calls.page({
      account,
      filter: noFilter,
      towards: 'older',
      from: null,
      limit: 9,
    });
    assert.deepEqual(
      found.calls.map(({ id }) => id),
      ['answered', 'missed', 'live'],
    );
    const [figures] = await figuresOf(again, account, [HOURS], now);
    assert.deepEqual([figures?.all.calls, figures?.all.answered, figures?.all.missed], [3, 1, 1]);

    assert.deepEqual((await again.callers.missedCallers(account, 0)).callers, []);
    assert.deepEqual(await again.callers.missedAmong(account, 0, ['111']), []);
    const live = await again.requests.use(account, 0);
    assert.deepEqual([use.length, live.map(({ requests }) => requests)], [0, [1]]);
    await again.webhooks.queueNew(cursor, now);
    const [webhook] = await again.webhooks.list(account);
    const page = { webhook: webhook?.id as number, failed: false, before: null, limit: 50 };
    assert.deepEqual(
      (await again.webhooks.page(page)).deliveries.map(({ callId, event }) => [callId, event]),
      [['live', 'call.ringing']],
    );
  },

  async 'a call that was closed without its end becomes what its events say, and is counted once'({
    store,
    account,
    reopen,
  }) {
    const silent = { screens: { publish: () => {} } };
    const byId = async (from: Store, id: string) => (await from.calls.get(account, id)) as CallRecord;
    const close = async (id: string) =>
      assert.ok(await closeCall({ store, ...silent }, account, await byId(store, id), 500));
    const figures = async (from: Store) => {
      const [{ all } = assert.fail()] = await figuresOf(from, account, [HOURS]);
      return [all.calls, all.answered, all.missed, all.talked];
    };
    const hook = { uid: 'closed', account, url: 'https://a.example/hook', since: 0 };
    await store.webhooks.add({
      ...hook,
      events: ['call.ringing', 'call.answered', 'call.missed', 'call.ended'],
    });
    let { cursor } = await store.webhooks.queueNew(null, 500);

    for (const [id, from] of [
      ['through', '110'],
      ['on the phone', '111'],
      ['lost', '112'],
      ['as its end says', '113'],
    ] as const) {
      await report(store, { account, id, from, at: 100 });
      await close(id);
    }
    await report(store, {
      account,
      id: 'talked',
      from: '114',
      at: 100,
      status: 'answered',
      callerId: '1001',
    });
    await close('talked');
    const listed = async (from: Store) =>
      (await from.callers.missedCallers(account, 0)).callers
        .map(({ call }) => call.number)
        .sort()
        .join();
    assert.deepEqual(await figures(store), [5, 1, 4, [0, 1]]);
    assert.equal(await listed(store), '110,111,112,113');
    ({ cursor } = await store.webhooks.queueNew(cursor, 500));

    const effects: string[] = [];
    for (const [id, status, at, callerId = null] of [
      ['through', 'answered', 1000, '1001'],
      ['through', 'completed', 61_000],
      ['through', 'completed', 90_000],
      ['on the phone', 'answered', 1000, '1002'],
      ['lost', 'completed', 9000],
      ['lost', 'answered', 9500, '1001'],
      ['as its end says', 'completed', 9000, '1003'],
      ['talked', 'ringing', 8000],
      ['talked', 'completed', 9100],
    ] as [string, CallStatus, number, string?][])
      effects.push(
        `${id} ${(await report(store, { account, id, status, at, callerId })) === undefined ? 'stays' : 'moves'}`,
      );
    assert.deepEqual(effects, [
      'through moves',
      'through moves',
      'through stays',
      'on the phone moves',
      'lost moves',
      'lost stays',
      'as its end says moves',
      'talked stays',
      'talked moves',
    ]);
    assert.deepEqual(
      (await store.openCalls(account, 9)).map(({ id }) => id),
      ['on the phone'],
    );
    await store.webhooks.queueNew(cursor, 90_000);
    const [webhook] = await store.webhooks.list(account);
    const page = { webhook: webhook?.id as number, failed: false, before: null, limit: 50 };
    const events = (await store.webhooks.page(page)).deliveries.reverse();
    const eventsOf = (id: string) =>
      events
        .filter(({ callId }) => callId === id)
        .map(({ event }) => event.replace('call.', ''))
        .join(' ');
    assert.equal(eventsOf('through'), 'ringing missed answered ended');
    assert.equal(eventsOf('on the phone'), 'ringing missed answered');
    assert.equal(eventsOf('lost'), 'ringing missed');
    assert.equal(eventsOf('as its end says'), 'ringing missed ended');
    assert.equal(eventsOf('talked'), 'answered ended');

    const again = await reopen();
    const shape = async (id: string) => {
      const { status, callerId, ringingAt, answeredAt, completedAt, missed, closedFrom } = await byId(
        again,
        id,
      );
      return [status, callerId, ringingAt, answeredAt, completedAt, missed, closedFrom];
    };
    assert.deepEqual(await shape('through'), ['completed', '1001', 100, 1000, 61_000, false, null]);
    assert.deepEqual(await shape('on the phone'), ['answered', '1002', 100, 1000, null, null, null]);
    assert.deepEqual(await shape('lost'), ['completed', null, 100, null, 9000, true, null]);
    assert.deepEqual(await shape('as its end says'), ['completed', '1003', 100, null, 9000, false, null]);
    assert.deepEqual(await shape('talked'), ['completed', '1001', null, 100, 9100, false, null]);
    assert.deepEqual(await figures(again), [5, 4, 1, [9, 1, 60, 1]]);
    assert.equal(await listed(again), '112');
  },

  async 'an event and the closing of its call at the same moment: the event counts, once'({
    store,
    account,
  }) {
    const ids = Array.from({ length: 40 }, (_, n) => `both ${n}`);
    await Promise.all(ids.map((id) => report(store, { account, id, at: 100 })));
    const calls = await Promise.all(ids.map((id) => store.calls.get(account, id)));
    const atOnce = calls.map(async (call, n) => {
      const close = () =>
        closeCall({ store, screens: { publish: () => {} } }, account, call as CallRecord, 200);
      const event = (status: CallStatus, at: number) =>
        report(store, { account, id: ids[n] as string, status, at, callerId: '1001' });
      const [first, second] =
        n % 2 ? [close, () => event('answered', 300)] : [() => event('answered', 300), close];
      await Promise.all([first(), second()]);
      return Promise.all([event('completed', 400), event('completed', 400), close()]);
    });
    const moved = (await Promise.all(atOnce)).map((ends) => ends.slice(0, 2).filter(Boolean).length);
    assert.deepEqual(new Set(moved), new Set([1]), 'one of two equal events');
    for (const id of ids) {
      const { answeredAt, completedAt, missed, closedFrom } = (await store.calls.get(
        account,
        id,
      )) as CallRecord;
      assert.deepEqual([answeredAt, completedAt, missed, closedFrom], [300, 400, false, null], id);
    }
    const [{ all } = assert.fail()] = await figuresOf(store, account, [HOURS]);
    assert.deepEqual([all.calls, all.answered, all.missed], [40, 40, 0]);
  },

  async 'activity finds what the history reports, whatever is asked, in pages of any size and both ways'({
    store,
  }) {
    await property(store, async (account, calls) => {
      for (const filter of filters) {
        const expected = calls.filter((call) => matches(call, filter)).map(({ id }) => id);
        for (const limit of [4, 50]) {
          const older = await walk(store, account, filter, 'older', limit);
          assert.deepEqual(older.flat(), expected, JSON.stringify(filter));
          const newer = await walk(store, account, filter, 'newer', limit);
          assert.deepEqual(newer.toReversed().flat(), expected, JSON.stringify(filter));
          if (filter === noFilter)
            assert.equal(older.length, Math.max(1, Math.ceil(expected.length / limit)), 'no empty page');
        }
      }
    });
  },

  async 'report figures are those counted from the history, again after calls have moved and the history was trimmed'({
    store,
    other,
  }) {
    await property(store, async (account, calls) => {
      // Spans as days are: beside each other, one of them over an hour's edge, one without calls.
      const edges = [0, 15 * MINUTE, 75 * MINUTE, 210 * MINUTE, 300 * MINUTE];
      const spans = edges.slice(1).map((until, index) => ({ since: edges[index] as number, until }));
      const check = async (now: number) => {
        const figures = await figuresOf(store, account, spans, now);
        for (const [index, { since, until }] of spans.entries())
          checkFigures(
            figures[index] as SpanFigures,
            calls.filter(({ began }) => began >= since && began < until),
            since,
          );
      };
      // While none of them is over, one of them goes on, all are over.
      for (const now of [0, 240 * MINUTE, 300 * MINUTE]) await check(now);
    });
    const [empty] = await figuresOf(store, other, [HOURS], 0);
    assert.equal(empty?.all.calls, 0, 'of no other account');
  },

  async 'figures that are asked for while calls move are right when they have moved'({ store }) {
    const account = await newAccount(store);
    const spans = [HOURS, { since: 0, until: HOURS.until / 2 }];
    for (const status of ['ringing', 'answered', 'completed'] as const) {
      const asked: Promise<unknown>[] = [];
      const reported = Array.from({ length: 60 }, (_, n) => {
        asked.push(figuresOf(store, account, spans));
        return report(store, { account, id: `c${n}`, status, at: n * MINUTE, from: '110', callerId: '1001' });
      });
      await Promise.all([...reported, ...asked]);
      for (const { all } of await figuresOf(store, account, spans))
        assert.deepEqual(
          [all.calls, all.answered, all.talkedSeconds],
          [60, status === 'ringing' ? 0 : 60, 0],
          status,
        );
    }
  },

  async 'calls are deleted by age, with the figures of their days'({ store, account, other }) {
    for (const at of [1, 2, 30]) {
      await report(store, { account, id: `c${at}`, at, status: 'completed' });
      await report(store, { account: other, id: `c${at}`, at });
    }
    const counted = async (of: number) =>
      (await figuresOf(store, of, [{ since: 0, until: 50 }]))[0]?.all.calls;
    assert.deepEqual([await counted(account), await counted(account)], [3, 3]);
    assert.deepEqual([await store.calls.trim(30), await store.calls.trim(30)], [4, 0]);
    assert.deepEqual([await counted(account), await counted(other)], [1, 1]);
    assert.equal((await store.calls.get(account, 'c30'))?.startedAt, 30);
    assert.equal(await store.calls.get(account, 'c2'), undefined);
  },

  async 'extensions that answered are listed once, in their order'({ store, account, other }) {
    const answered = (of: number, id: string, callerId: string | null) =>
      report(store, { account: of, id, status: 'answered', callerId });
    for (const [n, extension] of ['1002', '1001', '1002', null].entries())
      await answered(account, `${n}`, extension);
    await answered(other, 'x', '9');
    assert.deepEqual(await store.calls.distinct(account, 'extensions', 9), ['1001', '1002']);
    assert.deepEqual(await store.calls.distinct(account, 'extensions', 1), ['1001']);
  },

  async 'what only some bridges send is kept with its call, counted and found by'({
    store,
    account,
    other,
    reopen,
  }) {
    const sales = { ...noExtras, numberCalled: '+49891234', line: 'PJSIP/provider' };
    const end = { where: 'queue', name: 'sales', by: 'caller', after: 4, at: 7_000 } as const;
    const unknown = { ...end, where: null, name: null, by: null, after: 55 };
    for (const [id, at, status, extras, callerId = null] of [
      ['missed', 1000, 'ringing', sales],
      ['missed', 8000, 'completed', { ...sales, missed: end }],
      ['answered', 2000, 'ringing', sales],
      ['answered', 3000, 'answered', undefined, '1001'],
      ['answered', 4000, 'completed', { ...noExtras, missed: end }, '1001'],
      ['later', 5000, 'ringing'],
      ['later', 60_000, 'completed', { ...noExtras, missed: unknown }],
      ['without', 6000, 'ringing'],
      ['without', 7000, 'completed'],
    ] as [string, number, CallStatus, CallExtras?, string?][])
      await report(store, { account, id, at, status, callerId, extras });
    const { calls, callers, reports } = await reopen();
    const extras = async (id: string) => (await calls.get(account, id))?.extras;
    assert.deepEqual(await extras('missed'), { ...sales, missed: end });
    assert.deepEqual(await extras('answered'), sales, 'an answered call did not end unanswered');
    assert.equal((await extras('later'))?.missed?.after, 55);
    assert.equal(await extras('without'), noExtras);
    assert.deepEqual(await calls.distinct(account, 'numbers called', 9), ['+49891234']);
    assert.deepEqual(await calls.distinct(other, 'numbers called', 9), []);
    for (const [filter, expected] of [
      [{ numberCalled: '+49891234' }, 'answered,missed'],
      [{ numberCalled: '+49891234', outcome: 'missed' }, 'missed'],
      [{ place: 'queue' }, 'missed'],
      [{ outcome: 'short' }, 'without,missed'], // exact where the bridge says it
    ] as const) {
      const query = {
        account,
        filter: { ...noFilter, ...filter },
        towards: 'older',
        from: null,
        limit: 9,
      } as const;
      const found = (await calls.page(query)).calls.map(({ id }) => id);
      assert.equal(found.join(), expected, JSON.stringify(filter));
    }
    const span = { since: 0, until: 900_000 };
    const [figures] = await Array.fromAsync(reports.figures(account, [span], 900_000));
    for (const [kind, expected] of [
      ['numbersCalled', [['+49891234', 2, 1, [4, 1]]]],
      [
        'places',
        [
          ['queue', 1, 1, [4, 1]],
          ['', 1, 1, [55, 1]],
        ],
      ],
    ] as const) {
      const groups = figures?.[kind] ?? [];
      assert.deepEqual(
        groups.map(([name, { all }]) => [name, all.calls, all.missed, all.gaveUp]),
        expected,
      );
      for (const [name, calls] of expected)
        assert.equal(
          (await callers.counts(account, span, { kind, name }))[0]?.calls,
          calls,
          `${kind} ${name}`,
        );
    }
  },
};

const figuresOf = (
  { reports }: Store,
  account: number,
  spans: { since: number; until: number }[],
  now = HOURS.until,
) => Array.fromAsync(reports.figures(account, spans, now));

const MINUTE = 60_000;
const HOURS = { since: 0, until: 300 * MINUTE };

const numbers = ['+4930901820', '+4930901821', '+31201234567', '110'];
const extensions = [null, '1001', '1002', "'; --"];

/** Events of some calls: in any order, again, without a ringing, without an end. */
const someEvents = fc.array(
  fc.record({
    id: fc.integer({ min: 0, max: 12 }).map((n) => `call-${n}`),
    status: fc.constantFrom<CallStatus>('ringing', 'answered', 'completed'),
    pause: fc.oneof(fc.constant(0), fc.integer({ max: 15 * MINUTE, min: 0 })),
    from: fc.constantFrom(...numbers),
    callerId: fc.constantFrom(...extensions),
  }),
  { maxLength: 40 },
);

/** Reports two lots of events to an account of their own; checks after each, and without the history. Newest first. */
async function property(
  store: Store,
  check: (account: number, calls: readonly ReportedCall[]) => Promise<void>,
) {
  await fc.assert(
    fc.asyncProperty(someEvents, someEvents, async (...lots) => {
      const account = await newAccount(store);
      let at = 0;
      let calls: ReportedCall[] = [];
      for (const lot of lots) {
        for (const { pause, ...event } of lot) {
          at += pause;
          await report(store, { account, ...event, at });
        }
        await store.openCalls(account, 1);
        calls = calledIn(await entries(store, account));
        await check(account, calls);
      }
      await store.requests.trim({ keep: 0 });
      await check(account, calls);
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
    customer({ reference: '8', name: 'Ben', numbers: ['+31201234567', '110'] }),
  ]);
  return id;
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

/** The calls that the history's requests report, newest first: counted again, from the texts only. */
function calledIn(history: readonly StoredRequest[]): ReportedCall[] {
  const calls = new Map<string, ReportedCall>();
  const rank = { ringing: 1, answered: 2, completed: 3 };
  for (const { at, request } of history.toSorted((a, b) => a.id - b.id)) {
    const { id, status, from, caller_id } = JSON.parse(request as string);
    const call = calls.get(id) ?? {
      id,
      began: at,
      number: from,
      extension: null,
      ringing: null,
      answered: null,
      completed: null,
      missed: false,
      spokenTo: false,
    };
    const reached = call.completed !== null ? 3 : call.answered !== null ? 2 : call.ringing !== null ? 1 : 0;
    if (rank[status as CallStatus] <= reached) continue;
    calls.set(id, call);
    call[status as CallStatus] = at;
    call.extension = caller_id ?? call.extension;
    if (status === 'answered' || (status === 'completed' && caller_id !== undefined)) call.spokenTo = true;
    if (status === 'completed') call.missed = !call.spokenTo;
  }
  // Of calls that began at the same time, the one that was reported last is the newest.
  return [...calls.values()].reverse().sort((a, b) => b.began - a.began);
}

const filters: CallFilter[] = [
  noFilter,
  { ...noFilter, number: { is: '+4930901820' } },
  { ...noFilter, search: { digits: '90182', words: [], extensions: [] } },
  { ...noFilter, search: { digits: '1', words: ['en'], extensions: ['1001', '%'] } },
  { ...noFilter, search: { digits: null, words: ['%'], extensions: [] } },
  { ...noFilter, search: { digits: null, words: [], extensions: [] } },
  { ...noFilter, customer: { is: '7' } },
  { ...noFilter, customer: { is: '8' } },
  { ...noFilter, customer: { is: '8' }, number: { is: '110' } },
  { ...noFilter, customer: { is: 'nobody' } },
  { ...noFilter, search: { digits: '110', words: ['ben'], extensions: ['1001'] } },
  { ...noFilter, search: { digits: null, words: ['ben'], extensions: [] }, customer: { is: '8' } },
  { ...noFilter, search: { digits: null, words: ['anna', 'ossl'], extensions: [] } },
  { ...noFilter, search: { digits: null, words: ['anna', 'ben'], extensions: ['1002'] } },
  { ...noFilter, segment: 'Gold' },
  { ...noFilter, integration: 1, segment: 'Gold', outcome: 'answered' },
  { ...noFilter, integration: 2 },
  { ...noFilter, extensions: ['1001'] },
  { ...noFilter, extensions: ["'; --"] },
  { ...noFilter, extensions: ['1002', '1001'] },
  { ...noFilter, extensions: [] },
  { ...noFilter, outcome: 'open' },
  { ...noFilter, outcome: 'answered' },
  { ...noFilter, outcome: 'missed' },
  { ...noFilter, outcome: 'short' },
  { ...noFilter, numberCalled: '110' },
  { ...noFilter, place: 'queue' },
  { ...noFilter, since: 20 * MINUTE, until: 40 * MINUTE },
  { ...noFilter, number: { is: '+4930901820' }, extensions: ['1002'], outcome: 'answered' },
  { ...noFilter, customer: { is: '8' }, outcome: 'open', since: MINUTE },
  { ...noFilter, search: { digits: '1', words: [], extensions: [] }, outcome: 'missed', until: 30 * MINUTE },
];

const names: Record<string, { reference: string; folded: string }> = {
  '+4930901820': { reference: '7', folded: 'anna ossl' },
  '+31201234567': { reference: '8', folded: 'ben' },
  '110': { reference: '8', folded: 'ben' },
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
export async function walk(
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
