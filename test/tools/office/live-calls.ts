import { setTimeout as wait } from 'node:timers/promises';
import type { Player } from '../player/player.ts';
import { seededRandom } from '../player/seeded-random.ts';
import { type ScenarioName, type SimulatedCall, simulateCall } from '../player/simulated-calls.ts';
import { callers, colleagues, waiting } from './customers.ts';

/** Of nine calls one is missed; its caller calls again, four calls later, and is answered. */
const round = 'answered queue answered missed answered answered queue answered answered'.split(' ');
const [MISSED, AGAIN] = [3, 7];
/** From one call to the next, at least and at most, and how long people talk, on average; ms. */
const GAP_MS = [20_000, 30_000] as const;
const TALK_MS = 40_000;
/** Until the first call, ms. */
const FIRST_MS = 3_000;

type PlannedCall = { readonly from: string; readonly phone: string; readonly gapMs: number } & Pick<
  SimulatedCall,
  'frames' | 'scenario'
>;

/**
 * The calls of a good day, always the same: each phone has every fourth, and none takes longer than the gaps until the
 * next, so that no one is in two of them at once. `second`: in which the next call begins, Unix time.
 */
export function* plannedCalls(second: () => number): Generator<PlannedCall> {
  const random = seededRandom(1);
  const phones = Object.keys(colleagues);
  // Not who waits to be called back: a call that is answered would close that.
  const waits = new Set(waiting.flatMap(({ numbers }) => numbers));
  const known = callers.filter((number) => !waits.has(number));
  for (let index = 0; ; index += 1) {
    const at = index % round.length;
    const from = known[((at === AGAIN ? index - AGAIN + MISSED : index) * 7) % known.length] as string;
    const phone = phones[index % phones.length] as string;
    const call = simulateCall(round[at] as ScenarioName, {
      second: second(),
      index,
      random,
      talkMs: TALK_MS,
      outside: from,
      extensions: [phone],
    });
    const gapMs = GAP_MS[0] + random() * (GAP_MS[1] - GAP_MS[0]);
    yield { ...call, from, phone, gapMs };
  }
}

/** Plays them at a human pace, until `stop`. */
export async function playLiveCalls(pbx: Player, stop: AbortSignal): Promise<void> {
  const sleep = (ms: number) => wait(ms, undefined, { signal: stop }).catch(() => {});

  async function play({ frames }: PlannedCall): Promise<void> {
    let now = 0;
    for (const { ms, frame } of frames) {
      if (ms > now) await sleep(ms - now);
      if (stop.aborted) return;
      now = ms;
      pbx.send(frame);
    }
  }

  await sleep(FIRST_MS);
  for (const call of plannedCalls(() => Math.floor(Date.now() / 1_000))) {
    void play(call);
    await sleep(call.gapMs);
    if (stop.aborted) return;
  }
}
