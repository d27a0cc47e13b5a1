import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Log, LogFields } from '../../log/log.ts';
import { applyRetention } from './retention.ts';

/** What was asked of a store, and what was logged. */
function fakes(entries: number) {
  const asked: unknown[] = [];
  const said: [string, LogFields | undefined][] = [];
  const log: Log = { say: (code, fields) => void said.push([code, fields]), child: () => log };
  const requests = {
    trim: async (limits: unknown) => {
      asked.push(limits);
      return entries;
    },
  };
  return { asked, said, log, requests };
}

test('without a retention nothing is deleted', async () => {
  const { asked, log, requests } = fakes(1);
  await applyRetention(requests, {}, 5000, log);
  assert.deepEqual(asked, []);
});

test('requests beyond the retention are deleted and counted', async () => {
  const { asked, said, log, requests } = fakes(7);
  await applyRetention(requests, { maxAgeMs: 1000 }, 5000, log);
  await applyRetention(requests, { maxAgeMs: 1000, maxEntries: 3 }, 5000, log);
  assert.deepEqual(asked, [{ before: 4000 }, { before: 4000, keep: 3 }]);
  assert.deepEqual(said[0], ['service.trimmed', { entries: 7 }]);
});
