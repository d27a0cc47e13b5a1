import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { askAgi, callFrom } from '../../src/bridge/agi/agi-client.fixture.ts';
import { median } from '../tools/bench/compare.ts';
import { faketimeImpossible, underFaketime } from '../tools/faults/faketime.ts';
import type { Fault, Outcome, RunOptions } from '../tools/faults/fault.ts';
import { startLoad } from '../tools/faults/load.ts';
import { allEnded, createRig, lastReported } from '../tools/faults/rig.ts';
import { seededRandom } from '../tools/player/seeded-random.ts';

const eventsPerSecond = 200;

/** How often it is looked at what the bridge holds, however long it runs. */
const samples = 120;

/** Eight hours are 80 minutes then. A busy machine has a sixth of each deadline to keep it. */
const fast = 6;

/** From one lookup of the dialplan to the next, ms. */
const lookupEveryMs = 250;

/**
 * How much the last third may hold above the second one; the first third is for warming up. In eight hours 8 MB are 4
 * bytes an event, in five minutes 400.
 */
const mostGrowth = { 'MB of memory': 8, files: 2, threads: 1 } as const;

/**
 * How much more there may be of what follows the rushes, when there was nothing to do for a while, than before the first
 * call. Connections to the API are kept for half a minute.
 */
const mostLeft = { connections: 8, timers: 8 } as const;
const restMs = 60_000;

/** A machine that does too much keeps the API from answering for seconds: the bridge is right to say so. */
const isStall = (code: string) => code === 'delivery.outage';

type Held = keyof typeof mostGrowth;
type Left = keyof typeof mostLeft;
type Sample = Readonly<Record<Held | Left, number>>;

const leak = new URL('./leak.fixture.ts', import.meta.url).href;

export const soaks: readonly Fault[] = [
  soakOn(`soak at ${eventsPerSecond} events/s`, 1),
  {
    ...soakOn(`soak at ${eventsPerSecond} events/s on a clock ${fast} times as fast`, fast),
    needs: faketimeImpossible,
  },
];

/** @param speed how much faster than ours the bridge's clock is, and all that is done to it. */
function soakOn(name: string, speed: number): Fault {
  return {
    name,
    aside: true,
    short: { count: 5, unit: 'minutes' },
    full: { count: 480, unit: 'minutes' },
    run: (options) => soakFor(options, speed, {}),
    control: {
      without: 'giving back what was used',
      size: { count: speed / 2, unit: 'minutes' },
      run: (options) => soakFor(options, speed, { NODE_OPTIONS: `--import=${leak}` }),
    },
  };
}

/** What is confirmed is kept until it is compared: often, so that no third of ten minutes has less of that than another. */
async function soakFor(
  { size, seed, say, stop }: RunOptions,
  speed: number,
  env: Record<string, string>,
): Promise<Outcome> {
  const rig = await createRig(
    {
      STATUS_LISTEN: '127.0.0.1:0',
      RECONCILE_EVERY: '30s',
      AGI_LISTEN: '127.0.0.1:0',
      AGI_DEADLINE_MS: '5000',
      ...env,
    },
    { keeps: 60_000 },
  );
  const broken: string[] = [];
  /** By the bridge's clock, Unix ms. */
  let lastSaid = 0;
  try {
    const bridge = rig.startBridge({
      ...(speed !== 1 && { wrap: underFaketime({ FAKETIME: `+0 x${speed}` }) }),
      hear({ time, code, level, msg }) {
        lastSaid = Date.parse(String(time));
        if (level === 'error' && !isStall(code)) broken.push(`${code}: ${msg}`);
      },
    });
    await bridge.says('ami.connected');
    const { port } = await bridge.says('status.listening');
    const agi = await bridge.says('agi.listening');
    const idle = await sampleOf(bridge.pid, Number(port));
    const load = startLoad(rig.pbx, {
      eventsPerSecond: eventsPerSecond * speed,
      random: seededRandom(seed),
      talkMs: 2_000 / speed,
    });
    const lookups = startLookups(Number(agi.port), lookupEveryMs / speed, seededRandom(seed + 1));
    const said = lastSaid;
    const taken: Sample[] = [];
    const began = performance.now();
    for (let n = 1; n <= samples && !stop.aborted; n += 1) {
      // Always that long after the last one: samples that catch up on a busy machine would all show one moment.
      await sleep((size * 60_000) / samples / speed, undefined, { signal: stop }).catch(() => {});
      taken.push(await sampleOf(bridge.pid, Number(port)));
      if (n % 10 === 0) say(JSON.stringify(taken.at(-1)));
    }
    const ranMs = performance.now() - began;
    const minutes = Math.round((ranMs * speed) / 6_000) / 10;
    const seenSpeed = (lastSaid - said) / ranMs;
    if (Math.abs(seenSpeed / speed - 1) > 0.05)
      broken.push(`the bridge's clock was ${seenSpeed.toFixed(2)} times as fast, not ${speed} times`);
    broken.push(...(await lookups.stop()));
    await lastReported(rig, await load.finish());
    await allEnded(rig);
    await sleep(restMs / speed);
    const rested = await sampleOf(bridge.pid, Number(port));
    bridge.kill('SIGTERM');
    await bridge.ended;
    const solved = rig.solve(load.sent);
    const growths = (Object.keys(mostGrowth) as Held[]).map((what) => {
      const [before, after] = [levelOf(what, taken, 1), levelOf(what, taken, 2)];
      if (after - before > mostGrowth[what]) broken.push(`${what} grew from ${before} to ${after}`);
      return `${before} to ${after} ${what}`;
    });
    const left = (Object.keys(mostLeft) as Left[]).map((what) => {
      if (rested[what] - idle[what] > mostLeft[what])
        broken.push(`${rested[what]} ${what} are left, of ${idle[what]} before the first call`);
      return `${rested[what]} ${what} (${idle[what]})`;
    });
    return {
      ...solved.counts,
      runs: minutes,
      seed,
      broken: [...broken, ...solved.broken],
      note: `${lookups.found()} lookups; from the second to the last third: ${growths.join(', ')}; left after a minute without calls, and before the first one: ${left.join(', ')}`,
    };
  } finally {
    await rig.close();
  }
}

/** What was held in that third: of memory the median, of all else, which comes and goes, the least. */
function levelOf(what: Held, all: readonly Sample[], third: number): number {
  const values = all.slice((third * all.length) / 3, ((third + 1) * all.length) / 3).map((one) => one[what]);
  return what === 'MB of memory' ? median(values) : Math.min(...values);
}

/** What the process holds at this moment. */
async function sampleOf(pid: number, statusPort: number): Promise<Sample> {
  // On a connection of its own: one that is kept may be closed by a faster clock just now.
  const { body } = await request(`http://127.0.0.1:${statusPort}/metrics`, { reset: true });
  const text = await body.text();
  const timers = /^nodejs_active_resources\{type="Timeout"\} (\d+)$/m.exec(text)?.[1] ?? 0;
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const files = readdirSync(`/proc/${pid}/fd`).map((fd) => targetOf(`/proc/${pid}/fd/${fd}`));
  const connections = files.filter((target) => target.startsWith('socket:')).length;
  return {
    'MB of memory': Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1_024),
    files: files.length - connections,
    connections,
    threads: Number(/^Threads:\s+(\d+)/m.exec(status)?.[1]),
    timers: Number(timers),
  };
}

/** What a descriptor is; '' for one that was closed meanwhile. */
function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return '';
  }
}

/** The dialplan asks for a caller's priority now and then. */
function startLookups(port: number, everyMs: number, random: () => number) {
  let found = 0;
  const underWay = new Set<Promise<void>>();
  const errors: string[] = [];
  const ask = async () => {
    const { variables } = await askAgi(port, { lines: callFrom(`+4940${Math.floor(random() * 1e7)}`) });
    if (variables.CALLER_PRIORITY_STATUS === 'FOUND') found += 1;
  };
  const timer = setInterval(() => {
    const one = ask().catch((error: Error) => void errors.push(`a lookup came to nothing: ${error.message}`));
    underWay.add(one);
    void one.then(() => underWay.delete(one));
  }, everyMs);
  return {
    found: () => found,
    /** What there was to say against them. */
    async stop(): Promise<readonly string[]> {
      clearInterval(timer);
      await Promise.all(underWay);
      return errors;
    },
  };
}
