import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Input } from '../calls/input.ts';
import { openOperator } from '../outbox/operator.ts';
import { opened, temporaryFolder, trunk } from '../outbox/outbox.fixture.ts';
import { createTrunkWatch } from './trunk-watch.ts';

test('trunks that an operator adds or forgets beside the bridge are heard once; what the bridge writes changes none', async (t) => {
  const directory = temporaryFolder(t);
  const outbox = await opened(t, { directory });
  const save = (...trunks: { endpoint: string; source: string; state: string | null }[]) =>
    outbox.append({ calls: [], trunks, events: [] });
  await save(trunk('PJSIP/one'), trunk('PJSIP/two'));
  const inputs: Input[] = [];
  const watch = createTrunkWatch(await outbox.trunks(), {
    read: outbox.trunks,
    apply: (input) => inputs.push(input),
    now: () => 1,
  });
  const operator = openOperator(directory);
  t.after(() => operator?.close());
  operator?.addTrunk('PJSIP/two', '{}');
  operator?.addTrunk('PJSIP/new', '{"context":""}');
  assert.equal(operator?.forgetTrunk('PJSIP/one'), true);
  assert.equal(operator?.forgetTrunk('PJSIP/one'), false);
  // A call on it and a call from it, as a phone makes it: what the operator said stays.
  await save(trunk('PJSIP/two'));
  await save({ ...trunk('PJSIP/two'), state: null });
  await watch.check();
  await watch.check();
  const added = [
    { endpoint: 'PJSIP/new', source: 'added', context: '' },
    { endpoint: 'PJSIP/two', source: 'added', context: 'from-trunk' },
  ];
  assert.deepEqual(inputs, [{ type: 'trunks-corrected', at: 1, added, forgotten: ['PJSIP/one'] }]);
});
