import { readFileSync } from 'node:fs';
import { type CallStatus, callStatuses } from '../../src/shared/api/contract/call-status.ts';
import { percentile } from '../tools/bench/compare.ts';
import { type FaultScript, share } from '../tools/fakes/fake-api-faults.ts';
import type { BridgeProcess } from '../tools/faults/bridge-process.ts';
import type { Fault, Outcome, RunOptions } from '../tools/faults/fault.ts';
import { startLoad } from '../tools/faults/load.ts';
import { createRig, type Rig } from '../tools/faults/rig.ts';
import { seededRandom } from '../tools/player/seeded-random.ts';
import { fillOutbox } from './backlog.ts';

/** New calls while all that is old goes out, call events a second. */
const freshPerSecond = 30;

/** Asked of a full run, on a machine that has nothing else to do; a test run has. */
const leastPerSecond = 500;
const judgedFrom = 1_000_000;
const mostMemoryMb = 256;

/** Old events that may reach the API between a new call's being on disk and its arrival there. */
const mostAhead = 2_000;

/** Places by which an old call may come before or after its turn: the events under way or about to be. */
const mostMisplaced = 1_000;

export const outage: Fault = {
  name: 'outage of 14 days',
  short: { count: 10_000, unit: 'events waiting' },
  full: { count: 2_800_000, unit: 'events waiting' },
  run: (options) => drain(options, () => undefined),
  control: {
    without: 'an API that keeps what it confirms',
    size: { count: 10_000, unit: 'events waiting' },
    run: (options) => drain(options, share(0.001, { kind: 'discard' }, seededRandom(options.seed))),
  },
};

async function drain({ size, seed, say }: RunOptions, script: FaultScript): Promise<Outcome> {
  const rig = await createRig({}, { keeps: 1_000 });
  const broken: string[] = [];
  try {
    const old = await fillOutbox(rig, Math.ceil(size / callStatuses.length));
    const waiting = old.size * callStatuses.length;
    say(`${waiting} events wait in the outbox`);
    const seen = watch(rig, old, script);
    const began = performance.now();
    const bridge = rig.startBridge({
      hear: ({ code, call }) => code === 'call.ringing' && seen.queued(String(call)),
    });
    await bridge.says('ami.connected');
    const load = startLoad(rig.pbx, {
      eventsPerSecond: freshPerSecond,
      random: seededRandom(seed),
      talkMs: 500,
    });
    const progress = setInterval(
      () => say(`${seen.drained()} drained, at most ${memoryMb(bridge)} MB`),
      30_000,
    );
    // However slow a busy machine is; what it drains in a second is judged below.
    await rig.fakeApi.waitFor(() => seen.drained() >= waiting, 600_000 + (waiting / leastPerSecond) * 1_000);
    clearInterval(progress);
    const perSecond = Math.round(waiting / ((performance.now() - began) / 1_000));
    await load.finish();
    await rig.fakeApi.waitFor(() => [...load.sent.keys()].every(seen.hasEnded)).catch(() => {});
    const memory = memoryMb(bridge);
    bridge.kill('SIGTERM');
    await bridge.ended;

    const solved = rig.solve(new Map([...old, ...load.sent]));
    const { ahead, misplaced, delays } = seen.result();
    if (solved.counts.waiting + solved.counts.dead > 0) broken.push('not all was delivered');
    if (waiting >= judgedFrom && perSecond < leastPerSecond) broken.push(`drained at ${perSecond}/s`);
    if (memory >= mostMemoryMb) broken.push(`${memory} MB of memory`);
    if (ahead > mostAhead) broken.push(`${ahead} old events went ahead of a new call`);
    if (misplaced > mostMisplaced) broken.push(`an old call came ${misplaced} places from its turn`);
    return {
      ...solved.counts,
      runs: waiting,
      seed,
      broken: [...solved.broken, ...broken],
      note: `drained at ${perSecond.toLocaleString('en')}/s beside ${load.sent.size} new calls, which arrived ${percentile(delays, 50)} ms after they were on disk (p99 ${percentile(delays, 99)} ms), at most ${ahead} old events ahead of one; old calls came at most ${misplaced} places from their turn; at most ${memory} MB`,
    };
  } finally {
    await rig.close();
  }
}

/** Notes in which order old and new arrive. */
function watch({ fakeApi }: Rig, old: ReadonlyMap<string, unknown>, script: FaultScript) {
  const turns = new Map([...old.keys()].map((id, turn) => [id, turn]));
  /** New calls that are on disk: since when, and how many old events had arrived by then. */
  const since = new Map<string, { readonly at: number; readonly drained: number }>();
  const delays: number[] = [];
  /** New calls whose end has come, kept by the API or not. */
  const ended = new Set<string>();
  let drained = 0;
  let begun = 0;
  let ahead = 0;
  let misplaced = 0;
  fakeApi.inject((request) => {
    const { id, status } = request.payload as { id: string; status: CallStatus };
    const turn = turns.get(id);
    if (turn === undefined) arrived(id, status);
    else {
      drained += 1;
      if (status === 'ringing') misplaced = Math.max(misplaced, Math.abs(turn - begun++));
    }
    return script(request);
  });

  function arrived(id: string, status: CallStatus): void {
    if (status === 'completed') ended.add(id);
    if (status !== 'ringing') return;
    // One that arrives before we heard that it is on disk was quick.
    const it = since.get(id) ?? { at: Date.now(), drained };
    delays.push(Date.now() - it.at);
    ahead = Math.max(ahead, drained - it.drained);
  }

  return {
    queued: (id: string) => since.set(id, { at: Date.now(), drained }),
    hasEnded: (id: string) => ended.has(id),
    drained: () => drained,
    result: () => ({ ahead, misplaced, delays }),
  };
}

/** The most memory that it ever had, MB. */
function memoryMb({ pid }: BridgeProcess): number {
  const kilobytes = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kilobytes) / 1_024);
}
