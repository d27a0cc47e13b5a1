import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../../src/shared/process/clock.ts';
import { startFakeApi } from '../tools/fakes/fake-api.ts';
import { always, type Fault } from '../tools/fakes/fake-api-faults.ts';
import { createPlayer } from '../tools/player/player.ts';
import { runProgram, temporaryFolder } from '../tools/program/program.ts';
import { markerCall } from '../tools/program/stand.ts';

/**
 * Secrets that are easy to find again. Everything that the bridge and its commands leave behind while all goes wrong
 * is searched for them: what was written, stored, shown, and what other users of the machine can see of a process.
 */
const canary = {
  ami: 'CANARY-ami-7f3a91',
  api: 'CANARY-api-58c2e0',
  cdr: 'CANARY-cdr-90b6d4',
  caller: '+4940669699990',
} as const;

/** An API that gives the token back in every way that an answer can. */
const echoes: readonly Fault[] = [
  { kind: 'status', status: 401, body: JSON.stringify({ message: `no such token ${canary.api}` }) },
  { kind: 'status', status: 302, headers: { location: `https://elsewhere.example/?t=${canary.api}` } },
  { kind: 'status', status: 500, body: `<h1>Authorization: Bearer ${canary.api}</h1>` },
  { kind: 'status', status: 422, body: JSON.stringify({ message: `bad ${canary.api}`, errors: {} }) },
  { kind: 'status', status: 200, body: JSON.stringify({ nothing: canary.api }) },
  { kind: 'garbage' },
  { kind: 'reset', when: 'during' },
];

/** A database that refuses everybody, and gives the password back: an error packet of MySQL's protocol. */
async function refusingDatabase(t: TestContext): Promise<number> {
  const refusal = Buffer.concat([Buffer.from([0xff, 0x15, 0x04]), Buffer.from(`denied to ${canary.cdr}`)]);
  const server = createServer((socket) => {
    socket.on('error', () => {}).end(Buffer.concat([Buffer.from([refusal.length, 0, 0, 0]), refusal]));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

test('secrets stay where they were given, whatever goes wrong', async (t) => {
  const pbx = createPlayer({ username: 'bridge', secret: canary.ami, clock: systemClock });
  const { port } = await pbx.listen();
  const fakeApi = await startFakeApi({ token: canary.api });
  const cwd = temporaryFolder(t);
  const stateDir = join(cwd, 'state');
  const env = {
    AMI_PORT: String(port),
    AMI_USERNAME: 'bridge',
    AMI_SECRET: canary.ami,
    API_BASE_URL: fakeApi.baseUrl,
    API_TOKEN: canary.api,
    CDR_SOURCE: `mysql://reader@127.0.0.1:${await refusingDatabase(t)}/asteriskcdrdb`,
    CDR_PASSWORD: canary.cdr,
    STATE_DIR: stateDir,
    AGI_LISTEN: '127.0.0.1:0',
    STATUS_LISTEN: '127.0.0.1:0',
    LOG_LEVEL: 'debug',
  };
  t.after(async () => {
    await pbx.close();
    await fakeApi.close();
  });
  const left: Record<string, string> = {};

  const program = runProgram(['run'], { cwd, env });
  t.after(() => program.end('SIGKILL'));
  await program.says(/"code":"ami\.connected"/);
  await program.says(/"code":"cdr\.unreadable"[^\n]*denied to/);
  for (const fault of echoes) {
    const before = fakeApi.counts().requests;
    fakeApi.inject(always(fault));
    for (const frame of markerCall().frames) pbx.send(frame.replace('+494066969999', canary.caller));
    program.process.kill('SIGHUP'); // tries at once what waits
    await fakeApi.waitFor(({ counts }) => counts().requests > before);
  }
  // The PBX says back what it was sent, as a proxy or a log of its own would.
  pbx.sendRaw(
    `Response: Error\r\nMessage: login ${canary.ami} failed\r\n\r\nEvent: Alarm\r\nSecret: ${canary.ami}\r\n\r\n`,
  );
  pbx.setRefuseLogins(true);
  pbx.cut();
  await program.says(/"code":"ami\.(refused|login-refused|down|failed)[^"]*"|Authentication failed/);

  const [, statusPort] = (await program.says(/"code":"status\.listening"[^\n]*"port":(\d+)/)) ?? [];
  for (const path of ['/status.json', '/metrics', '/readyz', '/healthz'])
    left[path] = await (await fetch(`http://127.0.0.1:${statusPort}${path}`)).text();
  left['command line'] = readFileSync(`/proc/${program.process.pid}/cmdline`, 'utf8');
  for (const args of [
    ['check'],
    ['status', '--url', `http://127.0.0.1:${statusPort}`],
    ['explain', canary.caller],
    ['outbox', 'list'],
    ['verify', '--since', '1h'],
  ]) {
    const command = runProgram(args, { cwd, env });
    await command.ended;
    left[`pbx-bridge ${args[0]}`] = command.output();
  }
  await program.end('SIGTERM');
  left.log = program.output();
  const crashed = runProgram(['run'], {
    cwd,
    env: { ...env, API_BASE_URL: `http://${canary.api}@127.0.0.1:1/x` },
  });
  await crashed.ended;
  left['log of wrong settings'] = crashed.output();
  for (const file of readdirSync(stateDir))
    left[`state/${file}`] = readFileSync(join(stateDir, file), 'latin1');

  assert.ok((left.log ?? '').length > 2_000 && left['/metrics'] !== '' && left['pbx-bridge check'] !== '');
  for (const [place, text] of Object.entries(left)) {
    for (const secret of [canary.ami, canary.api, canary.cdr])
      assert.ok(!text.includes(secret), `${place} has ${secret}: ${around(text, secret)}`);
    // The number has to be in the queue on disk; elsewhere it is masked.
    if (!place.startsWith('state/') && place !== 'pbx-bridge check')
      assert.ok(
        !text.includes(canary.caller),
        `${place} has the caller's number: ${around(text, canary.caller)}`,
      );
  }
  assert.ok(
    Object.entries(left).some(([place, text]) => place.startsWith('state/') && text.includes(canary.caller)),
    'the search finds what there is',
  );
});

function around(text: string, what: string): string {
  const at = text.indexOf(what);
  return JSON.stringify(text.slice(Math.max(0, at - 80), at + what.length + 20));
}
