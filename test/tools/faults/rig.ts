import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CallStatus } from '../../../src/shared/api/contract/call-status.ts';
import { systemClock } from '../../../src/shared/process/clock.ts';
import { type FakeApi, startFakeApi } from '../fakes/fake-api.ts';
import { atExit } from '../lab/at-exit.ts';
import { createPlayer, type Player } from '../player/player.ts';
import { compileCache } from '../runner/compile-cache.ts';
import {
  type BridgeProcess,
  type BridgeProcessOptions,
  type LogLine,
  startBridgeProcess,
} from './bridge-process.ts';
import { type Evidence, heldIn, solve } from './equation.ts';
import type { Counts } from './fault.ts';
import type { Load } from './load.ts';

/** A PBX that is played and an API, both in this process, and the folder of a bridge that is one of its own. */
export type Rig = {
  readonly pbx: Player;
  readonly fakeApi: FakeApi;
  /** Empty at first; gone at the end. */
  readonly folder: string;
  readonly stateDir: string;
  readonly env: Readonly<Record<string, string>>;
  /** What bridges of this rig have said is on disk: by call id, its states. */
  readonly acknowledged: ReadonlyMap<string, ReadonlySet<CallStatus>>;
  /** The same of events that were put into the outbox by other means. */
  acknowledge(id: string, states: Iterable<CallStatus>): void;
  /**
   * Whether calls come in faster than the bridge that is connected reports them, `sent` being all that came in. A
   * machine that is busy with other things would be tried else.
   */
  isBehind(sent: number): boolean;
  /** Starts the real program, under `wrap` if given, and resolves at once. */
  startBridge(options?: Pick<BridgeProcessOptions, 'wrap' | 'cli' | 'hear'>): BridgeProcess;
  /** The equation as it stands; nothing of this rig may be moving. */
  solve(
    sent: ReadonlyMap<string, readonly CallStatus[]>,
    more?: Pick<Evidence, 'overtaken'>,
  ): ReturnType<typeof solve>;
  close(): Promise<void>;
};

/** Calls that may be on their way from the PBX to the log: a second of them. */
const mostBehind = 400;

/** @param keeps how many requests and history entries the API keeps; see FakeApiOptions. */
export async function createRig(
  settings: Readonly<Record<string, string>> = {},
  { keeps }: { readonly keeps?: number } = {},
): Promise<Rig> {
  const pbx = createPlayer({ username: 'bridge', secret: 'sesame', clock: systemClock });
  const { port } = await pbx.listen();
  const fakeApi = await startFakeApi({
    token: 'a-token',
    priorityOf: () => 10,
    ...(keeps !== undefined && { keeps }),
  });
  const folder = mkdtempSync(join(tmpdir(), 'pbx-bridge-faults-'));
  const env = {
    AMI_PORT: String(port),
    AMI_USERNAME: 'bridge',
    AMI_SECRET: 'sesame',
    API_BASE_URL: fakeApi.baseUrl,
    API_TOKEN: 'a-token',
    STATE_DIR: join(folder, 'state'),
    AGI_LISTEN: 'off',
    STATUS_LISTEN: 'off',
    NODE_COMPILE_CACHE: compileCache(),
    ...settings,
  };
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const release = atExit(remove);
  const bridges = new Set<BridgeProcess>();
  const acknowledged = new Map<string, Set<CallStatus>>();
  const acknowledge = (id: string, states: Iterable<CallStatus>) => {
    acknowledged.set(id, new Set([...(acknowledged.get(id) ?? []), ...states]));
  };
  /** Calls that had come in when the bridge connected, and those that it has reported since. */
  const pace = { sent: Number.NaN, reported: 0 };
  const acknowledgeLine = ({ code, call }: LogLine) => {
    if (code === 'ami.connected') Object.assign(pace, { sent: Number.NaN, reported: 0 });
    if (code === 'call.ringing') pace.reported += 1;
    const [, status] = /^call\.(ringing|answered|completed)$/.exec(code) ?? [];
    if (status !== undefined) acknowledge(String(call), [status as CallStatus]);
  };
  return {
    pbx,
    fakeApi,
    folder,
    stateDir: env.STATE_DIR,
    env,
    acknowledged,
    acknowledge,
    isBehind(sent) {
      if (Number.isNaN(pace.sent)) pace.sent = sent;
      return pbx.connections() > 0 && sent - pace.sent - pace.reported > mostBehind;
    },
    startBridge({ hear, ...how } = {}) {
      const bridge = startBridgeProcess({
        env,
        cwd: folder,
        ...how,
        hear(line) {
          acknowledgeLine(line);
          hear?.(line);
        },
      });
      const spare = atExit(bridge.kill);
      bridges.add(bridge);
      void bridge.ended.then(() => {
        bridges.delete(bridge);
        spare();
      });
      return bridge;
    },
    solve: (sent, more) =>
      solve({
        ...more,
        sent,
        acknowledged,
        outbox: heldIn(env.STATE_DIR),
        received: new Map([...fakeApi.calls()].map(([id, { received }]) => [id, received])),
      }),
    async close() {
      for (const bridge of bridges) bridge.kill();
      await Promise.all([...bridges].map(({ ended }) => ended));
      await pbx.close();
      await fakeApi.close();
      remove();
      release();
    },
  };
}

/** Nothing new has come to the API for so long: what is missing will not come any more, ms. */
const longestSilenceMs = 60_000;

/**
 * After the last fault: a bridge without faults, until the office has closed and all calls that were
 * reported have ended, or nothing more comes. Gives the equation, and the calls that did not end.
 */
export async function lastLife(
  rig: Rig,
  load: Load,
  options: { hear?: (line: LogLine) => void; patienceMs?: number } = {},
): Promise<{ counts: Counts; broken: string[] }> {
  const { hear } = options;
  const bridge = rig.startBridge(hear && { hear });
  await bridge.says('ami.connected');
  await lastReported(rig, await load.finish(), options);
  await allEnded(rig, options);
  bridge.kill('SIGTERM');
  await bridge.ended;
  const { counts, broken } = rig.solve(load.sent);
  const left = openCalls(rig);
  if (left.length > 0) broken.push(`${left.length} calls never ended: ${left.slice(0, 5).join(', ')}`);
  return { counts, broken };
}

const hasEnded = ({ fakeApi }: Rig, id: string) => fakeApi.calls().get(id)?.state === 'completed';
const openCalls = (rig: Rig, calls = rig.acknowledged.keys()) =>
  [...calls].filter((id) => !hasEnded(rig, id));

/**
 * Waits until the log says that a load's last call is over, or nothing new has come to the API for so long, ms: a
 * bridge that is behind has reported none of what it has not heard yet, and nothing would be missed of it.
 */
export async function lastReported(
  rig: Rig,
  last: string,
  { patienceMs = longestSilenceMs }: { patienceMs?: number } = {},
): Promise<void> {
  let [requests, since] = [-1, performance.now()];
  while (!rig.acknowledged.get(last)?.has('completed') && performance.now() - since < patienceMs) {
    const now = rig.fakeApi.counts().requests;
    if (now !== requests) [requests, since] = [now, performance.now()];
    await sleep(50);
  }
}

/**
 * Waits until all `calls` have ended at the API, or nothing new has come there for so long, ms. Without `calls`:
 * those that the log says were reported.
 */
export async function allEnded(
  rig: Rig,
  {
    calls,
    patienceMs = longestSilenceMs,
  }: { calls?: ReadonlyMap<string, unknown>; patienceMs?: number } = {},
): Promise<void> {
  const left = () => openCalls(rig, calls?.keys());
  for (let open = left(); open.length > 0; open = left()) {
    const before = rig.fakeApi.counts().requests;
    // Only the last is looked at: this is asked at every request.
    const next = () => {
      while (open.length > 0 && hasEnded(rig, open.at(-1) as string)) open.pop();
      return open.length === 0;
    };
    await rig.fakeApi.waitFor(next, patienceMs).catch(() => {});
    if (rig.fakeApi.counts().requests === before) return;
  }
}
