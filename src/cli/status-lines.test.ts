import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { noon, statusWith } from '../status/bridge-status.fixture.ts';
import { statusLines } from './status-lines.ts';

const refused = { state: 'waiting', failure: 'login refused (Authentication failed)', attempts: 7 } as const;
const paused = {
  state: 'paused',
  reason: 'HTTP 401: the token is not accepted',
  nextTryAt: noon + 30_000,
} as const;
const full = { state: 'full', error: 'database or disk is full' } as const;

/** Name, status, label of the line, its text and its tone. */
const rows: readonly [string, Parameters<typeof statusWith>[0], string, RegExp, 'good' | 'bad' | 'plain'][] =
  [
    [
      'connected',
      {},
      'PBX',
      /^Asterisk 22\.10\.0 at 127\.0\.0\.1:5038, connected for 50 min, since /,
      'good',
    ],
    [
      'not connected',
      { pbx: refused },
      'PBX',
      /: login refused \(Authentication failed\); attempt 7$/,
      'bad',
    ],
    ['no event yet', { pbx: { lastEventAt: undefined } }, 'last event', /^none since the start$/, 'plain'],
    [
      'callers without numbers',
      { calls: { withoutNumber: 3 } },
      'calls',
      /; 3 not reported \(no number, or withheld: see/,
      'plain',
    ],
    ['delivery ok', {}, 'delivery', /^ok; last delivery 8 s ago/, 'good'],
    [
      'paused',
      { delivery: paused },
      'delivery',
      /^PAUSED for .*: HTTP 401: .*, next attempt in 30 s; last delivery/,
      'bad',
    ],
    [
      'a backlog',
      { outbox: { waiting: 214, oldestWaitingAt: noon - 600_000 } },
      'queue',
      /^214 waiting, oldest for 10 min; no dead letters; 11 delivered in total$/,
      'plain',
    ],
    ['dead letters', { outbox: { dead: 2 } }, 'queue', /; 2 DEAD LETTERS \(pbx-bridge outbox list\);/, 'bad'],
    ['a damaged file', { outbox: { lost: 4 } }, 'queue', /; 4 lost to a damaged database$/, 'plain'],
    ['full disk', { outbox: { storage: full } }, 'disk', /^full: database or disk is full$/, 'bad'],
    [
      'lookups',
      { lookups: { found: 30, notFound: 5, timeout: 4, error: 1, cached: 20 } },
      'priorities',
      /^40 lookups, 50 % answered from the cache: 30 found, 5 not found, 4 timed out, 1 failed$/,
      'plain',
    ],
    [
      'a port in use by another program',
      { lookups: { listening: false } },
      'priorities',
      /^NOT LISTENING on AGI_LISTEN/,
      'bad',
    ],
    [
      'a script of another FastAGI server',
      { lookups: { otherScripts: { count: 3, last: 'dialparties.agi', lastAt: noon - 9_000 } } },
      'other AGI',
      /^3 requests for scripts of another FastAGI server; last dialparties\.agi, 9 s ago \(.*\)$/,
      'bad',
    ],
    [
      'a blocked log',
      { log: { blockedSince: noon - 5 * 60_000, dropped: 3 } },
      'log',
      /^BLOCKED for 5 min, since .*; 3 lines dropped since the start$/,
      'bad',
    ],
    ['dropped log lines', { log: { dropped: 1 } }, 'log', /^1 line dropped since the start$/, 'plain'],
    ['not ready', { pbx: refused }, 'not ready', /^not connected to Asterisk at /, 'bad'],
  ];

describe('lines of a status', () => {
  for (const [name, changes, label, expected, tone] of rows)
    test(name, () => {
      const line = statusLines(statusWith(changes)).find((each) => each.label === label);
      assert.match(line?.text ?? '', expected);
      assert.equal(line?.tone, tone);
    });

  test('a healthy bridge: no line is marked, and none is about what does not apply', () => {
    const lines = statusLines(statusWith());
    assert.ok(lines.every(({ tone }) => tone !== 'bad'));
    assert.deepEqual(
      lines.map(({ label }) => label),
      ['pbx-bridge', 'PBX', 'last event', 'calls', 'delivery', 'queue'],
    );
  });
});
