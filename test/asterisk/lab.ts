import { type Ami, connectAmi } from '../tools/lab/ami.ts';
import { type Pbx, start } from '../tools/lab/asterisk.ts';
import { type Board, createBoard } from '../tools/lab/board.ts';
import { managerUsers } from '../tools/lab/config.ts';
import { type FreepbxFastAgi, startFreepbxFastAgi } from '../tools/lab/freepbx-fastagi.ts';
import type { Row } from '../tools/lab/row.ts';
import { startStasisApp } from '../tools/lab/stasis-app.ts';
import { type WorldName, worlds } from './worlds.ts';

/** A PBX with the matrix's telephone numbers, and the driver that watches and works it. */
export type Lab = {
  readonly pbx: Pbx;
  readonly board: Board;
  /** The channel driver of phones and trunks. */
  readonly tech: 'PJSIP' | 'SIP';
  readonly driver: Ami;
  /** FreePBX's own FastAGI server, in worlds with FreePBX's dialplan. */
  readonly fastAgi: FreepbxFastAgi | undefined;
  /** Asterisk dies with all its calls and starts again. */
  crash(): Promise<void>;
  stop(): Promise<void>;
};

type LabOptions = {
  /** Configuration files in place of the lab's, or beside them, by name. */
  readonly files?: Readonly<Record<string, string>>;
  /** Modules that a lab loads only where it is asked to. */
  readonly modules?: readonly string[];
  /** Rows in place of the world's, by their places: there may be gaps. */
  readonly rows?: readonly Row[];
  /** FreePBX's FastAGI server on this port, FreePBX's own, instead of one that no other lab has. */
  readonly fastAgiPort?: number;
};

export async function openLab(name: WorldName, options: LabOptions = {}): Promise<Lab> {
  const { version, dialplan, files, tech, prepare, ...world } = worlds[name];
  const routes = (options.rows ?? world.rows).flatMap(({ dialplan }, index) =>
    dialplan ? [{ index, lines: dialplan }] : [],
  );
  const pbx = await start(version, {
    dialplan: (ports) => dialplan({ ...ports, fastAgi: options.fastAgiPort ?? ports.fastAgi }, routes),
    files: (ports) => ({ ...files(ports), ...options.files }),
    modules: options.modules ?? [],
  });
  const fastAgi = world.fastAgi
    ? await startFreepbxFastAgi(options.fastAgiPort ?? pbx.ports.fastAgi, world.fastAgi)
    : undefined;
  const board = createBoard();
  const { name: username, secret } = managerUsers.driver;
  const onEvent = board.apply;
  const connectDriver = () => connectAmi({ port: pbx.ports.ami, username, secret, onEvent });
  let driver = await connectDriver();
  await prepare?.(driver);
  // Where no row leads to it, nothing speaks ARI.
  const stasisApp = routes.some(({ lines }) => lines.some((line) => line.startsWith('Stasis(')))
    ? await startStasisApp(pbx.ports.ari)
    : undefined;
  return {
    pbx,
    board,
    tech,
    fastAgi,
    driver: {
      action: (name, fields) => driver.action(name, fields),
      list: (name, itemEvent) => driver.list(name, itemEvent),
      close: () => driver.close(),
    },
    async crash() {
      await pbx.kill();
      board.crash();
      await pbx.restart();
      driver = await connectDriver();
    },
    async stop() {
      stasisApp?.close();
      await fastAgi?.stop();
      driver.close();
      await pbx.stop();
    },
  };
}
