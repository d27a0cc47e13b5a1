import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { connectedUnseen } from '../../../test/tools/fakes/connected-unseen.ts';
import { systemClock } from '../../shared/process/clock.ts';
import { inspectPbx } from './inspection.ts';
import { account, startPlayer } from './link.fixture.ts';

const listenMs = 777;

/** Inspects a PBX on which this happens while the check listens. */
async function inspected(t: TestContext, frames: readonly string[]) {
  const { player, port } = await startPlayer(t);
  const setTimer: typeof systemClock.setTimer = (callback, ms) => {
    if (ms !== listenMs) return systemClock.setTimer(callback, ms);
    for (const frame of frames) player.send(frame);
    return systemClock.setTimer(callback, 0);
  };
  const options = { host: '127.0.0.1', port, ...account };
  const result = await inspectPbx(options, listenMs, { clock: { ...systemClock, setTimer } });
  assert.ok(result.ok);
  return result.inspection;
}

for (const [name, frames, lacksLinkedid, unseenBridges] of [
  ['events that are complete', connectedUnseen().map((it) => it.replace('agent,all', 'call,all')), false, 0],
  ['BridgeEnter events that are kept back', connectedUnseen(), false, 2],
  ['events without a Linkedid', connectedUnseen().map((it) => it.replace(/\s+Linkedid: \S+/, '')), true, 2],
] as const)
  test(`a check notices ${name}`, async (t) => {
    const inspection = await inspected(t, frames);
    assert.equal(inspection.lacksLinkedid, lacksLinkedid);
    assert.equal(inspection.unseenBridges, unseenBridges);
  });
