import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeBudget } from './budget.ts';

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
