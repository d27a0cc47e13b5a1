import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { person, visitor } from '../integration/people.ts';
import { callers, event } from '../integration/service-harness.ts';
import { screenEvents } from '../integration/service-stream.ts';
import { print } from './compare.ts';
import { start } from './service/measured.ts';

/**
 * From the sending of a ringing event to a frame of a real browser in which its call is drawn, while many screens look: it is
 * one of them, the others are bare streams. (A browser draws at full pace only what is in front.) Every call is answered
 * and ends like any other. Also what memory the service takes meanwhile.
 *
 * node test/bench/bar.ts --screens 200 --calls 5 --seconds 30
 */
const { values } = parseArgs({
  options: {
    screens: { type: 'string', default: '200' },
    calls: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '30' },
  },
});
const [screens, rate, seconds] = [values.screens, values.calls, values.seconds].map(Number) as [
  number,
  number,
  number,
];

const stateDir = join(mkdtempSync(join(tmpdir(), 'bench-bar-')), 'state');
mkdirSync(stateDir);
const service = await start('service', stateDir);
const url = `http://127.0.0.1:${service.port}`;
const { ask, post } = callers(url);
/** Each has at most 50 screens (service/http/budget.ts). */
const cookies: string[] = [];
for (let n = 0; n < Math.ceil(screens / 40); n += 1) {
  await person({ stateDir, url }, { name: `Bench ${n}`, account: 'Main' });
  cookies.push((await visitor({ ask, url }, `Bench ${n}`)).cookie);
}

const now = () => performance.timeOrigin + performance.now();
const sent = new Map<string, number>();
/** ms, of every stream and call. */
const heard: number[] = [];
const stored: number[] = [];
let frames = 0;
const streams = Array.from({ length: screens - 1 }, (_, n) =>
  screenEvents(url, { cookie: cookies[n % cookies.length] ?? '' }),
);
for (const stream of streams) await stream.next();
const listening = streams.map(async (stream) => {
  for await (const message of stream) {
    frames += 1;
    if (message.event === 'call' && message.call.status === 'ringing')
      heard.push(now() - (sent.get(message.call.id) ?? Number.NaN));
  }
});

const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  // Where there is no graphics card, its emulation would be measured.
  args: ['--disable-gpu', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
});
const [name = '', value = ''] = (cookies[0] ?? '').split('=');
const context = await browser.newContext();
await context.addCookies([{ name, value, url }]);
const page = await context.newPage();
await page.addInitScript(`globalThis.drawn = {};
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes)
        for (const node of addedNodes)
          for (const card of node.querySelectorAll?.('[data-call]') ?? [])
            note(card.dataset.call);
      for (const { addedNodes } of changes)
        for (const node of addedNodes) if (node.dataset?.call) note(node.dataset.call);
    }).observe(document, { childList: true, subtree: true });
    // The second frame begins when the first, with the card in it, is on its way to the screen.
    const note = (id) => requestAnimationFrame(() => requestAnimationFrame(() => {
      drawn[id] ??= performance.timeOrigin + performance.now();
    }));`);
await page.goto(`${url}/bar`);
await page.locator('.link.live').waitFor();
print(`${screens} screens open, one of them in Chromium; ${rate} calls a second for ${seconds} s`);

const memory: number[] = [];
const under: Promise<unknown>[] = [];
for (let n = 0; n < rate * seconds; n += 1) {
  const id = `bench-${n}`;
  under.push(oneCall(id, `+49406696${String(n % 10_000).padStart(5, '0')}`));
  if (n % (rate * 5) === 0) memory.push(await service.rss());
  await wait(1000 / rate);
}
await Promise.all(under);
await wait(2000);
memory.push(await service.rss());

const latencies: number[] = [];
const drawn = (await page.evaluate('drawn')) as Record<string, number>;
for (const [id, at] of sent) latencies.push((drawn[id] ?? Number.POSITIVE_INFINITY) - at);
print(`ringing to answered 200: ${spread(stored)}`);
print(`ringing to received, of the bare streams: ${spread(heard)}`);
print(`ringing to drawn: ${spread(latencies)}`);
print(`frames to the bare streams: ${frames}`);
print(`memory of the service, MB, every 5 s: ${memory.map((bytes) => Math.round(bytes / 1e6)).join(' ')}`);

await browser.close();
await service.stop();
await Promise.allSettled(listening);
rmSync(join(stateDir, '..'), { recursive: true });

function spread(times: number[]): string {
  times.sort((a, b) => a - b);
  const at = (share: number) => (times[Math.ceil(times.length * share) - 1] ?? Number.NaN).toFixed(0);
  return `${times.length} times, median ${at(0.5)} ms, p90 ${at(0.9)}, p99 ${at(0.99)}, most ${at(1)}`;
}

async function oneCall(id: string, from: string): Promise<void> {
  sent.set(id, now());
  await post(service.token, event({ id, from }));
  stored.push(now() - (sent.get(id) ?? Number.NaN));
  await wait(1500);
  await post(service.token, event({ id, from, status: 'answered', caller_id: '1001' }));
  await wait(1500);
  await post(service.token, event({ id, from, status: 'completed' }));
}
