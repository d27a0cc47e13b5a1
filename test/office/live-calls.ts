import { setTimeout as wait } from 'node:timers/promises';
import type { Player } from '../player/player.ts';
import { type ScenarioName, simulateCall } from '../player/simulated-calls.ts';
import { callers, colleagues, missedLast } from './customers.ts';

/** Of 100 calls from outside. */
const mix: readonly ScenarioName[] = [
  ...Array<ScenarioName>(60).fill('answered'),
  ...Array<ScenarioName>(18).fill('queue'),
  ...Array<ScenarioName>(15).fill('missed'),
  ...Array<ScenarioName>(7).fill('transfer'),
];
/** From one call to the next, on average, and how long people talk, ms. */
const GAP_MS = 20_000;
const TALK_MS = 60_000;
/** Until the first call, ms. */
const FIRST_MS = 3_000;

/** Plays the calls of an office at a human pace, until `stop`: nobody is in two of them at once. */
export async function playLiveCalls(pbx: Player, stop: AbortSignal): Promise<void> {
  const pick = <T>(all: readonly T[]) => all[Math.floor(Math.random() * all.length)] as T;
  const busy = new Set<string>();
  const free = (all: readonly string[]) => all.filter((one) => !busy.has(one));
  const sleep = (ms: number) => wait(ms, undefined, { signal: stop }).catch(() => {});
  let index = 0;

  async function play(): Promise<void> {
    const phones = free(Object.keys(colleagues));
    const scenario = phones.length < 2 ? 'missed' : pick(mix);
    const call = simulateCall(scenario, {
      ...{ second: Math.floor(Date.now() / 1_000), index: index++, random: Math.random, talkMs: TALK_MS },
      // Not who waits to be called back: a call that is answered would close that.
      outside: pick(free(callers).filter((number) => number !== missedLast.number)),
      extensions: scenario === 'missed' ? Object.keys(colleagues) : phones,
    });
    const text = call.frames.map(({ frame }) => frame).join();
    const parties = [...callers, ...phones].filter((number) => text.includes(`: ${number}\r\n`));
    for (const party of parties) busy.add(party);
    let now = 0;
    for (const { ms, frame } of call.frames) {
      if (ms > now) await sleep(ms - now);
      if (stop.aborted) return;
      now = ms;
      pbx.send(frame);
    }
    for (const party of parties) busy.delete(party);
  }

  await sleep(FIRST_MS);
  while (!stop.aborted) {
    void play();
    await sleep(Math.min(-Math.log(1 - Math.random()) * GAP_MS, 3 * GAP_MS));
  }
}
