import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { DeliveryResult } from './queue.ts';
import { createResultWriter } from './result-writer.ts';

const resultOf = (seq: number) => ({ seq }) as DeliveryResult;

test('of several results that the disk refuses together, each is retried by itself, and only one that is refused alone is logged', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const tried: number[][] = [];
  const refused: number[] = [];
  let refuses = (seqs: readonly number[]) => seqs.includes(2);
  const writer = createResultWriter({
    queue: {
      async record(batch) {
        const seqs = batch.map(({ seq }) => seq);
        tried.push(seqs);
        if (refuses(seqs)) throw new Error('refused');
        return [];
      },
    },
    onRecorded() {},
    onRefused: (_error, unrecorded) => refused.push(unrecorded),
  });

  for (const seq of [1, 2, 3]) writer.add(resultOf(seq));
  await turn();
  assert.deepEqual([tried, refused], [[[1], [2, 3]], []]);
  t.mock.timers.tick(0);
  await turn();
  assert.deepEqual([tried.slice(2), refused], [[[2], [3]], [2]]);
  assert.deepEqual([writer.recorded(), writer.unrecorded()], [2, 1]);

  refuses = () => false;
  t.mock.timers.tick(1_000);
  await turn();
  assert.deepEqual([tried.slice(4), writer.recorded(), writer.unrecorded()], [[[2]], 3, 0]);
});
