import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { HeldCall } from '../fakes/far-side-book.ts';
import { callsOf, createStand } from '../integration/stand.ts';
import { type ExpectedCall, readScenarios } from './library.ts';

/** A held call as `expected.json` writes it. */
function asExpected({ id, from, received, callerId }: HeldCall): ExpectedCall {
  const reported = received.map((status) => ({
    status,
    ...(callerId !== undefined && status !== 'ringing' ? { caller_id: callerId } : {}),
  }));
  return { uniqueid: id.replace(/^pbx-/, ''), from, reported };
}

const byId = (a: ExpectedCall, b: ExpectedCall) => a.uniqueid.localeCompare(b.uniqueid);

describe('every recording of a real Asterisk, replayed over TCP, is reported as it should be', {
  concurrency: 4,
}, () => {
  const scenarios = readScenarios();
  for (const { name, recording, calls, settings } of scenarios)
    test(name, async (t) => {
      const stand = await createStand(t, settings);
      const { pbx, farSide } = stand;
      await stand.start();
      await pbx.play(recording, { speed: Number.POSITIVE_INFINITY, rename: false });
      await stand.caughtUp();
      await farSide.waitFor(() =>
        calls.every(({ uniqueid }) => farSide.calls().get(`pbx-${uniqueid}`)?.state === 'completed'),
      );
      await stand.stop();
      assert.deepEqual(callsOf(farSide).map(asExpected).sort(byId), [...calls].sort(byId));
      assert.equal(farSide.counts().inverted, 0);
      // Without API_EXTRAS no far side sees what the API's document does not name.
      const fields = farSide.requests().flatMap(({ payload }) => Object.keys(payload));
      const named = new Set(['id', 'direction', 'status', 'from', 'caller_id']);
      assert.deepEqual([...new Set(fields).difference(named)], []);
    });

  test("there are recordings of Asterisk 22, of 16, of FreePBX's dialplan, and of what chan_dahdi sends", () => {
    const versions = new Set(scenarios.map(({ name }) => name.split('/')[0]));
    assert.deepEqual([...versions].sort(), ['asterisk-16', 'asterisk-22', 'chan-dahdi', 'freepbx-22']);
  });
});
