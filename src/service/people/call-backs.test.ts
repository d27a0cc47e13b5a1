import assert from 'node:assert/strict';
import { test } from 'node:test';
import { table } from '../../../test/table.ts';
import { type CallRecord, noExtras } from '../calls/call-record.ts';
import { makeScreens } from '../calls/screens.ts';
import { callBacks, makeCallBackList, missedCallers } from './call-backs.ts';
import type { CallerAction, CallerStore, MissedCall, MissedCaller } from './caller-store.ts';

const missed = (id: string, number: string, at: number, reachedAt?: number): MissedCall => ({
  call: { id, number, startedAt: at - 5, completedAt: at } as CallRecord,
  reached: reachedAt === undefined ? null : { id: 'through', at: reachedAt, by: '1001' },
});
const did = (kind: CallerAction['kind'], at: number, number = '110'): CallerAction => ({
  ...{ kind, at, number, user: 'Ann', text: null },
});
/** Their callers, as the store gives them: the calls are oldest first. */
const callersOf = (calls: readonly MissedCall[]): MissedCaller[] =>
  [...Map.groupBy(calls, ({ call }) => call.number).values()].map((ofOne) => {
    const newest = ofOne.at(-1) as MissedCall;
    const spans = ofOne.map(({ call }) => ({ since: call.startedAt, until: call.completedAt ?? 0 }));
    const answered = ofOne.flatMap(({ reached }) => reached?.at ?? []);
    return { ...newest, calls: spans.toReversed(), answeredAt: answered.at(-1) ?? null };
  });
/** Each caller in one line. */
const list = (calls: readonly MissedCall[], actions: readonly CallerAction[] = []) =>
  callBacks(callersOf(calls), actions).map(({ number, call, times, since, taken, closed }) =>
    [
      ...[number, call.id, times > 1 && `×${times} since ${since}`],
      ...[taken && `taken by ${taken.user}`, closed?.how],
    ]
      .filter(Boolean)
      .join(' '),
  );

/** Calls as `a:110@10`, one that got through as `a:110@10>20`, and what colleagues did as `done@12`. */
const rows = table<[what: string, calls: string, actions: string, expected: string]>(`
  a caller once, newest first             | a:110@10 b:112@20 c:110@30   |                               | 110 c ×2 since 5, 112 b
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

test('a call that is missed while the list is read is in the list that screens get', async () => {
  const ended = (id: string, number: string) =>
    ({
      ...{ id, number, from: number, status: 'completed', missed: true, startedAt: 1, completedAt: 2 },
      ...{ callerId: null, customer: null, segment: null, priority: null, integration: 1, extras: noExtras },
    }) as CallRecord;
  const screens = makeScreens();
  const frames: string[] = [];
  screens.subscribe({ account: 1, user: 1 } as never, (frame) => void frames.push(frame));
  const calls = [ended('old', '110')];
  let reads = 0;
  const callers = {
    async missedCallers() {
      const seen = calls.map((call) => ({
        call,
        reached: null,
        answeredAt: null,
        calls: [{ since: 1, until: 2 }],
      }));
      reads += 1;
      if (reads === 1) {
        calls.push(ended('new', '112'));
        screens.publish(1, ended('new', '112'));
      }
      return seen;
    },
    actions: async () => [],
  };
  await makeCallBackList(callers as unknown as CallerStore, screens, () => 3).publish(1);
  const [last = ''] = frames.filter((frame) => frame.startsWith('event: missed'));
  assert.match(last, /"id":"new"/);
  assert.match(last, /"id":"old"/);
  assert.deepEqual([reads, frames.length], [2, 2]);
});

const MINUTE = 60_000;
const missedAfter = (number: string, minutes: number, reachedAfter?: number): MissedCall =>
  missed('', number, minutes * MINUTE, reachedAfter && reachedAfter * MINUTE);
const action = (number: string, kind: CallerAction['kind'], minutes: number): CallerAction =>
  did(kind, minutes * MINUTE, number);
const numbers = ({ neverReached }: ReturnType<typeof missedCallers>) =>
  neverReached.map((calls) => [calls[0]?.number, calls.length]);

test('missed callers are never reached, called back or called again; the time runs from the first missed call', () => {
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
  assert.equal(found.calledAgain, 1);
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
