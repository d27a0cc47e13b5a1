import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault, Outcome, RunOptions } from '../tools/faults/fault.ts';
import { startLoad } from '../tools/faults/load.ts';
import { allEnded, createRig } from '../tools/faults/rig.ts';
import { seededRandom } from '../tools/player/seeded-random.ts';

/** Far less than any machine carries: what stands still here stands still for its log. */
const eventsPerSecond = 200;

/**
 * Events that arrive while nobody reads: their lines are four times what the pipe (a socket pair of Node's) holds. Every
 * fifth time there are more than the bridge can keep the lines of.
 */
const eventsUnread = 4_000;
const eventsDropped = 25_000;
const isLong = (time: number) => time % 5 === 4;

/** Without an event for so long, the bridge stands still with its log, ms. */
const patienceMs = 15_000;

const waits = new URL('./waiting-log.fixture.ts', import.meta.url).href;

export const unreadLog: Fault = {
  name: 'log that nobody reads',
  waits: true,
  short: { count: 2, unit: 'times' },
  full: { count: 30, unit: 'times' },
  run: (options) => leaveUnread(options, {}),
  control: {
    without: 'going on when the pipe is full',
    size: { count: 1, unit: 'times' },
    run: (options) => leaveUnread(options, { NODE_OPTIONS: `--import=${waits}` }),
  },
};

async function leaveUnread(
  { size, seed, say, stop }: RunOptions,
  env: Readonly<Record<string, string>>,
): Promise<Outcome> {
  const rig = await createRig(env, { keeps: 1_000 });
  const broken: string[] = [];
  let missing = 0;
  let runs = 0;
  try {
    const bridge = rig.startBridge({
      hear({ code, count }) {
        if (code === 'log.lines-dropped') missing += Number(count);
      },
    });
    await bridge.says('ami.connected');
    const load = startLoad(rig.pbx, { eventsPerSecond, random: seededRandom(seed), talkMs: 1_000 });
    const arrived = () => rig.fakeApi.counts().moved;
    for (; runs < size && broken.length === 0 && !stop.aborted; runs += 1) {
      bridge.listen(false);
      const enough = arrived() + (isLong(runs) ? eventsDropped : eventsUnread);
      for (let last = -1; arrived() < enough && broken.length === 0; ) {
        last = arrived();
        await rig.fakeApi
          .waitFor(() => arrived() > last, patienceMs)
          .catch(() =>
            broken.push(`with nobody to read its log, the bridge stood still after ${last} events`),
          );
      }
      const before = missing;
      bridge.listen(true);
      for (let ms = 0; ms < patienceMs && (ms < 2_000 || (isLong(runs) && missing === before)); ms += 100)
        await sleep(100);
      if (isLong(runs) && missing === before)
        broken.push('lines of the log must be missing, and it does not say so');
      say(`${runs + 1}: ${arrived()} events arrived, ${missing} lines of the log are missing`);
    }
    await load.finish();
    await allEnded(rig, { calls: load.sent });
    bridge.kill('SIGTERM');
    await bridge.ended;
    const { counts, broken: unsolved } = rig.solve(load.sent);
    // The equation knows of what the log says only.
    const unreported = [...load.sent.keys()].filter(
      (id) => rig.fakeApi.calls().get(id)?.state !== 'completed',
    );
    if (unreported.length > 0)
      broken.push(`${unreported.length} calls were not reported whole, such as ${unreported[0]}`);
    return {
      ...counts,
      runs,
      seed,
      broken: [...broken, ...unsolved],
      note: `${missing} lines were dropped and counted; of all ${load.sent.size} calls, ${unreported.length} are not whole at the API`,
    };
  } finally {
    await rig.close();
  }
}
