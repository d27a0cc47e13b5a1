import { systemClock } from '../ami/clock.ts';
import { createPlayer, type Player } from '../ami/player/player.ts';
import { seededRandom } from '../ami/player/seeded-random.ts';
import {
  type ScenarioName,
  type SimulatedCall,
  scenarioNames,
  simulateCall,
  usualMix,
} from '../ami/player/simulated-calls.ts';
import type { Context } from './command-context.ts';
import { exitCodes } from './exit-codes.ts';
import { count } from './format-text.ts';

export type SimulateOptions = {
  readonly rate: string;
  readonly seconds?: string;
  readonly seed: string;
  readonly talk: string;
  readonly mix?: string;
  readonly port?: string;
};

const stepMs = 10;

/** An office that is made up, on a real manager port: for a load, or to show what a bridge does. */
export async function simulate(
  { terminal, json }: Context,
  options: SimulateOptions,
  stop: AbortSignal,
): Promise<number> {
  const rate = numberOf('--rate', options.rate, 10_000);
  const seconds =
    options.seconds === undefined ? Number.POSITIVE_INFINITY : numberOf('--seconds', options.seconds, 1e6);
  const talkMs = numberOf('--talk', options.talk, 3_600) * 1_000;
  const account = { username: 'pbx-bridge', secret: 'simulate' };
  const pbx = createPlayer({
    ...account,
    clock: systemClock,
    contexts: ['from-internal', 'from-queue', 'from-trunk'],
    port: options.port === undefined ? undefined : numberOf('--port', options.port, 65_535),
  });
  const { port } = await pbx.listen();
  if (json) terminal.json({ port, ...account });
  else {
    terminal.print(`An office, ${rate} ${rate === 1 ? 'call' : 'calls'} a second. For .env:`);
    for (const line of [
      `AMI_PORT=${port}`,
      `AMI_USERNAME=${account.username}`,
      `AMI_SECRET=${account.secret}`,
    ])
      terminal.print(`  ${line}`);
    terminal.print(
      'It begins when a bridge logs in; Ctrl-C lets no more calls in, and a second one ends it.',
    );
  }
  await until(() => pbx.connections() > 0 || stop.aborted);
  const office = createOffice({
    rate,
    talkMs,
    mix: mixOf(options.mix),
    random: seededRandom(Number(options.seed)),
  });
  await play(pbx, office, { seconds, stop });
  await pbx.close();
  const { calls, told } = office.played();
  if (json) terminal.json({ calls, told });
  else
    terminal.wrapped(
      '',
      `${count(calls, 'call')}; to be told: ${told.ringing} ringing, ${told.answered} answered, ${told.completed} completed`,
      0,
    );
  return exitCodes.well;
}

type Office = ReturnType<typeof createOffice>;

/** Calls by chance, but the same ones for the same seed. */
function createOffice(options: {
  readonly rate: number;
  readonly talkMs: number;
  readonly mix: readonly (readonly [ScenarioName, number])[];
  readonly random: () => number;
}) {
  const { rate, talkMs, mix, random } = options;
  const parts = mix.reduce((sum, [, part]) => sum + part, 0);
  const told = { ringing: 0, answered: 0, completed: 0 };
  let nextAt = 0;
  let index = 0;

  function pick(): ScenarioName {
    let left = random() * parts;
    for (const [name, part] of mix) {
      left -= part;
      if (left < 0) return name;
    }
    return 'answered';
  }

  return {
    /** The call that begins at `ms` after the start, if it is time; times between calls are as chance has it. */
    due(ms: number, now: number): SimulatedCall | undefined {
      if (ms < nextAt) return undefined;
      nextAt += (-Math.log(1 - random()) / rate) * 1_000;
      const call = simulateCall(pick(), { second: Math.floor(now / 1_000), index: index++, random, talkMs });
      for (const status of call.told) told[status] += 1;
      return call;
    },
    played: () => ({ calls: index, told }),
  };
}

/** Plays until the last call that was let in is over. */
async function play(
  pbx: Player,
  office: Office,
  { seconds, stop }: { seconds: number; stop: AbortSignal },
): Promise<void> {
  const agenda = new Map<number, string[]>();
  const began = performance.now();
  let done = 0;
  for (;;) {
    const ms = performance.now() - began;
    const open = !stop.aborted && ms < seconds * 1_000;
    for (let call = open ? office.due(ms, Date.now()) : undefined; call; call = office.due(ms, Date.now()))
      for (const { ms: after, frame } of call.frames) {
        const slot = Math.floor((ms + after) / stepMs);
        const frames = agenda.get(slot);
        if (frames) frames.push(frame);
        else agenda.set(slot, [frame]);
      }
    for (; done * stepMs <= ms; done += 1) {
      for (const frame of agenda.get(done) ?? []) pbx.send(frame);
      agenda.delete(done);
    }
    if (!open && agenda.size === 0) return;
    await new Promise((resolve) => setTimeout(resolve, stepMs));
  }
}

function mixOf(text: string | undefined): [ScenarioName, number][] {
  if (text === undefined) return Object.entries(usualMix) as [ScenarioName, number][];
  return text.split(',').map((item) => {
    const [name = '', part = ''] = item.split('=');
    if (!scenarioNames.some((known) => known === name) || !/^\d{1,4}$/.test(part))
      throw new Error(`--mix takes parts such as answered=3,missed=1; there is ${scenarioNames.join(', ')}`);
    return [name as ScenarioName, Number(part)];
  });
}

function numberOf(option: string, text: string, most: number): number {
  const number = Number(text);
  if (!(number > 0 && number <= most)) throw new Error(`${option} takes a number above 0, up to ${most}`);
  return number;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 50));
}
