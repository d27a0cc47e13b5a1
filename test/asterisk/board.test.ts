import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBoard } from './board.ts';

test('what does not happen is waited for 15 s; on a machine that is too busy 75 s, and that is said', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const board = createBoard();
  let busy: string | undefined;
  const wait = () => board.until('1001 rings', () => false, { tooBusy: () => busy });

  const first = assert.rejects(wait(), { message: 'waited 15 s in vain: 1001 rings' });
  t.mock.timers.tick(15_000);
  await first;

  busy = 'too busy: 9 for 2';
  const second = assert.rejects(wait(), { message: 'waited 75 s in vain: 1001 rings (too busy: 9 for 2)' });
  let ended = false;
  void second.then(() => {
    ended = true;
  });
  t.mock.timers.tick(15_000);
  t.mock.timers.tick(59_999);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(ended, false);
  t.mock.timers.tick(1);
  await second;
});
