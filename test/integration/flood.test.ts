import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FloodForm, floodForms } from '../tools/fakes/flood.ts';
import { runFlood } from '../tools/fakes/flood-run.ts';

/** A machine that is busy with other tests has its own delays: what is tested is that nothing piles up. */
const settings = { AGI_DEADLINE_MS: '5000' };
/** It needs some 250 MB. */
const mostMb = 700;

for (const form of Object.keys(floodForms) as FloodForm[])
  test(`every priority lookup is answered in a flood of ${form}`, async () => {
    const flood = await runFlood(form, { rate: 2_000, seconds: 3 }, settings);
    assert.ok(flood.calls > 1_500, `only ${flood.calls} calls could be sent`);
    const answers = Map.groupBy(flood.lookups, ({ status }) => status);
    assert.ok(answers.has('FOUND'));
    assert.deepEqual(
      [...answers.keys()].filter((status) => status !== 'FOUND' && status !== 'TIMEOUT'),
      [],
    );
    assert.equal(flood.cutOff, 0);
    assert.ok(flood.mostMb < mostMb, `${flood.mostMb} MB`);
  });
