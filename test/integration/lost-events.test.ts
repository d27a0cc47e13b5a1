import assert from 'node:assert/strict';
import { test } from 'node:test';
import { channelEvent } from '../../src/bridge/ami/link.fixture.ts';
import { connectedUnseen, unseen } from '../tools/fakes/connected-unseen.ts';
import { runCommand } from '../tools/program/operator.ts';
import { callsOf, createStand } from '../tools/program/stand.ts';
import { until } from '../tools/until.ts';

const [caller, other] = ['1795000001.1', '1795000001.9'];

test('who answers is read from the channels where BridgeEnter never comes, and status says it', async (t) => {
  const stand = await createStand(t, { STATUS_LISTEN: '127.0.0.1:0' });
  await stand.start();
  for (const frame of connectedUnseen()) stand.pbx.send(frame);
  await stand.fakeApi.waitFor((it) => it.calls().get(`pbx-${caller}`)?.state === 'answered');
  const { text } = await runCommand(['status', '--url', `http://127.0.0.1:${stand.statusPort()}`], stand.env);
  assert.match(
    text.replace(/\s+/g, ' '),
    /no BridgeEnter events: who talks with callers is read from the list/,
  );
});

test('a call whose Hangup is lost is ended while the link stays up; one that is still there is not', async (t) => {
  const stand = await createStand(t);
  await stand.start();
  for (const uniqueid of [caller, other]) stand.pbx.send(channelEvent('Newchannel', uniqueid));
  await stand.fakeApi.waitFor((it) => it.calls().has(`pbx-${other}`));
  stand.pbx.send(channelEvent('Hangup', caller, unseen));
  await until('the call is reported as completed', () =>
    stand.reported().get(`pbx-${caller}`)?.includes('completed'),
  );
  assert.deepEqual(stand.reported().get(`pbx-${other}`), ['ringing']);
  await stand.caughtUp();
  assert.equal(callsOf(stand.fakeApi).length, 2);
});
