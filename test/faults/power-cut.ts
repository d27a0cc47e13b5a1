import { setTimeout as sleep } from 'node:timers/promises';
import type { LogLine } from '../tools/faults/bridge-process.ts';
import { isLoss } from '../tools/faults/equation.ts';
import { type Fault, inParts, type Outcome, type RunOptions } from '../tools/faults/fault.ts';
import { startLoad } from '../tools/faults/load.ts';
import { createDisk, diskImpossible, type FileSystem } from '../tools/faults/loop-disk.ts';
import { createRig, lastLife } from '../tools/faults/rig.ts';
import { seededRandom } from '../tools/player/seeded-random.ts';

/** Cuts in one life of a disk; then all is drained and counted, and a new one begins. */
const cutsPerDisk = 25;

const longestLifeMs = 400;

/** A control is asked what is nowhere any more: what still waits is on disk, and need not arrive first. */
const controlPatienceMs = 1_000;

const synchronousOff = new URL('./synchronous-off.ts', import.meta.url).href;

export const powerCuts: readonly Fault[] = (['ext4', 'xfs'] as const).map((fileSystem) => ({
  name: `power cut on ${fileSystem}`,
  needs: diskImpossible,
  short: { count: 4, unit: 'cuts' },
  full: { count: 200, unit: 'cuts' },
  run: (options) => run(fileSystem, options),
  control: {
    without: 'synchronous=OFF',
    size: { count: 8, unit: 'cuts' },
    // A tenth will do to see that it loses.
    run: (options) =>
      run(
        fileSystem,
        { ...options, size: Math.max(4, options.size / 10) },
        { NODE_OPTIONS: `--import=${synchronousOff}` },
      ),
  },
}));

function run(
  fileSystem: FileSystem,
  options: RunOptions,
  control?: Readonly<Record<string, string>>,
): Promise<Outcome> {
  const random = seededRandom(options.seed);
  return inParts(
    options,
    cutsPerDisk,
    (count) => cutAgainAndAgain(fileSystem, { count, random, control, stop: options.stop }),
    (_, total) =>
      `half of them while nothing could be delivered; repairs: ${total(({ repairs }) => repairs)}`,
  );
}

async function cutAgainAndAgain(
  fileSystem: FileSystem,
  options: {
    count: number;
    random: () => number;
    control: Readonly<Record<string, string>> | undefined;
    stop: AbortSignal;
  },
) {
  const { count, random, control, stop } = options;
  const disk = createDisk(fileSystem);
  const rig = await createRig({ STATE_DIR: `${disk.path}/state`, ...control });
  const broken: string[] = [];
  let cuts = 0;
  let repairs = 0;
  const hear = ({ code, level, msg }: LogLine) => {
    if (/repaired$/.test(code)) repairs += 1;
    // A power cut is no damage, and nothing to complain of.
    if (level === 'error' && code.startsWith('outbox.')) broken.push(`${code}: ${msg}`);
  };
  try {
    const hold = () => rig.isBehind(load.sent.size);
    const load = startLoad(rig.pbx, { eventsPerSecond: 500, random, talkMs: 200, hold });
    for (; cuts < count && !stop.aborted; cuts += 1) {
      // What cannot be delivered is nowhere but on the disk.
      rig.fakeApi.inject(cuts % 2 === 0 ? () => ({ kind: 'hang' }) : undefined);
      const bridge = rig.startBridge({ hear });
      await bridge.says('ami.connected');
      // What is not taken cannot be lost: on a busy machine a life may be over before the first call.
      if (control) await bridge.says('call.ringing');
      await sleep(random() * longestLifeMs);
      bridge.kill('SIGSTOP');
      disk.cutPower();
      bridge.kill();
      await bridge.ended;
      disk.restorePower();
    }
    rig.fakeApi.inject(undefined);
    const { counts, broken: unsolved } = await lastLife(rig, load, {
      hear,
      ...(control && { patienceMs: controlPatienceMs }),
    });
    // Only a loss shows that the power was cut: a control is no proof by anything else.
    return {
      counts,
      runs: cuts,
      broken: control ? unsolved.filter(isLoss) : [...broken, ...unsolved],
      repairs,
    };
  } finally {
    await rig.close();
    disk.remove();
  }
}
