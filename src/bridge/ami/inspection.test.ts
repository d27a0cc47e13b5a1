import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { connectedUnseen } from '../../../test/integration/connected-unseen.ts';
import { table } from '../../../test/table.ts';
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

for (const [what = '', from, to, lacksLinkedid, unseenBridges] of table(`
  events that are complete                  | agent,all          | call,all | no  | 0
  BridgeEnter events that are kept back     | nothing            |          | no  | 2
  events without a Linkedid                 | \\s+Linkedid: \\S+ |          | yes | 2
`))
  test(`a check notices ${what}`, async (t) => {
    const frames = connectedUnseen().map((frame) => frame.replace(new RegExp(from ?? '', 'g'), to ?? ''));
    const inspection = await inspected(t, frames);
    assert.deepEqual(
      [inspection.lacksLinkedid ? 'yes' : 'no', String(inspection.unseenBridges)],
      [lacksLinkedid, unseenBridges],
    );
  });
