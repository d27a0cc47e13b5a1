import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BridgeStatus } from '../../../src/bridge/status/bridge-status.ts';
import { systemClock } from '../../../src/shared/process/clock.ts';
import { type Cable, layCable } from '../fakes/cable.ts';
import { startFakeApi } from '../fakes/fake-api.ts';
import { createPlayer } from '../player/player.ts';
import { type SimulatedCall, scenarioNames, simulateCall } from '../player/simulated-calls.ts';
import { until } from '../until.ts';
import { type Program, type ProgramOptions, runProgram } from './program.ts';

/** One bridge of a pair: a process with its own state folder and its own two cables. */
export type Half = {
  readonly name: string;
  readonly toPbx: Cable;
  readonly toApi: Cable;
  /** The process that runs now, or ran last. */
  program(): Program;
  readonly stateDir: string;
  /** Starts it, again too, and resolves when it has read what is on the PBX. `cli`: of another source tree. */
  start(cli?: string): Promise<void>;
  kill(): Promise<void>;
  status(): Promise<BridgeStatus>;
  /** Resolves when it is connected to the PBX and everything that it has taken is at the API. */
  atRest(): Promise<void>;
};

export type HalfOptions = {
  readonly settings?: Readonly<Record<string, string>>;
  /** Environment of the process beside its settings, such as LD_PRELOAD. */
  readonly env?: Readonly<Record<string, string>>;
  /** The source tree to run; this one when absent. */
  readonly cli?: string;
};

/** What the API holds of a call, but for when: the same however often it was reported. */
export type Held = { readonly state: string; readonly from: string; readonly callerId: string | undefined };

/** An office with an API, and any number of bridges on it that know nothing of each other. */
export async function createOffice(options: { seed: number; calls: number; talkMs: number }) {
  const account = { username: 'bridge', secret: 'sesame' } as const;
  const pbx = createPlayer({ ...account, clock: systemClock, contexts: ['from-internal', 'from-trunk'] });
  const { port } = await pbx.listen();
  const fakeApi = await startFakeApi({ token: 'a-token' });
  const halves: Half[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'pbx-bridge-pair-'));

  async function addBridge(name: string, { settings = {}, env = {}, ...tree }: HalfOptions = {}) {
    const toPbx = await layCable(port);
    const toApi = await layCable(fakeApi.port);
    const cwd = join(folder, name);
    mkdirSync(cwd);
    const launch: ProgramOptions = {
      cwd,
      env: {
        AMI_PORT: String(toPbx.port),
        AMI_USERNAME: account.username,
        AMI_SECRET: account.secret,
        API_BASE_URL: `http://127.0.0.1:${toApi.port}/api/v1`,
        API_TOKEN: 'a-token',
        STATE_DIR: join(cwd, 'state'),
        DEFAULT_COUNTRY: 'DE',
        AGI_LISTEN: 'off',
        STATUS_LISTEN: '127.0.0.1:0',
        LOG_FORMAT: 'json',
        ...settings,
        ...env,
      },
      ...(tree.cli !== undefined && { cli: tree.cli }),
    };
    let program: Program | undefined;
    const half: Half = {
      name,
      toPbx,
      toApi,
      program: () => program as Program,
      stateDir: join(cwd, 'state'),
      async start(cli) {
        program = runProgram(['run'], { ...launch, ...(cli !== undefined && { cli }) });
        await program.says(/"code":"ami\.connected"/);
      },
      async kill() {
        await program?.end('SIGKILL');
      },
      async status() {
        const [, port] = (await program?.says(/"code":"status\.listening"[^\n]*"port":(\d+)/)) ?? [];
        const response = await fetch(`http://127.0.0.1:${port}/status.json`);
        return (await response.json()) as BridgeStatus;
      },
      async atRest() {
        await until(`bridge ${name} to be at rest`, async () => {
          const { pbx, outbox } = await half.status();
          return pbx.state === 'up' && outbox.waiting === 0;
        });
      },
    };
    halves.push(half);
    await half.start();
    return half;
  }

  async function close() {
    for (const half of halves) await half.kill();
    for (const { toPbx, toApi } of halves) await Promise.all([toPbx.close(), toApi.close()]);
    await pbx.close();
    await fakeApi.close();
    rmSync(folder, { recursive: true });
  }

  return { pbx, fakeApi, addBridge, close, day: seededDay(options) };
}

export type Office = Awaited<ReturnType<typeof createOffice>>;

/** Calls of every kind, the same for the same seed; what each must be in the end is known. */
function seededDay({ seed, calls, talkMs }: { seed: number; calls: number; talkMs: number }) {
  let state = seed;
  const random = () => {
    state = (state * 16_807) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  const made = Array.from({ length: calls }, (_, index) =>
    simulateCall(scenarioNames[index % scenarioNames.length] as SimulatedCall['scenario'], {
      second: 1_795_000_000,
      index,
      random,
      talkMs,
    }),
  );
  return made.map((call, index) => ({ call, startMs: index * 150 }));
}

/** Plays the day in its own time. Gives its end, and what resolves when this part of it (0 to 1) is over. */
export function playDay({ pbx, day }: Office) {
  const agenda = day
    .flatMap(({ call, startMs }) => call.frames.map(({ ms, frame }) => ({ ms: startMs + ms, frame })))
    .sort((a, b) => a.ms - b.ms);
  const length = agenda.at(-1)?.ms ?? 0;
  const waiting = new Set<{ readonly part: number; readonly resolve: () => void }>();
  let done = 0;
  const reach = (part: number) => {
    done = part;
    for (const waiter of waiting)
      if (waiter.part <= done) {
        waiting.delete(waiter);
        waiter.resolve();
      }
  };
  const play = async () => {
    const began = performance.now();
    for (const { ms, frame } of agenda) {
      const wait = ms - (performance.now() - began);
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
      reach(ms / length);
      pbx.send(frame);
    }
    reach(1);
  };
  return {
    over: play(),
    at: (part: number) =>
      new Promise<void>((resolve) => {
        waiting.add({ part, resolve });
        reach(done);
      }),
  };
}

/** How many calls of the day are to be reported. */
const toldCalls = ({ day }: Office) => day.filter(({ call }) => call.reported.length > 0).length;

/** How many events of the day are to be reported. */
export const eventsOf = ({ day }: Office) => day.reduce((sum, { call }) => sum + call.reported.length, 0);

/** Waits until every call that is to be reported is completed at the API, and gives what it holds. */
export async function heldAtTheEnd(office: Office, timeoutMs?: number): Promise<Map<string, Held>> {
  const count = toldCalls(office);
  await office.fakeApi.waitFor((fakeApi) => {
    const calls = [...fakeApi.calls().values()];
    return calls.length >= count && calls.every(({ state }) => state === 'completed');
  }, timeoutMs);
  return new Map(
    [...office.fakeApi.calls()]
      .map(([id, { state, from, callerId }]) => [id, { state, from, callerId }] as const)
      .sort(([a], [b]) => a.localeCompare(b)),
  );
}

/** The order in which each call's states first came. */
export const firstReceived = ({ fakeApi }: Office) =>
  new Map([...fakeApi.calls()].map(([id, { received }]) => [id, [...new Set(received)]] as const));
