import { AsyncResource } from 'node:async_hooks';
import { rmSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  bridgeCallBacksPath,
  type CallBackOutcome,
  callBackOutcomeSchema,
} from '../../../src/shared/api/contract/bridge-call-backs.ts';
import { type CallExtras, callExtrasSchema } from '../../../src/shared/api/contract/call-extras.ts';
import { type FakeApi, startFakeApi } from '../fakes/fake-api.ts';
import type { SeenRequest } from '../fakes/fake-api-faults.ts';
import { type Program, runProgram } from '../program/program.ts';
import { atExit } from './at-exit.ts';
import { managerUsers } from './config.ts';
import { labSettings, type ReportedEvent } from './row.ts';

/** The real bridge as a process of its own, between an Asterisk and an API of its own. */
export type FarEnd = {
  readonly fakeApi: FakeApi;
  /**
   * What the API received of this call, in the order in which it came. An event that it did not answer in time, on a
   * machine that is too busy, was sent again: what came twice for that reason, which the bridge has logged, is in here once.
   */
  receivedOf(uniqueid: string): ReceivedCall | undefined;
  /** The extras of these events (API_EXTRAS). */
  extrasOf(uniqueid: string): CallExtras[];
  /** What it was told of calls to people who wait for a call back, of these channels. */
  callBacksOf(uniqueids: ReadonlySet<string>): CallBackOutcome[];
  /** Uniqueids of all calls that it received. */
  uniqueids(): string[];
  /** All that the bridge has written. */
  log(): string;
  /** Resolves when the bridge has logged a line with this code. */
  logged(code: string): Promise<void>;
  /** The bridge's state folder. */
  readonly state: string;
  /** Takes the bridge away at once (SIGKILL). */
  killBridge(): Promise<void>;
  /** Ends the bridge as a service manager would (SIGTERM). The API keeps what it holds. */
  endBridge(): Promise<void>;
  /** Starts it, with the same state folder; resolves when it has read what is on the PBX. */
  startBridge(): Promise<void>;
  /** The bridge has connected to Asterisk once more than when this was last awaited. */
  connected(): Promise<void>;
  stop(): Promise<void>;
};

export type ReceivedCall = { readonly from: string; readonly reported: readonly ReportedEvent[] };

const pbxId = 'lab';
const token = 'lab-token-0123456789';

/**
 * @param options `state`: a state folder to start from, which is copied; an empty one when absent. `isLinked`: false if the
 * bridge cannot connect to Asterisk; then it is started when it answers lookups. `waiting`: numbers that wait for a call back.
 */
export async function startFarEnd(options: {
  readonly amiPort: number;
  readonly settings?: Readonly<Record<string, string>>;
  readonly state?: string;
  readonly isLinked?: boolean;
  readonly waiting?: readonly string[] | undefined;
}): Promise<FarEnd> {
  const { waiting } = options;
  const fakeApi = await startFakeApi({ token, ...(waiting && { waiting }) });
  const folder = await mkdtemp(path.join(tmpdir(), 'pbx-lab-bridge-'));
  const state = path.join(folder, 'state');
  if (options.state !== undefined) await cp(options.state, state, { recursive: true });
  const env = {
    AMI_HOST: '127.0.0.1',
    AMI_PORT: `${options.amiPort}`,
    AMI_USERNAME: managerUsers.bridge.name,
    AMI_SECRET: managerUsers.bridge.secret,
    API_BASE_URL: fakeApi.baseUrl,
    API_TOKEN: token,
    STATE_DIR: state,
    PBX_ID: pbxId,
    AGI_LISTEN: 'off',
    STATUS_LISTEN: 'off',
    LOG_FORMAT: 'json',
    LOG_LEVEL: 'debug',
    ...labSettings,
    ...(waiting && { CALL_BACKS: 'yes' }),
    ...options.settings,
  };
  // It ends with the test that made the far end, not with the part of it that started it again.
  const run = AsyncResource.bind(runProgram);
  let bridge: Program | undefined;
  let said = '';
  const forget = atExit(() => {
    bridge?.process.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  const connections = () => (bridge?.output().match(/"code":"ami\.connected"/g) ?? []).length;
  let seen = 0;

  const end = async (signal: NodeJS.Signals) => {
    await bridge?.end(signal);
    said += bridge?.output() ?? '';
    bridge = undefined;
  };
  let failed = false;
  /** Whether the bridge has logged that it got no answer for an event. */
  const hasFailed = () => {
    failed ||= /"code":"delivery\.(failed|failures|outage)"/.test(farEnd.log());
    return failed;
  };
  const eventsOf = (id: string) =>
    fakeApi
      .requests()
      .filter(({ payload, path }) => path === '/voice/call' && payload.id === id)
      .filter(
        ({ payload: { status } }, nth, all) =>
          all.findIndex(({ payload }) => payload.status === status) === nth || !hasFailed(),
      );

  const farEnd: FarEnd = {
    fakeApi,
    receivedOf: (uniqueid) => receivedOf(fakeApi, `${pbxId}-${uniqueid}`, eventsOf),
    extrasOf: (uniqueid) =>
      eventsOf(`${pbxId}-${uniqueid}`).map(({ payload }) => callExtrasSchema.parse(payload.extras)),
    callBacksOf: (uniqueids) =>
      fakeApi
        .requests()
        .filter(({ method, path }) => method === 'POST' && path === bridgeCallBacksPath)
        .map(({ payload }) => callBackOutcomeSchema.parse(payload))
        .filter(({ id }) => uniqueids.has(id.slice(pbxId.length + 1))),
    uniqueids: () => [...fakeApi.calls().keys()].map((id) => id.slice(pbxId.length + 1)),
    log: () => said + (bridge?.output() ?? ''),
    logged: async (code) => void (await bridge?.says(new RegExp(`"code":"${RegExp.escape(code)}"`))),
    state,
    killBridge: () => end('SIGKILL'),
    endBridge: () => end('SIGTERM'),
    async startBridge() {
      bridge = run(['run'], { env, cwd: folder });
      seen = 0;
      if (options.isLinked === false) await farEnd.logged('agi.listening');
      else await farEnd.connected();
    },
    async connected() {
      // There is one way to match it: a search of many connections would else take for ever before the last one.
      const line = '"code":"ami\\.connected"';
      await bridge?.says(new RegExp(`^(?:(?:(?!${line})[^])*${line}){${seen + 1}}`));
      seen = connections();
    },
    async stop() {
      await end('SIGTERM');
      forget();
      await fakeApi.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
  await farEnd.startBridge();
  return farEnd;
}

function receivedOf(
  fakeApi: FakeApi,
  id: string,
  eventsOf: (id: string) => readonly SeenRequest[],
): ReceivedCall | undefined {
  const events = eventsOf(id);
  const held = fakeApi.calls().get(id);
  if (!held) return undefined;
  const reported = events.map(({ payload }) => ({
    status: payload.status as ReportedEvent['status'],
    ...(payload.caller_id === undefined ? {} : { caller_id: String(payload.caller_id) }),
  }));
  return { from: held.from, reported };
}
