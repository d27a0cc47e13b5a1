import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openOutbox } from '../../src/bridge/outbox/outbox.ts';
import type { CallStatus } from '../../src/shared/api/contract/call-status.ts';
import { type Log, silentLog } from '../../src/shared/log/log.ts';
import type { LogLine } from '../tools/faults/bridge-process.ts';
import { heldIn, isLoss, solve } from '../tools/faults/equation.ts';
import { type Counts, type Fault, type Outcome, type RunOptions, sumOf } from '../tools/faults/fault.ts';
import { startLoad } from '../tools/faults/load.ts';
import { mutate, showsDamage } from '../tools/faults/mutate.ts';
import { createRig, type Rig } from '../tools/faults/rig.ts';
import { seededRandom } from '../tools/player/seeded-random.ts';

/** Mutations of copies of one outbox, before there is another one, bigger or smaller. */
const mutationsPerOutbox = 25;

/** A start that ends by itself is tried again, as systemd does; more often than this in a row is a crash loop. */
const mostStarts = 3;

const files = ['outbox.db', 'outbox.db-wal'] as const;

export const corruption: Fault = {
  name: 'database and WAL corrupted',
  short: { count: 12, unit: 'mutations' },
  full: { count: 1_000, unit: 'mutations' },
  run,
};

async function run({ size, seed, say, stop }: RunOptions): Promise<Outcome> {
  const random = seededRandom(seed);
  const results: Awaited<ReturnType<typeof startOnDamage>>[] = [];
  const scratch = mkdtempSync(join(tmpdir(), 'pbx-bridge-corrupt-'));
  try {
    for (let done = 0; done < size && !stop.aborted; ) {
      const before = await createOutbox(scratch, random);
      for (
        const until = Math.min(size, done + mutationsPerOutbox);
        done < until && !stop.aborted;
        done += 1
      ) {
        const hasWal = bytesOf(join(before.folder, files[1])) > 0;
        const file = files[random() < 0.5 && hasWal ? 1 : 0];
        const original = readFileSync(join(before.folder, file));
        const { what, bytes } = mutate(original, random);
        // An empty database without a WAL is a new one.
        const visible = file === files[0] ? bytes.length > 0 || hasWal : showsDamage(original, bytes);
        const result = await startOnDamage(before, { file, bytes, visible });
        results.push(result);
        for (const line of result.broken) say(`${file}: ${what}: ${line}`);
      }
      say(`${done} mutations; ${JSON.stringify(results.at(-1)?.counts)}`);
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  const count = (of: (result: (typeof results)[number]) => boolean) => results.filter(of).length;
  const lossy = results.filter(({ counts }) => counts.lost > 0);
  const silent = lossy.filter(({ announced }) => announced === 0);
  const silently = silent.reduce((sum, { counts }) => sum + counts.lost, 0);
  return {
    ...sumOf(results.map(({ counts }) => counts)),
    runs: results.length,
    seed,
    broken: results.flatMap(({ broken }) => broken),
    note: [
      `repaired ${count(({ repaired }) => repaired)} times, nothing to repair ${count(({ repaired }) => !repaired)} times`,
      `events lost in ${lossy.length}; ${silently} of them in ${silent.length} without a trace on the disk (the WAL cut at its end, or the whole database at its beginning)`,
      `said that an unknown number is lost ${count(({ announced }) => announced === Infinity)} times`,
      `ended and started again ${count(({ starts }) => starts > 1)} times`,
      `slowest start ${Math.max(...results.map(({ startCpuMs }) => startCpuMs))} ms of a processor, ${Math.max(...results.map(({ startMs }) => startMs))} ms by the clock`,
    ].join('; '),
  };
}

/** The WAL is empty if the bridge was killed before its first write. */
const bytesOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** An outbox that a killed bridge left behind, and what is true of it. */
type Outbox = {
  readonly folder: string;
  readonly sent: ReadonlyMap<string, readonly CallStatus[]>;
  readonly acknowledged: Rig['acknowledged'];
  readonly received: ReadonlyMap<string, readonly CallStatus[]>;
};

/** Some events delivered, some dead letters, some waiting, some calls open; in the database, in the WAL, or both. */
async function createOutbox(scratch: string, random: () => number): Promise<Outbox> {
  const rig = await createRig();
  try {
    const refused = (call: unknown) => Number(String(call).split('.')[1]) % 400 === 0;
    const refuse = { kind: 'status', status: 422 } as const;
    rig.fakeApi.inject(({ payload }) => (refused(payload.id) ? refuse : undefined));
    if (random() < 0.3) await growBeyondCheck(rig.stateDir);
    const load = startLoad(rig.pbx, { eventsPerSecond: 400, random, talkMs: 300 });
    // What is there at a clean end is in the database, what comes after it in the WAL.
    if (random() < 0.7) {
      const first = rig.startBridge();
      await first.says('ami.connected');
      await sleep(500 + random() * 4_000);
      first.kill('SIGTERM');
      await first.ended;
    }
    const second = rig.startBridge();
    await second.says('ami.connected');
    await sleep(random() * 2_000);
    rig.fakeApi.inject(() => ({ kind: 'hang' }));
    await sleep(100 + random() * 400);
    second.kill();
    await second.ended;
    await load.finish();
    const folder = join(scratch, `outbox-${Math.floor(random() * 1e9)}`);
    mkdirSync(folder);
    for (const file of files)
      if (existsSync(join(rig.stateDir, file))) copyFileSync(join(rig.stateDir, file), join(folder, file));
    const received = new Map([...rig.fakeApi.calls()].map(([id, call]) => [id, call.received]));
    return { folder, sent: load.sent, acknowledged: rig.acknowledged, received };
  } finally {
    await rig.close();
  }
}

/** A file of more than 16 MiB is not read through at the start, but each day. */
async function growBeyondCheck(directory: string): Promise<void> {
  const outbox = await openOutbox({ directory }, { log: silentLog });
  const lines = 'x'.repeat(200_000);
  for (let n = 0; n < 100; n += 1)
    await outbox.append({ calls: [], trunks: [], events: [], journal: { lines, at: Date.now() } });
  await outbox.close();
}

async function startOnDamage(
  before: Outbox,
  damage: { readonly file: string; readonly bytes: Buffer; readonly visible: boolean },
) {
  const rig = await createRig({ STATUS_LISTEN: '127.0.0.1:0' });
  const broken: string[] = [];
  const said: LogLine[] = [];
  try {
    mkdirSync(rig.stateDir);
    for (const file of files)
      if (existsSync(join(before.folder, file)))
        copyFileSync(join(before.folder, file), join(rig.stateDir, file));
    writeFileSync(join(rig.stateDir, damage.file), damage.bytes);

    const began = performance.now();
    let startMs = 0;
    let startCpuMs = 0;
    let starts = 0;
    for (let up = false; !up; ) {
      starts += 1;
      const bridge = rig.startBridge({ hear: (line) => said.push(line) });
      try {
        const [, status] = await Promise.all([
          bridge.says('program.started'),
          bridge.says('status.listening'),
        ]);
        startMs = Math.round(performance.now() - began);
        startCpuMs = bridge.cpuMs();
        await drained(`http://127.0.0.1:${status.port}/status.json`);
        bridge.kill('SIGTERM');
        const { code } = await bridge.ended;
        if (code !== 0) broken.push(`ended with ${code}: ${bridge.lastWords()}`);
        await checkDaily(rig.stateDir, said);
        up = true;
      } catch (error) {
        if (starts < mostStarts) continue;
        broken.push(`a crash loop: ${error}`);
        return {
          counts: lossOfAll(before),
          broken,
          starts,
          startMs,
          startCpuMs,
          repaired: false,
          announced: 0,
        };
      }
    }
    const received = new Map(before.received);
    for (const [id, call] of rig.fakeApi.calls())
      received.set(id, [...(received.get(id) ?? []), ...call.received]);
    const acknowledged = new Map([...before.acknowledged].map(([id, states]) => [id, new Set(states)]));
    for (const [id, states] of rig.acknowledged)
      acknowledged.set(id, (acknowledged.get(id) ?? new Set()).union(states));
    const { counts, broken: unsolved } = solve({
      sent: before.sent,
      acknowledged,
      received,
      outbox: heldIn(rig.stateDir),
    });
    const repairs = said.filter(({ code }) => code === 'outbox.repaired');
    const announced = repairs.reduce(
      (sum, { lost }) => sum + (typeof lost === 'number' ? lost : Infinity),
      0,
    );
    if (damage.visible && counts.lost > announced) broken.push(`${counts.lost} lost, ${announced} announced`);
    // What is damaged is lost; that it says so is what is asked.
    broken.push(...unsolved.filter((line) => !isLoss(line)));
    return { counts, broken, starts, startMs, startCpuMs, repaired: repairs.length > 0, announced };
  } finally {
    await rig.close();
  }
}

/** What the bridge does once a day: damage in a file that is too big to be read through at the start shows by then. */
async function checkDaily(directory: string, said: LogLine[]): Promise<void> {
  const log: Log = { say: (code, fields) => void said.push({ ...fields, code }), child: () => log };
  const outbox = await openOutbox({ directory }, { log });
  await outbox.check();
  await outbox.close();
}

/** Waits until nothing waits for delivery, for a while: what is damaged may be refused again and again. */
async function drained(status: string): Promise<void> {
  for (let n = 0; n < 100; n += 1) {
    const { outbox } = (await (await fetch(status)).json()) as { outbox: { waiting: number } };
    if (outbox.waiting === 0) return;
    await sleep(50);
  }
}

function lossOfAll({ acknowledged, received }: Outbox): Counts {
  const counters = { queued: 0, delivered: 0, waiting: 0, dead: 0, lost: 0 };
  return solve({ sent: new Map(), acknowledged, outbox: { counters, kept: new Set() }, received }).counts;
}
