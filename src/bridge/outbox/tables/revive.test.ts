import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openOperator } from '../operator.ts';
import { batchOf, opened, resultOf, temporaryFolder } from '../outbox.fixture.ts';

test('sent again: never behind a later event of its call that has arrived, or may be on its way', async (t) => {
  const directory = temporaryFolder(t);
  const outbox = await opened(t, { directory });
  await outbox.append(batchOf({ there: 'ringing', way: 'ringing', dead: 'ringing', all: 'ringing' }));
  await outbox.append(batchOf({ there: 'answered', way: 'answered', dead: 'answered', all: 'answered' }));
  await outbox.record([
    ...['there', 'way', 'dead', 'all'].map((call, nth) => resultOf(nth + 1, call)),
    resultOf(5, 'there'),
    resultOf(7, 'dead', { outcome: 'dead' }),
    resultOf(8, 'all'),
  ]);
  assert.deepEqual(await outbox.sendAgain([1, 2, 3, 4, 8], 0), [3, 4, 8]);

  const operator = openOperator(directory);
  t.after(() => operator?.close());
  assert.equal(operator?.sendAgain([1, 2, 5]), 2);
});
