import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packDeb } from '../../systemd/build/deb.ts';
import { stage } from '../../systemd/build/stage.ts';

/** A package of this version, and of the one after it: the same program under another number. */
export type Packages = { readonly now: string; readonly next: string; remove(): void };

export const versions = { now: '1.0.0', next: '1.0.1' } as const;

/** How the tests pack, without the compression that takes a minute. */
const quick = { changedAt: 1_795_000_000, level: '0' } as const;

/** Builds them as `npm run deb` does. */
export async function buildPackages(): Promise<Packages> {
  const folder = mkdtempSync(join(tmpdir(), 'pbx-bridge-packages-'));
  const root = join(folder, 'root');
  await stage(root, 'amd64');
  const pack = (version: string) => packDeb(root, { ...quick, arch: 'amd64', folder, version });
  const packages = { now: pack(versions.now), next: pack(versions.next) };
  rmSync(root, { recursive: true });
  return { ...packages, remove: () => rmSync(folder, { recursive: true }) };
}

/** The same for arm64. What is in it can be looked at on any machine. */
export async function buildArm64(): Promise<{ readonly file: string; remove(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'pbx-bridge-arm64-'));
  await stage(join(folder, 'root'), 'arm64');
  const file = packDeb(join(folder, 'root'), { ...quick, arch: 'arm64', folder, version: versions.now });
  return { file, remove: () => rmSync(folder, { recursive: true }) };
}
