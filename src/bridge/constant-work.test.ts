import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countOperations } from '../../test/tools/tree/operations.ts';

test('an event and a lookup cost as much with 10,000 open calls as with 10', async () => {
  const ours = /\/src\/bridge\/(?!.*\.fixture\.)/;
  const counts = await countOperations(ours, new URL('./constant-work.fixture.ts', import.meta.url));
  const slower = [...counts].flatMap(([name, many]) => {
    if (!name.endsWith('|many')) return [];
    const few = counts.get(name.replace(/many$/, 'few')) ?? Number.NaN;
    return many <= few * 1.2 + 10 ? [] : [`${name}: ${few} with few, ${many} with many`];
  });
  assert.deepEqual(slower, []);
  assert.deepEqual(
    [...counts].filter(([, count]) => count === 0),
    [],
    'everything was counted',
  );
});
