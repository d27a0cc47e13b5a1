import assert from 'node:assert/strict';
import { test } from 'node:test';
import { monotonicMs } from '../../shared/process/clock.ts';
import { sortWithPauses } from './event-loop-pauses.ts';

test('a list in descending order is sorted in turns, too: its runs are short', async () => {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  const slowly = (one: number) => {
    for (const until = monotonicMs() + 1; monotonicMs() < until; );
    return one;
  };
  const all = Array.from({ length: 16 }, (_, n) => 16 - n);
  setImmediate(count);
  const sorted = await sortWithPauses(all, slowly);
  isOver = true;
  assert.deepEqual(sorted, all.toReversed());
  assert.ok(turns >= 8, `${turns} turns`);
});
