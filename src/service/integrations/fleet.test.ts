import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wordsFor } from '../words/words.ts';
import { type Fleet, readFleet } from './fleet.ts';
import { fleetPage } from './fleet-page.ts';

const MINUTE = 60_000;
const now = 100 * MINUTE;

test('a bridge that reported three minutes ago or longer is silent, and its old problems are not repeated', async () => {
  const report = JSON.stringify({
    problems: [{ code: 'x', what: 'x', remedy: 'x', since: 1 }],
    version: '1.0.0',
  });
  const of = async (row: { lastAt: number | null; reportedAt: number | null; report: string | null }) => {
    const { accounts, bridges } = await readFleet(
      {
        fleetAccounts: async () => [
          { id: 1, uid: 'a', name: 'Alpha', users: 9, mostUsers: 10, requestsPerMinute: 100, customers: 2 },
        ],
        fleetBridges: async () => [{ id: 2, uid: 'i', name: 'PBX', account: 1, ...row }],
      },
      {
        now,
        version: '1.0.0',
        refused: () => ({ count: 1, address: '192.0.2.1', at: 50 * MINUTE }),
        recentPeak: () => 89,
      },
    );
    assert.deepEqual(accounts[0]?.near, ['users'], 'nine of ten, and 89 of 100');
    return bridges[0]?.trouble;
  };
  assert.deepEqual(await of({ lastAt: now, reportedAt: now - 2 * MINUTE, report }), ['problems']);
  assert.deepEqual(await of({ lastAt: now, reportedAt: now - 4 * MINUTE, report }), ['silent']);
  assert.deepEqual(await of({ lastAt: null, reportedAt: null, report: null }), ['unconnected', 'refused']);
  assert.deepEqual(await of({ lastAt: null, reportedAt: now - MINUTE, report }), ['refused', 'problems']);
  assert.deepEqual(await of({ lastAt: 40 * MINUTE, reportedAt: null, report: null }), ['refused']);
  assert.deepEqual(await of({ lastAt: 60 * MINUTE, reportedAt: null, report: null }), [], 'works again');
});

test('how a bridge is updated is said where one is of another version', () => {
  const bridge = {
    uid: 'i',
    name: 'PBX',
    account: 'a',
    version: '1.0.0',
    queue: null,
    problems: [],
    lastAt: now,
  };
  const page = (trouble: Fleet['bridges'][number]['trouble']) =>
    fleetPage(
      { version: '1.1.0', accounts: [], bridges: [{ ...bridge, trouble }] } as unknown as Fleet,
      wordsFor('', 'en'),
      now,
    );
  assert.match(page(['outdated']), /apt update &amp;&amp; apt install --only-upgrade pbx-bridge/);
  assert.doesNotMatch(page([]), /only-upgrade/);
});
