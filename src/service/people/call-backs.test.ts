import assert from 'node:assert/strict';
import { test } from 'node:test';
import { preciseMs } from '../../shared/process/clock.ts';
import type { CallRecord } from '../calls/call-record.ts';
import { actionsSince, callBacks, missedCallers, promisedBy, TOGETHER } from './call-backs.ts';
import type { CallerAction, StoredAction } from './caller-action-store.ts';
import type { MissedCall } from './caller-call-store.ts';
import type { CallerStore } from './caller-store.ts';
import type { MissedCaller } from './missed-caller-store.ts';

const missed = (id: string, number: string, at: number, reachedAt?: number): MissedCall => ({
  call: {
    id,
    number,
    startedAt: at - 5,
    completedAt: at,
    priority: number.startsWith('9') ? 9 : null,
    customer: hers.includes(number) ? { reference: '7', name: 'Ann' } : null,
  } as CallRecord,
  reached: reachedAt === undefined ? null : { id: 'through', at: reachedAt, by: '1001' },
});
const did = (kind: CallerAction['kind'], at: number, number = '110'): CallerAction => ({
  kind,
  at,
  number,
  user: 'Ann',
  text: null,
});
/** Of a user: a reminder at `due`, or a call that reached nobody, and is tried again then. */
const plans = (kind: 'remind' | 'tried', at: number, due: number, user = 'Ann'): CallerAction => ({
  ...did(kind, at),
  due,
  user,
});
/** The numbers of one customer. */
const hers = ['220', '221'];
/** Their callers, as the store gives them: the calls are oldest first. */
const callersOf = (calls: readonly MissedCall[]): MissedCaller[] => {
  const person = (number: string) => (hers.includes(number) ? 'Ann' : number);
  return [...Map.groupBy(calls, ({ call }) => call.number).values()].map((ofOne) => {
    const newest = ofOne.at(-1) as MissedCall;
    const spans = ofOne.map(({ call }) => ({
      since: call.startedAt,
      until: call.completedAt ?? 0,
      count: 1,
    }));
    const answered = calls
      .filter(({ call }) => person(call.number) === person(newest.call.number))
      .flatMap(({ reached }) => (reached ? { began: reached.at, at: reached.at, by: reached.by } : []));
    return { call: newest.call, calls: spans.toReversed(), answered: answered.at(-1) ?? null };
  });
};
/** What has a later time happened while the clock was ahead. */
const NOW = 1_000;
const isUser = (name: string) => name !== 'Zoe';
/** Each person; how many calls and since when only if there are several. */
const list = async (calls: readonly MissedCall[], actions: readonly CallerAction[] = []) =>
  (await callBacks(callersOf(calls), actions, isUser, NOW)).map(
    ({ numbers, call, times, since, taken, due, tried, closed }) => ({
      numbers,
      call: call.id,
      ...(times > 1 && { times, since }),
      ...(taken && { taken: taken.user }),
      ...(due !== null && { due }),
      ...(tried && { tried: [tried.times, tried.at] }),
      ...(closed && { closed: closed.how }),
    }),
  );

// biome-ignore format: one case a line
const cases: [name: string, calls: MissedCall[], actions: CallerAction[], expected: object[]][] = [
  ['a person once, who waits longest first',
    [missed('a', '110', 10), missed('b', '112', 20), missed('c', '110', 30)], [], [{ numbers: ['110'], call: 'c', times: 2, since: 5 }, { numbers: ['112'], call: 'b' }]],
  ['the highest priority first',
    [missed('a', '110', 10), missed('b', '911', 20), missed('c', '912', 30)], [], [{ numbers: ['911'], call: 'b' }, { numbers: ['912'], call: 'c' }, { numbers: ['110'], call: 'a' }]],
  ['a customer with two numbers is one row',
    [missed('a', '220', 10), missed('b', '110', 20), missed('c', '221', 30)], [], [{ numbers: ['221', '220'], call: 'c', times: 2, since: 5 }, { numbers: ['110'], call: 'b' }]],
  ['answered on the other number',
    [missed('a', '220', 10), missed('b', '221', 20, 30)], [], [{ numbers: ['221', '220'], call: 'b', times: 2, since: 5, closed: 'reached' }]],
  ['missed on the other number after that',
    [missed('a', '220', 10, 15), missed('b', '221', 30)], [], [{ numbers: ['221', '220'], call: 'b' }]],
  ['taken and done by either number',
    [missed('a', '220', 10), missed('b', '221', 20)], [did('taken', 21, '220'), did('done', 25, '221')], [{ numbers: ['221', '220'], call: 'b', times: 2, since: 5, closed: 'done' }]],
  ['done while the clock was ahead, missed then',
    [missed('a', '110', 2_000)], [did('done', 3_000)], [{ numbers: ['110'], call: 'a', closed: 'done' }]],
  ['done while the clock was ahead, and missed later',
    [missed('a', '110', 2_000), missed('b', '110', 990)], [did('done', 3_000)], [{ numbers: ['110'], call: 'b' }]],
  ['that one is done, too',
    [missed('a', '110', 2_000), missed('b', '110', 990)], [did('done', 995), did('done', 3_000)], [{ numbers: ['110'], call: 'b', times: 2, since: 985, closed: 'done' }]],
  ['through while the clock was ahead, and missed later',
    [missed('a', '110', 2_000, 3_000), missed('b', '110', 990)], [], [{ numbers: ['110'], call: 'b' }]],
  ['who got through is closed', [missed('a', '110', 10, 20)], [], [{ numbers: ['110'], call: 'a', closed: 'reached' }]],
  ['missed again after that', [missed('a', '110', 10, 20), missed('b', '110', 30)], [], [{ numbers: ['110'], call: 'b' }]],
  ['taken', [missed('a', '110', 10)], [did('taken', 11)], [{ numbers: ['110'], call: 'a', taken: 'Ann' }]],
  ['taken, and missed again: still hers',
    [missed('a', '110', 10), missed('b', '110', 20)], [did('taken', 11)], [{ numbers: ['110'], call: 'b', times: 2, since: 5, taken: 'Ann' }]],
  ['released', [missed('a', '110', 10)], [did('taken', 11), did('released', 12)], [{ numbers: ['110'], call: 'a' }]],
  ['done', [missed('a', '110', 10)], [did('taken', 11), did('done', 12)], [{ numbers: ['110'], call: 'a', closed: 'done' }]],
  ['missed again after Done: listed again, by anybody',
    [missed('a', '110', 10), missed('b', '110', 20)], [did('taken', 11), did('done', 12)], [{ numbers: ['110'], call: 'b' }]],
  ['undone', [missed('a', '110', 10)], [did('done', 12), did('reopened', 13)], [{ numbers: ['110'], call: 'a' }]],
  ['undone: still hers, however often Done was pressed',
    [missed('a', '110', 10)], [did('taken', 11), did('done', 12), did('done', 13), did('reopened', 14)], [{ numbers: ['110'], call: 'a', taken: 'Ann' }]],
  ['undone: an earlier Done, for an earlier call, stays',
    [missed('a', '110', 10), missed('b', '110', 20)], [did('taken', 11), did('done', 12), did('done', 25), did('reopened', 26)], [{ numbers: ['110'], call: 'b' }]],
  ['done twice',
    [missed('a', '110', 10)], [did('done', 12), did('reopened', 13), did('done', 14)], [{ numbers: ['110'], call: 'a', closed: 'done' }]],
  ['a note changes nothing',
    [missed('a', '110', 10)], [did('taken', 11), did('note', 12)], [{ numbers: ['110'], call: 'a', taken: 'Ann' }]],
  ['done, later through: it was done', [missed('a', '110', 10, 30)], [did('done', 20)], [{ numbers: ['110'], call: 'a', closed: 'done' }]],
  ['through, and Done pressed after it: it was through',
    [missed('a', '110', 10, 15)], [did('done', 20)], [{ numbers: ['110'], call: 'a', closed: 'reached' }]],
  ['a bridge has seen that somebody called back', [missed('a', '110', 10)], [did('taken', 11), did('talked', 12)], [{ numbers: ['110'], call: 'a', closed: 'talked' }]],
  ['missed again after that: listed again, by anybody',
    [missed('a', '110', 10), missed('b', '110', 20)], [did('taken', 11), did('talked', 12)], [{ numbers: ['110'], call: 'b' }]],
  ['missed while a colleague talked with somebody there',
    [missed('a', '110', 10_000), missed('b', '110', 40_000)], [{ ...did('talked', 50_000), seconds: 30 }], [{ numbers: ['110'], call: 'b' }]],
  ['it was a mailbox, and that was undone', [missed('a', '110', 10)], [did('talked', 12), did('reopened', 13)], [{ numbers: ['110'], call: 'a' }]],
  ['called and not reached, twice: still hers',
    [missed('a', '110', 10)], [did('taken', 11), did('tried', 12), did('tried', 13)], [{ numbers: ['110'], call: 'a', taken: 'Ann', tried: [2, 13] }]],
  ['not reached, and later reached', [missed('a', '110', 10)], [did('tried', 12), did('talked', 13)], [{ numbers: ['110'], call: 'a', closed: 'talked' }]],
  ['not reached before the last Done does not count',
    [missed('a', '110', 10), missed('b', '110', 20)], [did('tried', 12), did('done', 13)], [{ numbers: ['110'], call: 'b' }]],
  ['to be reminded: hers until then',
    [missed('a', '110', 10)], [plans('remind', 11, 90)], [{ numbers: ['110'], call: 'a', taken: 'Ann', due: 90 }]],
  ['a later reminder counts', [missed('a', '110', 10)], [did('taken', 11), plans('remind', 12, 90), plans('remind', 13, 60)],
    [{ numbers: ['110'], call: 'a', taken: 'Ann', due: 60 }]],
  ['she did not reach them, and tries again',
    [missed('a', '110', 10)], [did('taken', 11), plans('tried', 12, 90)], [{ numbers: ['110'], call: 'a', taken: 'Ann', due: 90, tried: [1, 12] }]],
  ['that a bridge has seen it, too, is one try',
    [missed('a', '110', 10)], [did('taken', 11), did('tried', 12), plans('tried', 13, 90)], [{ numbers: ['110'], call: 'a', taken: 'Ann', due: 90, tried: [1, 12] }]],
  ['a bridge has seen a try before the next one is due',
    [missed('a', '110', 10)], [plans('remind', 11, 90), did('tried', 89)], [{ numbers: ['110'], call: 'a', taken: 'Ann', due: 90, tried: [1, 89] }]],
  ['a bridge has seen the one that was due',
    [missed('a', '110', 10)], [plans('remind', 11, 90), did('tried', 90)], [{ numbers: ['110'], call: 'a', taken: 'Ann', tried: [1, 90] }]],
  ['taken over: the reminder was of the one before',
    [missed('a', '110', 10)], [plans('remind', 11, 90), plans('tried', 12, 80, 'Bea'), { ...did('taken', 13), user: 'Cay' }],
    [{ numbers: ['110'], call: 'a', taken: 'Cay', tried: [1, 12] }]],
  ['released with the reminder',
    [missed('a', '110', 10)], [plans('remind', 11, 90), did('released', 12)], [{ numbers: ['110'], call: 'a' }]],
  ['done, and undone: the reminder is back',
    [missed('a', '110', 10)], [plans('remind', 11, 90), did('done', 12), did('reopened', 13)], [{ numbers: ['110'], call: 'a', taken: 'Ann', due: 90 }]],
  ['missed again: the reminder stays',
    [missed('a', '110', 10), missed('b', '110', 20)], [plans('remind', 11, 90)], [{ numbers: ['110'], call: 'b', times: 2, since: 5, taken: 'Ann', due: 90 }]],
  ['missed again after Done: no reminder of before',
    [missed('a', '110', 10), missed('b', '110', 20)], [plans('tried', 11, 90), did('done', 12)], [{ numbers: ['110'], call: 'b' }]],
  ['the user has left: nobody is reminded',
    [missed('a', '110', 10)], [plans('remind', 11, 90, 'Zoe')], [{ numbers: ['110'], call: 'a' }]],
  ['of other numbers nothing counts', [missed('a', '110', 10)], [did('done', 12, '112')], [{ numbers: ['110'], call: 'a' }]],
  ['a caller without a number cannot be called back', [missed('a', 'anonymous', 10), missed('b', '', 20), missed('c', '+86282452253', 30)], [], []],
];
for (const [name, calls, actions, expected] of cases)
  test(name, async () => assert.deepEqual(await list(calls, actions), expected));

const MINUTE = 60_000;

test('a try that a user and a bridge report within five minutes is one, by any number of the customer', async () => {
  const seen = (minutes: number) => ({ ...did('tried', minutes * MINUTE, '221'), user: '101' });
  const said = (minutes: number) => ({ ...plans('tried', minutes * MINUTE, nextWeek), number: '220' });
  const calls = [missed('a', '220', 10), missed('b', '221', 20)];
  const triesOf = async (...actions: CallerAction[]) => (await list(calls, actions))[0]?.tried;
  assert.deepEqual(await triesOf(said(5), seen(10), said(15)), [1, 10 * MINUTE]);
  assert.deepEqual(await triesOf(said(4), seen(10), said(16)), [3, 16 * MINUTE]);
  assert.deepEqual(await triesOf(seen(1), said(6), said(7), seen(13), said(14)), [3, 13 * MINUTE]);
});

test('counting the tries of a person takes one pass, however many users and bridges report', async () => {
  let reads = 0;
  const counted = (action: CallerAction): CallerAction => ({
    ...action,
    get at() {
      reads += 1;
      return action.at;
    },
  });
  const tries = Array.from({ length: 1_000 }, (_, n) => did('tried', 20 + n));
  const said = Array.from({ length: 1_000 }, (_, n) => plans('tried', nextWeek + n, 2 * nextWeek));
  const [one] = await list([missed('a', '110', 10)], [...tries, ...said].map(counted));
  assert.deepEqual(one?.tried, [2_000, nextWeek + 999]);
  assert.ok(reads < 40 * 2_000, `${reads} reads`);
});

/** Turns of the event loop while something works. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await work();
  isOver = true;
  return turns;
}

test('a list of many people or actions is made in turns, so that other requests are answered', async () => {
  const slowly = <T extends object>(one: T, name: keyof T): T => {
    const value = one[name];
    return Object.defineProperty({ ...one }, name, {
      get() {
        for (const until = preciseMs() + 0.06; preciseMs() < until; );
        return value;
      },
    });
  };
  const actions = Array.from({ length: 1_000 }, (_, n) => slowly(did('note', 20 + n), 'number'));
  const one = callersOf([missed('a', '110', 10)]);
  const ofActions = await turnsDuring(() => callBacks(one, actions));
  assert.ok(ofActions >= 8, `${ofActions} turns for the actions`);

  const people = Array.from({ length: 1_000 }, (_, n) => missed('a', `${1_000 + n}`, 10));
  const callers = people.flatMap((call) => callersOf([call])).map((caller) => slowly(caller, 'answered'));
  const ofPeople = await turnsDuring(() => callBacks(callers, []));
  assert.ok(ofPeople >= 8, `${ofPeople} turns for the people`);
});

const nextWeek = 7 * 24 * 60 * MINUTE;
const later = (calls: readonly MissedCall[], actions: readonly CallerAction[]) =>
  missedCallers(calls, actions, nextWeek);
const missedAfter = (number: string, minutes: number, reachedAfter?: number): MissedCall =>
  missed('', number, minutes * MINUTE, reachedAfter && reachedAfter * MINUTE);
const action = (number: string, kind: CallerAction['kind'], minutes: number): CallerAction =>
  did(kind, minutes * MINUTE, number);
const numbers = ({ neverReached }: Awaited<ReturnType<typeof missedCallers>>) =>
  neverReached.map((calls) => [calls[0]?.number, calls.length]);

test('all that was done since a time is read in pieces, without notes and their texts', async () => {
  const all = Array.from({ length: 2 * TOGETHER + 10 }, (_, n) => did(n % 3 === 0 ? 'taken' : 'note', n));
  const asked: unknown[] = [];
  const read = async (ofAll: readonly CallerAction[], numbers?: readonly string[]) => {
    const actions: CallerStore['actions'] = async (_account, { until = 0, texts, numbers }, max) => {
      asked.push([texts, numbers]);
      return ofAll.filter(({ at }) => at < until).slice(-max) as StoredAction[];
    };
    return (await actionsSince({ actions }, 1, 0, numbers)).map(({ kind, at }) => [kind, at]);
  };
  const taken = all.flatMap(({ kind, at }) => (kind === 'taken' ? [[kind, at]] : []));
  assert.deepEqual(await read(all), taken);
  assert.deepEqual(await read(all, ['110']), taken, 'of a number with many notes');
  assert.deepEqual(
    [...new Set(asked.map((one) => JSON.stringify(one)))],
    ['[false,null]', '[false,["110"]]'],
  );
  const atOnce = all.map((one) => ({ ...one, at: 7 }));
  assert.deepEqual((await read([did('done', 1), ...atOnce])).length, 1 + taken.length, 'at one moment');
});

test('missed callers are never reached or called back, unless they called again; the time runs from the first missed call', async () => {
  const found = await later(
    [
      missedAfter('+491', 0),
      missedAfter('+4920', 1),
      missedAfter('+4920', 2),
      missedAfter('+4930', 3, 9),
      missedAfter('+491', 4),
      missedAfter('anonymous', 5),
    ],
    [action('+4920', 'taken', 3), action('+4920', 'done', 31)],
  );
  assert.deepEqual(numbers(found), [['+491', 2]]);
  assert.deepEqual(found.calledBack, [30 * 60, 1]);
});

test('a caller who is missed again after being called back counts again; what was undone does not count', async () => {
  const again = await later(
    [missedAfter('+4920', 0), missedAfter('+4920', 60)],
    [action('+4920', 'done', 10)],
  );
  assert.deepEqual([again.calledBack, numbers(again)], [[600, 1], [['+4920', 1]]]);
  const undone = [action('+4920', 'done', 10), action('+4920', 'reopened', 11), action('+4920', 'done', 20)];
  assert.deepEqual((await later([missedAfter('+4920', 0)], undone)).calledBack, [1200, 1]);
  assert.deepEqual(numbers(await later([missedAfter('+4920', 0)], undone.slice(0, 2))), [['+4920', 1]]);
  const seen = [action('+4920', 'tried', 5), action('+4920', 'talked', 10)];
  assert.deepEqual((await later([missedAfter('+4920', 0)], seen)).calledBack, [600, 1]);
  const talked = [{ ...action('+4920', 'talked', 10), seconds: 300 }];
  const meanwhile = await later([missedAfter('+4920', 0), missedAfter('+4920', 7)], talked);
  assert.deepEqual([meanwhile.calledBack, numbers(meanwhile)], [[300, 1], [['+4920', 1]]]);
  const pressedTwice = [action('+4920', 'done', 9), ...undone.slice(0, 2)];
  assert.deepEqual(numbers(await later([missedAfter('+4920', 0)], pressedTwice)), [['+4920', 1]]);
});

test('who has waited for less than a day is not yet one who was never reached', async () => {
  const day = 24 * 60 * MINUTE;
  const calls = [missedAfter('+491', 0), missedAfter('+4920', 1), missedAfter('+491', 30)];
  const at = async (now: number) => {
    const found = await missedCallers(calls, [], now);
    return [numbers(found), found.stillWaiting];
  };
  assert.deepEqual(await at(day - 1), [[], 2]);
  assert.deepEqual(await at(day), [[['+491', 2]], 1], 'missed again in the meantime');
  assert.deepEqual(await at(day + MINUTE), [
    [
      ['+491', 2],
      ['+4920', 1],
    ],
    0,
  ]);
});

test('a customer is called back, or called again, by whichever of the numbers', async () => {
  const ofHers = (number: string, kind: CallerAction['kind'], minutes: number) => ({
    ...action(number, kind, minutes),
    customer: '7',
  });
  const both = [missedAfter('220', 0), missedAfter('221', 1)];
  for (const number of ['221', '222 of another week']) {
    const found = await later(both, [ofHers(number, 'done', 10)]);
    assert.deepEqual([numbers(found), found.calledBack], [[], [600, 1]]);
  }
  assert.deepEqual(numbers(await later(both, [ofHers('221', 'done', 10), ofHers('220', 'reopened', 11)])), [
    ['220', 2],
  ]);
  assert.deepEqual(numbers(await later([missedAfter('112', 0)], [ofHers('221', 'done', 10)])), [['112', 1]]);
});

test('a promise ends with Done and comes back with its Undo, but not that of an earlier one', () => {
  const by = (...actions: string[]) =>
    promisedBy(
      actions.map((action) => {
        const [user = '', kind, due] = action.split(' ');
        return { user, kind: kind as 'taken', due: due === undefined ? null : Number(due) };
      }),
    );
  assert.equal(by('Anna taken'), 'Anna');
  assert.equal(by('Anna taken', 'Ben taken', 'Anna note'), 'Ben');
  assert.equal(by('Anna taken', 'Anna released'), undefined);
  assert.equal(by('Anna taken', 'Ben done'), undefined);
  assert.equal(by('Anna taken', '1001 talked'), undefined);
  assert.equal(by('Anna taken', '1001 talked', 'Anna reopened'), 'Anna');
  assert.equal(by('Anna taken', '1001 tried'), 'Anna', 'a bridge has seen that nobody was reached');
  assert.equal(by('Anna tried 90'), 'Anna');
  assert.equal(by('Anna taken', 'Ben remind 90'), 'Ben');
  assert.equal(by('Anna taken', 'Anna done', 'Anna reopened'), 'Anna');
  assert.equal(by('Anna taken', 'Anna done', 'Ben done', 'Ben reopened'), undefined);
  assert.equal(by('Anna taken', '101 tried'), 'Anna', 'who was not reached is still to be called');
  assert.equal(by('Anna taken', '101 talked'), undefined);
  assert.equal(by('Anna taken', '101 talked', 'Anna reopened'), 'Anna');
});
