import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { askAgi, callFrom } from '../../src/bridge/agi/agi-client.fixture.ts';
import { openNotifyReceiver } from '../../src/bridge/status/notify-receiver.fixture.ts';
import { amiEvent } from '../tools/fakes/ami-event.ts';
import { type Program, runProgram, temporaryFolder } from '../tools/program/program.ts';
import { callsOf, createStand, vip } from '../tools/program/stand.ts';
import { until } from '../tools/until.ts';

/** The bridge as a process, on a played PBX and an API, with its settings in a file that can be changed. */
async function runningBridge(
  t: import('node:test').TestContext,
  changes: Record<string, string> = {},
  more: Record<string, string> = {},
) {
  const stand = await createStand(t);
  const cwd = temporaryFolder(t);
  const file = join(cwd, 'bridge.env');
  let settings: Record<string, string> = { ...stand.env, ...changes };
  const write = (more: Record<string, string>) => {
    settings = { ...settings, ...more };
    writeFileSync(
      file,
      Object.entries(settings)
        .map(([name, value]) => `${name}=${value}\n`)
        .join(''),
    );
  };
  write({});
  const notified = join(cwd, 'notify');
  const manager = openNotifyReceiver(notified);
  const program = runProgram(['run'], { cwd, env: { ENV_FILE: file, NOTIFY_SOCKET: notified, ...more } });
  t.after(async () => {
    await program.end('SIGKILL');
    manager.close();
  });
  return { ...stand, program, manager, write };
}

/** Changes settings, asks for a reload, and waits for what it says. */
async function reload({ program }: { program: Program }, answer: RegExp): Promise<void> {
  program.process.kill('SIGHUP');
  await program.says(answer);
}

let channels = 0;
/** A call that comes in on this context and is not answered. */
function missedCall(context: string): string[] {
  channels += 1;
  const call = {
    Channel: `PJSIP/trunk-0000000${channels}`,
    CallerIDNum: '+4940123456',
    Context: context,
    Uniqueid: `1000.${channels}`,
    Linkedid: `1000.${channels}`,
  };
  return [amiEvent('Newchannel', call), amiEvent('Hangup', call)];
}

test('a new token: what waited because of the old one is delivered at once, and nothing was lost', async (t) => {
  const bridge = await runningBridge(t, { API_TOKEN: 'an-old-token' });
  await bridge.program.says(/"code":"ami\.connected"/);
  for (const frame of missedCall('from-trunk')) bridge.pbx.send(frame);
  await bridge.program.says(/"code":"delivery\.paused"/);
  bridge.write({ API_TOKEN: 'a-token' });
  await reload(bridge, /"code":"program\.reloaded".*API_TOKEN/);
  await bridge.program.says(/"code":"delivery\.resumed"/);
  await bridge.fakeApi.waitFor((it) => callsOf(it)[0]?.received.length === 2);
  assert.deepEqual(await bridge.program.end(), { code: 0, signal: null });
  assert.deepEqual(
    callsOf(bridge.fakeApi).map(({ received }) => received),
    [['ringing', 'completed']],
  );
  assert.doesNotMatch(bridge.program.output(), /a-token|an-old-token/);
});

test('a new secret is tried at once where the old one was refused', async (t) => {
  const bridge = await runningBridge(t, { AMI_SECRET: 'wrong' });
  await bridge.program.says(/"code":"ami\.login-refused"/);
  bridge.write({ AMI_SECRET: 'sesame' });
  await reload(bridge, /"code":"program\.reloaded".*AMI_SECRET/);
  await bridge.program.says(/"code":"ami\.connected"/);
  assert.doesNotMatch(bridge.program.output(), /sesame/);
});

test('other contexts count from the next call on, over the same connection', async (t) => {
  const bridge = await runningBridge(t);
  await bridge.program.says(/"code":"ami\.connected"/);
  const [ring, hangup] = missedCall('from-trunk') as [string, string];
  bridge.pbx.send(ring);
  await bridge.program.says(/"code":"call\.ringing"/);
  bridge.write({ INBOUND_CONTEXTS: 'from-elsewhere' });
  await reload(bridge, /"code":"program\.reloaded".*INBOUND_CONTEXTS/);
  bridge.pbx.send(hangup);
  for (const frame of missedCall('from-trunk')) bridge.pbx.send(frame);
  for (const frame of missedCall('from-elsewhere')) bridge.pbx.send(frame);
  await bridge.program.says(/"code":"call\.completed"[\s\S]*"code":"call\.completed"/);
  assert.equal(bridge.pbx.connections(), 1);
  assert.equal(bridge.program.output().match(/"code":"ami\.connected"/g)?.length, 1);
  await bridge.program.end();
  assert.equal(bridge.program.output().match(/"code":"call\.ringing"/g)?.length, 2);
});

test('a reload that leaves the token as it is keeps the priorities in the cache', async (t) => {
  const bridge = await runningBridge(t, { AGI_LISTEN: '127.0.0.1:0', AGI_DEADLINE_MS: '5000' });
  await bridge.program.says(/"code":"ami\.connected"/);
  const port = Number(/"code":"agi\.listening"[^\n]*"port":(\d+)/.exec(bridge.program.output())?.[1]);
  const asked = () => bridge.fakeApi.requests().filter(({ payload }) => payload.number === vip).length;
  await askAgi(port, { lines: callFrom(vip) });
  bridge.write({ LOG_LEVEL: 'debug' });
  await reload(bridge, /"code":"program\.reloaded".*LOG_LEVEL/);
  await askAgi(port, { lines: callFrom(vip) });
  assert.equal(asked(), 1);
  bridge.write({ API_TOKEN: 'another-token' });
  await reload(bridge, /"code":"program\.reloaded".*API_TOKEN/);
  await askAgi(port, { lines: callFrom(vip) });
  assert.equal(asked(), 2);
});

test('a log level counts at once; what needs a restart and what is wrong is named', async (t) => {
  const bridge = await runningBridge(t);
  await bridge.program.says(/"code":"ami\.connected"/);
  await reload(bridge, /"code":"program\.reload-unchanged"/);
  bridge.write({ PBX_ID: 'berlin' });
  await reload(bridge, /"code":"program\.reload-needs-restart".*PBX_ID/);
  bridge.write({ LOG_LEVEL: 'loud' });
  await reload(bridge, /"code":"program\.reload-refused".*LOG_LEVEL: got/);
  bridge.write({ LOG_LEVEL: 'debug' });
  await reload(bridge, /"code":"program\.reloaded".*LOG_LEVEL/);
  for (const frame of missedCall('from-trunk')) bridge.pbx.send(frame);
  await bridge.program.says(/"level":"debug","[^\n]*"code":"delivery\.delivered"/);
});

test('systemd learns: ready after the PBX was read, a reload with its end, and the stop', async (t) => {
  const bridge = await runningBridge(t);
  await bridge.program.says(/"code":"ami\.connected"/);
  const notices: string[] = [];
  const isReady = () => {
    notices.push(...bridge.manager.take());
    return notices.some((notice) => /^READY=1$/m.test(notice));
  };
  await until('READY=1', isReady, { state: () => notices });
  await reload(bridge, /"code":"program\.reload-unchanged"/);
  await bridge.program.end();
  notices.push(...bridge.manager.take());
  const lines = notices.flatMap((notice) => notice.split('\n')).map((line) => line.replace(/=.*/, ''));
  const order = lines.filter((name) => /^(READY|RELOADING|STOPPING)$/.test(name));
  assert.deepEqual(order, ['READY', 'RELOADING', 'READY', 'STOPPING']);
});

test('a reload while the program loads is made when it has started', async (t) => {
  const hook = `import { registerHooks } from 'node:module';
    registerHooks({ resolve(name, context, next) {
      if (name === 'commander') process.kill(process.pid, 'SIGHUP');
      return next(name, context);
    } });`;
  const bridge = await runningBridge(
    t,
    {},
    {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}`,
    },
  );
  await bridge.program.says(/"code":"program\.reload-unchanged"/);
});
