import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { request } from 'undici';
import { form, person, visitor } from '../integration/people.ts';
import { callers, event, prepare } from '../integration/service-harness.ts';
import { percentile, print } from './compare.ts';
import { fillHistory, numberOf } from './service/fill.ts';
import { start } from './service/measured.ts';

/**
 * Account A does its worst while account B rings and asks for priorities: B's latency under each attack, and under all
 * at once. `node test/bench/budgets.ts --only preview,streams --seconds 20`. Goals for B: events p99 < 100 ms, lookups < 50 ms.
 */
const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', default: 'nothing,preview,import,stalled,streams,searches,all' },
    seconds: { type: 'string', default: '20' },
    rows: { type: 'string', default: '300000' },
  },
});

type Target = { url: string; port: number; token: string; admin: string; cookie: string; form: string };

const lines = (count: number) =>
  Array.from({ length: count }, (_, n) => `${n},Customer ${n},VIP,${numberOf(n)}`).join('\n');

/** What account A does, in a process of its own, until it is killed. */
const attacks: Record<string, (target: Target) => Promise<unknown>> = {
  nothing: async () => {},
  /** A preview of as many lines as the form takes, again and again. */
  async preview({ url, cookie, form: token }) {
    const table = `reference,name,segment,numbers\n${lines(270_000)}`;
    for (;;) {
      const sent = form(url, { token, table }, { cookie });
      const answer = await request(`${url}/customers/import`, { ...sent, method: 'POST' });
      await answer.body.dump({ limit: 1e9 });
      if (answer.statusCode !== 200) throw new Error(`preview: ${answer.statusCode}`);
    }
  },
  /** A million lines by /admin. */
  async import({ url, admin }) {
    const table = Readable.from(
      (function* () {
        yield 'reference,name,segment,numbers\n';
        for (let n = 0; n < 1_000_000; n += 1) yield `${n},Customer ${n},VIP,${numberOf(n)}\n`;
      })(),
    );
    const headers = { authorization: `Bearer ${admin}`, 'content-type': 'text/csv' };
    await (await request(`${url}/admin/customers`, { method: 'POST', headers, body: table })).body.dump();
  },
  /** 60 readers of the whole history that stop reading. */
  async stalled(target) {
    for (let n = 0; n < 60; n += 1)
      open(target, '/api/v1/voice', `Authorization: Bearer ${target.token}`).pause();
  },
  async streams(target) {
    for (let n = 0; n < 1500; n += 1) {
      open(target, '/events', `Cookie: ${target.cookie}`).resume();
      if (n % 50 === 0) await sleep(50);
    }
  },
  async searches({ url, token }) {
    const one = async () => {
      for (;;) {
        const path = '/api/v1/voice?search=request&search_term=nowhere&sort=-created_at&limit=50';
        const headers = { authorization: `Bearer ${token}`, accept: 'application/json' };
        await (await request(`${url}${path}`, { headers })).body.dump();
      }
    };
    await Promise.all(Array.from({ length: 30 }, one));
  },
  all: (target) =>
    Promise.all(
      ['preview', 'import', 'stalled', 'streams', 'searches'].map((name) => attacks[name]?.(target)),
    ),
};

function open({ port }: Target, path: string, header: string): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\n${header}\r\n\r\n`);
  return socket;
}

if (positionals[0] === 'attack') {
  await attacks[positionals[1] ?? '']?.(JSON.parse(positionals[2] ?? ''));
  setInterval(() => {}, 1000); // keeps its connections until it is killed
} else await measure();

async function measure(): Promise<void> {
  const stateDir = mkdtempSync(join(tmpdir(), 'bench-budgets-'));
  const { a, b } = await prepare(stateDir);
  await fillHistory(stateDir, Number(flags.rows)); // of the first account, A
  await person({ stateDir, url: '' }, { name: 'Eve', account: a.name, role: 'administrator' });
  print(
    `\n${'account B, while account A does'.padEnd(34)} events p50 / p99 / max      lookups p50 / p99 / max   memory`,
  );
  for (const attack of flags.only.split(',')) {
    const service = await start('service', stateDir);
    const url = `http://127.0.0.1:${service.port}`;
    const { ask } = callers(url);
    const { cookie, token } = await visitor({ ask, url }, 'Eve');
    const target: Target = { url, port: service.port, token: a.token, admin: a.admin, cookie, form: token };
    const attacker = fork(import.meta.filename, ['attack', attack, JSON.stringify(target)]);
    await sleep(500);
    const end = Date.now() + Number(flags.seconds) * 1000;
    const times = { events: [] as number[], lookups: [] as number[] };
    let refused = 0;
    const repeat = async (into: number[], work: (n: number) => Promise<{ status: number }>) => {
      for (let n = 0; Date.now() < end; n += 1) {
        const began = performance.now();
        if ((await work(n)).status !== 200) refused += 1;
        into.push(performance.now() - began);
        await sleep(10);
      }
    };
    const { post } = callers(url);
    await Promise.all([
      repeat(times.events, (n) => post(b.token, event({ id: `b-${attack}-${Date.now()}-${n}` }))),
      repeat(times.lookups, () => ask('/voice/priority?number=%2B4930901830', b)),
    ]);
    const shown = (list: number[]) => {
      const times = [50, 99, 100].map((percent) => percentile(list, percent).toFixed(1));
      return `${times.join(' / ')} ms (${list.length})`.padEnd(32);
    };
    const megabytes = Math.round((await service.rss()) / 1e6);
    print(
      `  ${attack.padEnd(20)} ${shown(times.events)} ${shown(times.lookups)} ${megabytes} MB${refused ? `, ${refused} refused` : ''}`,
    );
    const gone = once(attacker, 'exit');
    attacker.kill('SIGKILL');
    await gone;
    await service.stop();
  }
  rmSync(stateDir, { recursive: true });
}
