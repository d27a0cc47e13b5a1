import { setTimeout as sleep } from 'node:timers/promises';
import { callStatuses } from '../../src/shared/api/contract/call-status.ts';
import type { Fault as ApiFault, FaultScript } from '../tools/fakes/fake-api-faults.ts';
import { countersIn } from '../tools/faults/equation.ts';
import type { Fault, Outcome, RunOptions } from '../tools/faults/fault.ts';
import { startLoad } from '../tools/faults/load.ts';
import { createRig, type Rig } from '../tools/faults/rig.ts';
import { seededRandom } from '../tools/player/seeded-random.ts';
import { until } from '../tools/until.ts';
import { fillOutbox } from './backlog.ts';

/** Calls that come in all the while, beside those that wait. */
const eventsPerSecond = 50;

type Random = () => number;

/** What the API has instead of an answer; `refused`: nobody listens there. */
const troubles: Readonly<Record<string, (random: Random) => ApiFault | 'refused'>> = {
  refused: () => 'refused',
  'reset before': () => ({ kind: 'reset', when: 'before' }),
  'reset during': () => ({ kind: 'reset', when: 'during' }),
  'reset after': () => ({ kind: 'reset', when: 'after' }),
  slow: (random) => ({ kind: 'slow', ms: Math.floor(random() * 3_000) }),
  hanging: (random) => ({ kind: 'hang', applied: random() < 0.5 }),
  'cut short': () => ({ kind: 'stall' }),
  '500': () => ({ kind: 'status', status: 500 }),
  '503': () => ({ kind: 'status', status: 503, headers: { 'retry-after': '1' } }),
  '429': () => ({ kind: 'status', status: 429, headers: { 'retry-after': '1' } }),
  '401': () => ({ kind: 'status', status: 401 }),
  '302': () => ({ kind: 'status', status: 302, headers: { location: '/login' } }),
  'a page': () => ({ kind: 'html' }),
  garbage: () => ({ kind: 'garbage' }),
  'an answer of a megabyte': () => ({ kind: 'huge', bytes: 1 << 20 }),
};

/** The most that a trouble lasts, ms or requests: what waits during it waits longer each time. */
const longestMs = 1_500;
const mostRequests = 300;

export const api: Fault = {
  name: 'API: refused, reset, slow, 500s, 401, 302, pages, garbage',
  waits: true,
  short: { count: 6_000, unit: 'events' },
  full: { count: 1_000_000, unit: 'events' },
  run: (options) => deliverAll(options, () => undefined),
  control: {
    without: 'an API that keeps what it confirms',
    size: { count: 2_000, unit: 'events' },
    run: (options) => {
      const random = seededRandom(options.seed);
      return deliverAll(options, () => (random() < 0.01 ? { kind: 'discard' } : undefined));
    },
  },
};

async function deliverAll({ size, seed, say, stop }: RunOptions, otherwise: FaultScript): Promise<Outcome> {
  const random = seededRandom(seed);
  const rig = await createRig({}, { keeps: 1_000 });
  try {
    const old = await fillOutbox(rig, Math.ceil(size / callStatuses.length));
    const trouble = createTrouble(rig, random, otherwise);
    const bridge = rig.startBridge();
    await bridge.says('ami.connected');
    const load = startLoad(rig.pbx, { eventsPerSecond, random: seededRandom(seed + 1), talkMs: 500 });
    const names = Object.keys(troubles);
    // About every kind once in a short run, and in a long one as often as it takes.
    const healthyRequests = Math.min(5_000, size / names.length);
    for (let n = 0; !stop.aborted && countersIn(rig.stateDir).waiting > healthyRequests / 2; n += 1) {
      await trouble.none(random() * healthyRequests * 2);
      await trouble.cause(names[n % names.length] as string);
      if (n % names.length === names.length - 1) say(JSON.stringify(countersIn(rig.stateDir)));
    }
    await load.finish();
    const counters = () => countersIn(rig.stateDir);
    await until('nothing waits', () => counters().waiting === 0, { state: counters, everyMs: 500 });
    bridge.kill('SIGTERM');
    await bridge.ended;
    const { counts, broken } = rig.solve(new Map([...old, ...load.sent]));
    if (counts.waiting > 0 && !stop.aborted) broken.push(`${counts.waiting} events still wait`);
    if (counts.dead > 0) broken.push(`${counts.dead} events became dead letters, though none was at fault`);
    return {
      ...counts,
      runs: counts.queued,
      seed,
      broken,
      note: `${trouble.requests().toLocaleString('en')} requests; ${trouble.summary()}`,
    };
  } finally {
    await rig.close();
  }
}

/** One trouble after the other, each for some requests or some time; some of them hit all requests, some a share. */
function createTrouble({ fakeApi }: Rig, random: Random, otherwise: FaultScript) {
  const caused = new Map<string, number>();
  let cause: FaultScript = otherwise;
  let requests = 0;
  let left = 0;
  let onEnough = () => {};
  fakeApi.inject((request) => {
    if (request.path !== '/voice/call') return undefined;
    requests += 1;
    left -= 1;
    if (left <= 0) onEnough();
    return cause(request);
  });
  const enough = (most: number, longest: number) => {
    left = most;
    return Promise.race([
      sleep(longest, undefined, { ref: false }),
      new Promise<void>((resolve) => {
        onEnough = resolve;
      }),
    ]);
  };
  return {
    /** Nothing is wrong, for this number of requests. */
    none: (most: number) => enough(most, 10_000),
    async cause(name: string) {
      const lasts = random() * longestMs;
      const share = random() < 0.5 ? 1 : random();
      const fault = troubles[name]?.(random);
      caused.set(name, (caused.get(name) ?? 0) + 1);
      if (fault === 'refused') {
        await fakeApi.close();
        await sleep(lasts);
        await fakeApi.reopen();
        return;
      }
      cause = (request) => (random() < share ? (troubles[name]?.(random) as ApiFault) : otherwise(request));
      await enough(random() * mostRequests, lasts);
      cause = otherwise;
    },
    requests: () => requests,
    summary: () => [...caused].map(([name, times]) => `${name} ${times} times`).join(', '),
  };
}
