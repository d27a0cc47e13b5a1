import { setTimeout as sleep } from 'node:timers/promises';
import { type CallStatus, isForward } from '../../src/shared/api/contract/call-status.ts';
import type { Fault, Outcome, RunOptions } from '../tools/faults/fault.ts';
import { startLoad } from '../tools/faults/load.ts';
import { createRig, type Rig } from '../tools/faults/rig.ts';
import { seededRandom } from '../tools/player/seeded-random.ts';

const eventsPerSecond = 300;
const discarded = 0.01;

/** The bridge compares as often as it does by default where there are many events, else as often as it can: seconds. */
const usual = 300;
const quick = 5;

/** Within so long every discard is to be found and repaired, s; of the quick ones no more is asked than that they are. */
const longest = 900;
/** How long is waited for it in a short run: a busy machine needs minutes for what takes seconds otherwise, s. */
const longestQuick = 240;

export const discard: Fault = {
  name: 'API confirms 1 % and keeps nothing of it',
  waits: true,
  short: { count: 3_000, unit: 'events' },
  full: { count: 1_000_000, unit: 'events' },
  run: (options) => repairAll(options, options.size >= 100_000 ? usual : quick),
  control: {
    without: 'the comparison with its history',
    size: { count: 2_000, unit: 'events' },
    run: (options) => repairAll(options, 0),
  },
};

async function repairAll({ size, seed, say, stop }: RunOptions, everySeconds: number): Promise<Outcome> {
  const rig = await createRig({ RECONCILE_EVERY: `${everySeconds}s` }, { keeps: 2 * size });
  const broken: string[] = [];
  let found = 0;
  try {
    const discards = watchDiscards(rig, seededRandom(seed + 1));
    const bridge = rig.startBridge({
      hear({ code, count, level, msg }) {
        if (code === 'reconcile.overtaken') found += Number(count);
        // A machine that does too much keeps the API from answering for seconds: no fault of the bridge.
        if (level === 'error' && code !== 'delivery.outage') broken.push(`${code}: ${msg}`);
      },
    });
    await bridge.says('ami.connected');
    const load = startLoad(rig.pbx, { eventsPerSecond, random: seededRandom(seed), talkMs: 1_000 });
    while (rig.fakeApi.counts().moved < size && !stop.aborted) {
      await sleep(1_000);
      if (rig.fakeApi.counts().moved % 20 === 0) say(JSON.stringify(discards.summary()));
    }
    await load.finish();
    discards.end();
    const patienceMs = (everySeconds === 0 ? 5 : everySeconds === usual ? longest : longestQuick) * 1_000;
    await rig.fakeApi
      .waitFor(() => discards.open().length === 0 && discards.overtaken().size <= found, patienceMs)
      .catch(() => {});
    bridge.kill('SIGTERM');
    await bridge.ended;
    const overtaken = discards.overtaken();
    const { counts, broken: unsolved } = rig.solve(load.sent, { overtaken });
    const { all, repaired, longestMs } = discards.summary();
    if (longestMs > longest * 1_000)
      broken.push(`a discard was repaired after ${Math.round(longestMs / 1_000)} s only`);
    if (found < overtaken.size) broken.push(`${overtaken.size} were overtaken, and ${found} of them found`);
    return {
      ...counts,
      runs: counts.queued,
      seed,
      broken: [...broken, ...unsolved],
      note: `compared every ${everySeconds} s; of ${all} discarded, ${repaired} were sent again and kept, ${Math.round(longestMs / 1_000)} s after the discard at the latest; ${overtaken.size} were found, but a later state of their call was there`,
    };
  } finally {
    await rig.close();
  }
}

/** Discards some events when they come for the first time, until the end, and looks out for them. */
function watchDiscards({ fakeApi }: Rig, random: () => number) {
  const at = new Map<string, { readonly id: string; readonly status: CallStatus; readonly since: number }>();
  const repairedAfter: number[] = [];
  let ended = false;
  fakeApi.inject(({ path, payload }) => {
    if (path !== '/voice/call') return undefined;
    const { id, status } = payload as { id: string; status: CallStatus };
    const event = `${id} ${status}`;
    const known = at.get(event);
    if (known !== undefined) {
      repairedAfter.push(performance.now() - known.since);
      return undefined;
    }
    if (ended || random() >= discarded) return undefined;
    at.set(event, { id, status, since: performance.now() });
    return { kind: 'discard' };
  });
  const missing = () =>
    [...at].filter(([, { id, status }]) => !fakeApi.calls().get(id)?.received.includes(status));
  /** Nothing can bring it there any more: a call only moves forward. */
  const isOvertaken = ({ id, status }: { id: string; status: CallStatus }) => {
    const state = fakeApi.calls().get(id)?.state;
    return state !== undefined && !isForward(state, status);
  };
  return {
    end() {
      ended = true;
    },
    open: () => missing().filter(([, event]) => !isOvertaken(event)),
    overtaken: () => new Set(missing().flatMap(([event, it]) => (isOvertaken(it) ? [event] : []))),
    summary: () => ({
      all: at.size,
      repaired: repairedAfter.length,
      longestMs: Math.max(0, ...repairedAfter),
    }),
  };
}
