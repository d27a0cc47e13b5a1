import { type Ami, connectAmi } from './ami.ts';
import { type Pbx, start } from './asterisk.ts';
import { type Board, createBoard } from './board.ts';
import { managerUsers } from './config.ts';
import { dialplanText } from './dialplan.ts';
import type { Version } from './install.ts';
import { matrix } from './rows/all.ts';

/** A PBX with the matrix's telephone numbers, and the driver that watches and works it. */
export type Lab = {
  readonly pbx: Pbx;
  readonly board: Board;
  readonly driver: Ami;
  /** Asterisk dies with all its calls and starts again. */
  crash(): Promise<void>;
  stop(): Promise<void>;
};

export type LabOptions = Omit<Parameters<typeof start>[1], 'dialplan'>;

export async function openLab(version: Version, options: LabOptions = {}): Promise<Lab> {
  const routes = matrix.flatMap(({ dialplan }, index) => (dialplan ? [{ index, lines: dialplan }] : []));
  const pbx = await start(version, { ...options, dialplan: (ports) => dialplanText(ports, routes) });
  const board = createBoard();
  const { name: username, secret } = managerUsers.driver;
  const onEvent = board.apply;
  const connectDriver = () => connectAmi({ port: pbx.ports.ami, username, secret, onEvent });
  let driver = await connectDriver();
  return {
    pbx,
    board,
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
      driver.close();
      await pbx.stop();
    },
  };
}
