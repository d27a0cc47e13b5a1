import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { postgresImpossible } from '../servers/cluster.ts';

const skip = (await postgresImpossible()) ?? false;

test('the bench of many accounts runs: every request is answered, and every call is there', {
  skip,
}, async () => {
  const sizes = [
    '--accounts',
    '5',
    '--calls',
    '1000',
    '--events',
    '40',
    '--seconds',
    '2',
    '--processes',
    '1,2',
  ];
  const args = [join(import.meta.dirname, 'fleet.ts'), ...sizes];
  // It fails if calls are missing.
  const { stdout } = await promisify(execFile)(process.execPath, args);
  assert.match(stdout, /^5 accounts, 1,000 calls/);
  // However many they were on a busy machine.
  assert.equal(stdout.match(/\([1-9]\d* events, /g)?.length, 2, stdout);
  assert.doesNotMatch(stdout, /not answered/);
});
