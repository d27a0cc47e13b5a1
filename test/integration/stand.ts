import { systemClock } from '../../src/ami/clock.ts';
import { createPlayer, type Player } from '../../src/ami/player.ts';
import { startBridge } from '../../src/bridge.ts';
import { bridgeSections, loadConfig } from '../../src/config/env.ts';
import type { Log } from '../../src/ops/log.ts';
import { type FarSide, startFarSide } from '../fakes/far-side.ts';
import { temporaryFolder } from './program.ts';

type Test = { after(callback: () => Promise<void> | void): void };

/** A bridge between a played PBX and a far side, all three real, over TCP: the whole way of a call. */
export type Stand = {
  readonly pbx: Player;
  readonly farSide: FarSide;
  /** The environment that the bridge is configured by. */
  readonly env: Readonly<Record<string, string>>;
  /** Starts the bridge in this process, and resolves when it has read what is on the PBX. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Resolves when the bridge has connected to the PBX once more than at the last call of this. */
  connected(): Promise<void>;
};

export async function createStand(t: Test, settings: Readonly<Record<string, string>> = {}): Promise<Stand> {
  const pbx = createPlayer({ username: 'bridge', secret: 'sesame', clock: systemClock });
  const { port } = await pbx.listen();
  const farSide = await startFarSide({ token: 'a-token' });
  const env = {
    AMI_PORT: String(port),
    AMI_USERNAME: 'bridge',
    AMI_SECRET: 'sesame',
    API_BASE_URL: farSide.baseUrl,
    API_TOKEN: 'a-token',
    STATE_DIR: `${temporaryFolder(t)}/state`,
    DEFAULT_COUNTRY: 'DE',
    ...settings,
  };
  let bridge: { stop(): Promise<void> } | undefined;
  const connections = createCounter();

  const log: Log = {
    say: (code) => code === 'ami.connected' && connections.add(),
    child: () => log,
  };
  const stand: Stand = {
    pbx,
    farSide,
    env,
    async start() {
      const { ops: _, ...config } = loadConfig(bridgeSections, env);
      const fail = (error: unknown) => {
        throw error;
      };
      bridge = await startBridge(config, { log, version: 'test', fail });
      await connections.next();
    },
    async stop() {
      await bridge?.stop();
      bridge = undefined;
    },
    connected: () => connections.next(),
  };
  t.after(async () => {
    await stand.stop();
    await pbx.close();
    await farSide.close();
  });
  return stand;
}

/** Counts, and lets wait for one more than was waited for. */
function createCounter() {
  let count = 0;
  let taken = 0;
  let wake: (() => void) | undefined;
  return {
    add() {
      count += 1;
      wake?.();
    },
    async next() {
      while (count <= taken)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      taken += 1;
    },
  };
}
