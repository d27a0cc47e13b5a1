import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startBridge } from '../../../src/bridge/bridge.ts';
import { bridgeSections, loadConfig } from '../../../src/cli/config/env.ts';
import { newUid } from '../../../src/service/accounts/directory.ts';
import { openSqliteStore } from '../../../src/service/database/sqlite-store.ts';
import { createPasswords } from '../../../src/service/users/password.ts';
import { addUser } from '../../../src/service/users/users.ts';
import { createLog, type Log } from '../../../src/shared/log/log.ts';
import { systemClock } from '../../../src/shared/process/clock.ts';
import { readOptions } from '../demo-options.ts';
import { freePort } from '../free-port.ts';
import { createPlayer } from '../player/player.ts';
import { colleagues, waiting } from './customers.ts';
import { playLiveCalls } from './live-calls.ts';
import { givePast } from './past.ts';
import type { ServiceIsUp } from './service-process.ts';

/** The office, until Ctrl-C. All files are in a temporary directory, which is deleted at the end. */
const values = readOptions();

const print = (line = '') => process.stdout.write(`${line}\n`);
const folder = mkdtempSync(join(tmpdir(), 'pbx-bridge-demo-'));
const serviceFolder = join(folder, 'service');
const password = 'demo demo demo';
const stopped = new AbortController();
let service!: ChildProcess;
/** The office is open: it is closed in order. */
let isOpen = false;

process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
// A terminal that was closed takes no more lines.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    stopped.abort();
    if (!isOpen) process.exit();
  });

await furnish(serviceFolder);
const { url, token, link } = await startServiceProcess(String(await freePort()));
const { port: servicePort } = new URL(url);

const pbx = createPlayer({
  username: 'bridge',
  secret: 'sesame',
  clock: systemClock,
  contexts: ['from-internal', 'from-queue', 'from-trunk'],
});
const { port } = await pbx.listen();
const { logging, ...config } = loadConfig(bridgeSections, {
  AMI_PORT: String(port),
  AMI_USERNAME: 'bridge',
  AMI_SECRET: 'sesame',
  API_BASE_URL: `${url}/api/v1`,
  API_TOKEN: token,
  STATE_DIR: join(folder, 'bridge'),
  DEFAULT_COUNTRY: 'DE',
  AGI_LISTEN: 'off',
  STATUS_LISTEN: 'off',
  LOG_FORMAT: 'pretty',
  LOG_NUMBERS: 'show',
  API_EXTRAS: 'yes',
});
const log = createLog({ ...logging, secrets: [token] });
const connected = Promise.withResolvers<void>();
const bridge = await startBridge(config, {
  log: callsOnly(log),
  version: 'demo',
  fail: (error) => {
    throw error;
  },
});
await connected.promise;

print(`
The office of Elbe property managers: its customers and the calls of its last weeks are made up.
Today's calls until now are played already; from now on they come as they come in an office.

Open ${link}
(once; later as Anna, with the password "${password}", at ${url})

Three things to try:
1. ${waiting[0]?.name} was missed twice, just now. Open "Call back", press "I'll call", then "Done".
2. Wait for a call: who it is, how important, who talked last, who answers. Open the person with one click.
3. Pull the service's plug: ${process.stdin.isTTY ? 'press p here, or run ' : ''}kill -9 ${service.pid}
   Calls go on. After ${values.off} s the service starts again, and no call is missing.

Ctrl-C ends it.
`);

isOpen = true;
if (values.seconds !== undefined) setTimeout(() => stopped.abort(), Number(values.seconds) * 1_000).unref();
if (process.stdin.isTTY) {
  process.stdin.setRawMode(true).on('data', (key) => {
    if (key.toString() === 'p') service.kill('SIGKILL');
    if (key.toString() === '\x03') stopped.abort();
  });
}

await playLiveCalls(pbx, stopped.signal);
await bridge.stop();
await pbx.close();
const ended = once(service, 'exit');
if (service.connected) {
  service.disconnect();
  await ended;
}
rmSync(folder, { recursive: true, force: true });
print('Ended; nothing is left behind.');
process.exit();

/** Starts the service, and again whenever it is killed. */
async function startServiceProcess(listenPort: string): Promise<ServiceIsUp> {
  const child = fork(join(import.meta.dirname, 'service-process.ts'), [listenPort, serviceFolder]);
  service = child;
  const [up] = (await once(child, 'message')) as [ServiceIsUp];
  child.once('exit', () => !stopped.signal.aborted && void comeBack());
  return up;
}

/** What happens after the plug is pulled, and that nothing is lost. */
async function comeBack(): Promise<void> {
  print(`The service is killed. Calls go on: the bridge keeps their events on its disk. ${values.off} s ...`);
  await wait(Number(values.off) * 1_000, undefined, { signal: stopped.signal }).catch(() => {});
  if (stopped.signal.aborted) return;
  const { waiting } = (await bridge.status()).outbox;
  await startServiceProcess(servicePort);
  print(
    `The service is back (to kill it again: kill -9 ${service.pid}). ${waiting} events are waiting for it.`,
  );
  let outbox = (await bridge.status()).outbox;
  for (; outbox.waiting > 0 && !stopped.signal.aborted; outbox = (await bridge.status()).outbox)
    await wait(200);
  print(`All of them are delivered: ${outbox.delivered} events since the start, ${outbox.lost} lost.`);
}

/** Makes the office: its account, who works there, and its past. */
async function furnish(stateDir: string): Promise<void> {
  mkdirSync(stateDir, { recursive: true });
  const now = Date.now();
  const store = await openSqliteStore(join(stateDir, 'service.db'));
  const { id } = await store.directory.addAccount({
    uid: newUid(),
    name: 'Elbe property managers',
    country: 'DE',
  });
  // The time of the terminal.
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  await store.directory.changeAccount(id, { timeZone });
  const add = (name: string) =>
    store.directory.addIntegration({ uid: newUid(), account: id, name, createdAt: now });
  const phones = await add('Phone system, Hamburg');
  await add('Phone system, Kiel (not connected yet)');
  for (const [extension, name] of Object.entries(colleagues)) {
    const isUser = name !== 'Workshop';
    const role = name === 'Anna' ? 'administrator' : 'agent';
    const user = isUser
      ? await addUser(store, { account: { id, mostUsers: null }, name, role, now: now - 4 * 3_600_000 })
      : undefined;
    if (name === 'Anna')
      await store.users.change(user?.id ?? 0, { password: await createPasswords().hash(password) });
    await store.directory.putExtension(id, {
      extension,
      name: isUser ? '' : name,
      user: user?.id ?? null,
    });
  }
  await givePast(store, { account: id, integration: phones.id, now, days: 45, timeZone });
  await store.close();
}

/** Only what happens to calls and to delivery: the rest of the log is for operators. */
function callsOnly(whole: Log): Log {
  return {
    say(code, fields) {
      if (code === 'ami.connected') connected.resolve();
      if (code.startsWith('call.') || code.startsWith('delivery.')) whole.say(code, fields);
    },
    child: (fields) => callsOnly(whole.child(fields)),
  };
}
