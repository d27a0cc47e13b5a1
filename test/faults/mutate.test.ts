import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '../../src/ami/player/seeded-random.ts';
import { mutate } from './mutate.ts';

test('a mutation never gives the same bytes back', () => {
  const random = seededRandom(1);
  for (const size of [1, 100, 10_000])
    for (let n = 0; n < 200; n += 1) {
      const original = Buffer.alloc(size, n);
      const { what, bytes } = mutate(original, random);
      assert.ok(!bytes.equals(original), what);
    }
});

test('an empty file is refused, not tried for ever', () => {
  assert.throws(() => mutate(Buffer.alloc(0), seededRandom(1)), /nothing to damage in an empty file/);
});
