import assert from 'node:assert/strict';
import { test } from 'node:test';
import { batchOf, newEvent, opened, temporaryFolder } from '../outbox.fixture.ts';
import { openReader } from '../reader.ts';

const mostBytes = 1 << 20;

test('journal: lines are on disk with their batch, also without events, and another reader finds them', async (t) => {
  const directory = temporaryFolder(t);
  const outbox = await opened(t, { directory });
  await Promise.all([
    outbox.append({ ...batchOf({ a: 'ringing' }), journal: { lines: 'one of a\none of b', at: 1 } }),
    outbox.append({ ...batchOf({ b: 'ringing' }), journal: { lines: 'two of a', at: 2 } }),
    outbox.append({ calls: [], trunks: [], events: [], journal: { lines: 'one of c', at: 3 } }),
    outbox.append(batchOf({ c: 'ringing' })),
  ]);
  await outbox.pruneJournal(1, mostBytes);
  const reader = openReader(directory);
  t.after(() => reader?.close());
  assert.deepEqual(reader?.journal(['of a']), ['one of a', 'two of a']);
  assert.deepEqual(reader?.journal(['of b', 'of c']), ['one of b', 'one of c']);
  assert.deepEqual(reader?.journal(['of d']), []);
  assert.deepEqual(reader?.journal([]), []);
  assert.equal((await outbox.counters()).queued, 3);
});

test('journal: calls from a number are found by their events, the newest first', async (t) => {
  const directory = temporaryFolder(t);
  const outbox = await opened(t, { directory });
  const callers = { a: '+49301', b: '+493012', c: '+49301', d: '+49301' };
  const events = Object.entries(callers).map(([id, from]) => newEvent(id, 'ringing', 0, { from }));
  await outbox.append({ calls: [], trunks: [], events });
  const reader = openReader(directory);
  t.after(() => reader?.close());
  assert.deepEqual(reader?.callsFrom('+49301', 2), ['d', 'c']);
});

test('journal: what is old goes, and what is too much, the oldest first; events stay', async (t) => {
  const directory = temporaryFolder(t);
  const outbox = await opened(t, { directory });
  for (let at = 1; at <= 1_200; at++)
    await outbox.append({ calls: [], trunks: [], events: [], journal: { lines: `line ${at}.`, at } });
  await outbox.append(batchOf({ a: 'ringing' }));
  const reader = openReader(directory);
  t.after(() => reader?.close());
  const left = () => reader?.journal(['line']).length;
  await outbox.pruneJournal(0, mostBytes);
  assert.equal(left(), 1_200);
  await outbox.pruneJournal(701, mostBytes);
  assert.deepEqual(reader?.journal(['line']).at(0), 'line 701.');
  await outbox.pruneJournal(0, 100);
  assert.deepEqual(reader?.journal(['line']).at(-1), 'line 1200.');
  assert.equal(left(), 10);
  assert.equal((await outbox.counters()).waiting, 1);
});
