import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, resolve } from 'node:path';
import { shellWord } from '../format-text.ts';
import { type Finding, failed, passed, warning } from './finding.ts';

const MB = 1 << 20;
/** Room for two checkpoints of the WAL. */
const leastFree = 32 * MB;
const ampleFree = 256 * MB;

/**
 * Checks that the state directory exists or can be created, is writable, and has room. Creates nothing.
 * @param bySystemd whether systemd creates it, for the user of the unit.
 */
export function stateDirFinding(stateDir: string, bySystemd: boolean): Finding {
  const folder = resolve(stateDir);
  const what = `state directory ${folder}`;
  const there = existsSync(folder);
  const nearest = there ? folder : nearestExisting(folder);
  try {
    if (there || !bySystemd) accessSync(nearest, constants.W_OK | constants.X_OK);
  } catch {
    const todo = `Run this command as the user of the bridge, or make that user the owner: chown pbx-bridge ${shellWord(nearest)}`;
    return failed(what, `user ${process.getuid?.() ?? '?'} may not write to ${nearest}`, todo);
  }
  const { bavail, bsize } = statfsSync(nearest);
  const free = bavail * bsize;
  const room = `${Math.floor(free / MB)} MB free`;
  if (free < leastFree)
    return failed(
      what,
      `the disk is full: ${room}`,
      'Free space. Until then new calls are neither stored nor reported.',
    );
  if (free < ampleFree) return warning(what, room, 'Free space before the disk is full.');
  return passed(what, there ? room : `will be created at the first start; ${room}`);
}

function nearestExisting(folder: string): string {
  const parent = dirname(folder);
  return existsSync(parent) || parent === folder ? parent : nearestExisting(parent);
}

type Listen = { readonly host: string; readonly port: number } | undefined;

/**
 * Checks a port that the bridge listens on. `listening`: what the status of a running bridge says; if undefined, the
 * port is tried. `running`: whether a bridge uses the state directory.
 */
export async function portFinding(
  name: string,
  listen: Listen,
  { listening, running }: { readonly listening: boolean | undefined; readonly running: boolean },
): Promise<Finding | undefined> {
  if (listen === undefined || listen.port === 0) return undefined;
  const what = `${name} ${listen.host}:${listen.port}`;
  const freePort = `Set ${name} to a free port, or stop the other program (ss -ltnp shows it).`;
  if (listening === true) return passed(what, 'the running bridge is listening');
  if (listening === false) return failed(what, 'the running bridge cannot listen on it', freePort);
  const code = await tryListen(listen);
  if (code === undefined) return passed(what, 'free');
  if (code === 'EADDRINUSE' && running) return passed(what, 'in use by the running bridge');
  return code === 'EADDRINUSE'
    ? failed(what, 'in use by another program', freePort)
    : failed(what, `cannot listen (${code})`, `Set ${name} to an address of this machine.`);
}

function tryListen({ host, port }: NonNullable<Listen>): Promise<string | undefined> {
  return new Promise((done) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message));
    server.listen(port, host, () => server.close(() => done(undefined)));
  });
}
