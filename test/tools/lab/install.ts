import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import path from 'node:path';
import { promisify } from 'node:util';
import { installPackages } from '../debian.ts';
import { cache, type DebianTree, debianTree, treesImpossible } from '../debian-tree.ts';

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
  return treesImpossible(...versions.map(treeOf));
}

/** Asterisk of this version, ready to run: from the cache if a whole tree is there, else from Debian. */
export async function install(version: Version): Promise<Tree> {
  await installPackages({ '/usr/sbin/debootstrap': 'debootstrap', '/usr/bin/sipp': 'sip-tester' });
  const tree = treeOf(version);
  await debianTree(tree);
  return { version, root: tree.root, release: await askVersion(tree.root) };
}

/** Its name says what it is made of, so that older and newer code can share a cache. */
function treeOf(version: Version): DebianTree {
  const { suite, packages } = sources[version];
  const made = createHash('sha256').update(`${suite} ${packages}`).digest('hex').slice(0, 6);
  return {
    suite,
    packages,
    root: path.join(cache, `asterisk-${version}-${made}`),
    marker: 'lab/release',
    madeOf: async (root) => `${suite} ${packages} ${await askVersion(root)}\n`,
  };
}

async function askVersion(root: string): Promise<string> {
  const { stdout } = await run('chroot', [root, 'asterisk', '-V']);
  const release = /^Asterisk (\d+(?:\.\d+)*)/.exec(stdout)?.[1];
  if (!release) throw new Error(`asterisk -V in ${root} said: ${stdout}`);
  return release;
}
