import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, caller, hangsUp } from '../tracker.fixture.ts';
import { dryRun } from './dry-run.ts';

const settings = {
  pbxId: 'pbx',
  inboundContexts: ['from-trunk*'],
  inboundChannels: [],
  defaultCountry: 'NL',
  answeredBy: 'endpoint',
  missingNumber: '+31999999999',
} as const;

test('dry run: a number that does not come is waited for as long as on a PBX', () => {
  const silent = caller({ callerNumber: '' } as never);
  const { reports } = dryRun(settings, [silent, { ...hangsUp('1.1'), at: at + 5_000 }]);
  assert.deepEqual(
    reports.map(({ status, at }) => [status, at]),
    [
      ['ringing', at + 1_000],
      ['completed', at + 5_000],
    ],
  );
});
