import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextPace, type Pace, type PaceEvent } from './poll-pace.ts';

const after = (...events: PaceEvent[]) => events.reduce<Pace>(nextPace, 'waiting');

test('what moves while a poll waits makes it read soon, once', () => {
  assert.equal(after('woken'), 'soon');
  assert.equal(after('woken', 'woken'), 'soon');
  assert.equal(after('woken', 'due'), 'reading');
  assert.equal(after('woken', 'due', 'read'), 'waiting');
});

test('what moves during a read is read soon after it', () => {
  assert.equal(after('due', 'woken', 'woken'), 'reading again');
  assert.equal(after('due', 'woken', 'read'), 'soon');
  assert.equal(after('due', 'woken', 'read', 'woken', 'due'), 'reading');
});

test('a poll that was stopped stays so, also when its last read ends', () => {
  for (const event of ['woken', 'due', 'read'] as const) assert.equal(nextPace('stopped', event), 'stopped');
});
