import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** What uses a port. A process of another user shows neither its pid nor its command, except to root. */
type PortUser = { readonly pid?: number; readonly command?: string };

/**
 * Finds the process that listens on an address of this machine, without connecting to it. Returns undefined if none
 * does, or if this system has no /proc.
 */
export function portUser({ host, port }: { readonly host: string; readonly port: number }) {
  const sockets = new Set([...listeners('tcp', host, port), ...listeners('tcp6', host, port)]);
  if (sockets.size === 0) return undefined;
  const pid = pids().find((it) => filesOf(it).some((file) => sockets.has(file)));
  const user: PortUser = pid === undefined ? {} : { pid, command: commandOf(pid) };
  return user;
}

/** Whether a process of this machine has this text in its command. */
export function isRunning(text: string): boolean {
  return pids().some((pid) => pid !== process.pid && commandOf(pid).includes(text));
}

/** `socket:[INODE]` of each socket that listens on the port, as /proc/net/tcp has them. */
function listeners(table: 'tcp' | 'tcp6', host: string, port: number): string[] {
  return read(`/proc/net/${table}`)
    .split('\n')
    .flatMap((row) => {
      const [, local = '', , state, , , , , , inode] = row.trim().split(/\s+/);
      const [address = '', hexPort = ''] = local.split(':');
      const isIt = state === LISTEN && Number.parseInt(hexPort, 16) === port && overlaps(address, host);
      return isIt ? [`socket:[${inode}]`] : [];
    });
}

const LISTEN = '0A';

/** Two IPv4 addresses conflict if they are the same or one is 0.0.0.0. Any other pair is taken to conflict. */
function overlaps(hexAddress: string, host: string): boolean {
  const bytes = /^(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(host)?.slice(1).map(Number);
  if (bytes === undefined || hexAddress.length > 8) return true;
  // The kernel writes the address as a number, in the machine's byte order.
  const address = Buffer.from(hexAddress, 'hex').reverse();
  const isAny = (of: Iterable<number>) => [...of].every((byte) => byte === 0);
  return isAny(address) || isAny(bytes) || address.equals(Buffer.from(bytes));
}

function pids(): number[] {
  return list('/proc').map(Number).filter(Number.isInteger);
}

function filesOf(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return list(folder).flatMap((name) => {
    try {
      return [readlinkSync(`${folder}/${name}`)];
    } catch {
      // Closed meanwhile.
      return [];
    }
  });
}

const LONGEST_WORD = 60;

/** The program and its script: what follows may be a password. */
function commandOf(pid: number): string {
  const words = read(`/proc/${pid}/cmdline`).split('\0').slice(0, 2);
  // Of a long path the end says which program it is.
  const short = (word: string) => (word.length > LONGEST_WORD ? `…${word.slice(-LONGEST_WORD)}` : word);
  return words.map(short).join(' ').trim();
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
