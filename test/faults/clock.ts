import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { longestWaitMs } from '../../src/shared/delivery/queue.ts';
import type { FakeApi } from '../tools/fakes/fake-api.ts';
import { faketimeImpossible, underFaketime } from '../tools/faults/faketime.ts';
import { type Fault, type Outcome, type RunOptions, sumOf } from '../tools/faults/fault.ts';
import { startLoad } from '../tools/faults/load.ts';
import { createRig } from '../tools/faults/rig.ts';
import { seededRandom } from '../tools/player/seeded-random.ts';

const hour = 3_600;

/** Seconds by which the clock is set, while the bridge runs; back to 1970 from wherever it is. */
const jumps: readonly { readonly name: string; readonly seconds: () => number }[] = [
  { name: '+1 h', seconds: () => hour },
  { name: '-1 h', seconds: () => -hour },
  { name: '+1 day', seconds: () => 24 * hour },
  { name: '-1 day', seconds: () => -24 * hour },
  { name: '1970', seconds: () => hour - Math.floor(Date.now() / 1_000) },
];

const eventsPerSecond = 20;

/** One call in this number gets no answer but 503 until the end, with a Retry-After. */
const oneBadIn = 5;

/** What the program and the machine may add to a wait or take from it, ms. */
const toleranceMs = 2_000;

export const clock: Fault = {
  name: 'clock set while it runs',
  needs: faketimeImpossible,
  waits: true,
  short: { count: 5, unit: 'jumps' },
  full: { count: 100, unit: 'jumps' },
  run: (options) => jumpAll(options, { FAKETIME_DONT_FAKE_MONOTONIC: '1' }),
  control: {
    without: 'a clock beside it that is never set',
    // The second is back: it then waits for an hour, however late a busy machine is.
    size: { count: 2, unit: 'jumps' },
    run: (options) => jumpAll(options, {}),
  },
};

async function jumpAll(
  { size, seed, say }: RunOptions,
  faketime: Readonly<Record<string, string>>,
): Promise<Outcome> {
  // A few seconds will do where there are a few jumps; where there are many, the waits come near to the longest.
  const waitMs = size > jumps.length ? 20_000 : 4_000;
  const results: Awaited<ReturnType<typeof jumpOnce>>[] = [];
  for (let done = 0; done < size; done += jumps.length) {
    const some = Array.from({ length: Math.min(jumps.length, size - done) }, (_, n) =>
      jumpOnce(jumps[n] as (typeof jumps)[number], { seed: seed + done + n, waitMs, faketime }),
    );
    results.push(...(await Promise.all(some)));
    say(`${results.length} jumps; ${results.flatMap(({ broken }) => broken).length} things broken`);
  }
  const most = (of: (result: (typeof results)[number]) => number) => Math.max(...results.map(of));
  const least = Math.min(...results.map(({ shortestMs }) => shortestMs));
  return {
    ...sumOf(results.map(({ counts }) => counts)),
    runs: results.length,
    seed,
    broken: results.flatMap(({ broken }) => broken),
    note: `the API asked for ${waitMs / 1_000} s between two tries: they were ${(least / 1_000).toFixed(1)} to ${(most(({ longestMs }) => longestMs) / 1_000).toFixed(1)} s; ${results.reduce((sum, { retries }) => sum + retries, 0)} of them`,
  };
}

async function jumpOnce(
  jump: (typeof jumps)[number],
  options: { seed: number; waitMs: number; faketime: Readonly<Record<string, string>> },
) {
  const { seed, waitMs, faketime } = options;
  const rig = await createRig();
  const broken: string[] = [];
  try {
    const file = join(rig.folder, 'faketime');
    writeFileSync(file, '+0\n');
    const clock = { FAKETIME_TIMESTAMP_FILE: file, FAKETIME_NO_CACHE: '1', ...faketime };
    let skewMs = 0;
    const bridge = rig.startBridge({
      wrap: underFaketime(clock),
      hear({ time, level, code, msg }) {
        skewMs = Date.parse(String(time)) - Date.now();
        // A machine that does too much keeps the API from answering for seconds: no fault of the bridge.
        if (level === 'error' && code !== 'delivery.outage') broken.push(`${jump.name}: ${code}: ${msg}`);
      },
    });
    const tries = watchTries(rig.fakeApi, waitMs);
    await bridge.says('ami.connected');
    const load = startLoad(rig.pbx, { eventsPerSecond, random: seededRandom(seed), talkMs: 500 });
    await sleep(1.5 * waitMs);
    // Just now, so that its wait is all still to come, however busy the machine is.
    await Promise.race([tries.refused(), bridge.ended]);
    const seconds = jump.seconds();
    writeFileSync(file, `${seconds > 0 ? '+' : ''}${seconds}\n`);
    await sleep(1.5 * waitMs);
    await load.finish();
    if (Math.abs(skewMs - seconds * 1_000) > 10_000)
      broken.push(`${jump.name}: the clock was not set: it is ${skewMs} ms off`);

    tries.heal();
    const isOver = () =>
      [...load.sent.keys()].every((id) => rig.fakeApi.calls().get(id)?.state === 'completed');
    await rig.fakeApi.waitFor(isOver, longestWaitMs + toleranceMs).catch((error: Error) => {
      broken.push(`${jump.name}: something waits for more than a minute: ${error.message.slice(0, 200)}`);
    });
    bridge.kill('SIGTERM');
    await bridge.ended;
    const { counts, broken: unsolved } = rig.solve(load.sent);
    const { retries, shortestMs, longestMs } = tries.result();
    if (shortestMs < waitMs - toleranceMs) broken.push(`${jump.name}: tried again after ${shortestMs} ms`);
    if (longestMs > longestWaitMs + toleranceMs) broken.push(`${jump.name}: a wait of ${longestMs} ms`);
    return { counts, retries, shortestMs, longestMs, broken: [...broken, ...unsolved] };
  } finally {
    await rig.close();
  }
}

/** Answers the events of some calls with 503 and a time to wait, until it heals, and measures what is waited. */
function watchTries(fakeApi: FakeApi, waitMs: number) {
  const triedAt = new Map<string, number>();
  const waits: number[] = [];
  let onRefused = () => {};
  let healed = false;
  fakeApi.inject(({ path, payload: { id, status } }) => {
    if (path !== '/voice/call') return undefined;
    const event = `${id} ${status}`;
    const now = performance.now();
    const before = triedAt.get(event);
    if (before !== undefined) waits.push(Math.round(now - before));
    triedAt.set(event, now);
    const isBad = (Number(String(id).split('.')[1]) / 8) % oneBadIn === 0;
    if (healed || !isBad) return undefined;
    onRefused();
    return { kind: 'status', status: 503, headers: { 'retry-after': String(waitMs / 1_000) } };
  });
  return {
    /** Resolves when the next event has to wait. */
    refused: () =>
      new Promise<void>((resolve) => {
        onRefused = resolve;
      }),
    heal() {
      healed = true;
    },
    result: () => ({
      retries: waits.length,
      shortestMs: Math.min(...waits),
      longestMs: Math.max(...waits),
    }),
  };
}
