import { createPlayer, type Player } from '../ami/player/player.ts';
import { seededRandom } from '../ami/player/seeded-random.ts';
import {
  type ScenarioName,
  type SimulatedCall,
  scenarioNames,
  simulateCall,
  usualMix,
} from '../ami/player/simulated-calls.ts';
import { systemClock } from '../process/clock.ts';
import type { Context } from './command-context.ts';
import { exitCodes } from './exit-codes.ts';
import { count } from './format-text.ts';

type SimulateOptions = {
  readonly rate: string;
  readonly seconds?: string;
  readonly seed: string;
  readonly talk: string;
  readonly mix?: string;
  readonly port?: string;
};

const stepMs = 10;

/** Generates test calls on a simulated manager port, for load tests and demonstrations. */
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
    terminal.print(`Simulating ${rate} ${rate === 1 ? 'call' : 'calls'} per second. Settings for .env:`);
    for (const line of [
      `AMI_PORT=${port}`,
      `AMI_USERNAME=${account.username}`,
      `AMI_SECRET=${account.secret}`,
    ])
      terminal.print(`  ${line}`);
    terminal.print(
      'Calls start when a bridge logs in. Ctrl-C stops new calls; a second Ctrl-C ends the simulation.',
    );
  }
  // Not at its connection: until the login, it gets none of a call's events.
  await until(() => pbx.hasLogin() || stop.aborted);
  const source = createCallSource({
    rate,
    talkMs,
    mix: mixOf(options.mix),
    random: seededRandom(Number(options.seed)),
  });
  await play(pbx, source, { seconds, stop });
  const { calls, reported } = source.played();
  if (json) terminal.json({ calls, reported });
  else
    terminal.wrapped(
      '',
      `${count(calls, 'call')}; expected events: ${reported.ringing} ringing, ${reported.answered} answered, ${reported.completed} completed`,
      0,
    );
  if (!json && !stop.aborted) terminal.print('Waiting for the bridge to disconnect; end with Ctrl-C.');
  // A bridge that is behind has still to read the last events, and asks about their calls.
  await until(() => pbx.connections() === 0 || stop.aborted);
  await pbx.close();
  return exitCodes.ok;
}

type CallSource = ReturnType<typeof createCallSource>;

/** Generates random calls; the same seed gives the same calls. */
function createCallSource(options: {
  readonly rate: number;
  readonly talkMs: number;
  readonly mix: readonly (readonly [ScenarioName, number])[];
  readonly random: () => number;
}) {
  const { rate, talkMs, mix, random } = options;
  const parts = mix.reduce((sum, [, part]) => sum + part, 0);
  const reported = { ringing: 0, answered: 0, completed: 0 };
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
    /** The next call, if one is due `ms` after the start. Times between calls are exponentially distributed. */
    due(ms: number, now: number): SimulatedCall | undefined {
      if (ms < nextAt) return undefined;
      nextAt += (-Math.log(1 - random()) / rate) * 1_000;
      const call = simulateCall(pick(), { second: Math.floor(now / 1_000), index: index++, random, talkMs });
      for (const status of call.reported) reported[status] += 1;
      return call;
    },
    played: () => ({ calls: index, reported }),
  };
}

/** Plays calls until `stop` or the time limit, then waits for the last call to end. */
export async function play(
  pbx: Pick<Player, 'send'>,
  source: Pick<CallSource, 'due'>,
  { seconds, stop }: { seconds: number; stop: AbortSignal },
): Promise<void> {
  const schedule = new Map<number, string[]>();
  const began = performance.now();
  let done = 0;
  for (;;) {
    const ms = performance.now() - began;
    const accepting = !stop.aborted && ms < seconds * 1_000;
    for (
      let call = accepting ? source.due(ms, Date.now()) : undefined;
      call;
      call = source.due(ms, Date.now())
    )
      for (const { ms: after, frame } of call.frames) {
        // A timer may fire early, in the step that was sent just before.
        const slot = Math.max(done, Math.floor((ms + after) / stepMs));
        const frames = schedule.get(slot);
        if (frames) frames.push(frame);
        else schedule.set(slot, [frame]);
      }
    for (; done * stepMs <= ms; done += 1) {
      for (const frame of schedule.get(done) ?? []) pbx.send(frame);
      schedule.delete(done);
    }
    if (!accepting && schedule.size === 0) return;
    await new Promise((resolve) => setTimeout(resolve, stepMs));
  }
}

function mixOf(text: string | undefined): [ScenarioName, number][] {
  if (text === undefined) return Object.entries(usualMix) as [ScenarioName, number][];
  return text.split(',').map((item) => {
    const [name = '', part = ''] = item.split('=');
    if (!scenarioNames.some((known) => known === name) || !/^\d{1,4}$/.test(part))
      throw new Error(
        `--mix takes proportions such as answered=3,missed=1; kinds: ${scenarioNames.join(', ')}`,
      );
    return [name as ScenarioName, Number(part)];
  });
}

function numberOf(option: string, text: string, max: number): number {
  const number = Number(text);
  if (!(number > 0 && number <= max)) throw new Error(`${option} takes a number above 0, up to ${max}`);
  return number;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 50));
}
