import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watchAppends } from './append-watch.ts';
import type { Appended, Batch } from './outbox.ts';

const event = (callId: string) => ({ callId, status: 'ringing', body: '{}', queuedAt: 1 }) as const;
const batch = (id: string): Batch => ({ calls: [{ id, state: '{}' }], trunks: [], events: [event(id)] });
const appended: Appended = { nextEvents: [], repeated: [] };

test('what is not on disk yet is counted, by events and by calls, and since when', async () => {
  const disk = [Promise.withResolvers<Appended>(), Promise.withResolvers<Appended>()] as const;
  const writes = disk.values();
  let now = 1_000;
  const outbox = watchAppends({ append: () => writes.next().value?.promise ?? assert.fail() }, () => now);
  const first = outbox.append(batch('a'));
  now = 2_000;
  void outbox.append({ ...batch('a'), calls: [] });
  assert.deepEqual(outbox.appendStatus(), {
    lastCommitAt: undefined,
    uncommitted: 2,
    uncommittedSince: 1_000,
  });
  assert.equal(outbox.callsInMemory(), 1);
  assert.equal(await outbox.written(1), false);

  now = 3_000;
  disk[0].resolve(appended);
  assert.equal(await first, appended);
  assert.deepEqual(outbox.appendStatus(), { lastCommitAt: 3_000, uncommitted: 1, uncommittedSince: 2_000 });

  const all = outbox.written(60_000);
  disk[1].resolve(appended);
  assert.equal(await all, true);
  assert.deepEqual([outbox.appendStatus().uncommitted, outbox.callsInMemory()], [0, 0]);
});

test('a batch that is refused is not in memory, and no commit', async () => {
  const outbox = watchAppends({ append: () => Promise.reject(new Error('closed')) }, () => 1);
  await assert.rejects(outbox.append(batch('a')), /closed/);
  assert.deepEqual(outbox.appendStatus(), {
    lastCommitAt: undefined,
    uncommitted: 0,
    uncommittedSince: undefined,
  });
});
