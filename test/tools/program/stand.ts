import { type Bridge, startBridge } from '../../../src/bridge/bridge.ts';
import { bridgeSections, loadConfig } from '../../../src/cli/config/env.ts';
import type { Log } from '../../../src/shared/log/log.ts';
import { callDecisions } from '../../../src/shared/log/messages/calls-messages.ts';
import { systemClock } from '../../../src/shared/process/clock.ts';
import { amiEvent } from '../fakes/ami-event.ts';
import { type FakeApi, startFakeApi } from '../fakes/fake-api.ts';
import type { HeldCall } from '../fakes/fake-api-book.ts';
import { freePort } from '../free-port.ts';
import { createPlayer, type Player } from '../player/player.ts';
import { until } from '../until.ts';
import { temporaryFolder } from './program.ts';

type Test = { after(callback: () => Promise<void> | void): void };

/** A bridge between a played PBX and an API, all three real, over TCP: the whole way of a call. */
export type Stand = {
  readonly pbx: Player;
  readonly fakeApi: FakeApi;
  /** The environment that the bridge is configured by. */
  readonly env: Readonly<Record<string, string>>;
  /** Where the bridge answers priority lookups, when AGI_LISTEN has it do so. */
  agiPort(): number;
  /** The port of its status server, if STATUS_LISTEN is set. */
  statusPort(): number;
  /** Starts the bridge in this process; resolves when it has read the PBX's channels. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Resolves when the bridge that was started last listens for lookups, which may be long before `start` does. */
  answersLookups(): Promise<void>;
  /** Resolves when the bridge has connected to the PBX once more than at the last call of this. */
  connected(): Promise<void>;
  /** Bytes that the bridge has read from the PBX. */
  bytesIn(): Promise<number>;
  /** What the bridge has reported so far, by its log: the states of each call, in order. Markers are left out. */
  reported(): Map<string, string[]>;
  /**
   * Resolves when the bridge has processed all that the PBX has sent so far, and has it on disk. For that it sends a
   * marker call, which the API gets too: compare with `callsOf`, not with `fakeApi.calls()`.
   */
  caughtUp(): Promise<void>;
};

/** The one customer that the API knows: the priority is 10. */
export const vip = '+4940669699999';

/** What else it knows of that customer. */
const vipFacts = {
  segment: 'VIP',
  last_extension: '101',
  callback_extension: '102',
  blocked: false,
  language: 'de',
};

/** Who calls in markers: with a setting that does not report this caller, `caughtUp` cannot work, and says so. */
const markerNumber = '+494066969999';

/** Number of marker calls: when the end of the last one is on disk, so are all inputs before it. */
let markers = 0;

/** The frames of a call that only begins and ends; `id` is its reported id. */
export function markerCall(): { id: string; frames: readonly string[] } {
  markers += 1;
  const uniqueid = `9999999999.${markers}`;
  const call = {
    Channel: `PJSIP/marker-${String(markers).padStart(8, '0')}`,
    CallerIDNum: markerNumber,
    Uniqueid: uniqueid,
    Linkedid: uniqueid,
  };
  return {
    id: `pbx-${uniqueid}`,
    frames: [amiEvent('Newchannel', call), amiEvent('Hangup', call)],
  };
}

const isMarker = (id: string) => id.startsWith('pbx-9999999999.');

/** The calls that the API holds, without those markers. */
export function callsOf(fakeApi: FakeApi): HeldCall[] {
  return [...fakeApi.calls().values()].filter(({ id }) => !isMarker(id));
}

export async function createStand(t: Test, settings: Readonly<Record<string, string>> = {}): Promise<Stand> {
  // Tests crash it and start it again.
  const pbx = createPlayer({
    username: 'bridge',
    secret: 'sesame',
    clock: systemClock,
    port: await freePort(),
  });
  const { port } = await pbx.listen();
  const fakeApi = await startFakeApi({
    token: 'a-token',
    priorityOf: (number) => (number === vip ? 10 : null),
    nameOf: (number) => (number === vip ? 'Zoë "Q"' : null),
    factsOf: (number) => (number === vip ? vipFacts : {}),
  });
  let bridge: Bridge | undefined;
  // Before the hook of the folder, which it writes to.
  t.after(async () => {
    await bridge?.stop();
    await pbx.close();
    await fakeApi.close();
  });
  const env = {
    AMI_PORT: String(port),
    AMI_USERNAME: 'bridge',
    AMI_SECRET: 'sesame',
    API_BASE_URL: fakeApi.baseUrl,
    API_TOKEN: 'a-token',
    STATE_DIR: `${temporaryFolder(t)}/state`,
    DEFAULT_COUNTRY: 'DE',
    AGI_LISTEN: 'off',
    STATUS_LISTEN: 'off',
    ...settings,
  };
  const connections = createCounter('the bridge to connect to the PBX');
  let listening = createCounter('the bridge to listen for lookups');

  let agiPort = 0;
  let statusPort = 0;
  const markersLogged = new Set<string>();
  /** Why markers are not reported. */
  const hiddenMarkers = new Map<string, string>();
  const reported = new Map<string, string[]>();

  const log: Log = {
    say(code, fields) {
      if (code === 'ami.connected') connections.add();
      if (code === 'agi.listening') {
        agiPort = Number(fields?.port);
        listening.add();
      }
      if (code === 'status.listening') statusPort = Number(fields?.port);
      const [, status] = /^call\.(ringing|answered|completed)$/.exec(code) ?? [];
      const call = String(fields?.call);
      if (isMarker(call) && code in callDecisions && 'notReported' in callDecisions[code as 'call.no-number'])
        hiddenMarkers.set(call, `${code}, ${fields?.why}`);
      if (status === undefined) return;
      if (isMarker(call)) markersLogged.add(`${call} ${status}`);
      else reported.set(call, [...(reported.get(call) ?? []), status]);
    },
    child: () => log,
  };
  const stand: Stand = {
    pbx,
    fakeApi,
    env,
    agiPort: () => agiPort,
    statusPort: () => statusPort,
    async start() {
      const { logging: _, ...config } = loadConfig(bridgeSections, env);
      const fail = (error: unknown) => {
        throw error;
      };
      const alerts = { ...config.alerts, everyMs: 100 };
      bridge = await startBridge({ ...config, alerts }, { log, version: 'test', fail });
      await connections.next();
    },
    async stop() {
      await bridge?.stop();
      bridge = undefined;
      listening = createCounter('the bridge to listen for lookups');
    },
    answersLookups: () => listening.next(),
    connected: () => connections.next(),
    bytesIn: async () => (await bridge?.status())?.pbx.bytesIn ?? 0,
    reported: () => structuredClone(reported),
    async caughtUp() {
      const { id, frames } = markerCall();
      // It rings once the PBX has answered what was asked about it, and so about all calls before it.
      for (const [index, status] of (['ringing', 'completed'] as const).entries()) {
        pbx.send(frames[index] as string);
        const isThere = () => markersLogged.has(`${id} ${status}`);
        await until(`the marker call ${id} from ${markerNumber} to be ${status}`, () => {
          if (hiddenMarkers.has(id))
            throw new Error(
              `caughtUp() waits for a call from ${markerNumber}, which is not reported with these settings: ${hiddenMarkers.get(id)}`,
            );
          return isThere();
        });
      }
    },
  };
  return stand;
}

/** Counts, and lets wait for one more than was waited for. */
function createCounter(what: string) {
  let count = 0;
  let taken = 0;
  return {
    add() {
      count += 1;
    },
    async next() {
      await until(what, () => count > taken);
      taken += 1;
    },
  };
}
