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
  stop(): Promise<void>;
};

export async function openLab(version: Version): Promise<Lab> {
  const routes = matrix.flatMap(({ dialplan }, index) => (dialplan ? [{ index, lines: dialplan }] : []));
  const pbx = await start(version, { dialplan: (ports) => dialplanText(ports, routes) });
  const board = createBoard();
  const { name: username, secret } = managerUsers.driver;
  const driver = await connectAmi({
    port: pbx.ports.ami,
    username,
    secret,
    onEvent: (frame) => board.apply(frame),
  });
  return {
    pbx,
    board,
    driver,
    async stop() {
      driver.close();
      await pbx.stop();
    },
  };
}
