import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watchDisk } from './machine-problems.ts';

test('a disk that hangs is asked once until it answers, and its problem is neither there nor over', async () => {
  let asked = 0;
  const hangs = Promise.withResolvers<{ bavail: number; bsize: number }>();
  const look = watchDisk('/mnt/nfs', () => {
    asked += 1;
    return asked === 1 ? hangs.promise : Promise.resolve({ bavail: 10, bsize: 4096 });
  });
  const unknown = { problems: [], unknown: ['disk'] };
  assert.deepEqual([await look(), await look(), asked], [unknown, unknown, 1]);
  hangs.resolve({ bavail: 1e9, bsize: 4096 });
  assert.deepEqual(await look(), { problems: [], unknown: [] });
  const { problems } = await look();
  assert.deepEqual([problems[0]?.code, asked], ['problem.disk-low', 2]);
});

test('a disk that cannot be read is no problem of space', async () => {
  const look = watchDisk('/x', () => Promise.reject(new Error('ENOENT')));
  assert.deepEqual(await look(), { problems: [], unknown: [] });
});
