import { execFile, execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { cache, type DebianTree, debianTree, treesImpossible } from '../debian-tree.ts';
import { atExit } from '../lab/at-exit.ts';

const exec = promisify(execFile);
/** Without the variables that name files of this machine to Node: another machine does not have them. */
const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('NODE_'));
const noQuestions = { ...Object.fromEntries(inherited), DEBIAN_FRONTEND: 'noninteractive' };

/** What a command said and how it ended; nothing is thrown. */
export type Said = { readonly code: number; readonly output: string };

export async function run(command: string, args: readonly string[], timeoutMs = 600_000): Promise<Said> {
  try {
    const options = { env: noQuestions, maxBuffer: 1e8, timeout: timeoutMs };
    const { stdout, stderr } = await exec(command, [...args], options);
    return { code: 0, output: stdout + stderr };
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as { code?: unknown; stdout?: string; stderr?: string };
    return { code: typeof code === 'number' ? code : -1, output: `${stdout}${stderr}` };
  }
}

async function must(command: string, ...args: string[]): Promise<void> {
  const { code, output } = await run(command, args, 300_000);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${output}`);
}

/** The oldest Debian that the package is for, with systemd 247, the one that FreePBX 17 is installed on, and the newest. */
const suites = { 11: 'bullseye', 12: 'bookworm', 13: 'trixie' } as const;
export type Release = keyof typeof suites;

/**
 * With systemd, and the one library that a bare Debian lacks, so that the package installs without a network; openssl makes
 * the certificates of tests.
 */
const packages = 'systemd,systemd-sysv,dbus,libatomic1,openssl';

const treeOf = (release: Release): DebianTree => ({
  packages,
  suite: suites[release],
  root: path.join(cache, `debian-${release}`),
  marker: 'etc/pbx-bridge-lab',
  madeOf: async () => `${packages}\n`,
});

/** Why packages cannot be tried on this machine, in one line; undefined if they can. */
export function packagingImpossible(): string | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'it needs Linux on amd64';
  return treesImpossible(treeOf(11), treeOf(12), treeOf(13));
}

const trees = new Map<Release, Promise<string>>();

/** A bare Debian in a folder: from the cache, else from its archive. */
function bareDebian(release: Release): Promise<string> {
  const tree = treeOf(release);
  const made = trees.get(release) ?? debianTree(tree).then(() => tree.root);
  trees.set(release, made);
  return made;
}

/** A Debian of one's own, to do anything to. */
export type Machine = {
  readonly root: string;
  at(...parts: string[]): string;
  /** Runs a command there; nothing else runs there. */
  chroot(command: string, ...args: string[]): Promise<Said>;
  remove(): Promise<void>;
};

export const createMachine = async (release: Release) => createMachineOn(await bareDebian(release));

/** One that begins as this folder. */
export async function createMachineOn(lower: string): Promise<Machine> {
  const folder = await mkdtemp(path.join(cache, 'machine-'));
  const root = path.join(folder, 'root');
  for (const name of ['root', 'upper', 'work']) await mkdir(path.join(folder, name));
  const layers = `lowerdir=${lower},upperdir=${folder}/upper,workdir=${folder}/work`;
  const mounted = (await run('mount', ['-t', 'overlay', 'overlay', '-o', layers, root])).code === 0;
  const keep = atExit(() =>
    execFileSync('sh', ['-c', 'umount -l "$1" 2>&-; rm -rf --one-file-system "$2"', '', root, folder]),
  );
  // Where an overlay cannot be laid (on another overlay, for one), a copy does.
  if (!mounted) await cp(lower, root, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  // Losing what is not synced to disk here does no harm.
  await writeFile(path.join(root, 'etc/dpkg/dpkg.cfg.d/lab'), 'force-unsafe-io\n');
  return {
    root,
    at: (...parts) => path.join(root, ...parts),
    chroot: (command, ...args) => run('chroot', [root, command, ...args]),
    async remove() {
      if (mounted) await must('umount', root);
      keep();
      await must('rm', '-rf', '--one-file-system', folder);
    },
  };
}
