import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createPlayer } from '../src/ami/player/player.ts';
import { startBridge } from '../src/bridge.ts';
import { bridgeSections, loadConfig } from '../src/config/env.ts';
import { serviceSection } from '../src/config/service-section.ts';
import { createLog, type Log, silentLog } from '../src/log/log.ts';
import { systemClock } from '../src/process/clock.ts';
import { makePasswords } from '../src/service/access/password.ts';
import { addUser } from '../src/service/access/users.ts';
import { newUid } from '../src/service/accounts/setup.ts';
import { openSqliteStore } from '../src/service/store/sqlite/sqlite-store.ts';
import { startService } from '../src/service.ts';
import { givePast } from './office/past.ts';
import { readScenarios, type Scenario } from './recordings/library.ts';

/**
 * `npm run demo`: a demonstration with simulated data. It runs the service with customers and the calls of the last
 * weeks, the bridge, and a simulated PBX that plays recordings of a real Asterisk over TCP. All files are in a temporary
 * directory, which is deleted at the end.
 *
 * npm run demo -- --seconds 30    stop after 30 s
 */
const { values } = parseArgs({ options: { seconds: { type: 'string' } } });

/** Playback speed: the recorded calls last only a second or two. */
const SPEED = 0.15;
/** From one call to the next, ms, at most. */
const LONGEST_GAP_MS = 8_000;

const print = (line = '') => process.stdout.write(`${line}\n`);
const folder = mkdtempSync(join(tmpdir(), 'pbx-bridge-demo-'));
const fail = (error: unknown) => {
  throw error;
};

const { service: serviceOptions } = loadConfig(
  { service: serviceSection },
  { SERVICE_LISTEN: '127.0.0.1:0', SERVICE_STATE_DIR: join(folder, 'service'), SERVICE_COUNTRY: 'DE' },
);
const password = 'demo demo demo';
await furnish(serviceOptions.stateDir);
const service = await startService(serviceOptions, { log: silentLog, fail });

const pbx = createPlayer({ username: 'bridge', secret: 'sesame', clock: systemClock });
const { port } = await pbx.listen();
const { logging, ...config } = loadConfig(bridgeSections, {
  AMI_PORT: String(port),
  AMI_USERNAME: 'bridge',
  AMI_SECRET: 'sesame',
  API_BASE_URL: `${service.url}/api/v1`,
  API_TOKEN: service.token(),
  STATE_DIR: join(folder, 'bridge'),
  DEFAULT_COUNTRY: 'DE',
  AGI_LISTEN: 'off',
  STATUS_LISTEN: 'off',
  LOG_FORMAT: 'pretty',
});
const log = createLog({ ...logging, secrets: [service.token()] });
const connected = Promise.withResolvers<void>();
const bridge = await startBridge(config, { log: callsOnly(log), version: 'demo', fail });
await connected.promise;

print(`Open ${await service.link()}`);
print(`(once; later as Anna, with the password "${password}", at ${service.url})`);
print();
print(
  'There, and here, an office takes its calls: recordings of a real Asterisk, played to the bridge over TCP.',
);
print('Its customers and the calls of its last weeks are made up. Ctrl-C ends it.');
print();

const stopped = new AbortController();
process.once('SIGINT', () => stopped.abort());
process.once('SIGTERM', () => stopped.abort());
if (values.seconds !== undefined) setTimeout(() => stopped.abort(), Number(values.seconds) * 1_000);

// Those with a call from outside, that need no settings of their own.
const scenarios = readScenarios('asterisk-22/').filter(
  ({ calls, settings }) => calls.length > 0 && Object.keys(settings).length === 0,
);
while (!stopped.signal.aborted) {
  for (const scenario of shuffled(scenarios)) {
    void pbx.play(scenario.recording, { speed: SPEED });
    await wait(Math.random() * LONGEST_GAP_MS, undefined, { signal: stopped.signal }).catch(() => {});
    if (stopped.signal.aborted) break;
  }
}
await bridge.stop();
await pbx.close();
await service.stop();
rmSync(folder, { recursive: true, force: true });
print('Ended; nothing is left behind.');

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
  await store.directory.changeAccount(id, { timeZone: 'Europe/Berlin' });
  const add = (name: string) =>
    store.directory.addIntegration({ uid: newUid(), account: id, name, createdAt: now });
  const phones = await add('Phone system, Hamburg');
  await add('Phone system, Kiel (not connected yet)');
  const anna = await addUser(store, {
    account: id,
    name: 'Anna',
    role: 'administrator',
    now: now - 4 * 3_600_000,
  });
  await store.users.change(anna?.id ?? 0, { password: await makePasswords().hash(password) });
  for (const name of ['Bilal', 'Chiara']) await addUser(store, { account: id, name, role: 'agent', now });
  await givePast(store, { account: id, integration: phones.id, now, days: 45 });
  await store.close();
}

/** Only what happens to calls: the rest of the log is for operators. */
function callsOnly(whole: Log): Log {
  return {
    say(code, fields) {
      if (code === 'ami.connected') connected.resolve();
      if (code.startsWith('call.')) whole.say(code, fields);
    },
    child: (fields) => callsOnly(whole.child(fields)),
  };
}

function shuffled(all: readonly Scenario[]): Scenario[] {
  return all
    .map((scenario) => ({ scenario, order: Math.random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ scenario }) => scenario);
}
