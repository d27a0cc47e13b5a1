import assert from 'node:assert/strict';
import type { CallRecord, MissedPlace } from '../../src/service/calls/call-record.ts';
import { noFilter } from '../../src/service/calls/call-store.ts';
import { createScreens } from '../../src/service/calls/screens.ts';
import type { Store } from '../../src/service/database/store.ts';
import { createCallBackList } from '../../src/service/people/call-back-list.ts';
import { promisedBy } from '../../src/service/people/call-backs.ts';
import { MOST_TRIED } from '../../src/service/people/caller-action-store.ts';
import type { CallGroup } from '../../src/service/people/caller-call-store.ts';
import { customer } from '../../src/service/people/customer.fixture.ts';
import { report } from '../tools/service/recorded-request.ts';
import type { StoreTests } from './service-store-conformance.ts';

/** A call of this number that begins at `at`, is answered 1 ms later, if at all, and ends. */
async function call(
  store: Store,
  account: number,
  from: string,
  at: number,
  id: string,
  callerId: string | null = null,
) {
  await report(store, { account, id, at, from });
  if (callerId !== null) await report(store, { account, id, at: at + 1, from, status: 'answered', callerId });
  await report(store, { account, id, at: at + 2, from, status: 'completed' });
}

/** What is asked of every store about those who called. */
export const callerTests: StoreTests = {
  async 'callers are counted by their numbers, in all calls of a span or in those of a group'({
    store,
    account,
    other,
  }) {
    const ann = customer({ reference: '7', name: 'Ann', segment: 'Gold', numbers: ['+4930901820'] });
    await store.customers.putSegment(account, { name: 'Gold', priority: 5 });
    await store.customers.put(account, [ann]);
    await call(store, account, '+4930901820', 10, 'a', '1001');
    await call(store, account, '+4930901820', 20, 'b');
    await call(store, account, '110', 30, 'c', '1002');
    await call(store, account, '110', 40, 'd');
    await call(store, account, '110', 50, 'later');
    await call(store, other, '110', 10, 'theirs');
    const counts = async (of: CallGroup | null) =>
      (await store.callers.counts(account, { since: 10, until: 50 }, of))
        .map(({ number, customer, name, calls, missed }) => [number, customer, name, calls, missed].join(' '))
        .sort();
    const [gold, emergency] = ['+4930901820 7 Ann 2 1', '110   2 1'];
    assert.deepEqual(await counts(null), [gold, emergency]);
    assert.deepEqual(await counts({ kind: 'segments', name: 'Gold' }), [gold]);
    assert.deepEqual(await counts({ kind: 'segments', name: '' }), [emergency]);
    assert.deepEqual(await counts({ kind: 'extensions', name: '1002' }), ['110   1 0']);
    assert.deepEqual(await counts({ kind: 'integrations', name: '1' }), [gold, emergency]);
    assert.deepEqual(await counts({ kind: 'integrations', name: '2' }), []);
    const missed = async (of: CallGroup) =>
      (await store.callers.missed(account, { since: 0, until: 50 }, 9, of)).map(({ call }) => call.id);
    assert.deepEqual(await missed({ kind: 'segments', name: 'Gold' }), ['b']);
    assert.deepEqual(await missed({ kind: 'integrations', name: '1' }), ['b', 'd']);
    assert.deepEqual(await missed({ kind: 'extensions', name: '1001' }), []);
  },

  async 'notes of an account are listed newest first, page by page, of some numbers alone and since a time'({
    store,
    account,
    other,
  }) {
    const act = (of: number, number: string, at: number, text: string | null) =>
      store.callers.act(of, { number, at, user: 'Eve', kind: text === null ? 'taken' : 'note', text });
    await store.customers.put(account, [customer({ reference: '7', numbers: ['110', '112'] })]);
    await act(account, '110', 10, 'first');
    await act(account, '113', 10, 'stranger');
    await act(account, '112', 20, 'second');
    await act(account, '112', 30, null);
    await act(other, '110', 40, 'theirs');
    const query = { numbers: null, since: null, before: null, limit: 9 };
    const notes = async (change: Partial<Parameters<Store['callers']['notes']>[1]> = {}) =>
      (await store.callers.notes(account, { ...query, ...change })).map(
        ({ text, customer: who }) => `${text} ${who}`,
      );
    assert.deepEqual(await notes(), ['second 7', 'stranger null', 'first 7']);
    assert.deepEqual(await notes({ since: 11 }), ['second 7']);
    assert.deepEqual(await notes({ numbers: ['110', '112'] }), ['second 7', 'first 7']);
    assert.deepEqual(await notes({ numbers: [] }), []);
    const [, last] = await store.callers.notes(account, { ...query, limit: 2 });
    assert.ok(last);
    assert.deepEqual(await notes({ before: last }), ['first 7']);
  },

  async 'missed calls are listed by their end, newest kept, with the call in which the caller got through'({
    store,
    account,
    other,
  }) {
    await call(store, account, '110', 1, 'before', '1000');
    await call(store, account, '110', 10, 'first');
    await call(store, account, '112', 20, 'second');
    await call(store, account, '110', 30, 'third');
    await call(store, account, '110', 40, 'through', '1001');
    await call(store, account, '110', 50, 'again', '1002');
    await call(store, other, '110', 42, 'theirs');
    const missed = async (since: number, max: number) =>
      (await store.callers.missed(account, { since, until: 99 }, max)).map((each) => [
        each.call.id,
        each.reached,
      ]);
    const through = { id: 'through', at: 41, by: '1001' };
    const [first, second, third] = [
      ['first', through],
      ['second', null],
      ['third', through],
    ];
    assert.deepEqual(await missed(0, 9), [first, second, third]);
    assert.deepEqual(await missed(22, 9), [second, third]);
    assert.deepEqual(await missed(23, 9), [third]);
    assert.deepEqual(await missed(0, 1), [third]);
    await store.customers.put(account, [customer({ numbers: ['110', '112'] })]);
    assert.deepEqual(await missed(0, 9), [first, ['second', through], third], 'by another number');
  },

  async 'a missed caller has the newest call, all of the span, and what was answered last by either number of the customer'({
    store,
    account,
  }) {
    const missed = async (since: number, number?: string) =>
      (await store.callers.missedCallers(account, since, number)).callers
        .map((one) => [one.call.number, one.call.id, one.calls.length, one.answered])
        .sort();
    await call(store, account, '110', 10, 'a');
    await call(store, account, '110', 20, 'b', '1001');
    await call(store, account, '110', 30, 'c');
    await call(store, account, '112', 40, 'd');
    await call(store, account, '112', 50, 'e');
    await call(store, account, '113', 60, 'f', '1001');
    const before = [
      ['110', 'c', 2, { began: 20, at: 21, by: '1001' }],
      ['112', 'e', 2, null],
    ];
    assert.deepEqual(await missed(0), before);
    assert.deepEqual(await missed(0, '110'), before.slice(0, 1));
    assert.deepEqual(await missed(0, '113'), []);
    assert.deepEqual(await missed(52), [['112', 'e', 1, null]], 'by the end of a call');
    await call(store, account, '110', 70, 'g', '1002');
    await call(store, account, '110', 80, 'h', '1003');
    const last = { began: 80, at: 81, by: '1003' };
    assert.deepEqual(await missed(0, '110'), [['110', 'c', 2, last]]);
    await store.customers.put(account, [customer({ numbers: ['110', '112'] })]);
    assert.deepEqual(await missed(0, '112'), [['112', 'e', 2, last]]);
    const called = await store.callers.lastCalls(account, ['110', '113', '119']);
    assert.deepEqual(
      [...called].sort(),
      [
        ['110', 80],
        ['113', 60],
      ],
      'when each number called last',
    );
  },

  async 'who sent a fax, or was blocked, is not to be called back'({ store, account }) {
    const ends = async (id: string, from: string, at: number, where: MissedPlace) => {
      const missed = { where, name: null, by: null, after: 2, at: null };
      await report(store, { account, id, at, from });
      const extras = { numberCalled: null, line: null, missed };
      await report(store, { account, id, at: at + 2, from, status: 'completed', extras });
    };
    await ends('a', '110', 10, 'queue');
    await ends('b', '110', 20, 'fax');
    await ends('c', '112', 30, 'fax');
    await ends('d', '113', 40, 'blocked');
    const { callers } = store;
    const { callers: missed } = await callers.missedCallers(account, 0);
    assert.deepEqual(
      missed.map(({ call, calls }) => [call.id, calls.length]),
      [['a', 1]],
    );
    assert.deepEqual(await callers.missedAmong(account, 0, ['110', '112', '113']), ['110']);
    assert.deepEqual(await callers.missedAmong(account, 15, ['110']), []);
    const span = await callers.missed(account, { since: 0, until: 99 }, 9);
    assert.deepEqual(
      span.map(({ call }) => call.id),
      ['a'],
    );
  },

  async 'what users did about callers is found by time and by number'({
    store: { callers, customers },
    account,
    other,
  }) {
    const action = (
      number: string,
      at: number,
      kind: 'taken' | 'note' | 'done' | 'reopened',
      text: string | null = null,
    ) => ({
      number,
      at,
      user: 'Ann',
      kind,
      text,
      customer: null,
    });
    const all = [
      action('110', 10, 'taken'),
      action('112', 20, 'note', 'calls tomorrow'),
      action('110', 20, 'done'),
      action('110', 30, 'reopened'),
    ];
    for (const each of all) await callers.act(account, each);
    await callers.act(other, action('110', 99, 'done'));
    const found = (of: Parameters<typeof callers.actions>[1], limit = 9) =>
      callers.actions(account, of, limit).then((all) => all.map(({ id: _, ...action }) => action));
    assert.deepEqual(await found({ since: 0 }), all);
    assert.deepEqual(await found({ since: 20 }), all.slice(1));
    assert.deepEqual(await found({ since: 0, until: 30 }), all.slice(0, 3));
    assert.deepEqual(await found({ since: 0 }, 2), all.slice(2));
    assert.deepEqual(
      await found({ numbers: ['110'] }),
      all.filter(({ number }) => number === '110'),
    );
    assert.deepEqual(await found({ numbers: ['110'], until: 20 }), all.slice(0, 1));
    assert.deepEqual(await found({ numbers: ['112', '110', '119'] }, 3), all.slice(1));
    const [{ id } = { id: 0 }] = await callers.actions(account, { numbers: ['112'] }, 1);
    const note = { id, number: '112', at: 20, user: 'Ann' };
    const said = (await found({ numbers: ['112'] }))[0]?.text ?? '';
    const edit = (of: typeof note, read: string, text: string) =>
      callers.editNote(account, { ...of, read }, { by: 'Bob', text });
    assert.equal(await edit(note, 'what it said before', 'calls today'), false);
    assert.equal(await edit(note, said, 'calls\r\ntoday'), true);
    assert.equal(await edit(note, said, 'again'), false, 'it is Bob’s now');
    const his = { ...note, user: 'Bob' };
    assert.equal(await edit(his, said, 'again'), false, 'and says something else');
    assert.equal(await edit(his, 'calls\ntoday', 'calls today'), true);
    const [edited] = await found({ numbers: ['112'] });
    assert.deepEqual([edited?.at, edited?.user, edited?.text], [20, 'Bob', 'calls today']);
    const remove = (of: typeof note, read: string) => callers.removeNote(account, { ...of, read });
    assert.equal(await remove(note, 'calls today'), false);
    assert.equal(await remove(his, said), false, 'it says something else now');
    await customers.put(account, [customer({ reference: '7', numbers: ['112'] })]);
    assert.deepEqual(
      (await found({ since: 20 })).map((one) => one.customer),
      ['7', null, null],
    );
    assert.equal(await remove(his, 'calls today'), true);
    assert.deepEqual(await found({ numbers: ['112'] }), []);
  },

  async 'the newest note about each of some numbers since a time'({ store, account, other }) {
    const { callers } = store;
    const note = (number: string, at: number, of = account) =>
      callers.act(of, { number, at, user: 'Ann', kind: 'note', text: `${number} ${at}` });
    for (const at of [10, 20, 20]) await note('110', at);
    await note('112', 5);
    await note('119', 20);
    await note('110', 30, other);
    await callers.act(account, { number: '110', at: 25, user: 'Ann', kind: 'done', text: null });
    const newest = async (numbers: readonly string[]) =>
      (await callers.newestNotes(account, numbers, 10)).map(({ kind, text }) => [kind, text]);
    assert.deepEqual(await newest(['110', '112', '118']), [['note', '110 20']]);
    assert.deepEqual(await newest([]), []);
    const withoutTexts = await callers.actions(account, { since: 20, texts: false }, 9);
    assert.deepEqual(new Set(withoutTexts.map(({ text }) => text)), new Set([null]));
  },

  async 'the notes of some numbers in a span, and when they called'({ store, account, other }) {
    const { callers } = store;
    const note = (number: string, at: number, of = account) =>
      callers.act(of, { number, at, user: 'Ann', kind: 'note', text: `${number} ${at}` });
    for (const at of [10, 20, 30]) await note('110', at);
    await note('112', 20);
    await note('119', 20);
    await note('110', 20, other);
    await callers.act(account, { number: '110', at: 25, user: 'Ann', kind: 'done', text: null });
    const notes = async (since: number, until: number, limit = 9) => {
      const of = { numbers: ['110', '112'], since, before: { at: until, id: 0 }, limit };
      return (await callers.notes(account, of)).map(({ text }) => text);
    };
    assert.deepEqual(await notes(0, 31), ['110 30', '112 20', '110 20', '110 10']);
    assert.deepEqual(await notes(11, 30), ['112 20', '110 20']);
    assert.deepEqual(await notes(0, 31, 2), ['110 30', '112 20']);

    for (const [n, from] of ['110', '110', '112', '119'].entries())
      await report(store, {
        ...{ account, id: `c${n}`, status: 'completed', at: 100 + n, from },
        ...(n === 0 && { callerId: '1001' }),
      });
    const called = async (since: number, max = 9) =>
      (await callers.callTimes(account, ['110', '112'], since, max)).sort((a, b) => a.at - b.at);
    assert.deepEqual(await called(100), [
      { at: 100, missed: false },
      { at: 101, missed: true },
      { at: 102, missed: true },
    ]);
    assert.deepEqual(await called(102), [{ at: 102, missed: true }]);
    assert.equal((await called(0, 2)).length, 2);
  },

  async 'of two notes that one user writes in the same millisecond, one is edited, and one removed'({
    store: { callers },
    account,
    other,
  }) {
    const written = { number: '112', at: 20, user: 'Ann', kind: 'note' as const };
    for (const text of ['one', 'two', 'three']) await callers.act(account, { ...written, text });
    const notes = () => callers.actions(account, { numbers: ['112'] }, 9);
    const texts = async () => (await notes()).map(({ text }) => text);
    const [one, two] = await notes();
    assert.ok(one && two);
    const asRead = (note: typeof one) => ({ ...note, read: note.text ?? '' });
    const edit = (note: typeof one, text: string) =>
      callers.editNote(account, asRead(note), { by: 'Bob', text });
    const remove = (of: number, note: typeof one) => callers.removeNote(of, asRead(note));
    assert.equal(await edit(two, 'edited'), true);
    assert.deepEqual(await texts(), ['one', 'edited', 'three']);
    assert.equal(await remove(account, two), false, 'it is Bob’s now');
    assert.equal(await remove(other, one), false);
    assert.equal(await remove(account, one), true);
    assert.deepEqual(await texts(), ['edited', 'three']);
    // SQLite gives the id of the last row that is removed to the next one.
    const [, three] = await notes();
    assert.ok(three);
    assert.equal(await remove(account, three), true);
    await callers.act(account, { ...written, at: 21, text: 'four' });
    assert.equal(await remove(account, three), false);
    assert.deepEqual(await texts(), ['edited', 'four']);
  },

  async 'what a bridge has seen is stored once, by its id, with how long they talked'({
    store: { callers },
    account,
    other,
  }) {
    const seen = {
      number: '110',
      at: 5,
      user: '101',
      kind: 'talked',
      text: null,
      seconds: 130,
      report: 'pbx-1',
    } as const;
    const { seconds: _, ...unreached } = seen;
    const tried = { ...unreached, at: 4, kind: 'tried', report: 'pbx-0' } as const;
    assert.equal(await callers.hasReport(account, 'pbx-1'), false);
    for (const each of [tried, seen]) assert.equal(await callers.act(account, each), true);
    assert.equal(await callers.act(account, { ...seen, at: 6, seconds: 131 }), false, 'sent once more');
    assert.equal(await callers.hasReport(account, 'pbx-1'), true);
    assert.equal(await callers.hasReport(other, 'pbx-1'), false);
    assert.equal(await callers.act(other, seen), true, 'of another account');
    const stored = await callers.actions(account, { numbers: ['110'] }, 9);
    assert.deepEqual(
      stored.map(({ kind, at, user, seconds }) => [kind, at, user, seconds]),
      [
        ['tried', 4, '101', undefined],
        ['talked', 5, '101', 130],
      ],
    );

    const isTriedOut = async () =>
      [
        await callers.isTriedOut(account, '110', 4),
        await callers.isTriedOut(account, '110', 5),
        await callers.isTriedOut(account, '112', 4),
        await callers.isTriedOut(other, '110', 4),
      ].join();
    const again = (n: number) => callers.act(account, { ...tried, report: `again-${n}` });
    for (let n = 2; n < MOST_TRIED; n += 1) await again(n);
    assert.equal(await isTriedOut(), 'false,false,false,false');
    assert.equal(await again(MOST_TRIED), true);
    assert.equal(await isTriedOut(), 'true,false,false,false');
    assert.equal(await again(MOST_TRIED + 1), false, 'as if two processes had asked before');
    assert.equal(await callers.act(account, { ...tried, report: 'other', number: '113' }), true);
    assert.equal(
      await callers.act(account, { ...tried, report: 'talked', kind: 'talked', seconds: 5 }),
      true,
    );
  },

  async 'a try and a reminder are stored with when the person is called next; one that a bridge has seen has no such time'({
    store: { callers, customers },
    account,
  }) {
    const seen = { number: '110', at: 1, user: '101', kind: 'tried', text: null, report: 'pbx-2' } as const;
    const said = {
      number: '110',
      at: 2,
      user: 'Ann',
      kind: 'tried',
      text: null,
      due: 2_000_000_000_000,
    } as const;
    const asked = { ...said, at: 3, kind: 'remind', due: 4 } as const;
    for (const each of [seen, said, asked]) assert.equal(await callers.act(account, each), true);
    const stored = await callers.actions(account, { numbers: ['110'] }, 9);
    assert.deepEqual(
      stored.map(({ kind, due }) => [kind, due]),
      [
        ['tried', undefined],
        ['tried', 2_000_000_000_000],
        ['remind', 4],
      ],
    );
    const { actions } = await customers.promises(account, '110', 0);
    assert.equal(promisedBy(actions), 'Ann');
    assert.equal((await customers.whoCalls(account, '110', 0)).mayBeTaken, true);
  },

  async 'an action is stored only if it follows the newest about the person, if it says after which'({
    store: { callers, customers },
    account,
    other,
  }) {
    const taken = (number: string, user: string) =>
      ({ number, at: 5, user, kind: 'taken', text: null }) as const;
    assert.deepEqual(await callers.newestAction(account, '110'), { numbers: ['110'], id: 0, at: 0 });
    await callers.act(other, taken('110', 'Zoe'));
    assert.equal(await callers.act(account, taken('110', 'Ann'), 0), true, 'the first');
    assert.equal(await callers.act(account, taken('110', 'Bob'), 0), false);
    const { id, at } = await callers.newestAction(account, '110');
    assert.equal(at, 5);
    await customers.put(account, [customer({ reference: '7', numbers: ['110', '112'] })]);
    const newest = await callers.newestAction(account, '112');
    assert.deepEqual({ ...newest, numbers: newest.numbers.toSorted() }, { numbers: ['110', '112'], id, at });
    assert.equal(await callers.act(account, taken('112', 'Bob'), 0), false, 'not of the customer');
    assert.equal(await callers.act(account, taken('112', 'Bob'), id), true);
    assert.equal(await callers.act(account, taken('110', 'Cay'), id), false, 'by the other number');
    assert.equal(await callers.act(account, taken('110', 'Cay')), true, 'after whatever');
    const actions = await Promise.all(
      ['110', '112'].map((number) => callers.actions(account, { numbers: [number] }, 9)),
    );
    assert.deepEqual(
      actions.flat().map(({ user }) => user),
      ['Ann', 'Cay', 'Bob'],
    );
  },

  async 'a missed caller is to be called back once, however often the number calls; Done removes one'({
    store,
    account,
    other,
  }) {
    const list = createCallBackList(store.callers, createScreens(), () => NOW);
    const isRight = async (count: number, ...done: string[]) => {
      const open = (await list.read(account)).people.filter(({ closed }) => closed === null);
      const numbers = open.map(({ person }) => person);
      assert.equal(numbers.length, count);
      assert.deepEqual(numbers.toSorted(), (await unreached(store, account, done)).sort());
      list.readAgain(); // no process reports calls to its screens
      const screen = await list.onScreen(account);
      assert.deepEqual(
        [screen.count, screen.missed.map(({ person }) => person)],
        [count, numbers.slice(0, 50)],
        'screens have the first, and count all',
      );
      return open;
    };
    const miss = (of: number, number: string, at: number) =>
      call(store, of, number, START + at, `${number} ${at}`);
    await Promise.all(people(300).map((number, n) => miss(account, number, n * MINUTE)));
    await isRight(300);
    await Promise.all(Array.from({ length: 600 }, (_, n) => miss(account, robot, (400 + n) * MINUTE)));
    await Promise.all([...people(3), 'anonymous'].map((number) => miss(other, number, 9 * MINUTE)));
    await miss(account, 'anonymous', 2000 * MINUTE);
    await miss(account, '+4930777', -8 * DAY);
    const last = (await isRight(301)).at(-1);
    assert.deepEqual([last?.person, last?.call.startedAt, last?.times], [robot, START + 999 * MINUTE, 600]);
    const done = (number: string) =>
      list.act(account, { number, kind: 'done', at: NOW, user: 'Ann', text: null });
    await done(robot);
    await isRight(300, robot);
    const [called = '', answered = ''] = people(2);
    await done(called);
    await call(store, account, answered, START + 1100 * MINUTE, 'through', '1001');
    await isRight(298, robot, called);
    const [reached] = (await list.read(account, [answered])).people;
    assert.deepEqual([reached?.person, reached?.closed?.how], [answered, 'reached']);
    // More than are read in one go.
    const more = people(1000).slice(300);
    await Promise.all(more.map((number, n) => miss(account, number, (2000 + n) * MINUTE)));
    await isRight(998, robot, called);
    // A customer is one row, first by priority, closed by either number.
    const [a = '', b = ''] = more.slice(-2);
    await store.customers.putSegment(account, { name: 'Gold', priority: 5 });
    await store.customers.put(account, [customer({ segment: 'Gold', numbers: [a, b] })]);
    const [gold] = (await list.read(account)).people;
    assert.deepEqual([gold?.person, gold?.numbers, gold?.times], ['customer 1', [b, a], 2]);
    await call(store, account, a, START + 4000 * MINUTE, 'gold through', '1001');
    const [closed] = (await list.read(account, [a, b])).people;
    assert.deepEqual([closed?.person, closed?.closed?.how], ['customer 1', 'reached']);
  },

  async 'whom somebody has promised to call is listed until a week after that time'({
    store,
    account,
    other,
  }) {
    let now = START + 6 * DAY;
    const list = createCallBackList(store.callers, createScreens(), () => now);
    const act = (number: string, kind: 'remind' | 'tried' | 'done' | 'released', due?: number) =>
      list.act(
        account,
        { number, kind, at: now, user: 'Ann', text: null, ...(due && { due: START + due }) },
        'Ann',
      );
    const waiting = async (numbers?: readonly string[]) =>
      (await list.read(account, numbers)).people
        .map(({ numbers, due, times, closed }) =>
          [...numbers, due && (due - START) / DAY, times, closed?.how].join(' ').trim(),
        )
        .sort();
    const all = ['110', '112', '113', '119'];
    for (const number of all) await call(store, account, number, START, number);
    await call(store, other, '110', START, 'theirs');
    await act('110', 'remind', 8 * DAY);
    await act('112', 'tried', 8 * DAY);
    await act('113', 'remind', 6.5 * DAY);
    await act('118', 'remind', 8 * DAY);
    now = START + 7.5 * DAY;
    const three = ['110 8 1', '112 8 1', '113 6.5 1'];
    assert.deepEqual(await waiting(), three);
    assert.deepEqual(await waiting(all), three);
    assert.deepEqual(await waiting(['112']), ['112 8 1']);
    assert.equal((await list.onScreen(account)).count, 3);
    assert.equal((await list.waiting(other)).length, 0);
    now = START + 8.1 * DAY;
    await act('113', 'done');
    await act('112', 'released');
    await act('110', 'tried', 9 * DAY);
    now = START + 15.5 * DAY;
    assert.deepEqual(await waiting(), ['110 9 1'], 'after the first promise, by the second');
    await store.customers.put(account, [customer({ numbers: ['110', '117'] })]);
    await call(store, account, '117', now - DAY, 'again');
    assert.deepEqual(await waiting(['110', '117']), ['117 110 9 2']);
    assert.deepEqual(await waiting(), ['117 110 9 2']);
    now = START + 16.1 * DAY;
    assert.deepEqual(await waiting(), ['117  1']);
  },

  async 'the list of missed people ends with the oldest of a flood of calls, says so, and hides no customer who called last'({
    store,
    account,
  }) {
    const list = createCallBackList(store.callers, createScreens(), () => NOW);
    const miss = (number: string, at: number) =>
      report(store, { account, id: `${number} ${at}`, from: number, at: START + at, status: 'completed' });
    await Promise.all(people(6_200).map((number, n) => miss(number, n * MINUTE)));
    await Promise.all(Array.from({ length: 150 }, (_, n) => miss(robot, 6_200 * MINUTE + n)));
    await store.customers.put(account, [customer({ numbers: people(2).concat(people(6_200).slice(-1)) })]);
    const { people: all, more } = await list.read(account);
    assert.equal(more, true);
    assert.ok(all.length >= 4_000 && all.length < 6_000, `${all.length} people`);
    assert.deepEqual(
      all.map(({ since }) => since),
      all.map(({ since }) => since).toSorted((a, b) => a - b),
      'who waits longest is first, as ever',
    );
    assert.deepEqual(
      all.slice(-2).map(({ person, times }) => [person, times]),
      [
        ['customer 1', 1],
        [robot, 150],
      ],
    );
    const screen = await list.onScreen(account);
    assert.deepEqual([screen.missed.length, screen.count, screen.more], [50, all.length, true]);
    // Somebody whom the list has no room for is still found by number.
    const [first = ''] = people(1);
    assert.deepEqual(
      (await list.read(account, [first])).people.map(({ numbers }) => numbers),
      [[first]],
    );
  },
};

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const START = 1_800_000_000_000;
const NOW = START + 4 * DAY;
const robot = '+49309999999';
const people = (count: number) => Array.from({ length: count }, (_, n) => `+4930555${10_000 + n}`);

/** The numbers of missed calls of the last seven days that were not reached since: by the calls themselves. */
async function unreached(store: Store, account: number, done: readonly string[]): Promise<string[]> {
  const calls: CallRecord[] = [];
  let from = null;
  do {
    const page = { account, filter: noFilter, towards: 'older', from, limit: 500 } as const;
    const read = await store.calls.page(page);
    calls.push(...read.calls);
    from = read.next;
  } while (from !== null);
  const seen = new Set<string>(['', ...done]);
  return calls
    .filter(({ number, missed, completedAt }) => {
      if (seen.has(number)) return false;
      seen.add(number);
      return missed && (completedAt ?? 0) >= NOW - 7 * DAY;
    })
    .map(({ number }) => number);
}
