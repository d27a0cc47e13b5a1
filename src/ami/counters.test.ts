import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countIgnored, createCounters, otherNames } from './counters.ts';

test('ignored events are counted by name, and not more names than a limit', () => {
  const counters = createCounters();
  for (let round = 0; round < 2; round++) {
    for (let index = 0; index < 1000; index++) countIgnored(counters, `Event${index}`);
  }
  assert.equal(counters.ignored.get('Event0'), 2);
  assert.equal(counters.ignored.size, 201);
  assert.equal(counters.ignored.get(otherNames), 1600);
});
