import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callSettings } from '../rules.fixture.ts';
import { at, caller, callerAs, hangsUp } from '../tracker.fixture.ts';
import { dryRun } from './dry-run.ts';

const settings = { ...callSettings, missingNumber: '+31999999999' };
const silent = { ...caller, callerNumber: '' };

test('dry run: a number that does not come is waited for as long as on a PBX', () => {
  const { reports } = dryRun(settings, [silent, { ...hangsUp(caller), at: at + 5_000 }]);
  assert.deepEqual(
    reports.map(({ status, at }) => [status, at]),
    [
      ['ringing', at + 1_000],
      ['completed', at + 5_000],
    ],
  );
});

test('dry run: a call that goes on at the end of the recording is waited for too', () => {
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
  const { reports } = dryRun(settings, [silent, { ...callerAs('2.1'), callerNumber: '', at: at + 500 }]);
  assert.deepEqual(
    reports.map(({ id, at }) => [id, at]),
    [
      ['pbx-1.1', at + 1_000],
      ['pbx-2.1', at + 1_500],
    ],
  );
});
