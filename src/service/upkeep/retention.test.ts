import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Log, LogFields } from '../../log/log.ts';
import { applyRetention } from './retention.ts';

/** What was asked of a store, and what was logged. */
function fakes(entries: number) {
  const asked: unknown[] = [];
  const said: [string, LogFields | undefined][] = [];
  const log: Log = { say: (code, fields) => void said.push([code, fields]), child: () => log };
  const trim = async (limits: unknown) => {
    asked.push(limits);
    return entries;
  };
  return {
    asked,
    said,
    log,
    store: { requests: { trim }, calls: { trim }, audit: { trim }, webhooks: { trim } },
  };
}

test('without a retention nothing is deleted', async () => {
  const { asked, log, store } = fakes(1);
  await applyRetention(store, {}, 5000, log);
  assert.deepEqual(asked, []);
});

test('what is beyond the retention is deleted and counted', async () => {
  const { asked, said, log, store } = fakes(7);
  await applyRetention(store, { maxAgeMs: 1000 }, 5000, log);
  await applyRetention(store, { maxAgeMs: 1000, maxEntries: 3 }, 5000, log);
  await applyRetention(
    store,
    { auditMaxAgeMs: 2000, callsMaxAgeMs: 1500, webhooksMaxAgeMs: 1000 },
    5000,
    log,
  );
  assert.deepEqual(asked, [{ before: 4000 }, { before: 4000, keep: 3 }, 3500, 3000, 4000]);
  const trimmed = (what: string) => ['service.trimmed', { entries: 7, what }];
  assert.deepEqual(said, [
    trimmed('request history'),
    trimmed('request history'),
    trimmed('calls'),
    trimmed('audit log'),
    trimmed('deliveries to webhooks'),
  ]);
});
