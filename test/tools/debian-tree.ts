import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { cannotInstall } from './debian.ts';
import { debianMirror } from './lab/mirror.ts';

const run = promisify(execFile);

/** Where what was once made is kept. Only root can install, but others make test data. */
export const cache =
  process.env.PBX_LAB_CACHE ??
  path.join(process.getuid?.() === 0 ? '/var/cache' : tmpdir(), 'pbx-bridge-lab');

const mirror = () => process.env.PBX_LAB_MIRROR ?? debianMirror();
const noMirror = "apt's sources name no Debian archive; PBX_LAB_MIRROR can name one";

/** A folder with a Debian of this release in it, and these packages. */
export type DebianTree = {
  readonly root: string;
  readonly suite: string;
  readonly packages: string;
  /** More of them, whose dependencies only apt can find. */
  readonly byApt?: readonly string[];
  /** A file in it, written last: a tree without it was never finished. */
  readonly marker: string;
  /** What must be in that file: what the tree is made of. Rejects if the tree cannot work. */
  madeOf(root: string): Promise<string>;
};

/** Why there can be none of these on this machine, in one line; undefined if there can. */
export function treesImpossible(
  ...trees: readonly Pick<DebianTree, 'root' | 'marker'>[]
): string | undefined {
  const impossible = cannotInstall();
  if (impossible) return impossible;
  return trees.every(({ root, marker }) => existsSync(path.join(root, marker))) || mirror()
    ? undefined
    : noMirror;
}

/**
 * Makes it unless it is there: under another name first, so that a tree is whole or not there, however many make it at once.
 * It is never written to.
 */
export async function debianTree(tree: DebianTree): Promise<void> {
  const { root, marker, madeOf } = tree;
  if (await isWhole(tree)) return;
  await mkdir(path.dirname(root), { recursive: true });
  const building = `${root}.building-${process.pid}`;
  try {
    await debootstrap(tree, building);
    if (tree.byApt) await install(tree, tree.byApt, building);
    await run('rm', ['-rf', path.join(building, 'var/cache/apt'), path.join(building, 'var/lib/apt/lists')]);
    await mkdir(path.dirname(path.join(building, marker)), { recursive: true });
    await writeFile(path.join(building, marker), await madeOf(building));
    // Somebody else may have been first: theirs is as good, and perhaps in use already.
    if (!(await isWhole(tree))) {
      await rm(root, { recursive: true, force: true });
      await rename(building, root);
    }
  } finally {
    await discard(building);
  }
  if (!(await isWhole(tree)))
    throw new Error(`the tree at ${root} is not whole, though it was just installed`);
}

const isWhole = ({ root, marker, madeOf }: DebianTree): Promise<boolean> =>
  madeOf(root).then(
    (made) => existsSync(path.join(root, marker)) && readFileSync(path.join(root, marker), 'utf8') === made,
    () => false,
  );

/**
 * An old release is signed by keys that may have left the current keyring: then the keyring of retired keys is
 * the right one, and the signature is checked all the same. debootstrap does not look at Valid-Until, so a
 * mirror that is a dated snapshot will do.
 */
async function debootstrap({ suite, packages }: DebianTree, target: string): Promise<void> {
  const from = mirror();
  if (!from) throw new Error(noMirror);
  const failures: string[] = [];
  for (const name of ['debian-archive-keyring', 'debian-archive-removed-keys']) {
    const keyring = `/usr/share/keyrings/${name}.gpg`;
    if (!existsSync(keyring)) continue;
    const options = ['--variant=minbase', `--include=${packages}`, `--keyring=${keyring}`];
    try {
      await run('debootstrap', [...options, suite, target, from], { maxBuffer: 1e8 });
      return;
    } catch (error) {
      const { stdout } = error as { stdout?: string };
      failures.push(`with ${keyring}: ${stdout?.trim().split('\n').at(-1) ?? String(error)}`);
      await discard(target);
    }
  }
  throw new Error(`debootstrap of ${suite} failed\n${failures.join('\n') || 'no Debian keyring here'}`);
}

/** With the apt of this machine, which knows how to reach the mirror, and the dpkg of the tree. */
async function install({ suite }: DebianTree, names: readonly string[], root: string): Promise<void> {
  await writeFile(path.join(root, 'etc/apt/sources.list'), `deb ${mirror()} ${suite} main\n`);
  const there = [
    `Dir=${root}`,
    `DPkg::Chroot-Directory=${root}`,
    'APT::Sandbox::User=root',
    // A tree that is not whole is made again.
    'DPkg::Options::=--force-unsafe-io',
  ];
  const options = there.flatMap((option) => ['-o', option]);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' };
  for (const what of [['update'], ['install', '-y', '--no-install-recommends', ...names]])
    await run('apt-get', [...options, ...what], { env, maxBuffer: 1e8 });
}

/** A debootstrap that was cut off leaves its proc and sys mounted in the tree. */
async function discard(folder: string): Promise<void> {
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
  const below = mounts.map((line) => line.split(' ')[1] ?? '').filter((dir) => dir.startsWith(`${folder}/`));
  for (const dir of below.reverse()) await run('umount', [dir]);
  await run('rm', ['-rf', '--one-file-system', folder]);
}
