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

/** What is the matter, the line that says so, and whether it is marked. */
const rows: readonly [string, Parameters<typeof statusWith>[0], string, RegExp, 'good' | 'bad' | 'plain'][] =
  [
    [
      'the link is up',
      {},
      'PBX',
      /^Asterisk 22\.10\.0 at 127\.0\.0\.1:5038, link up for 50 min, since /,
      'good',
    ],
    ['it is not', { pbx: refused }, 'PBX', /: login refused \(Authentication failed\); try 7$/, 'bad'],
    ['nothing came yet', { pbx: { lastEventAt: undefined } }, 'last event', /^none yet: no call/, 'plain'],
    [
      'callers without numbers',
      { calls: { notTold: 3 } },
      'calls',
      /; 3 not told \(no number shown, see/,
      'plain',
    ],
    ['deliveries go on', {}, 'delivery', /^flows; last one 8 s ago/, 'good'],
    [
      'paused',
      { delivery: paused },
      'delivery',
      /^PAUSED for .*: HTTP 401: .*, next try in 30 s; last one/,
      'bad',
    ],
    [
      'a backlog',
      { outbox: { waiting: 214, oldestWaitingAt: noon - 600_000 } },
      'queue',
      /^214 waiting, the oldest for 10 min; no dead letters; 11 delivered in all$/,
      'plain',
    ],
    ['dead letters', { outbox: { dead: 2 } }, 'queue', /; 2 DEAD LETTERS \(pbx-bridge outbox list\);/, 'bad'],
    ['a damaged file', { outbox: { lost: 4 } }, 'queue', /; 4 lost with a damaged file$/, 'plain'],
    ['full disk', { outbox: { storage: full } }, 'disk', /^full: database or disk is full$/, 'bad'],
    [
      'lookups',
      { lookups: { found: 30, notFound: 5, timeout: 4, error: 1, known: 20 } },
      'priorities',
      /^40 lookups, 50 % known at once: 30 found, 5 not found, 4 too late, 1 failed$/,
      'plain',
    ],
    [
      'a port that is taken',
      { lookups: { listening: false } },
      'priorities',
      /^nobody can ask: AGI_LISTEN/,
      'bad',
    ],
    [
      'nothing takes the log',
      { log: { blockedSince: noon - 5 * 60_000, dropped: 3 } },
      'log',
      /^NOT TAKEN for 5 min, since .*; 3 lines missing since the start$/,
      'bad',
    ],
    ['some of it is missing', { log: { dropped: 1 } }, 'log', /^1 line missing since the start$/, 'plain'],
    ['not ready', { pbx: refused }, 'not ready', /^no link to Asterisk at /, 'bad'],
  ];

describe('a status in words', () => {
  for (const [name, changes, label, expected, tone] of rows)
    test(name, () => {
      const line = statusLines(statusWith(changes)).find((each) => each.label === label);
      assert.match(line?.text ?? '', expected);
      assert.equal(line?.tone, tone);
    });

  test('when all is well nothing is marked, and no line is about what does not apply', () => {
    const lines = statusLines(statusWith());
    assert.ok(lines.every(({ tone }) => tone !== 'bad'));
    assert.deepEqual(
      lines.map(({ label }) => label),
      ['pbx-bridge', 'PBX', 'last event', 'calls', 'delivery', 'queue'],
    );
  });
});
