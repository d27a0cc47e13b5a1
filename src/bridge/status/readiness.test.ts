import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { noon, statusWith } from './bridge-status.fixture.ts';

const paused = { state: 'paused', reason: 'HTTP 401' } as const;
const slow = { waiting: 3, oldestWaitingAt: noon - 400_000 };
const full = { state: 'full', error: 'database or disk is full' } as const;

/** Name, status, and the expected problem; absent if the bridge is ready. */
const rows: readonly [string, Parameters<typeof statusWith>[0], RegExp?][] = [
  ['healthy', {}],
  ['a quiet PBX', { pbx: { lastEventAt: noon - 9e7 }, delivery: { lastDeliveredAt: noon - 9e7 } }],
  ['the link has just come up', { pbx: { since: noon - 1_000, lastPongAt: undefined } }],
  ['events waiting while others are delivered', { outbox: slow }],
  ['rate-limited by the API', { delivery: { state: 'held', reason: 'HTTP 429' } }],
  [
    'Asterisk is down',
    { pbx: { state: 'waiting', failure: 'nothing answers there (ECONNREFUSED)' } },
    /^not connected to Asterisk at 127.0.0.1:5038: nothing answers there \(ECONNREFUSED\)$/,
  ],
  ['connecting', { pbx: { state: 'connecting' } }, /connecting$/],
  ['no answer to pings', { pbx: { lastPongAt: noon - 16_000 } }, /has not responded for 16 s$/],
  ['the disk is full', { outbox: { storage: full } }, /state directory is full: database or disk is full$/],
  ['the disk hangs', { outbox: { uncommittedSince: noon - 11_000 } }, /has not stored anything for 11 s$/],
  ['the token is wrong', { delivery: paused, outbox: slow }, /^no deliveries: HTTP 401; events waiting: 3$/],
  [
    'no delivery succeeds',
    { outbox: slow, delivery: { lastDeliveredAt: noon - 360_000 } },
    /^no deliveries for 360 s; events waiting: 3$/,
  ],
];

describe('readiness and its problems', () => {
  for (const [name, changes, expected] of rows)
    test(name, () => {
      const { ready, reasons } = statusWith(changes);
      assert.equal(ready, expected === undefined);
      assert.equal(reasons.length, expected === undefined ? 0 : 1);
      if (expected) assert.match(reasons[0] ?? '', expected);
    });
});
