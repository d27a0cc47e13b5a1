import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeSessions } from '../../src/service/access/sessions.ts';
import { openSqliteStore } from '../../src/service/store/sqlite/sqlite-store.ts';
import { median, percentile, print } from './compare.ts';
import { get, load, post } from './service/client.ts';
import { callTime, fillCalls, fillCustomers, numberOf } from './service/fill.ts';
import { type MeasuredProcess, type Memory, memoryText, start } from './service/measured.ts';

/**
 * The pages that read many calls, on a large table and on a small one, alternating: what is fast stays fast if the ratio
 * is near 1. And an office at its busiest: screens that show every call while calls come in, with the service's memory; a
 * rate that it cannot take is as fast as it can.
 * `node test/bench/screens.ts --only pages --calls 500000`; `--folder` keeps the large table for the next run, and
 * `--only office --small 5000000 --rate 7000` is an office with a large one.
 */
const { values: flags } = parseArgs({
  options: {
    only: { type: 'string', default: 'pages,office' },
    calls: { type: 'string', default: '5000000' },
    small: { type: 'string', default: '5000' },
    folder: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    screens: { type: 'string', default: '200' },
    rate: { type: 'string', default: '100' },
    refreshing: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '120' },
  },
});
const [large, small, rounds] = [Number(flags.calls), Number(flags.small), Number(flags.rounds)];

/** As many as the service lets one user have (service/http/budget.ts). */
const SCREENS_OF_USER = 50;

const folders: string[] = [];
function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'bench-screens-'));
  folders.push(made);
  return made;
}

/** What a browser of a user who is signed in sends to ask for a page. */
async function browserOf(stateDir: string, signInName = 'bench'): Promise<(path: string) => string> {
  const store = await openSqliteStore(join(stateDir, 'service.db'));
  const name = { name: 'Bench', signInName, role: 'administrator', password: 'none' } as const;
  const user =
    (await store.users.find({ signInName, account: null })) ??
    (await store.users.add({ ...name, uid: signInName, account: 1, createdAt: 0 }));
  if (user === undefined) throw new Error('no user');
  const cookie = await makeSessions(store.users, Date.now).open(user, { address: '', browser: '' });
  await store.close();
  return (path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\nCookie: pbx-bridge-session=${cookie}\r\n\r\n`;
}

/** Each tenth of the callers is a customer. */
async function fill(stateDir: string, calls: number): Promise<void> {
  await fillCalls(stateDir, calls);
  await fillCustomers(stateDir, 50_000);
}

async function pages(): Promise<void> {
  print(`\nPages on ${large} calls and on ${small} (5000 a day), median ms of ${rounds}`);
  const bigFolder = flags.folder ?? folder();
  if (!existsSync(join(bigFolder, 'service.db'))) await fill(bigFolder, large);
  const smallFolder = folder();
  await fill(smallFolder, small);
  const tables = await Promise.all(
    [
      { stateDir: bigFolder, calls: large },
      { stateDir: smallFolder, calls: small },
    ].map(async ({ stateDir, calls }) => {
      const ask = await browserOf(stateDir);
      return { calls, ask, service: await start('service', stateDir) };
    }),
  );
  const day = (n: number) => new Date(callTime(n)).toISOString().slice(0, 10);
  const known = (calls: number) => calls - 3;
  const asked: [string, (calls: number) => string][] = [
    ['activity', () => '/calls'],
    ['activity, in the middle', (calls) => `/calls?older=${callTime(calls / 2)}.${calls / 2}`],
    ['a number', (calls) => `/calls?number=${encodeURIComponent(numberOf((known(calls) * 7919) % 500_000))}`],
    ['an extension that answered nobody', () => '/calls?extension=999'],
    ['missed calls', () => '/calls?outcome=missed'],
    ['a part of a number that is nowhere', () => '/calls?number=77777777'],
    ['one call', (calls) => `/calls/details?id=pbx-${known(calls)}.${known(calls) % 97}`],
    ['report of a day', (calls) => `/reports?from=${day(calls - 1)}&to=${day(calls - 1)}`],
    [
      'report of all days up to a month',
      (calls) => `/reports?from=${day(Math.max(0, calls - 150_001))}&to=${day(calls - 1)}`,
    ],
    ['report of all days', (calls) => `/reports?from=${day(0)}&to=${day(calls - 1)}`],
  ];
  for (const [title, path] of asked) {
    const times = new Map<number, number[]>(tables.map(({ calls }) => [calls, []]));
    const first: number[] = [];
    for (let round = 0; round <= rounds; round += 1)
      for (const { calls, ask, service } of tables) {
        const { p50 } = await load({
          port: service.port,
          connections: 1,
          requests: 1,
          request: () => ask(path(calls)),
        });
        if (round > 0) times.get(calls)?.push(p50);
        else first.push(p50);
      }
    const [big = 0, little = 0] = [...times.values()].map(median);
    const numbers = [big, little].map((ms) => ms.toFixed(1).padStart(8)).join(' ');
    print(
      `  ${title.padEnd(38)} ${numbers}   ratio ${(big / little).toFixed(1)}   (first time ${first[0]?.toFixed(0)})`,
    );
  }
  for (const { service } of tables) await service.stop();
}

async function office(): Promise<void> {
  const [screens, rate, refreshing, seconds] = [
    flags.screens,
    flags.rate,
    flags.refreshing,
    flags.seconds,
  ].map(Number) as [number, number, number, number];
  print(`\n${screens} screens, ${rate} calls/s, ${refreshing} pages/s, ${seconds} s`);
  const stateDir = flags.folder ?? folder();
  if (!existsSync(join(stateDir, 'service.db'))) await fill(stateDir, small);
  const browsers: Awaited<ReturnType<typeof browserOf>>[] = [];
  for (let user = 0; user * SCREENS_OF_USER < screens; user += 1)
    browsers.push(await browserOf(stateDir, `bench-${user}`));
  const [ask] = browsers as [(typeof browsers)[number]];
  const service = await start('service', stateDir);
  const sentAt = new Map<string, number>();
  const delays: number[] = [];
  const sockets = await Promise.all(
    Array.from({ length: screens }, (_, n) =>
      screenOf(service, browsers[Math.floor(n / SCREENS_OF_USER)] ?? ask, (id) => {
        const sent = sentAt.get(id);
        if (sent !== undefined) delays.push(performance.now() - sent);
      }),
    ),
  );
  const memory: Memory[] = [await service.memory()];
  const watching = setInterval(async () => memory.push(await service.memory()), 5000);
  const times = { page: [] as number[], lookup: [] as number[] };
  const asks = {
    page: ask('/calls'),
    lookup: get(`/api/v1/voice/priority?number=${encodeURIComponent(numberOf(7))}`, service.token),
  };
  const under: Promise<void>[] = [];
  const asking = setInterval(() => under.push(askBoth()), 1000 / refreshing);
  async function askBoth() {
    for (const what of ['page', 'lookup'] as const) {
      const { p50 } = await load({
        port: service.port,
        connections: 1,
        requests: 1,
        request: () => asks[what],
      });
      times[what].push(p50);
    }
  }
  for (let second = 0; second < seconds; second += 1) {
    const began = performance.now();
    const events = Array.from({ length: rate * 3 }, (_, n) => ({
      id: `office-${second - (n % 3)}.${Math.floor(n / 3)}`, // rings, is answered a second later, ends another one later
      ...{ direction: 'inbound', status: ['ringing', 'answered', 'completed'][n % 3], from: numberOf(n) },
    })).filter(({ id }) => !id.startsWith('office--'));
    await load({
      port: service.port,
      ...{ connections: 4, requests: events.length },
      request: (n) => {
        const event = events[n];
        if (event?.status === 'ringing') sentAt.set(event.id, performance.now());
        return post('/api/v1/voice/call', service.token, JSON.stringify(event));
      },
    });
    sentAt.delete(`office-${second - 10}.0`);
    await new Promise((later) => setTimeout(later, Math.max(0, 1000 - (performance.now() - began))));
  }
  clearInterval(asking);
  await Promise.all(under);
  clearInterval(watching);
  memory.push(await service.memory());
  for (const socket of sockets) socket.destroy();
  const ms = (values: number[], share: number) => `${percentile(values, share).toFixed(0)} ms`;
  const frames = `${delays.length} of ${screens * rate * seconds}`;
  print(`  ringing, from the event to each screen: p50 ${ms(delays, 50)}, p99 ${ms(delays, 99)} (${frames})`);
  print(`  the page of activity: p50 ${ms(times.page, 50)}, p99 ${ms(times.page, 99)}`);
  print(`  a priority lookup: p50 ${ms(times.lookup, 50)}, p99 ${ms(times.lookup, 99)}`);
  print(
    `  memory of the service, MB, every 5 s: ${memory.map(({ rss }) => (rss / 1e6).toFixed(0)).join(' ')}`,
  );
  const most = memory.reduce((a, b) => (b.rss > a.rss ? b : a));
  print(`  at most ${memoryText(most)}`);
  print(`  CPU: ${((await service.cpu()) / 10 / seconds).toFixed(0)} % of a core`);
  await service.stop();
}

/** A screen that reads its stream; `ringing` is called with the id of each call that begins. */
async function screenOf(
  service: MeasuredProcess,
  ask: (path: string) => string,
  ringing: (id: string) => void,
) {
  const socket = connect(service.port, '127.0.0.1').setEncoding('utf8');
  await once(socket, 'connect');
  socket.write(ask('/events'));
  const [answer] = await once(socket, 'data');
  if (!answer.startsWith('HTTP/1.1 200')) throw new Error(`no screen: ${answer}`);
  let rest = '';
  socket.on('data', (chunk) => {
    const frames = (rest + chunk).split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames) {
      const [, id, status] = /"id":"([^"]+)","status":"(\w+)"/.exec(frame) ?? [];
      if (id !== undefined && status === 'ringing') ringing(id);
    }
  });
  return socket;
}

try {
  const benches: Record<string, () => Promise<void>> = { pages, office };
  for (const name of flags.only.split(',')) await benches[name]?.();
} finally {
  for (const made of folders) rmSync(made, { recursive: true, force: true });
}
