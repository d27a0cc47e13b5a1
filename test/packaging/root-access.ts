import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Machine, run } from '../tools/packaging/machine.ts';

/** A system call as strace prints it: `openat(AT_FDCWD</>, "etc/passwd", O_RDONLY) = 3` */
const CALL = /^(\w+)\((.*)\)\s+= (-?\d+)/;
/** A path that a call takes, with the folder that it is relative to. */
const PATH = /(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)+)"/g;

/** Calls that only look at a file, or remove it: nothing that is in it counts. */
const harmless = /^(l?stat\w*|newfstatat|statx|access|faccessat2?|unlink|unlinkat|rmdir|lchown|chdir)$/;
const doesNotFollow = /O_DIRECTORY|AT_SYMLINK_NOFOLLOW/;

/**
 * Runs a command on the machine as root. Gives what processes with root's rights opened, ran or changed below folders
 * that users of the program may write to, whether it was there or not: `openat /var/cache/pbx-bridge/...`.
 */
export async function rootAccess(machine: Machine, users: readonly string[], command: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'pbx-bridge-strace-'));
  try {
    const before = await writableBy(machine, users);
    // A file for each process.
    const trace = [
      '-ff',
      // What is not traced is not stopped at.
      '--seccomp-bpf',
      '-y',
      '-s',
      '4096',
      '-o',
      join(folder, 'trace'),
      '-e',
      'trace=%file,%process,%creds',
    ];
    const said = await run('strace', [...trace, 'chroot', machine.root, ...command], 300_000);
    const writable = new Set([...before, ...(await writableBy(machine, users))]);
    const isBelow = (path: string) => {
      const parts = path.split('/');
      return parts.some((_, length) => length > 1 && writable.has(parts.slice(0, length).join('/')));
    };
    const accesses = rootCalls(folder)
      .flatMap(({ name, args }) => pathsOf(args, machine.root).map((path) => ({ name, path })))
      .filter(({ path }) => isBelow(path));
    return { ...said, accesses: [...new Set(accesses.map(({ name, path }) => `${name} ${path}`))] };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Folders that one of these users may write to. */
async function writableBy(machine: Machine, users: readonly string[]): Promise<string[]> {
  const known = readFileSync(machine.at('etc/passwd'), 'utf8');
  const isOurs = users
    .filter((user) => new RegExp(`^${user}:`, 'm').test(known))
    .flatMap((user) => ['-o', '-user', user, '-o', '(', '-group', user, '-perm', '-g=w', ')']);
  if (isOurs.length === 0) return [];
  const { output } = await machine.chroot('find', '/', '-xdev', '-type', 'd', '(', '-false', ...isOurs, ')');
  return output.trim().split('\n');
}

/** The calls of all processes for as long as they had root's rights. */
function rootCalls(folder: string) {
  const processes = new Map(
    readdirSync(folder).map((name) => {
      const text = readFileSync(join(folder, name), 'utf8');
      const calls = text.split('\n').flatMap((line) => {
        const [, call, args, result] = CALL.exec(line) ?? [];
        if (call === undefined || args === undefined) return [];
        // The words of a command are no paths.
        return [{ name: call, args: args.replace(/", \[".*/, '"'), result: Number(result) }];
      });
      return [Number(name.replace('trace.', '')), calls] as const;
    }),
  );
  const children = [...processes.values()]
    .flat()
    .filter(({ name, result }) => /^(clone3?|v?fork)$/.test(name) && result > 0);
  const found: { name: string; args: string }[] = [];
  const follow = (pid: number) => {
    for (const { name, args, result } of processes.get(pid) ?? []) {
      if (/^set(re|res)?uid/.test(name) && result === 0 && !/^0\b/.test(args)) return;
      if (/^(clone3?|v?fork)$/.test(name) && result > 0) follow(result);
      else if (!harmless.test(name) && !doesNotFollow.test(args)) found.push({ name, args });
    }
  };
  const started = new Set(children.map(({ result }) => result));
  for (const pid of processes.keys()) if (!started.has(pid)) follow(pid);
  return found;
}

function pathsOf(args: string, root: string): string[] {
  return [...args.matchAll(PATH)].map(([, from = '/', path = '']) =>
    resolve(from.startsWith(root) ? from.slice(root.length) || '/' : '/', path),
  );
}
