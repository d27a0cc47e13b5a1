import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, resolve } from 'node:path';
import { bad, type Finding, warn, well } from './finding.ts';

const MB = 1 << 20;
/** Two checkpoints of the WAL. */
const leastFree = 32 * MB;
const ampleFree = 256 * MB;

/**
 * The state folder: that it is there or can be made, can be written, and has room. Makes nothing.
 * @param unitsOwn whether it is systemd that makes it, for the user of the unit.
 */
export function folderFinding(stateDir: string, unitsOwn: boolean): Finding {
  const folder = resolve(stateDir);
  const what = `state folder ${folder}`;
  const there = existsSync(folder);
  const nearest = there ? folder : existing(folder);
  try {
    if (there || !unitsOwn) accessSync(nearest, constants.W_OK | constants.X_OK);
  } catch {
    const todo = `Run this as the bridge's user, or give that user the folder: chown pbx-bridge ${nearest}`;
    return bad(what, `user ${process.getuid?.() ?? '?'} may not write to ${nearest}`, todo);
  }
  const { bavail, bsize } = statfsSync(nearest);
  const free = bavail * bsize;
  const room = `${Math.floor(free / MB)} MB free`;
  if (free < leastFree)
    return bad(
      what,
      `the disk is full: ${room}`,
      'Make room. Until then no new call is safe, and none is told.',
    );
  if (free < ampleFree) return warn(what, room, 'Make room before the disk is full.');
  return well(what, there ? room : `not there yet, made at the first start; ${room}`);
}

function existing(folder: string): string {
  const parent = dirname(folder);
  return existsSync(parent) || parent === folder ? parent : existing(parent);
}

type Listen = { readonly host: string; readonly port: number } | undefined;

/**
 * A port that the bridge listens on. `listening`: what a running bridge says of it; undefined if none says anything,
 * and then it is tried whether the port is free. `running`: whether a bridge works on the state folder.
 */
export async function portFinding(
  name: string,
  listen: Listen,
  { listening, running }: { readonly listening: boolean | undefined; readonly running: boolean },
): Promise<Finding | undefined> {
  if (listen === undefined || listen.port === 0) return undefined;
  const what = `${name} ${listen.host}:${listen.port}`;
  const taken = `Set ${name} to a free port, or end the other program (ss -ltnp shows it).`;
  if (listening === true) return well(what, 'the running bridge listens there');
  if (listening === false) return bad(what, 'the running bridge does not get the port', taken);
  const code = await tryToListen(listen);
  if (code === undefined) return well(what, 'free');
  if (code === 'EADDRINUSE' && running) return well(what, 'in use; a bridge is running here');
  return code === 'EADDRINUSE'
    ? bad(what, 'the port is taken by another program', taken)
    : bad(what, `cannot be listened on (${code})`, `Set ${name} to an address of this machine.`);
}

function tryToListen({ host, port }: NonNullable<Listen>): Promise<string | undefined> {
  return new Promise((done) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message));
    server.listen(port, host, () => server.close(() => done(undefined)));
  });
}
