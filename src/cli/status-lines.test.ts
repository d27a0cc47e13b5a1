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

const backlog = { waiting: 214, oldestWaitingAt: noon - 600_000 };
const otherScripts = { count: 3, last: 'dialparties.agi', lastAt: noon - 9_000 };
const lookups = { found: 30, notFound: 5, timeout: 4, error: 1, cached: 20 };
const blocked = { blockedSince: noon - 5 * 60_000, dropped: 3 };

type Changes = Parameters<typeof statusWith>[0];
/** Name, status, label of the line and its text, by the tone of the line. */
const rows: Record<'good' | 'bad' | 'plain', readonly [string, Changes, string, RegExp][]> = {
  good: [
    ['connected', {}, 'PBX', /^Asterisk 22\.10\.0 at 127\.0\.0\.1:5038, connected for 50 min, since /],
    ['delivery ok', {}, 'delivery', /^ok; last delivery 8 s ago/],
  ],
  bad: [
    ['not connected', { pbx: refused }, 'PBX', /: login refused \(Authentication failed\); attempt 7$/],
    ['paused', { delivery: paused }, 'delivery', /^PAUSED for .*: HTTP 401: .*, next attempt in 30 s; last/],
    ['dead letters', { outbox: { dead: 2 } }, 'queue', /; 2 DEAD LETTERS \(pbx-bridge outbox list\);/],
    ['full disk', { outbox: { storage: full } }, 'disk', /^full: database or disk is full$/],
    ['a port in use', { lookups: { listening: false } }, 'priorities', /^NOT LISTENING on AGI_LISTEN/],
    [
      'a script of another FastAGI server',
      { lookups: { otherScripts } },
      'other AGI',
      /^3 requests for scripts of another FastAGI server; last dialparties\.agi, 9 s ago \(.*\)$/,
    ],
    [
      'a blocked log',
      { log: blocked },
      'log',
      /^BLOCKED for 5 min, since .*; 3 lines dropped since the start$/,
    ],
    ['not ready', { pbx: refused }, 'not ready', /^not connected to Asterisk at /],
  ],
  plain: [
    ['no event yet', { pbx: { lastEventAt: undefined } }, 'last event', /^none since the start$/],
    [
      'no numbers',
      { calls: { withoutNumber: 3 } },
      'calls',
      /; 3 not reported \(no number, or withheld: see/,
    ],
    [
      'a backlog',
      { outbox: backlog },
      'queue',
      /^214 waiting, oldest for 10 min; no dead letters; 11 delivered in total$/,
    ],
    ['a damaged file', { outbox: { lost: 4 } }, 'queue', /; 4 lost to a damaged database$/],
    [
      'lookups',
      { lookups },
      'priorities',
      /^40 lookups, 50 % answered from the cache: 30 found, 5 not found, 4 timed out, 1 failed$/,
    ],
    ['dropped log lines', { log: { dropped: 1 } }, 'log', /^1 line dropped since the start$/],
  ],
};

describe('lines of a status', () => {
  for (const [tone, ofTone] of Object.entries(rows))
    for (const [name, changes, label, expected] of ofTone)
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
