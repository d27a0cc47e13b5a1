import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { cannotInstall, installPackages } from '../tools/debian.ts';
import type { BridgeProcess, LogLine } from '../tools/faults/bridge-process.ts';
import type { Fault, Outcome, RunOptions } from '../tools/faults/fault.ts';
import { startLoad } from '../tools/faults/load.ts';
import { createRig, lastLife, type Rig } from '../tools/faults/rig.ts';
import { seededRandom } from '../tools/player/seeded-random.ts';

const exec = promisify(execFile);

/** What fails, by libfiu's names; EIO is what a disk says that is dying. */
const calls = ['posix/io/sync/fsync', 'posix/io/rw/pwrite'] as const;
const EIO = 5;

/** A bridge lives for so long at most, ms; then it is killed, and what it said is on disk must be there. */
const longestLifeMs = 15_000;

/** As `RestartSec=` of the unit, ms. */
const restartMs = 2_000;

/** A disk that works again is found within so long, ms: it is tried every 2 s. */
const longestRecoveryMs = 10_000;

const size = { short: { count: 12, unit: 's' }, full: { count: 600, unit: 's' } } as const;

export const diskErrors: readonly Fault[] = [
  { name: 'fsync and writes fail, 5 % at random', needs, ...size, run: (options) => run(options, atRandom) },
  { name: 'fsync and writes fail, sticky', needs, ...size, run: (options) => run(options, sticky) },
];

async function needs(): Promise<string | undefined> {
  if (process.platform !== 'linux') return `it needs Linux, this is ${process.platform}`;
  const tool = '/usr/bin/fiu-run';
  if (!existsSync(tool) && cannotInstall() !== undefined) return 'it needs fiu-utils (libfiu)';
  await installPackages({ [tool]: 'fiu-utils' });
  return undefined;
}

/** How a bridge is troubled. Commands are those of fiu-ctrl(1). */
type Trouble = {
  /** What fails from the very start of a third of the bridges. */
  readonly atStart: readonly string[];
  /** Troubles one that runs; gives how long it took to work again after each trouble, ms. */
  readonly later: (life: {
    readonly bridge: BridgeProcess;
    readonly control: (command: string) => Promise<void>;
    readonly random: () => number;
    readonly until: number;
    /** Resolves when the bridge next says that its disk works again, or has ended. */
    readonly works: () => Promise<void>;
    /** True while it says that its disk fails. */
    readonly fails: () => boolean;
  }) => Promise<number[]>;
};

async function run({ size: seconds, seed, say, stop }: RunOptions, trouble: Trouble): Promise<Outcome> {
  const random = seededRandom(seed);
  const rig = await createRig();
  const began = performance.now();
  const deadline = began + seconds * 1_000;
  const broken: string[] = [];
  const recoveries: number[] = [];
  const seen = { failing: 0, working: 0, exits: 0, kills: 0 };
  try {
    const load = startLoad(rig.pbx, { eventsPerSecond: 300, random, talkMs: 200 });
    while (performance.now() < deadline && !stop.aborted) {
      const works = createSignal();
      let fails = false;
      const hear = ({ code }: LogLine) => {
        if (code === 'outbox.failing') {
          seen.failing += 1;
          fails = true;
        }
        if (code !== 'outbox.working') return;
        seen.working += 1;
        fails = false;
        works.fire();
      };
      const bridge = startUnderFiu(rig, hear, random() < 1 / 3 ? trouble.atStart : []);
      void bridge.ended.then(works.fire);
      const until = Math.min(deadline, performance.now() + longestLifeMs * (0.3 + 0.7 * random()));
      const control = (command: string) => controlFiu(rig, bridge, command);
      const connected = await bridge.says('ami.connected').then(
        () => true,
        () => false,
      );
      if (connected)
        recoveries.push(
          ...(await trouble.later({ bridge, control, random, until, works: works.next, fails: () => fails })),
        );
      bridge.kill();
      const { code, signal } = await bridge.ended;
      if (signal === 'SIGKILL') seen.kills += 1;
      else {
        seen.exits += 1;
        if (code !== 1) broken.push(`ended with ${signal ?? code}: ${bridge.lastWords()}`);
        await sleep(restartMs);
      }
      say(`${Math.round((performance.now() - began) / 1_000)} s: ${JSON.stringify(seen)}`);
    }
    const slowest = Math.round(Math.max(0, ...recoveries));
    if (slowest > longestRecoveryMs) broken.push(`worked again only ${slowest} ms after the disk did`);
    const { counts, broken: unsolved } = await lastLife(rig, load);
    return {
      ...counts,
      runs: Math.round((performance.now() - began) / 1_000),
      seed,
      broken: [...broken, ...unsolved],
      note: `failed ${seen.failing} times, worked again ${seen.working} times${recoveries.length > 0 ? ` (slowest ${slowest} ms after the disk did)` : ''}, ended with 1 and was started again ${seen.exits} times, killed ${seen.kills} times`,
    };
  } finally {
    await rig.close();
  }
}

const atRandom: Trouble = {
  atStart: calls.map((name) => `enable_random name=${name},probability=0.05,failinfo=${EIO}`),
  async later({ bridge, control, until }) {
    for (const command of atRandom.atStart) await control(command);
    await Promise.race([sleep(Math.max(0, until - performance.now())), bridge.ended]);
    return [];
  },
};

const sticky: Trouble = {
  atStart: [],
  async later({ bridge, control, random, until, works, fails }) {
    const recoveries: number[] = [];
    let alive = true;
    void bridge.ended.then(() => {
      alive = false;
    });
    while (alive && performance.now() < until) {
      const failing = calls.filter(() => random() < 0.6);
      await sleep(random() * 500);
      for (const name of failing) await control(`enable name=${name},failinfo=${EIO}`);
      await Promise.race([bridge.ended, sleep(500 + random() * 3_000)]);
      const again = works();
      for (const name of failing) await control(`disable name=${name}`);
      // Half the kills come while the disk fails.
      if (!alive || (performance.now() > until && random() < 0.5)) break;
      const since = performance.now();
      // What it did not need meanwhile, it has not missed.
      if (fails()) {
        await Promise.race([again, sleep(2 * longestRecoveryMs)]);
        if (alive) recoveries.push(performance.now() - since);
      }
    }
    return recoveries;
  },
};

function startUnderFiu(rig: Rig, hear: (line: LogLine) => void, commands: readonly string[]): BridgeProcess {
  const options = ['-x', '-f', join(rig.folder, 'fiu'), ...commands.flatMap((command) => ['-c', command])];
  return rig.startBridge({ wrap: ['fiu-run', ...options], hear });
}

/** What is asked of a bridge that has ended is in vain, and no matter; one that lives does it, however long it takes. */
async function controlFiu(rig: Rig, bridge: BridgeProcess, command: string): Promise<void> {
  const ended = new AbortController();
  void bridge.ended.then(() => ended.abort());
  const options = { signal: ended.signal };
  await exec('fiu-ctrl', ['-f', join(rig.folder, 'fiu'), '-c', command, String(bridge.pid)], options).catch(
    () => {},
  );
}

function createSignal() {
  let next = Promise.withResolvers<void>();
  return {
    fire() {
      next.resolve();
      next = Promise.withResolvers();
    },
    next: () => next.promise,
  };
}
