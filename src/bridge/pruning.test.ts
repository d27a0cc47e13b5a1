import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPruning } from './outbox/outbox.ts';

test('pruning: every ten minutes; the database is checked the first time, and then once a day', (t) => {
  t.mock.timers.enable({ apis: ['setInterval', 'Date'] });
  const counts = { pruned: 0, checked: 0 };
  const pruning = createPruning(
    {
      prune: async () => ++counts.pruned,
      async pruneJournal() {},
      async check() {
        counts.checked++;
      },
    },
    { keepMs: 1, journalKeepMs: 1 },
  );
  pruning.start();
  t.mock.timers.tick(600_000);
  assert.deepEqual(counts, { pruned: 1, checked: 1 });
  t.mock.timers.tick(86_400_000 - 600_000);
  assert.deepEqual(counts, { pruned: 144, checked: 1 });
  t.mock.timers.tick(600_000);
  assert.deepEqual(counts, { pruned: 145, checked: 2 });
  pruning.stop();
});
