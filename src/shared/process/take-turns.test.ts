import assert from 'node:assert/strict';
import { test } from 'node:test';
import { takeTurns } from '../../service/people/customers-csv.ts';

test('others get a turn while several long works go on, one piece of which runs in a turn', async () => {
  let turns = 0;
  let over = false;
  const count = () => {
    turns += 1;
    if (!over) setImmediate(count);
  };
  setImmediate(count);
  let pieces = 0;
  const work = async () => {
    const turn = takeTurns();
    for (let n = 0; n < 20; n += 1) {
      for (const end = performance.now() + 5; performance.now() < end; );
      pieces += 1;
      await turn();
    }
  };
  await Promise.all([work(), work(), work()]);
  over = true;
  assert.ok(turns >= pieces - 3, `${turns} turns for ${pieces} pieces`);
});
