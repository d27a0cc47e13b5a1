import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callSettings } from '../rules.fixture.ts';
import { at, caller, hangsUp } from '../tracker.fixture.ts';
import { dryRun } from './dry-run.ts';

const settings = { ...callSettings, missingNumber: '+31999999999' };

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

test('dry run: a call that goes on at the end of the recording is waited for too', () => {
  const silent = caller({ callerNumber: '' } as never);
  const { reports, journal } = dryRun(settings, [silent]);
  assert.deepEqual(
    reports.map(({ status, at }) => [status, at]),
    [['ringing', at + 1_000]],
  );
  assert.deepEqual(
    journal.map(({ kind }) => kind),
    ['appeared', 'reported'],
  );
});

test('dry run: of two numbers that do not come, each is waited for by itself', () => {
  const later = { uniqueid: '2.1', linkedid: '2.1', at: at + 500 };
  const silent = [{}, later].map((more) => caller({ callerNumber: '', ...more } as never));
  const { reports } = dryRun(settings, silent);
  assert.deepEqual(
    reports.map(({ id, at }) => [id, at]),
    [
      ['pbx-1.1', at + 1_000],
      ['pbx-2.1', at + 1_500],
    ],
  );
});
