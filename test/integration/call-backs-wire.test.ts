import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../../src/shared/process/clock.ts';
import { amiEvent } from '../tools/fakes/ami-event.ts';
import { freePort } from '../tools/free-port.ts';
import { createPlayer, type Player } from '../tools/player/player.ts';
import { runProgram, temporaryFolder } from '../tools/program/program.ts';
import { event, serve } from '../tools/service/harness.ts';
import { browse } from '../tools/service/people.ts';
import { until } from '../tools/until.ts';

/** Who waits for a call back, and another whom somebody here calls. */
const [known, other] = ['+4930901820', '+4940669691234'];
/** How the two may be written. */
const formsOf = (number: string) => [number.slice(1), `0${number.slice(3)}`, number.slice(3)];

/** A wire to the service that keeps every byte that the bridge sends. */
async function startTap(t: TestContext, target: string) {
  const sent: Buffer[] = [];
  const { hostname, port } = new URL(target);
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    near.on('data', (bytes) => sent.push(Buffer.from(bytes)));
    for (const [one, peer] of [[near, far] as const, [far, near] as const])
      one.on('error', () => {}).on('close', () => peer.destroy());
    near.pipe(far).pipe(near);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`,
    sent: () => Buffer.concat(sent).toString('latin1'),
  };
}

/** Phone 101 calls a number over the trunk, as Asterisk says it; `talks`: somebody answers, and they talk. */
function callOut(pbx: Player, nth: number, number: string, talks: boolean): void {
  const name = (of: string) => `PJSIP/${of}-0000000${nth}`;
  const [phone, leg] = [
    {
      Channel: name('101'),
      Uniqueid: `5.${nth}`,
      Linkedid: `5.${nth}`,
      Context: 'from-internal',
      Exten: number,
    },
    { Channel: name('out'), Uniqueid: `6.${nth}`, Linkedid: `5.${nth}`, Context: 'from-internal' },
  ];
  const dest = Object.fromEntries(Object.entries(leg).map(([key, value]) => [`Dest${key}`, value]));
  const up = { ChannelState: '6', ChannelStateDesc: 'Up' };
  const bridge = { BridgeUniqueid: `b${nth}` };
  for (const frame of [
    amiEvent('Newchannel', phone),
    amiEvent('Newchannel', { ...leg, ChannelState: '0', ChannelStateDesc: 'Down' }),
    amiEvent('DialBegin', { ...phone, ...dest, DialString: `${number}@out` }),
    ...(talks
      ? [
          ...[leg, phone].map((one) => amiEvent('Newstate', { ...one, ...up })),
          ...[leg, phone].map((one) => amiEvent('BridgeEnter', { ...one, ...up, ...bridge })),
          ...[leg, phone].map((one) => amiEvent('BridgeLeave', { ...one, ...up, ...bridge })),
        ]
      : []),
    ...[leg, phone].map((one) => amiEvent('Hangup', { ...one, ...up })),
  ])
    pbx.send(frame);
}

/** A service with a missed customer, and the bridge, which is the real program, behind a wire. */
async function scene(t: TestContext, settings: Record<string, string>) {
  const served = await serve(t);
  const boss = await browse(served, 'Boss');
  await boss.send('/extensions', { extension: '101', name: 'Anna', user: '' });
  for (const status of ['ringing', 'completed'])
    await served.post(served.a.token, event({ id: 'missed', from: known, status }));
  const pbx = createPlayer({ username: 'bridge', secret: 'sesame', clock: systemClock });
  const { port } = await pbx.listen();
  t.after(() => pbx.close());
  const tap = await startTap(t, served.url);
  const cwd = temporaryFolder(t);
  const statusPort = await freePort();
  const program = runProgram(['run'], {
    cwd,
    env: {
      AMI_PORT: String(port),
      AMI_USERNAME: 'bridge',
      AMI_SECRET: 'sesame',
      API_BASE_URL: tap.baseUrl,
      API_TOKEN: served.a.token,
      API_EXTRAS: 'yes',
      STATE_DIR: join(cwd, 'state'),
      DEFAULT_COUNTRY: 'DE',
      AGI_LISTEN: 'off',
      STATUS_LISTEN: `127.0.0.1:${statusPort}`,
      LOG_LEVEL: 'debug',
      LOG_NUMBERS: 'show',
      // The journal, which is not new, has where in the dialplan each channel began: the number that a phone dials.
      JOURNAL_KEEP: '0s',
      ...settings,
    },
  });
  t.after(() => program.end('SIGKILL'));
  await program.says(/"code":"ami\.connected"/);
  const list = async () => (await boss.read('/call-back')).plain;
  const metrics = async () => (await fetch(`http://127.0.0.1:${statusPort}/metrics`)).text();
  /** All that the bridge has sent, logged and written to disk. */
  const left = () => {
    const state = join(cwd, 'state');
    const files = readdirSync(state).map((name) => readFileSync(join(state, name)).toString('latin1'));
    return { wire: tap.sent(), log: program.output(), disk: files.join('\n') };
  };
  return { served, pbx, program, tap, list, metrics, left };
}

test('with CALL_BACKS a call back closes itself, and no byte of another outgoing call leaves the bridge', async (t) => {
  const { pbx, program, tap, list, metrics, left } = await scene(t, { CALL_BACKS: 'yes' });
  // A call that ends before the bridge knows the numbers is not told.
  const knows = async () => /^pbx_bridge_call_backs_waiting 1$/m.test(await metrics());
  await until('the bridge to know who waits', knows, { state: metrics });
  assert.ok(tap.sent().includes('GET /api/v1/bridge/call-backs? '));
  callOut(pbx, 1, formsOf(other)[1] as string, true);
  callOut(pbx, 2, formsOf(known)[1] as string, false);
  await until('the call to be shown', async () => /Not reached: Anna/.test(await list()), { state: list });
  callOut(pbx, 3, formsOf(other)[1] as string, false);
  callOut(pbx, 4, formsOf(known)[1] as string, true);
  await until('the call back to be closed', async () => /Anna called back, 0:0/.test(await list()), {
    state: list,
  });
  assert.equal((await program.end('SIGTERM')).code, 0);
  const found = left();
  assert.match(found.wire, new RegExp(`\\${known}`), 'the tap sees what is sent');
  for (const [where, text] of Object.entries(found))
    for (const form of formsOf(other))
      assert.ok(!text.includes(form), `${where} has ${form} of a call to another number`);
  for (const nth of [1, 3]) assert.ok(!found.wire.includes(`pbx-6.${nth}`), `call ${nth}`);
  assert.equal(found.log.match(/"code":"callback\.reported"/g)?.length, 2);
});

test('without CALL_BACKS nothing is asked, and no outgoing call is told', async (t) => {
  const { served, pbx, program, list, left } = await scene(t, {});
  callOut(pbx, 1, formsOf(known)[1] as string, true);
  // A call that comes in after it: when that is reported, so would the other be.
  const call = {
    Channel: 'PJSIP/trunk-00000009',
    Uniqueid: '9.1',
    Linkedid: '9.1',
    CallerIDNum: '04066969999',
  };
  pbx.send(amiEvent('Newchannel', call));
  pbx.send(amiEvent('Hangup', call));
  await until('the call to be there', async () =>
    (await served.history(served.a.token)).some(({ request }) => JSON.stringify(request).includes('9.1')),
  );
  assert.equal((await program.end('SIGTERM')).code, 0);
  const { wire } = left();
  assert.ok(!wire.includes('call-backs'));
  for (const form of formsOf(known)) assert.ok(!wire.includes(form), form);
  assert.match(await list(), /I’ll call/);
});
