import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countOperations } from '../../test/tools/tree/operations.ts';

const ours = /\/src\/bridge\/(?!.*\.fixture\.)/;
const counts = await countOperations(ours, new URL('./constant-work.fixture.ts', import.meta.url));

test('an event in a conference costs hardly more than twice as much with twice as many callers and people', () => {
  const costs = [...counts].filter(([name]) => name.endsWith('|double'));
  const slower = costs.flatMap(([name, double]) => {
    const some = counts.get(name.replace(/double$/, 'some')) ?? Number.NaN;
    // Its square would be four times as much.
    return double <= some * 2.5 + 10 ? [] : [`${name}: ${some} with 10 each, ${double} with 20`];
  });
  assert.deepEqual([costs.length, ...slower], [4]);
});

test('an event and a lookup cost as much with 10,000 open calls as with 10', () => {
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
