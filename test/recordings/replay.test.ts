import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { HeldCall } from '../fakes/far-side-book.ts';
import { createStand } from '../integration/stand.ts';
import { type ExpectedCall, readScenarios } from './library.ts';

/** A call of nobody's, played after each recording: when it is told, all before it has been heard. */
const LAST = '9999999999.1';

const lastCall = [
  `Event: Newchannel\r\nChannel: PJSIP/last-00000001\r\nChannelState: 4\r\nCallerIDNum: +494066969999\r\nContext: from-trunk\r\nExten: s\r\nUniqueid: ${LAST}\r\nLinkedid: ${LAST}`,
  `Event: Hangup\r\nChannel: PJSIP/last-00000001\r\nUniqueid: ${LAST}\r\nLinkedid: ${LAST}\r\nCause: 16`,
];

/** A held call as `expected.json` writes it. */
function asExpected({ id, from, received, callerId }: HeldCall): ExpectedCall {
  const told = received.map((status) => ({
    status,
    ...(callerId !== undefined && status !== 'ringing' ? { caller_id: callerId } : {}),
  }));
  return { uniqueid: id.replace(/^pbx-/, ''), from, told };
}

const byId = (a: ExpectedCall, b: ExpectedCall) => a.uniqueid.localeCompare(b.uniqueid);

describe('every recording of a real Asterisk, replayed over TCP, is told as it should be', () => {
  const scenarios = readScenarios();
  for (const { name, recording, calls, settings } of scenarios)
    test(name, async (t) => {
      const { pbx, farSide, start, stop } = await createStand(t, settings);
      await start();
      await pbx.play(recording, { speed: Number.POSITIVE_INFINITY, rename: false });
      for (const frame of lastCall) pbx.send(frame);
      await farSide.waitFor(() => farSide.calls().get(`pbx-${LAST}`)?.state === 'completed');
      await farSide.waitFor(() =>
        calls.every(({ uniqueid }) => farSide.calls().get(`pbx-${uniqueid}`)?.state === 'completed'),
      );
      await stop();
      const held = [...farSide.calls().values()].map(asExpected).filter(({ uniqueid }) => uniqueid !== LAST);
      assert.deepEqual(held.sort(byId), [...calls].sort(byId));
      assert.equal(farSide.counts().inverted, 0);
    });

  test('there are recordings of Asterisk 22 and of 16', () => {
    const versions = new Set(scenarios.map(({ name }) => name.split('/')[0]));
    assert.deepEqual([...versions].sort(), ['asterisk-16', 'asterisk-22']);
  });
});
