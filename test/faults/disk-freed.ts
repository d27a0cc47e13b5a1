import {
  appendFileSync,
  closeSync,
  fstatSync,
  ftruncateSync,
  openSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { LogLine } from '../tools/faults/bridge-process.ts';
import { recordsOf } from '../tools/faults/call-records.ts';
import { type Fault, inParts, type Outcome, type RunOptions } from '../tools/faults/fault.ts';
import { startLoad } from '../tools/faults/load.ts';
import { createDisk, diskImpossible } from '../tools/faults/loop-disk.ts';
import { createRig } from '../tools/faults/rig.ts';
import { seededRandom } from '../tools/player/seeded-random.ts';

const diskBytes = 200 << 20;
const freedBytes = 12 << 20;

/** Long enough for calls to begin and end on a full disk, ms: they take a second. */
const fullMs = 3_000;

/** Long enough for the bridge to read the records of those calls, ms: it reads every 2 s, and decides two reads later. */
const freedMs = 10_000;

/** Each restart is one of these, in turn. */
const restarts = [
  { freed: 'before', signal: 'SIGTERM' },
  { freed: 'before', signal: 'SIGKILL' },
  { freed: 'after', signal: 'SIGTERM' },
  { freed: 'after', signal: 'SIGKILL' },
] as const;

export const diskFreed: Fault = {
  name: 'disk full, a little freed, restarted',
  needs: diskImpossible,
  waits: true,
  short: { count: 4, unit: 'restarts' },
  full: { count: 100, unit: 'restarts' },
  run,
};

function run(options: RunOptions): Promise<Outcome> {
  const random = seededRandom(options.seed);
  return inParts(
    options,
    1,
    (_, done) => fillAndRestart(restarts[done % restarts.length] as (typeof restarts)[number], random),
    (_, total) =>
      `${total(({ over }) => over)} calls, ${total(({ fromRecords }) => fromRecords)} of them reported from the call records; the stops counted ${total(({ inMemory }) => inMemory)} calls that only memory had`,
  );
}

/** A disk is filled, a little of it is freed, and the bridge is restarted: every call arrives as it was. */
async function fillAndRestart({ freed, signal }: (typeof restarts)[number], random: () => number) {
  const disk = createDisk('ext4', diskBytes);
  const rig = await createRig({ STATE_DIR: join(disk.path, 'state') });
  const records = join(rig.folder, 'Master.csv');
  writeFileSync(records, '');
  const filler = openSync(join(disk.path, 'filler'), 'w');
  const broken: string[] = [];
  const over = new Set<string>();
  let fromRecords = 0;
  let inMemory = 0;
  const hear = ({ code, calls }: LogLine) => {
    if (code === 'cdr.call-reported') fromRecords += 1;
    if (code === 'call.not-stored') inMemory += Number(calls);
  };
  const start = () => rig.startBridge({ wrap: ['env', `CDR_SOURCE=csv:${records}`], hear });
  try {
    const first = start();
    await first.says('ami.connected');
    const load = startLoad(rig.pbx, {
      eventsPerSecond: 50,
      random,
      talkMs: 1_000,
      onOver(id, call) {
        over.add(id);
        appendFileSync(records, recordsOf(call));
      },
    });
    await rig.fakeApi.waitFor(() => rig.fakeApi.calls().size > 20, 30_000);
    fill(filler);
    await first.says('outbox.full');
    await sleep(fullMs);
    if (freed === 'before') {
      free(filler);
      await sleep(freedMs);
    }
    first.kill(signal);
    const { code } = await first.ended;
    if (signal === 'SIGTERM' && code !== 0) broken.push(`ended with ${code}: ${first.lastWords()}`);
    if (freed === 'after') free(filler);
    const second = start();
    await second.says('ami.connected');
    await load.finish();
    const isReported = (id: string) => rig.fakeApi.calls().get(id)?.state === 'completed';
    const missing = () => [...over, ...rig.acknowledged.keys()].some((id) => !isReported(id));
    await rig.fakeApi.waitFor(() => !missing(), 120_000).catch(() => {});
    second.kill('SIGTERM');
    await second.ended;
    const { counts, broken: unsolved } = rig.solve(load.sent);
    // What was delivered and could not be marked is sent again.
    const received = (id: string) => [...new Set(rig.fakeApi.calls().get(id)?.received)];
    const wrong = [...over].filter((id) => !isDeepStrictEqual(received(id), load.sent.get(id)));
    if (wrong.length > 0)
      broken.push(
        `${wrong.length} calls reported wrongly, such as ${wrong[0]}: ${received(wrong[0] ?? '').join(' ')}`,
      );
    return {
      counts,
      runs: 1,
      fromRecords,
      inMemory,
      over: over.size,
      broken: [...broken, ...unsolved].map((line) => `${signal}, freed ${freed} the end: ${line}`),
    };
  } finally {
    closeSync(filler);
    await rig.close();
    disk.remove();
  }
}

function fill(fd: number): void {
  for (let size = 1 << 20; size >= 512; ) {
    try {
      if (writeSync(fd, Buffer.alloc(size)) < size) size >>= 1;
    } catch {
      size >>= 1;
    }
  }
}

function free(fd: number): void {
  ftruncateSync(fd, fstatSync(fd).size - freedBytes);
}
