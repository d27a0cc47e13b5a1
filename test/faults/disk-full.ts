import { setTimeout as sleep } from 'node:timers/promises';
import { askAgi, callFrom } from '../../src/bridge/agi/agi-client.fixture.ts';
import type { BridgeProcess, LogLine } from '../tools/faults/bridge-process.ts';
import { type Fault, inParts, type Outcome, type RunOptions } from '../tools/faults/fault.ts';
import { startLoad } from '../tools/faults/load.ts';
import { createRig, lastLife } from '../tools/faults/rig.ts';
import { createSmallDisk, smallDiskImpossible } from '../tools/faults/small-disk.ts';
import { seededRandom } from '../tools/player/seeded-random.ts';

/** Positions in one life of a disk; then all is drained and counted, and a new one begins. */
const positionsPerDisk = 25;

/**
 * An alarm, and the intake when there is room again, may take so long, ms: in a full run, on a machine that has nothing
 * else to do, and in a test run, on one that has.
 */
const longest = { full: 5_000, short: 20_000 };
const judgedFrom = 100;

/** The WAL is written over from its beginning now and then: until it has to grow again, no disk is too small, ms. */
const longestUnnoticedMs = 30_000;

const patienceMs = 60_000;

export const diskFull: Fault = {
  name: 'disk full',
  needs: async () => smallDiskImpossible(),
  short: { count: 6, unit: 'positions' },
  full: { count: 500, unit: 'positions' },
  run,
};

function run(options: RunOptions): Promise<Outcome> {
  const { size, seed, stop } = options;
  const random = seededRandom(seed);
  const longestMs = size < judgedFrom ? longest.short : longest.full;
  return inParts(
    options,
    positionsPerDisk,
    (count, first) => fillAgainAndAgain({ first, count, random, stop, longestMs }),
    (parts, total) => {
      const slowest = (of: (part: (typeof parts)[number]) => readonly number[]) =>
        Math.round(Math.max(0, ...parts.flatMap(of)));
      return `slowest alarm ${slowest(({ alarms }) => alarms)} ms, intake again ${slowest(({ resumed }) => resumed)} ms after there was room, lookup ${slowest(({ lookups }) => lookups)} ms; ${total(({ killed }) => killed)} times killed while full and started on the full disk`;
    },
  );
}

/** @param options.first the number of the first position: the disk is full after this number of commits since the last time. */
async function fillAgainAndAgain(options: {
  first: number;
  count: number;
  random: () => number;
  stop: AbortSignal;
  longestMs: number;
}) {
  const { first, count, random, stop, longestMs } = options;
  let position = first;
  const disk = createSmallDisk();
  const rig = await createRig({
    STATE_DIR: `${disk.path}/state`,
    AGI_LISTEN: '127.0.0.1:0',
    AGI_DEADLINE_MS: '5000',
    STATUS_LISTEN: '127.0.0.1:0',
  });
  const broken: string[] = [];
  const [alarms, resumed, lookups]: [number[], number[], number[]] = [[], [], []];
  let killed = 0;

  /** What the bridge said last: how often something was taken, and when; how often the disk was full. */
  const said = { taken: 0, queuedAt: 0, full: 0, fullAt: 0 };
  const watchers = new Set<() => void>();
  const hear = ({ code, level, msg }: LogLine) => {
    if (/^call\.(ringing|answered|completed)$/.test(code)) {
      said.taken += 1;
      said.queuedAt = performance.now();
    } else if (code === 'outbox.full') {
      said.full += 1;
      said.fullAt = performance.now();
    } else if (level === 'error' && code.startsWith('outbox.')) broken.push(`${code}: ${msg}`);
    for (const look of watchers) look();
  };
  /** Whether it happens in time, by what the bridge says. */
  const happens = (what: string, condition: () => boolean, limitMs: number) =>
    new Promise<boolean>((resolve) => {
      const end = (so: boolean) => {
        clearTimeout(timer);
        watchers.delete(look);
        if (!so && what !== '') broken.push(`not within ${limitMs} ms: ${what}`);
        resolve(so);
      };
      const look = () => condition() && end(true);
      const timer = setTimeout(end, limitMs, false);
      watchers.add(look);
      look();
    });

  try {
    const load = startLoad(rig.pbx, { eventsPerSecond: 150, random, talkMs: 300 });
    let bridge = await start();
    for (; position < first + count && !stop.aborted; position += 1) {
      const { taken, full } = said;
      // Answers take a while, so that something is under way whenever the disk is full.
      rig.fakeApi.inject(({ path }) => (path === '/voice/call' ? { kind: 'slow', ms: 300 } : undefined));
      await happens('events are taken', () => said.taken > taken + (position % 50), patienceMs);
      disk.leave(Math.floor(random() * 12));
      if (await happens('', () => said.full > full, longestUnnoticedMs)) {
        alarms.push(Math.max(0, said.fullAt - said.queuedAt));
        await lookAround(bridge);
      }
      if (position % 5 === 4) {
        bridge.process.kill();
        await bridge.process.ended;
        killed += 1;
        bridge = await start(() => disk.giveRoom());
      } else {
        const before = said.taken;
        const since = performance.now();
        disk.giveRoom();
        if (await happens('the intake goes on', () => said.taken > before, patienceMs))
          resumed.push(performance.now() - since);
      }
    }
    for (const [what, times] of Object.entries({ alarm: alarms, 'intake again': resumed }))
      for (const ms of times) if (ms > longestMs) broken.push(`${what} after ${Math.round(ms)} ms`);
    rig.fakeApi.inject(undefined);
    bridge.process.kill('SIGTERM');
    const { code } = await bridge.process.ended;
    if (code !== 0) broken.push(`ended with ${code}: ${bridge.process.lastWords()}`);
    const { counts, broken: unsolved } = await lastLife(rig, load, { hear });
    return {
      counts,
      broken: [...broken, ...unsolved],
      alarms,
      resumed,
      lookups,
      killed,
      runs: position - first,
    };
  } finally {
    await rig.close();
    disk.remove();
  }

  type Running = { readonly process: BridgeProcess; readonly agiPort: number; readonly status: string };

  /** @param giveRoom called while it starts: it must not end by itself, and find the room. */
  async function start(giveRoom?: () => void): Promise<Running> {
    const process = rig.startBridge({ hear });
    if (giveRoom) {
      await sleep(1_500);
      giveRoom();
    }
    const agi = await process.says('agi.listening');
    const status = await process.says('status.listening');
    await process.says('ami.connected');
    return { process, agiPort: Number(agi.port), status: `http://127.0.0.1:${status.port}` };
  }

  /** While the disk is full: it says so, answers lookups, and says how many events wait. */
  async function lookAround({ agiPort, status }: Running): Promise<void> {
    const ready = await fetch(`${status}/readyz`);
    const why = await ready.text();
    if (ready.status !== 503 || !why.includes('full')) broken.push(`readyz: ${ready.status} ${why.trim()}`);
    const asked = performance.now();
    const { variables } = await askAgi(agiPort, { lines: callFrom(`+4930${Math.floor(random() * 1e7)}`) });
    lookups.push(performance.now() - asked);
    // In time, that is: whether the API of a busy machine answers before the deadline is not what is tried.
    // A deadline may even fall between the two variables that are set.
    const { CALLER_PRIORITY: priority, CALLER_PRIORITY_STATUS: outcome = 'TIMEOUT' } = variables;
    if (priority === undefined || !/^(FOUND|TIMEOUT)$/.test(outcome))
      broken.push(`a lookup was answered ${JSON.stringify(variables)}`);
    const { outbox } = (await (await fetch(`${status}/status.json`)).json()) as {
      outbox: { waiting?: number; storage: { state: string } };
    };
    if (outbox.waiting === undefined || outbox.storage.state !== 'full')
      broken.push(`the status of a full disk is ${JSON.stringify(outbox)}`);
  }
}
