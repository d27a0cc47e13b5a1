import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RecordSource } from './cdr-source.ts';
import { nextSince, possibleSince, readCheckpoint } from './checkpoint.ts';

const hour = 3_600_000;
const day = 24 * hour;
const now = 500_000 * hour;

test('calls are too old when the ledger forgets them: after two days or longer, in whole hours', () => {
  const since = (keepMs: number, pending: string[] = [], from = 0, late = 0) =>
    now - nextSince(from, { now: now + late, keepMs }, pending);
  assert.equal(since(0), 2 * day);
  assert.equal(since(5 * day), 5 * day);
  assert.equal(since(0, [], 0, hour - 1), 2 * day);
  assert.equal(since(0, [], 0, hour), 2 * day - hour);
  const before = (ms: number) => `${(now - ms) / 1_000}.1`;
  assert.equal(since(0, [before(day), before(3 * day)]), 3 * day, 'a pending call is kept');
  assert.equal(since(0, [], now - day), day, 'it never goes back');
});

test('a time in the future, which a clock that was ahead has left, is set back to two days ago', () => {
  assert.equal(possibleSince(now + hour + 1, now), now - 2 * day);
  assert.equal(
    possibleSince(now + hour, now),
    now + hour,
    'the clock was corrected by a little after the first start',
  );
  assert.equal(possibleSince(now - day, now), now - day);
});

test('a checkpoint counts for its own source alone', () => {
  const source = { name: 'a.csv', positionOf: (value: unknown) => (value === 7 ? 7 : undefined) };
  const read = (checkpoint: object | undefined) =>
    readCheckpoint(checkpoint && JSON.stringify(checkpoint), source as RecordSource<unknown>);
  const stored = { source: 'a.csv', since: 1, position: 7 };
  assert.deepEqual(read(stored), stored);
  assert.equal(read(undefined), undefined);
  assert.equal(read({ ...stored, source: 'b.csv' }), undefined);
  assert.equal(read({ ...stored, position: 8 }), undefined);
});
