import type { CallStatus } from '../../../src/shared/api/contract/call-status.ts';
import type { Player } from '../player/player.ts';
import { type ScenarioName, type SimulatedCall, simulateCall } from '../player/simulated-calls.ts';

/** Calls that come in at a played PBX, a number a second, from one seed. */
export type Load = {
  /** All calls so far that are to be reported: by the id they are reported under, their states in order. */
  readonly sent: ReadonlyMap<string, readonly CallStatus[]>;
  /** The PBX dies with all calls in progress: nothing more is heard of them. */
  drop(): void;
  /** Multiplies the rate of calls from now on; 1 at first. */
  pace(factor: number): void;
  /**
   * Lets no more calls in, but for one when all are over, and resolves with its id when it is over, too: who has reported
   * that one has heard all the others.
   */
  finish(): Promise<string>;
};

type LoadOptions = {
  /** Call events a second that are to be reported, on average; fewer where the machine cannot. */
  readonly eventsPerSecond: number;
  readonly random: () => number;
  /** How long people talk, on average, ms; they ring and wait for less. */
  readonly talkMs: number;
  /** True while no more calls are to come in: a bridge that gets no processor is not what is tried. */
  readonly hold?: () => boolean;
  /** No two calls of one PBX_ID may bear the same number: where this load begins to count. */
  readonly firstIndex?: number;
  /** Hears of each call that has come to its end, by the id it is reported under. */
  readonly onOver?: (id: string, call: SimulatedCall) => void;
};

/** What an office's calls are like that end by themselves, of a hundred. */
const mix: readonly (readonly [ScenarioName, number])[] = [
  ['answered', 60],
  ['missed', 20],
  ['queue', 20],
];
/** 80 calls of a hundred have three states, 20 have two. */
const eventsPerCall = 2.8;

const stepMs = 5;

/** So much of what was missed while this process was busy is made up for at once; the rest comes later than it should. */
const mostSteps = 20;

export function startLoad(pbx: Pick<Player, 'send'>, options: LoadOptions): Load {
  const { eventsPerSecond, random, talkMs, onOver } = options;
  const sent = new Map<string, readonly CallStatus[]>();
  /** What is to be sent in which step, and which calls are over then. */
  const agenda = new Map<number, (string | (() => void))[]>();
  let began = performance.now();
  const second = Math.floor(Date.now() / 1_000);
  let index = options.firstIndex ?? 0;
  let step = 0;
  let ending = false;
  let last: string | undefined;
  let factor = 1;
  let nextAt = 0;
  const over = Promise.withResolvers<string>();

  function letIn(at: number): string {
    const scenario = pick(random() * 100);
    const call = simulateCall(scenario, { second, index, random, talkMs });
    const id = `pbx-${second}.${index * 8}`;
    sent.set(id, call.reported);
    index += 1;
    const put = (ms: number, what: string | (() => void)) => {
      const due = Math.max(step, Math.ceil((at + ms) / stepMs));
      const others = agenda.get(due);
      if (others) others.push(what);
      else agenda.set(due, [what]);
    };
    for (const { ms, frame } of call.frames) put(ms, frame);
    if (onOver) put(call.frames.at(-1)?.ms ?? 0, () => onOver(id, call));
    return id;
  }

  const timer = setInterval(() => {
    const behind = (performance.now() - began) / stepMs - step - mostSteps;
    if (behind > 0) began += behind * stepMs;
    for (const until = (performance.now() - began) / stepMs; step < until; step += 1) {
      if (options.hold?.()) nextAt = Math.max(nextAt, (step + 1) * stepMs);
      while (!ending && nextAt <= step * stepMs) {
        letIn(nextAt);
        nextAt += -Math.log(1 - random()) * (eventsPerCall / eventsPerSecond / factor) * 1_000;
      }
      for (const what of agenda.get(step) ?? [])
        if (typeof what === 'string') pbx.send(what);
        else what();
      agenda.delete(step);
    }
    if (!ending || agenda.size > 0) return;
    if (last === undefined) {
      last = letIn(step * stepMs);
      return;
    }
    clearInterval(timer);
    over.resolve(last);
  }, stepMs);

  return {
    sent,
    drop: () => agenda.clear(),
    pace(next) {
      factor = next;
      nextAt = step * stepMs;
    },
    finish() {
      ending = true;
      return over.promise;
    },
  };
}

function pick(part: number): ScenarioName {
  let left = part;
  for (const [name, share] of mix) {
    left -= share;
    if (left < 0) return name;
  }
  return 'answered';
}
