import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PriorityAnswer } from './priority-answer.ts';
import { createPriorityCache } from './priority-cache.ts';

const found = { status: 'FOUND' } as PriorityAnswer;
const notFound = { status: 'NOTFOUND' } as PriorityAnswer;

for (const [answer, age, fresh, stale] of [
  [found, 99, found, found],
  [found, 100, undefined, found],
  [found, 1_000, undefined, undefined],
  [notFound, 9, notFound, undefined],
  [notFound, 10, undefined, undefined],
] as const) {
  test(`a ${answer.status} answer at the age of ${age} ms`, () => {
    let now = 5_000;
    const cache = createPriorityCache(
      { freshMs: 100, staleMs: 1_000, notFoundMs: 10, entries: 10 },
      () => now,
    );
    cache.set('1', answer);
    now += age;
    const answers = [cache.fresh('1'), cache.stale('1')];
    assert.deepEqual(
      answers.map((one) => one?.answer),
      [fresh, stale],
    );
    for (const one of answers) assert.ok(one === undefined || one.ageMs === age);
  });
}

test('beyond its size, the cache loses the number that was used the longest ago', () => {
  const cache = createPriorityCache({ freshMs: 100, staleMs: 1_000, notFoundMs: 10, entries: 2 }, () => 0);
  cache.set('1', found);
  cache.set('2', found);
  cache.fresh('1');
  cache.set('3', found);
  assert.deepEqual(
    ['1', '2', '3'].map((number) => cache.fresh(number)?.answer),
    [found, undefined, found],
  );
});
