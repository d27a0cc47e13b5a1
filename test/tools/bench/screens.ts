import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openSqliteStore } from '../../../src/service/database/sqlite-store.ts';
import { createSessions } from '../../../src/service/users/sessions.ts';
import { percentile, print } from './compare.ts';
import { get, load, post } from './service/client.ts';
import { fillCalls, fillCustomers, numberOf } from './service/fill.ts';
import { type MeasuredProcess, type Memory, memoryText, start } from './service/measured.ts';

/**
 * An office at its busiest: screens that show every call while calls come in, with the service's memory; a rate that it
 * cannot take is as fast as it can. `node test/tools/bench/screens.ts --calls 5000000 --rate 7000` is one with a large table.
 */
const { values: flags } = parseArgs({
  options: {
    calls: { type: 'string', default: '5000' },
    screens: { type: 'string', default: '200' },
    rate: { type: 'string', default: '100' },
    refreshing: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '120' },
  },
});
const [calls, screens, rate, refreshing, seconds] = [
  flags.calls,
  flags.screens,
  flags.rate,
  flags.refreshing,
  flags.seconds,
].map(Number) as [number, number, number, number, number];

/** As many as the service lets one user have (service/kit/budget.ts). */
const SCREENS_OF_USER = 50;

/** What a browser of a user who is signed in sends to ask for a page. */
async function browserOf(stateDir: string, signInName = 'bench'): Promise<(path: string) => string> {
  const store = await openSqliteStore(join(stateDir, 'service.db'));
  const name = { name: 'Bench', signInName, role: 'administrator', password: 'none' } as const;
  const user =
    (await store.users.find({ signInName, account: null })) ??
    (await store.users.add({ ...name, uid: signInName, account: 1, createdAt: 0 }));
  if (user === undefined) throw new Error('no user');
  const cookie = await createSessions(store.users, Date.now).open(user, { address: '', browser: '' });
  await store.close();
  return (path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\nCookie: pbx-bridge-session=${cookie}\r\n\r\n`;
}

async function office(stateDir: string): Promise<void> {
  print(`\n${screens} screens, ${rate} calls/s, ${refreshing} pages/s, ${seconds} s, ${calls} calls before`);
  await fillCalls(stateDir, calls);
  await fillCustomers(stateDir, 50_000);
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
      direction: 'inbound',
      status: ['ringing', 'answered', 'completed'][n % 3],
      from: numberOf(n),
    })).filter(({ id }) => !id.startsWith('office--'));
    await load({
      port: service.port,
      connections: 4,
      requests: events.length,
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

const folder = mkdtempSync(join(tmpdir(), 'bench-screens-'));
try {
  await office(join(folder, 'state'));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
