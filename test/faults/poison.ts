import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from '../tools/bench/compare.ts';
import type { Fault as ApiFault } from '../tools/fakes/fake-api-faults.ts';
import type { LogLine } from '../tools/faults/bridge-process.ts';
import { type Fault, type Outcome, type RunOptions, sumOf } from '../tools/faults/fault.ts';
import { startLoad } from '../tools/faults/load.ts';
import { createRig } from '../tools/faults/rig.ts';
import { seededRandom } from '../tools/player/seeded-random.ts';
import { until } from '../tools/until.ts';

/** Of good calls, all the time. */
const eventsPerSecond = 50;

/** Calls that come beside them in the first half: none of them is poisoned in one bridge, one in another, all in the third. */
const besidesOf = (seconds: number) => Math.min(1_000, 16 * seconds);
const firstBesides = 10_000_000;

/** What the API has for a poisoned call; half of them never get an answer at all. */
const poisons: readonly ApiFault[] = [
  { kind: 'status', status: 422 },
  { kind: 'status', status: 413 },
  { kind: 'hang' },
  { kind: 'hang' },
];

/**
 * What poison in the way costs is the time that a request may hang, 10 s. The p99 of the good calls, beside that of the
 * bridge without poison, which runs at the same time, may be worse by less than half of it: what else the machine does
 * in these seconds is not promised. How it really compares is in the note.
 */
const mostLaterMs = 4_000;
/** Times that it is measured again on a machine where calls without poison wait too: there it shows nothing of poison. */
const busyMs = 1_000;
const mostTries = 6;

const inTheWay = new URL('./in-the-way.fixture.ts', import.meta.url).href;

export const poison: Fault = {
  name: 'poisoned calls, one and 1,000',
  waits: true,
  short: { count: 15, unit: 'seconds' },
  full: { count: 600, unit: 'seconds' },
  run: (options) => compareAll(options, {}),
  control: {
    without: 'giving way to who hangs',
    size: { count: 15, unit: 'seconds' },
    run: (options) => compareAll(options, { NODE_OPTIONS: `--import=${inTheWay}` }),
  },
};

async function compareAll(options: RunOptions, env: Readonly<Record<string, string>>): Promise<Outcome> {
  const measureAll = () =>
    Promise.all([0, 1, besidesOf(options.size)].map((poisoned) => measure(options, poisoned, env)));
  let results = await measureAll();
  for (let tries = 1; tries < mostTries && isBusy(results) && !options.stop.aborted; tries += 1)
    results = await measureAll();
  const [clean, one, many] = results as [Measured, Measured, Measured];
  const broken = results.flatMap((result) => result.broken);
  const worst = [one, many].map(({ poisoned, delays }) => {
    const [p99, cleanP99] = [percentile(delays, 99), percentile(clean.delays, 99)];
    if (p99 > cleanP99 + mostLaterMs)
      broken.push(`with ${poisoned} poisoned, the p99 of the others is ${p99} ms instead of ${cleanP99} ms`);
    return `${p99} ms with ${poisoned} poisoned`;
  });
  return {
    ...sumOf(results.map(({ counts }) => counts)),
    runs: options.size,
    seed: options.seed,
    broken,
    note: `from disk to API, of ${clean.delays.length} events of good calls in each of three bridges side by side: p99 ${percentile(clean.delays, 99)} ms without poison, ${worst.join(', ')}; ${many.unsettled} good events unsettled`,
  };
}

type Measured = Awaited<ReturnType<typeof measure>>;

const isBusy = ([clean]: readonly Measured[]) => percentile(clean?.delays ?? [], 99) > busyMs;

async function measure(
  { size, seed, say, stop }: RunOptions,
  poisoned: number,
  env: Readonly<Record<string, string>>,
) {
  const rig = await createRig(env, { keeps: 1_000 });
  try {
    const delays = timeDeliveries();
    const isPoisoned = (index: number) => index >= firstBesides && index < firstBesides + poisoned;
    rig.fakeApi.inject(({ path, payload: { id, status } }) => {
      if (path !== '/voice/call') return undefined;
      delays.arrived(`${id} ${status}`);
      const index = indexOf(id);
      return isPoisoned(index) ? poisons[index % poisons.length] : undefined;
    });
    const bridge = rig.startBridge({ hear: delays.queued });
    await bridge.says('ami.connected');
    const good = startLoad(rig.pbx, { eventsPerSecond, random: seededRandom(seed), talkMs: 500 });
    const beside = startLoad(rig.pbx, {
      eventsPerSecond: (besidesOf(size) * 2.8) / (size / 2),
      random: seededRandom(seed + 1),
      talkMs: 500,
      firstIndex: firstBesides,
    });
    await sleep((size / 2) * 1_000);
    // A machine that does too much lets fewer in: too few poisoned ones would delay nothing.
    const isEnough = () => beside.sent.size >= besidesOf(size) || stop.aborted;
    await until('all calls beside have come in', isEnough, { state: () => beside.sent.size });
    await beside.finish();
    await sleep((size / 2) * 1_000);
    await good.finish();
    const isOver = () =>
      [...good.sent.keys()].every((id) => rig.fakeApi.calls().get(id)?.state === 'completed');
    await rig.fakeApi.waitFor(isOver, 60_000).catch(() => {});
    bridge.kill('SIGTERM');
    await bridge.ended;
    const { counts, broken } = rig.solve(new Map([...good.sent, ...beside.sent]));
    say(`${poisoned} poisoned: ${JSON.stringify(counts)}`);
    const times = delays.of((id) => good.sent.has(id));
    return { poisoned, counts, broken, ...times };
  } finally {
    await rig.close();
  }
}

const indexOf = (id: unknown): number => Number(String(id).split('.')[1]) / 8;

/** From an event's being on disk, by the bridge's log, to its first arrival, ms. */
function timeDeliveries() {
  const queuedAt = new Map<string, number>();
  const arrivedAt = new Map<string, number>();
  return {
    queued({ code, call, time }: LogLine) {
      if (code.startsWith('call.'))
        queuedAt.set(`${call} ${code.slice('call.'.length)}`, Date.parse(String(time)));
    },
    arrived(event: string) {
      if (!arrivedAt.has(event)) arrivedAt.set(event, Date.now());
    },
    of(isMeant: (id: string) => boolean) {
      const meant = [...queuedAt].filter(([event]) => isMeant(event.split(' ')[0] as string));
      const delays = meant.flatMap(([event, at]) => {
        const arrived = arrivedAt.get(event);
        return arrived === undefined ? [] : [Math.max(0, arrived - at)];
      });
      return { delays, unsettled: meant.length - delays.length };
    },
  };
}
