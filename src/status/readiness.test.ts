import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { noon, statusWith } from './bridge-status.fixture.ts';

const paused = { state: 'paused', reason: 'HTTP 401' } as const;
const slow = { waiting: 3, oldestWaitingAt: noon - 400_000 };
const full = { state: 'full', error: 'database or disk is full' } as const;

/** What is the matter, and what is said of it; nothing if the bridge is ready. */
const rows: readonly [string, Parameters<typeof statusWith>[0], RegExp?][] = [
  ['all is well', {}],
  ['a quiet PBX', { pbx: { lastEventAt: noon - 9e7 }, delivery: { lastDeliveredAt: noon - 9e7 } }],
  ['the link has just come up', { pbx: { since: noon - 1_000, lastPongAt: undefined } }],
  ['some wait, and deliveries go on', { outbox: slow }],
  ['the API asks for patience', { delivery: { state: 'held', reason: 'HTTP 429' } }],
  [
    'Asterisk is down',
    { pbx: { state: 'waiting', failure: 'nothing answers there (ECONNREFUSED)' } },
    /^no link to Asterisk at 127.0.0.1:5038: nothing answers there \(ECONNREFUSED\)$/,
  ],
  ['connecting', { pbx: { state: 'connecting' } }, /connecting$/],
  ['no answer to pings', { pbx: { lastPongAt: noon - 16_000 } }, /has not answered for 16 s$/],
  ['the disk is full', { outbox: { storage: full } }, /disk is full: database or disk is full$/],
  ['the disk hangs', { outbox: { uncommittedSince: noon - 11_000 } }, /has taken nothing for 11 s$/],
  ['the token is wrong', { delivery: paused, outbox: slow }, /^nothing is delivered: HTTP 401; 3 waiting$/],
  [
    'nothing gets through',
    { outbox: slow, delivery: { lastDeliveredAt: noon - 360_000 } },
    /^nothing was delivered for 360 s; 3 waiting$/,
  ],
];

describe('ready or not, and why', () => {
  for (const [name, changes, expected] of rows)
    test(name, () => {
      const { ready, reasons } = statusWith(changes);
      assert.equal(ready, expected === undefined);
      assert.equal(reasons.length, expected === undefined ? 0 : 1);
      if (expected) assert.match(reasons[0] ?? '', expected);
    });
});
