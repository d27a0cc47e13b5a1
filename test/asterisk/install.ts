import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { cannotInstall, installPackages } from '../debian.ts';
import { debianMirror } from './mirror.ts';

const run = promisify(execFile);

/** The major versions of Asterisk that the lab plays: the newest and the oldest that the bridge supports. */
export const versions = ['22', '16'] as const;
export type Version = (typeof versions)[number];

/**
 * Which Debian release ships it, and in which packages: bullseye has the voicemail in one of its own. With the driver
 * by which Asterisk writes its call records into MariaDB.
 */
const sources: Readonly<Record<Version, { readonly suite: string; readonly packages: string }>> = {
  22: { suite: 'sid', packages: 'asterisk,odbc-mariadb' },
  16: { suite: 'bullseye', packages: 'asterisk,asterisk-voicemail,odbc-mariadb' },
};

/** A root folder with a Debian and its Asterisk in it. Read-only by agreement: what a lab writes has its own folder. */
export type Tree = {
  readonly version: Version;
  readonly root: string;
  /** As `asterisk -V` says it, such as `22.10.1`. */
  readonly release: string;
};

/** Why there can be no lab on this machine, in one line; undefined if there can. */
export function labImpossible(): string | undefined {
  const why = cannotInstall();
  if (why) return why;
  const cached = versions.every((version) => existsSync(markerOf(treeRoot(version))));
  if (!cached && !mirror()) return "apt's sources name no Debian archive; PBX_LAB_MIRROR can name one";
  return undefined;
}

/**
 * Asterisk of this version, ready to run: from the cache if a whole tree is there, else from Debian.
 * The tree is built under another name and renamed when it is ready, so a tree is whole or not there, however
 * many labs install at once.
 */
export async function install(version: Version): Promise<Tree> {
  await installPackages(tools);
  const root = treeRoot(version);
  const cached = await verify(version, root);
  if (cached) return cached;

  await mkdir(path.dirname(root), { recursive: true });
  const building = `${root}.building-${process.pid}`;
  try {
    await debootstrap(version, building);
    await run('rm', ['-rf', path.join(building, 'var/cache/apt'), path.join(building, 'var/lib/apt/lists')]);
    await mkdir(path.join(building, 'lab'));
    await writeFile(markerOf(building), markerText(version, await askVersion(building)));
    // Somebody else may have been first: theirs is as good, and perhaps in use already.
    if (!(await verify(version, root))) {
      await rm(root, { recursive: true, force: true });
      await rename(building, root);
    }
  } finally {
    await discard(building);
  }
  const installed = await verify(version, root);
  if (!installed) throw new Error(`the tree at ${root} is not whole, though it was just installed`);
  return installed;
}

/** Its name says what it is made of, so that older and newer code can share a cache. */
function treeRoot(version: Version): string {
  const { suite, packages } = sources[version];
  const made = createHash('sha256').update(`${suite} ${packages}`).digest('hex').slice(0, 6);
  return path.join(process.env.PBX_LAB_CACHE ?? '/var/cache/pbx-bridge-lab', `asterisk-${version}-${made}`);
}

/** Written last: a tree without it was never finished. */
function markerOf(root: string): string {
  return path.join(root, 'lab', 'release');
}

/** Says what the tree is made of. */
function markerText(version: Version, release: string): string {
  return `${sources[version].suite} ${sources[version].packages} ${release}\n`;
}

function mirror(): string | undefined {
  return process.env.PBX_LAB_MIRROR ?? debianMirror('/etc/apt');
}

const tools = { '/usr/sbin/debootstrap': 'debootstrap', '/usr/bin/sipp': 'sip-tester' };

async function verify(version: Version, root: string): Promise<Tree | undefined> {
  try {
    const release = await askVersion(root);
    const whole = readFileSync(markerOf(root), 'utf8') === markerText(version, release);
    return whole ? { version, root, release } : undefined;
  } catch {
    return undefined;
  }
}

async function askVersion(root: string): Promise<string> {
  const { stdout } = await run('chroot', [root, 'asterisk', '-V']);
  const release = /^Asterisk (\d+(?:\.\d+)*)/.exec(stdout)?.[1];
  if (!release) throw new Error(`asterisk -V in ${root} said: ${stdout}`);
  return release;
}

/**
 * An old release is signed by keys that may have left the current keyring: then the keyring of retired keys is
 * the right one, and the signature is checked all the same. debootstrap does not look at Valid-Until, so a
 * mirror that is a dated snapshot will do.
 */
async function debootstrap(version: Version, target: string): Promise<void> {
  const { suite, packages } = sources[version];
  const from = mirror();
  if (!from) throw new Error("apt's sources name no Debian archive; PBX_LAB_MIRROR can name one");
  const keyrings = ['debian-archive-keyring.gpg', 'debian-archive-removed-keys.gpg']
    .map((name) => path.join('/usr/share/keyrings', name))
    .filter((file) => existsSync(file));
  const failures: string[] = [];
  for (const keyring of keyrings) {
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

/** A debootstrap that was cut off leaves its proc and sys mounted in the tree. */
async function discard(target: string): Promise<void> {
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
  const below = mounts.map((line) => line.split(' ')[1] ?? '').filter((dir) => dir.startsWith(`${target}/`));
  for (const dir of below.reverse()) await run('umount', [dir]);
  await run('rm', ['-rf', '--one-file-system', target]);
}
