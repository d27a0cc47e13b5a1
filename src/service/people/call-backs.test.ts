import assert from 'node:assert/strict';
import { test } from 'node:test';
import { table } from '../../../test/table.ts';
import type { CallRecord } from '../calls/call-record.ts';
import { callBacks, missedCallers } from './call-backs.ts';
import type { CallerAction, MissedCall, MissedCaller } from './caller-store.ts';

const missed = (id: string, number: string, at: number, reachedAt?: number): MissedCall => ({
  call: {
    ...{ id, number, startedAt: at - 5, completedAt: at, priority: number.startsWith('9') ? 9 : null },
    customer: hers.includes(number) ? { reference: '7', name: 'Ann' } : null,
  } as CallRecord,
  reached: reachedAt === undefined ? null : { id: 'through', at: reachedAt, by: '1001' },
});
const did = (kind: CallerAction['kind'], at: number, number = '110'): CallerAction => ({
  ...{ kind, at, number, user: 'Ann', text: null },
});
/** The numbers of one customer. */
const hers = ['220', '221'];
/** Their callers, as the store gives them: the calls are oldest first. */
const callersOf = (calls: readonly MissedCall[]): MissedCaller[] => {
  const person = (number: string) => (hers.includes(number) ? 'Ann' : number);
  return [...Map.groupBy(calls, ({ call }) => call.number).values()].map((ofOne) => {
    const newest = ofOne.at(-1) as MissedCall;
    const spans = ofOne.map(({ call }) => ({
      ...{ since: call.startedAt, until: call.completedAt ?? 0, count: 1 },
    }));
    const answered = calls
      .filter(({ call }) => person(call.number) === person(newest.call.number))
      .flatMap(({ reached }) => (reached ? { began: reached.at, at: reached.at, by: reached.by } : []));
    return { call: newest.call, calls: spans.toReversed(), answered: answered.at(-1) ?? null };
  });
};
/** Each person in one line. */
const list = (calls: readonly MissedCall[], actions: readonly CallerAction[] = []) =>
  callBacks(callersOf(calls), actions).map(({ numbers, call, times, since, taken, closed }) =>
    [
      ...[numbers.join('+'), call.id, times > 1 && `×${times} since ${since}`],
      ...[taken && `taken by ${taken.user}`, closed?.how],
    ]
      .filter(Boolean)
      .join(' '),
  );

/** Calls as `a:110@10`, one that got through as `a:110@10>20`, and what colleagues did as `done@12`. */
const rows = table<[what: string, calls: string, actions: string, expected: string]>(`
  a person once, who waits longest first  | a:110@10 b:112@20 c:110@30   |                               | 110 c ×2 since 5, 112 b
  the highest priority first              | a:110@10 b:911@20 c:912@30   |                               | 911 b, 912 c, 110 a
  a customer with two numbers is one row  | a:220@10 b:110@20 c:221@30   |                               | 221+220 c ×2 since 5, 110 b
  answered on the other number            | a:220@10 b:221@20>30         |                               | 221+220 b ×2 since 5 reached
  missed on the other number after that   | a:220@10>15 b:221@30         |                               | 221+220 b
  taken and done by either number         | a:220@10 b:221@20            | taken@21:220 done@25:221      | 221+220 b ×2 since 5 done
  who got through is closed               | a:110@10>20                  |                               | 110 a reached
  missed again after that                 | a:110@10>20 b:110@30         |                               | 110 b
  taken                                   | a:110@10                     | taken@11                      | 110 a taken by Ann
  taken, and missed again: still hers     | a:110@10 b:110@20            | taken@11                      | 110 b ×2 since 5 taken by Ann
  released                                | a:110@10                     | taken@11 released@12          | 110 a
  done                                    | a:110@10                     | taken@11 done@12              | 110 a done
  missed again after Done: anew, by anybody | a:110@10 b:110@20          | taken@11 done@12              | 110 b
  undone                                  | a:110@10                     | done@12 reopened@13           | 110 a
  undone: still hers, however often Done was pressed | a:110@10          | taken@11 done@12 done@13 reopened@14 | 110 a taken by Ann
  undone: an earlier Done, for an earlier call, stays | a:110@10 b:110@20 | taken@11 done@12 done@25 reopened@26 | 110 b
  done twice                              | a:110@10                     | done@12 reopened@13 done@14   | 110 a done
  a note changes nothing                  | a:110@10                     | taken@11 note@12              | 110 a taken by Ann
  done, later through: it was done        | a:110@10>30                  | done@20                       | 110 a done
  through, and Done pressed after it: it was through | a:110@10>15       | done@20                       | 110 a reached
  of other numbers nothing counts         | a:110@10                     | done@12:112                   | 110 a
  a caller without a number cannot be called back | a:anonymous@10 b:@20 |                               |
`);
for (const [what, calls, actions, expected] of rows)
  test(what, () => {
    const ofCalls = calls.split(' ').map((text) => {
      const [id = '', number = '', at, reachedAt] = text.split(/[:@>]/);
      return missed(id, number, Number(at), reachedAt === undefined ? undefined : Number(reachedAt));
    });
    const ofActions = actions
      .split(' ')
      .filter(Boolean)
      .map((text) => {
        const [kind, at, number] = text.split(/[@:]/) as [CallerAction['kind'], string, string?];
        return did(kind, Number(at), number);
      });
    assert.equal(list(ofCalls, ofActions).join(', '), expected);
  });

const MINUTE = 60_000;
const missedAfter = (number: string, minutes: number, reachedAfter?: number): MissedCall =>
  missed('', number, minutes * MINUTE, reachedAfter && reachedAfter * MINUTE);
const action = (number: string, kind: CallerAction['kind'], minutes: number): CallerAction =>
  did(kind, minutes * MINUTE, number);
const numbers = ({ neverReached }: ReturnType<typeof missedCallers>) =>
  neverReached.map((calls) => [calls[0]?.number, calls.length]);

test('missed callers are never reached or called back, unless they called again; the time runs from the first missed call', () => {
  const found = missedCallers(
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

test('a caller who is missed again after being called back counts again; what was undone does not count', () => {
  const again = missedCallers(
    [missedAfter('+4920', 0), missedAfter('+4920', 60)],
    [action('+4920', 'done', 10)],
  );
  assert.deepEqual([again.calledBack, numbers(again)], [[600, 1], [['+4920', 1]]]);
  const undone = [action('+4920', 'done', 10), action('+4920', 'reopened', 11), action('+4920', 'done', 20)];
  assert.deepEqual(missedCallers([missedAfter('+4920', 0)], undone).calledBack, [1200, 1]);
  assert.deepEqual(numbers(missedCallers([missedAfter('+4920', 0)], undone.slice(0, 2))), [['+4920', 1]]);
  const pressedTwice = [action('+4920', 'done', 9), ...undone.slice(0, 2)];
  assert.deepEqual(numbers(missedCallers([missedAfter('+4920', 0)], pressedTwice)), [['+4920', 1]]);
});

test('a customer is called back, or called again, by whichever of the numbers', () => {
  const ofHers = (number: string, kind: CallerAction['kind'], minutes: number) => ({
    ...action(number, kind, minutes),
    customer: '7',
  });
  const both = [missedAfter('220', 0), missedAfter('221', 1)];
  for (const number of ['221', '222 of another week']) {
    const found = missedCallers(both, [ofHers(number, 'done', 10)]);
    assert.deepEqual([numbers(found), found.calledBack], [[], [600, 1]]);
  }
  assert.deepEqual(numbers(missedCallers(both, [ofHers('221', 'done', 10), ofHers('220', 'reopened', 11)])), [
    ['220', 2],
  ]);
  assert.deepEqual(numbers(missedCallers([missedAfter('112', 0)], [ofHers('221', 'done', 10)])), [
    ['112', 1],
  ]);
});
