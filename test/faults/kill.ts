import { setTimeout as sleep } from 'node:timers/promises';
import type { BridgeProcess, LogLine } from '../tools/faults/bridge-process.ts';
import { type Fault, inParts, type Outcome, type RunOptions } from '../tools/faults/fault.ts';
import { startLoad } from '../tools/faults/load.ts';
import { createRig, lastLife, type Rig } from '../tools/faults/rig.ts';
import { seededRandom } from '../tools/player/seeded-random.ts';

const eventsPerSecond = 1_000;

/** Kills in one life of a state folder; then all is drained and counted, and a new one begins. */
const killsPerFolder = 50;

/** How long a bridge lives at most after it has connected, ms. */
const longestLifeMs = 400;

/** A start takes about so long, ms: every sixth kill comes while it lasts. */
const startMs = 1_000;

export const kill: Fault = {
  name: 'kill -9 under 1,000 events/s',
  short: { count: 12, unit: 'kills' },
  full: { count: 2_000, unit: 'kills' },
  run,
};

function run(options: RunOptions): Promise<Outcome> {
  const random = seededRandom(options.seed);
  return inParts(
    options,
    killsPerFolder,
    (count) => killAgainAndAgain({ count, random, stop: options.stop }),
    (parts, total) =>
      `${total(({ kills }) => kills.delivering)} in mid-delivery, ${total(({ kills }) => kills.starting)} while starting; ${Math.round(total(({ reported }) => reported) / (total(({ livedMs }) => livedMs) / 1_000))} events/s taken while it ran; slowest start ${Math.max(...parts.map(({ slowestMs }) => slowestMs))} ms`,
  );
}

async function killAgainAndAgain(options: { count: number; random: () => number; stop: AbortSignal }) {
  const { count, random, stop } = options;
  const rig = await createRig();
  const broken: string[] = [];
  const kills = { delivering: 0, starting: 0, anytime: 0 };
  let reported = 0;
  let livedMs = 0;
  let slowestMs = 0;
  const hear = ({ code, level, msg }: LogLine) => {
    if (/^call\.(ringing|answered|completed)$/.test(code)) reported += 1;
    // A kill is no damage, and nothing to complain of.
    if (level === 'error' && code.startsWith('outbox.')) broken.push(`${code}: ${msg}`);
  };

  /** Starts it; gives when it had connected. The office makes no calls until then: they would be lost, and cost time. */
  async function start(): Promise<{ bridge: BridgeProcess; connected: Promise<number> }> {
    const began = performance.now();
    const bridge = rig.startBridge({ hear });
    load.pace(0.1);
    const connected = bridge.says('ami.connected').then(() => {
      load.pace(1);
      slowestMs = Math.max(slowestMs, Math.round(performance.now() - began));
      return performance.now();
    });
    // One that is killed before is none to wait for.
    connected.catch(() => {});
    return { bridge, connected };
  }

  const hold = () => rig.isBehind(load.sent.size);
  const load = startLoad(rig.pbx, { eventsPerSecond, random, talkMs: 200, hold });
  try {
    for (let n = 0; n < count && !stop.aborted; n += 1) {
      const { bridge, connected } = await start();
      if (n % 2 === 0) {
        const since = await connected;
        await killInMidDelivery(rig, bridge, random);
        kills.delivering += 1;
        livedMs += performance.now() - since;
      } else if (n % 6 === 1) {
        await sleep(random() * startMs);
        bridge.kill();
        kills.starting += 1;
      } else {
        const since = await connected;
        await sleep(random() * longestLifeMs);
        bridge.kill();
        kills.anytime += 1;
        livedMs += performance.now() - since;
      }
      const { code, signal } = await bridge.ended;
      if (signal !== 'SIGKILL') broken.push(`ended by itself with ${code}: ${bridge.lastWords()}`);
    }
    const { counts, broken: unsolved } = await lastLife(rig, load, { hear });
    const runs = kills.delivering + kills.starting + kills.anytime;
    return { counts, broken: [...broken, ...unsolved], runs, kills, reported, livedMs, slowestMs };
  } finally {
    await rig.close();
  }
}

/** Kills it at the moment a request of its has come in: applied there or not, its answer never gets back. */
function killInMidDelivery({ fakeApi }: Rig, bridge: BridgeProcess, random: () => number): Promise<unknown> {
  let left = Math.floor(random() * 100);
  const applied = random() < 0.5;
  fakeApi.inject(({ path }) => {
    if (path !== '/voice/call' || left-- > 0) return undefined;
    bridge.kill();
    fakeApi.inject(undefined);
    return { kind: 'hang', applied };
  });
  return bridge.ended;
}
