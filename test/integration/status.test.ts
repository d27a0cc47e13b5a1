import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BridgeStatus } from '../../src/bridge/status/bridge-status.ts';
import { scenario } from '../recordings/library.ts';
import { amiEvent } from '../tools/fakes/ami-event.ts';
import { always } from '../tools/fakes/fake-api-faults.ts';
import { runProgram, temporaryFolder } from '../tools/program/program.ts';
import { createStand } from '../tools/program/stand.ts';
import { until } from '../tools/until.ts';

const listening = { STATUS_LISTEN: '127.0.0.1:0' };

async function standWithStatus(t: Parameters<typeof createStand>[0]) {
  const stand = await createStand(t, listening);
  await stand.start();
  const url = `http://127.0.0.1:${stand.statusPort()}`;
  const get = async (path: string, method = 'GET') => {
    const response = await fetch(url + path, { method });
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      text: await response.text(),
    };
  };
  const status = async () => JSON.parse((await get('/status.json')).text) as BridgeStatus;
  return { stand, url, get, status };
}

test('after a call: status, metrics, health; and nowhere a number, an extension or a call', async (t) => {
  const { stand, get, status } = await standWithStatus(t);
  const { recording } = scenario('asterisk-22/extension-caller-hangs-up');
  await stand.pbx.play(recording, { speed: Number.POSITIVE_INFINITY });
  await stand.caughtUp();
  await stand.fakeApi.waitFor((it) => [...it.calls().values()].every(({ state }) => state === 'completed'));
  const it = await status();
  assert.equal(it.ready, true);
  assert.equal(it.pbx.state, 'up');
  assert.deepEqual(
    [it.calls.open, it.calls.ringing, it.calls.answered, it.calls.completed],
    [0, 2, 1, 2],
    'the recorded call, and the marker that says that all was heard',
  );
  assert.equal(it.outbox.queued, 5);
  assert.equal(it.outbox.storage.state, 'working');
  assert.deepEqual(await get('/healthz'), { status: 200, type: 'text/plain; charset=utf-8', text: 'ok\n' });
  assert.equal((await get('/readyz')).text, 'ready\n');
  const metrics = (await get('/metrics')).text;
  assert.match(metrics, /^pbx_bridge_call_events_total\{status="answered"\} 1$/m);
  assert.match(metrics, /^process_cpu_seconds_total /m);
  const labels = [...metrics.matchAll(/\{([^}]*)\}/g)].map(([, text]) => text ?? '');
  for (const label of labels) assert.doesNotMatch(label, /\d{6}|PJSIP|"1001"/, label);
  assert.doesNotMatch(JSON.stringify(it), /\+49|PJSIP|"pbx-\d/);
});

test('not ready while the PBX is away, and while the token is refused; each time in words', async (t) => {
  const { stand, get, status, url } = await standWithStatus(t);
  stand.fakeApi.inject(always({ kind: 'status', status: 401 }));
  stand.pbx.send(
    amiEvent('Newchannel', {
      Channel: 'PJSIP/trunk-1',
      CallerIDNum: '+4940123456',
      Uniqueid: '1.1',
      Linkedid: '1.1',
    }),
  );
  await until('deliveries to pause', async () => (await status()).delivery.state === 'paused', {
    state: status,
  });
  const ready = await get('/readyz');
  assert.equal(ready.status, 503);
  assert.match(ready.text, /^no deliveries: .*401.*; events waiting: 1\n$/);
  const program = runProgram(['status', '--url', url], { env: {}, cwd: temporaryFolder(t) });
  assert.deepEqual(await program.ended, { code: 2, signal: null });
  assert.match(program.output(), /^! delivery +PAUSED for .*, since .*401/m);
  await stand.pbx.crash();
  await until('the PBX to be missed', async () => (await status()).pbx.state !== 'up', { state: status });
  assert.match((await get('/readyz')).text, /^not connected to Asterisk at 127\.0\.0\.1:\d+: /);
});

test('a bridge that does not run is named as such', async (t) => {
  const env = { STATUS_LISTEN: '127.0.0.1:1', AMI_USERNAME: 'bridge' };
  const program = runProgram(['status'], { env, cwd: temporaryFolder(t) });
  assert.deepEqual(await program.ended, { code: 1, signal: null });
  assert.match(program.output(), /^the bridge is not running/);
});
