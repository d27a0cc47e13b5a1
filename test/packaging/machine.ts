import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { atExit } from '../asterisk/at-exit.ts';
import { debianMirror } from '../asterisk/mirror.ts';
import { cannotInstall } from '../debian.ts';

const exec = promisify(execFile);
/** Without the variables that name files of this machine to Node: another machine does not have them. */
const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('NODE_'));
const noQuestions = { ...Object.fromEntries(inherited), DEBIAN_FRONTEND: 'noninteractive' };

/** What a command said and how it ended; nothing is thrown. */
export type Said = { readonly code: number; readonly output: string };

export async function run(command: string, args: readonly string[], timeoutMs = 120_000): Promise<Said> {
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

/** Why packages cannot be tried on this machine, in one line; undefined if they can. */
export function packagingImpossible(): string | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'it needs Linux on amd64';
  const impossible = cannotInstall();
  if (impossible !== undefined) return impossible;
  if (!mirror()) return "apt's sources name no Debian archive; PBX_LAB_MIRROR can name one";
  return undefined;
}

const cache = process.env.PBX_LAB_CACHE ?? '/var/cache/pbx-bridge-lab';

/** The oldest Debian that the package is for, with systemd 247, and the one that FreePBX 17 is installed on. */
const suites = { 11: 'bullseye', 12: 'bookworm' } as const;
export type Release = keyof typeof suites;

const treeOf = (release: Release) => path.join(cache, `debian-${release}`);
/** Written last: a tree without it was never finished. */
const markerOf = (tree: string) => path.join(tree, 'etc/pbx-bridge-lab');

/** With systemd, and the one library that a bare Debian lacks, so that the package installs without a network. */
const packages = 'systemd,systemd-sysv,dbus,libatomic1';

function mirror(): string | undefined {
  return process.env.PBX_LAB_MIRROR ?? debianMirror('/etc/apt');
}

const trees = new Map<Release, Promise<string>>();

/** A bare Debian in a folder: from the cache, else from its archive. Nobody writes to it. */
function bareDebian(release: Release): Promise<string> {
  const tree = trees.get(release) ?? findTree(release);
  trees.set(release, tree);
  return tree;
}

async function findTree(release: Release): Promise<string> {
  const tree = treeOf(release);
  if (existsSync(markerOf(tree))) return tree;
  await mkdir(cache, { recursive: true });
  const building = `${tree}.building-${process.pid}`;
  try {
    await debootstrap(release, building);
    await rm(path.join(building, 'var/cache/apt'), { recursive: true });
    await writeFile(markerOf(building), `${packages}\n`);
    // Somebody else may have been first: theirs is as good, and perhaps in use already.
    if (!existsSync(markerOf(tree))) {
      await rm(tree, { recursive: true, force: true });
      await rename(building, tree);
    }
  } finally {
    await discard(building);
  }
  return tree;
}

/** An old release may be signed by keys that only the keyring of retired ones still has. */
async function debootstrap(release: Release, target: string): Promise<void> {
  const failures: string[] = [];
  for (const name of ['debian-archive-keyring', 'debian-archive-removed-keys']) {
    const options = [
      '--variant=minbase',
      `--include=${packages}`,
      `--keyring=/usr/share/keyrings/${name}.gpg`,
    ];
    const { code, output } = await run(
      'debootstrap',
      [...options, suites[release], target, mirror() ?? ''],
      600_000,
    );
    if (code === 0) return;
    failures.push(`with ${name}: ${output.trim().split('\n').at(-1)}`);
    await discard(target);
  }
  throw new Error(`debootstrap of ${suites[release]} failed\n${failures.join('\n')}`);
}

/** A debootstrap that was cut off leaves its proc and sys mounted in the tree. */
async function discard(folder: string): Promise<void> {
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
  const below = mounts.map((line) => line.split(' ')[1] ?? '').filter((dir) => dir.startsWith(`${folder}/`));
  for (const dir of below.reverse()) await must('umount', dir);
  await must('rm', '-rf', '--one-file-system', folder);
}

/** A Debian of one's own, to do anything to. */
export type Machine = {
  readonly root: string;
  at(...parts: string[]): string;
  /** Runs a command there; nothing else runs there. */
  chroot(command: string, ...args: string[]): Promise<Said>;
  remove(): Promise<void>;
};

export async function createMachine(release: Release): Promise<Machine> {
  const lower = await bareDebian(release);
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
  // What is not synced to disk here is nobody's loss.
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
