import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { startService } from '../../../src/service/service.ts';
import { silentLog } from '../../../src/shared/log/log.ts';
import { openThirdYear } from '../office/third-year.ts';
import { numberOf } from '../office/years.ts';
import { callers, event, options } from '../service/harness.ts';
import { visitor } from '../service/people.ts';
import { print } from './compare.ts';

/**
 * What a browser gets on the wire, with the heads of the answers, in an office in its third year with 300 people to call
 * back: the first view with nothing in the browser's cache, the next one, and what each state of a call costs.
 */
const stateDir = mkdtempSync(join(tmpdir(), 'payloads-'));
const { tokens, administrator, toCallBack } = await openThirdYear(stateDir);
const service = await startService(options(stateDir), { log: silentLog });
const client = callers(service.url);
const { cookie } = await visitor(client, administrator);
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

/** An answer, and how many bytes its connection had brought before it. */
async function ask(path: string, headers: Record<string, string> = {}, connections: Agent = agent) {
  const asked = request(`${service.url}${path}`, {
    agent: connections,
    headers: { cookie, 'accept-encoding': 'gzip', ...headers },
  });
  const [socket] = await once(asked, 'socket');
  const before = socket.bytesRead;
  asked.end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode}`);
  return { answer, bytes: () => socket.bytesRead - before };
}

const unzipped = (answer: IncomingMessage) =>
  answer.headers['content-encoding'] === 'gzip' ? answer.pipe(createGunzip()) : answer;

async function get(path: string, headers?: Record<string, string>) {
  const { answer, bytes } = await ask(path, headers);
  return { body: await text(unzipped(answer)), bytes: bytes() };
}

/** A page's stream of events. `heard`: bytes since it was asked last, once the stream has been silent. */
async function stream() {
  const { answer, bytes } = await ask('/events', {}, new Agent());
  let frames = '';
  const read = unzipped(answer).setEncoding('utf8');
  read.on('data', (chunk) => {
    frames += chunk;
  });
  for (const each of [answer, read]) each.on('error', () => {});
  let before = 0;
  return {
    async heard(kind: string): Promise<number> {
      while (!frames.includes(`event: ${kind}\n`)) await wait(20);
      await wait(300);
      const now = bytes();
      const heard = now - before;
      before = now;
      frames = '';
      return heard;
    },
    end: () => answer.destroy(),
  };
}

/** The page with all that it loads, by the addresses in it and in what it loads. */
async function view(path: string): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  const waiting = [path];
  for (const one of waiting) {
    const { body, bytes } = await get(one);
    sizes.set(one, bytes);
    const found = [...body.matchAll(/["'(](\/assets\/[^"'#)]+|\.{1,2}\/[\w/-]+\.m?[jt]s)[#"')]/g)];
    for (const [, address = ''] of found) {
      const { pathname } = new URL(address, `${service.url}${one}`);
      if (!waiting.includes(pathname) && !/manifest|maskable/.test(pathname)) waiting.push(pathname);
    }
  }
  return sizes;
}

const kB = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;
const [token = ''] = tokens;
try {
  print(`${toCallBack.size} people to call back`);
  const sizes = await view('/calls');
  const screen = await stream();
  const first = await screen.heard('calls');
  const files = [...sizes].filter(([path]) => path !== '/calls');
  const ofFiles = files.reduce((sum, [, bytes]) => sum + bytes, 0);
  const page = sizes.get('/calls') ?? 0;
  print(`the first view: ${kB(page + first + ofFiles)}, the next one: ${kB(page + first)}`);
  print(
    `  the page ${kB(page)}, its stream until it is up to date ${kB(first)}, ${files.length} files ${kB(ofFiles)}`,
  );
  for (const [path, bytes] of files.toSorted((a, b) => b[1] - a[1]))
    print(`    ${kB(bytes)} ${path.split('/').at(-1)}`);
  for (const [status, callerId] of [
    ['ringing', ''],
    ['answered', '1001'],
    ['completed', '1001'],
  ]) {
    await client.post(
      token,
      event({ id: 'payload', status, from: numberOf(3), ...(callerId && { caller_id: callerId }) }),
    );
    const heard = await screen.heard('call');
    const { bytes } = await get('/calls', { moved: 'payload' });
    print(
      `a call is ${status}: ${kB(heard + bytes)}, of which ${kB(heard)} by the stream, ${kB(bytes)} for the list`,
    );
  }
  screen.end();
} finally {
  agent.destroy();
  await service.stop();
  rmSync(stateDir, { recursive: true, force: true });
}
