import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallRecord } from '../calls/call-record.ts';
import { missedCallers } from './call-backs.ts';
import type { CallerAction, MissedCall } from './caller-store.ts';

const MINUTE = 60_000;
/** Minutes. */
const missed = (number: string, at: number, reachedAt: number | null = null): MissedCall => ({
  call: { number, startedAt: at * MINUTE, completedAt: at * MINUTE } as CallRecord,
  reached: reachedAt === null ? null : { id: 'later', at: reachedAt * MINUTE, by: '1001' },
});
const action = (number: string, kind: CallerAction['kind'], at: number): CallerAction => ({
  ...{ number, kind, at: at * MINUTE, user: 'Jana', text: null },
});
const numbers = ({ neverReached }: ReturnType<typeof missedCallers>) =>
  neverReached.map((calls) => [calls[0]?.number, calls.length]);

test('missed callers are never reached, called back or called again; the time runs from the first missed call', () => {
  const found = missedCallers(
    [
      missed('+491', 0),
      missed('+4920', 1),
      missed('+4920', 2),
      missed('+4930', 3, 9),
      missed('+491', 4),
      missed('anonymous', 5),
    ],
    [action('+4920', 'taken', 3), action('+4920', 'done', 31)],
  );
  assert.deepEqual(numbers(found), [['+491', 2]]);
  assert.deepEqual(found.calledBack, [30 * 60, 1]);
  assert.equal(found.calledAgain, 1);
});

test('a caller who is missed again after being called back counts again; what was undone does not count', () => {
  const again = missedCallers([missed('+4920', 0), missed('+4920', 60)], [action('+4920', 'done', 10)]);
  assert.deepEqual([again.calledBack, numbers(again)], [[600, 1], [['+4920', 1]]]);
  const undone = [action('+4920', 'done', 10), action('+4920', 'reopened', 11), action('+4920', 'done', 20)];
  assert.deepEqual(missedCallers([missed('+4920', 0)], undone).calledBack, [1200, 1]);
  assert.deepEqual(numbers(missedCallers([missed('+4920', 0)], undone.slice(0, 2))), [['+4920', 1]]);
  const pressedTwice = [action('+4920', 'done', 9), ...undone.slice(0, 2)];
  assert.deepEqual(numbers(missedCallers([missed('+4920', 0)], pressedTwice)), [['+4920', 1]]);
});
