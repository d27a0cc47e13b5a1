import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { HeldCall } from '../tools/fakes/fake-api-book.ts';
import { callsOf, createStand } from '../tools/program/stand.ts';
import { byId, type ExpectedCall, readScenarios } from './library.ts';

/** A held call as `expected.json` writes it. */
function asExpected({ id, from, received, callerId }: HeldCall): ExpectedCall {
  const reported = received.map((status) => ({
    status,
    ...(callerId !== undefined && status !== 'ringing' ? { caller_id: callerId } : {}),
  }));
  return { uniqueid: id.replace(/^pbx-/, ''), from, reported };
}

/**
 * The same rows of 18, 20 and 23 are the same frames: `every-recording.test.ts` reads them, and TCP adds nothing to that.
 * Every second row of 16, the others of 22.
 */
const folders = ['asterisk-16', 'asterisk-22', 'chan-dahdi', 'freepbx-22'];
const halves: Readonly<Record<string, number>> = { 'asterisk-16': 0, 'asterisk-22': 1 };

test('recordings of the versions of the lab, replayed over TCP, are reported as they should be', async (t) => {
  const scenarios = folders.flatMap((folder) =>
    readScenarios(`${folder}/`).filter((_, nth) => nth % 2 === (halves[folder] ?? nth % 2)),
  );
  const wrong: [string, ExpectedCall[]][] = [];
  const fields = new Set<string>();
  const left = scenarios.values();
  const play = async () => {
    for (const { name, recording, calls, settings } of left) {
      const stand = await createStand(t, settings);
      const { pbx, fakeApi } = stand;
      await stand.start();
      await pbx.play(recording, { speed: Number.POSITIVE_INFINITY, rename: false });
      await stand.caughtUp();
      const isDone = ({ uniqueid }: ExpectedCall) =>
        fakeApi.calls().get(`pbx-${uniqueid}`)?.state === 'completed';
      // What is still not there then is in the comparison, which names the recording.
      await fakeApi.waitFor(() => calls.every(isDone)).catch(() => {});
      await stand.stop();
      const reported = callsOf(fakeApi).map(asExpected).sort(byId);
      if (!isDeepStrictEqual(reported, calls.toSorted(byId)) || fakeApi.counts().inverted > 0)
        wrong.push([name, reported]);
      for (const { payload } of fakeApi.requests())
        for (const field of Object.keys(payload)) fields.add(field);
    }
  };
  await Promise.all([play(), play(), play(), play()]);
  assert.deepEqual(wrong, []);
  // Without API_EXTRAS no API sees what the API's document does not name.
  assert.deepEqual([...fields].sort(), ['caller_id', 'direction', 'from', 'id', 'status']);
  assert.deepEqual([...new Set(scenarios.map(({ name }) => name.split('/')[0]))], folders);
});
