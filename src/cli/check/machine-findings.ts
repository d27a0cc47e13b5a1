import { accessSync, constants, existsSync, readdirSync, statfsSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { isWritable, systemUser } from '../../shared/process/denied.ts';
import { shellWord } from '../text/format-text.ts';
import { type Finding, failed, passed, warning } from './finding.ts';
import { isRunning, portUser } from './port-user.ts';

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
    return failed(what, `user ${systemUser().username} may not write to ${nearest}`, todo);
  }
  const closed = there ? readdirSync(folder).find((name) => !isWritable(join(folder, name))) : undefined;
  if (closed !== undefined)
    return failed(
      what,
      `user ${systemUser().username} may not write to ${closed} in it`,
      `Make the user of the bridge its owner, as after a copy by root: chown -R pbx-bridge ${shellWord(folder)}`,
    );
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

/** FreePBX's own FastAGI server, which its ring groups need, has FastAGI's standard port. */
const fastAgi = { port: 4573, freepbxServer: 'fastagi-server.js' };

/**
 * Checks a port that the bridge listens on, without connecting to it: a request for a script that it does not have ends
 * FreePBX's FastAGI server. `listening`: what the status of a running bridge says, undefined without one. `bridge`: the
 * process that uses the state directory.
 */
export async function portFinding(
  name: string,
  listen: Listen,
  { listening, bridge }: { readonly listening: boolean | undefined; readonly bridge: number | undefined },
): Promise<Finding | undefined> {
  if (listen === undefined || listen.port === 0) return undefined;
  const { host, port } = listen;
  const what = `${name} ${host}:${port}`;
  const user = portUser(listen);
  const isOurs = user !== undefined && (user.pid === undefined ? listening === true : user.pid === bridge);
  const isFastAgiPort = port === fastAgi.port;
  const freePort = `Set ${name} to a free port (ss -ltnp lists those in use).`;
  const freepbx = `FreePBX's own FastAGI server`;
  const another = `Set ${name} to another port, and the same port in the dialplan (PBX_BRIDGE_AGI). Leave the other server running: the dialplan needs it.`;

  if (user !== undefined && !isOurs) {
    const { pid, command = '' } = user;
    const by = pid === undefined ? '' : `: ${command} (process ${pid})`;
    if (command.includes(fastAgi.freepbxServer) || (pid === undefined && isFastAgiPort && hasFreepbx()))
      return failed(what, `in use by ${freepbx}${by}`, another);
    return isFastAgiPort
      ? failed(what, `in use by another FastAGI server${by}`, another)
      : failed(what, `in use by another program${by}`, freePort);
  }
  // Not even tried: FreePBX's server may be starting just now.
  if (isFastAgiPort && hasFreepbx()) return warning(what, `the port of ${freepbx}`, another);
  if (isOurs) return passed(what, 'in use by the running bridge');
  const code = await tryListen(listen);
  if (code === undefined) return passed(what, 'free');
  if (code === 'EADDRINUSE' && listening === true) return passed(what, 'in use by the running bridge');
  return code === 'EADDRINUSE'
    ? failed(what, 'in use by another program', freePort)
    : failed(what, `cannot listen (${code})`, `Set ${name} to an address of this machine.`);
}

/** Whether FreePBX is on this machine, or its FastAGI server at least. */
function hasFreepbx(): boolean {
  return existsSync('/etc/freepbx.conf') || isRunning(fastAgi.freepbxServer);
}

/** The code of the error, undefined if the port is free. */
export function tryListen({ host, port }: NonNullable<Listen>): Promise<string | undefined> {
  return new Promise((done) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message));
    server.listen(port, host, () => server.close(() => done(undefined)));
  });
}
