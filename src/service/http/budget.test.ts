import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeBudget, makeSearches } from './budget.ts';

test('each has so many at a time, and again when they are returned, once', () => {
  const budget = makeBudget(2, 'streams');
  const [first] = [budget.take('a'), budget.take('a')];
  assert.throws(() => budget.take('a'), { statusCode: 429, message: /^Too many streams at a time \(2\)/ });
  budget.take('b');
  first();
  first();
  budget.take('a');
  assert.throws(() => budget.take('a'), { statusCode: 429 });
});

test('searches wait instead of being refused: two of an account at a time, its clients in turn, each account for itself', async () => {
  const search = makeSearches();
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const begin = (account: number, client: string) =>
    search(account, client, () => {
      begun.push(client);
      return new Promise<void>((end) => ends.push(end));
    });
  const all = Array.from({ length: 30 }, () => begin(1, 'flood'));
  all.push(begin(1, 'colleague'), begin(2, 'other account'));
  await Promise.resolve();
  assert.deepEqual(begun, ['flood', 'flood', 'other account']);
  for (let answered = 0; answered < all.length; answered += 1) {
    ends.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(all);
  assert.deepEqual(begun.slice(3, 6), ['flood', 'colleague', 'flood']);
});
