import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { architectures } from './stage.ts';

/** What Unattended-Upgrade::Origins-Pattern names. */
const ORIGIN = 'pbx-bridge';
const SUITE = 'stable';

export type RepositoryOptions = {
  /** An OpenPGP secret key without a passphrase; it is made if there is no such file, and must be kept. */
  readonly keyFile: string;
  /** Unix seconds: when it was laid out. */
  readonly at: number;
};

/**
 * Lays out a signed apt repository in a folder: these packages beside those that are in it. Any server of files can serve it.
 * Needs gpg and dpkg-deb.
 * @see https://wiki.debian.org/DebianRepository/Format
 */
export function layOutRepository(folder: string, debs: readonly string[], options: RepositoryOptions): void {
  const pool = join(folder, 'pool');
  mkdirSync(pool, { recursive: true });
  for (const deb of debs) copyFileSync(deb, join(pool, basename(deb)));
  const release = join(folder, 'dists', SUITE);
  const indexes = architectures.flatMap((arch) => writeIndex(folder, release, arch));
  const head = {
    Origin: ORIGIN,
    Label: ORIGIN,
    Suite: SUITE,
    Codename: SUITE,
    Date: new Date(options.at * 1_000).toUTCString().replace('GMT', '+0000'),
    Architectures: architectures.join(' '),
    Components: 'main',
    SHA256: '',
  };
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}`.trimEnd());
  const sums = indexes.map((path) => {
    const file = readFileSync(join(release, path));
    return ` ${sha256(file)} ${file.length} ${path}`;
  });
  writeFileSync(join(release, 'Release'), `${[...lines, ...sums].join('\n')}\n`);
  sign(join(release, 'Release'), join(folder, 'pbx-bridge.gpg'), options.keyFile);
}

/** The packages of an architecture, as apt reads them, plain and compressed. Gives their paths below the release. */
function writeIndex(folder: string, release: string, arch: string): string[] {
  const debs = globSync(`pool/*_${arch}.deb`, { cwd: folder }).sort();
  const entries = debs.map((path) => {
    const file = join(folder, path);
    const control = execFileSync('dpkg-deb', ['-f', file], { encoding: 'utf8' }).trim();
    const { size } = statSync(file);
    return `${control}\nFilename: ${path}\nSize: ${size}\nSHA256: ${sha256(readFileSync(file))}\n`;
  });
  const index = `main/binary-${arch}/Packages`;
  const text = entries.join('\n');
  mkdirSync(dirname(join(release, index)), { recursive: true });
  writeFileSync(join(release, index), text);
  writeFileSync(join(release, `${index}.gz`), gzipSync(text));
  return [index, `${index}.gz`];
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** Signs a file, within (InRelease) and beside it (Release.gpg), and writes the public key to another one. */
function sign(release: string, publicKey: string, keyFile: string): void {
  const home = mkdtempSync(join(tmpdir(), 'pbx-bridge-gpg-'));
  const gpg = (...args: string[]) =>
    execFileSync('gpg', ['--homedir', home, '--batch', '--yes', '--quiet', ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  try {
    if (existsSync(keyFile)) gpg('--import', keyFile);
    else {
      gpg('--passphrase', '', '--quick-generate-key', 'pbx-bridge packages', 'ed25519', 'sign', 'never');
      writeFileSync(keyFile, gpg('--armor', '--export-secret-keys'), { mode: 0o600 });
    }
    writeFileSync(publicKey, gpg('--export'));
    gpg('--clearsign', '--output', join(dirname(release), 'InRelease'), release);
    gpg('--armor', '--detach-sign', '--output', `${release}.gpg`, release);
  } finally {
    execFileSync('gpgconf', ['--homedir', home, '--kill', 'all']);
    rmSync(home, { recursive: true, force: true });
  }
}
