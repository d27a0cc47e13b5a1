import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CallStatus } from '../../src/shared/api/contract/call-status.ts';
import type { LogLine } from '../tools/faults/bridge-process.ts';
import { countersIn, heldIn, isLoss, solve } from '../tools/faults/equation.ts';
import { type Fault, inParts, type Outcome, type RunOptions } from '../tools/faults/fault.ts';
import { type Load, startLoad } from '../tools/faults/load.ts';
import { createRig, type Rig } from '../tools/faults/rig.ts';
import { seededRandom } from '../tools/player/seeded-random.ts';
import { cli } from '../tools/program-under-test.ts';

const eventsPerSecond = 1_000;

/** How a state is saved and brought back. */
type Way = {
  /** How many of a thousand runs are made while the API is away, so that there is something that waits. */
  readonly away: number;
  /** In how many of a thousand it comes back before the machine is lost, and hears what the backup does not know. */
  readonly backBefore: number;
  /** When so long nothing new has come to the API, nothing more will, ms. */
  readonly quietMs: number;
  save(rig: Rig, file: string): Promise<void>;
  bringBack(rig: Rig, file: string): Promise<void>;
};

const byCommand: Way = {
  away: 500,
  backBefore: 500,
  // Only a defect is waited for so long, or a machine that has no time for the bridge.
  quietMs: 120_000,
  save: (rig, file) => command(rig, 'backup', file),
  bringBack: (rig, file) => command(rig, 'restore', file),
};

/** What people do who think that a database is its file. */
const byCopy: Way = {
  // What was delivered cannot be lost with the copy.
  away: 1_000,
  backBefore: 0,
  // Only what is nowhere any more shows that a copy is no backup: what still waits need not arrive first.
  quietMs: 1_000,
  async save({ stateDir }, file) {
    copyFileSync(join(stateDir, 'outbox.db'), file);
  },
  async bringBack({ stateDir }, file) {
    mkdirSync(stateDir);
    copyFileSync(file, join(stateDir, 'outbox.db'));
  },
};

export const restore: Fault = {
  name: 'machine lost, state restored from a backup made under 1,000 events/s',
  short: { count: 1, unit: 'restores' },
  full: { count: 100, unit: 'restores' },
  run: (options) => run(byCommand, options),
  control: {
    without: 'a copy of the file instead',
    async run(options) {
      const outcome = await run(byCopy, options);
      return { ...outcome, broken: outcome.broken.filter(isLoss) };
    },
    size: { count: 1, unit: 'restores' },
  },
};

function run(way: Way, options: RunOptions): Promise<Outcome> {
  const random = seededRandom(options.seed);
  return inParts(
    options,
    1,
    () => loseAndRestore(way, random),
    (parts, total) =>
      `${total(({ saved }) => saved)} events queued before the backups, ${total(({ since }) => since)} between them and the loss; slowest backup ${Math.max(...parts.map(({ backupMs }) => backupMs))} ms`,
  );
}

/** A backup under load, the end of the machine, a new one; the phone system goes on all the while. */
async function loseAndRestore(way: Way, random: () => number) {
  const rig = await createRig();
  const file = join(rig.folder, 'backup.db');
  try {
    const load = startLoad(rig.pbx, { eventsPerSecond, random, talkMs: 300 });
    const taken = counter();
    const first = rig.startBridge({ hear: taken.hear });
    await taken.reaches(500 + random() * 2_000);
    if (random() * 1_000 < way.away) rig.fakeApi.inject(() => ({ kind: 'status', status: 503 }));
    await taken.reaches(taken.count() + 200 + random() * 300);
    const saved = copyOf(rig.acknowledged);
    const began = performance.now();
    await way.save(rig, file);
    const backupMs = Math.round(performance.now() - began);
    if (random() * 1_000 < way.backBefore) rig.fakeApi.inject(undefined);
    await taken.reaches(taken.count() + random() * 1_500);
    first.kill();
    await first.ended;
    rig.fakeApi.inject(undefined);
    // The rate is for the backup; what comes afterwards is only to be heard.
    load.pace(0.1);
    const since = sizeOf(rig.acknowledged) - sizeOf(saved);
    rmSync(rig.stateDir, { recursive: true });

    await way.bringBack(rig, file);
    return {
      ...(await goOn(rig, load, saved, way.quietMs)),
      runs: 1,
      saved: sizeOf(saved),
      since,
      backupMs,
    };
  } finally {
    await rig.close();
  }
}

/** Counts the events that a bridge says it has taken. */
function counter() {
  let count = 0;
  let wanted = { count: Number.POSITIVE_INFINITY, reached: () => {} };
  return {
    count: () => count,
    hear({ code }: LogLine): void {
      if (/^call\.(ringing|answered|completed)$/.test(code)) count += 1;
      if (count >= wanted.count) wanted.reached();
    },
    reaches: (many: number): Promise<void> =>
      new Promise((reached) => {
        wanted = { count: many, reached };
        if (count >= many) reached();
      }),
  };
}

type States = Map<string, Set<CallStatus>>;

/** What was taken before the backup and what is taken now must be reported, in order; and those calls must end. */
async function goOn(rig: Rig, load: Load, saved: States, quietMs: number) {
  const required = copyOf(saved);
  const second = rig.startBridge({
    hear({ code, call }) {
      const [, status] = /^call\.(ringing|answered|completed)$/.exec(code) ?? [];
      if (status === undefined) return;
      required.set(String(call), (required.get(String(call)) ?? new Set()).add(status as CallStatus));
    },
  });
  await second.says('ami.connected');
  await load.finish();
  const open = () => [...required.keys()].filter((id) => rig.fakeApi.calls().get(id)?.state !== 'completed');
  const arrived = () =>
    [...rig.fakeApi.calls().values()].reduce((sum, { received }) => sum + received.length, 0);
  const waits = () => countersIn(rig.stateDir).waiting > 0;
  for (let before = -1; (open().length > 0 || waits()) && before < arrived(); ) {
    before = arrived();
    if (open().length === 0) await sleep(Math.min(quietMs / 5, 2_000));
    else await rig.fakeApi.waitFor(() => open().length === 0, quietMs).catch(() => {});
  }
  second.kill('SIGTERM');
  await second.ended;
  const { counts, broken } = solve({
    sent: load.sent,
    acknowledged: required,
    outbox: heldIn(rig.stateDir),
    received: new Map([...rig.fakeApi.calls()].map(([id, { received }]) => [id, received])),
  });
  const left = open();
  if (left.length > 0) broken.push(`${left.length} calls never ended: ${left.slice(0, 5).join(', ')}`);
  return { counts, broken };
}

/** Runs the real program, beside the PBX that this process plays. */
async function command({ env, folder }: Rig, ...args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [cli, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let error = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    error += text;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`pbx-bridge ${args.join(' ')} ended with ${code}: ${error}`);
}

function copyOf(states: ReadonlyMap<string, ReadonlySet<CallStatus>>): States {
  return new Map([...states].map(([id, some]) => [id, new Set(some)]));
}

function sizeOf(states: ReadonlyMap<string, ReadonlySet<CallStatus>>): number {
  return [...states.values()].reduce((sum, { size }) => sum + size, 0);
}
