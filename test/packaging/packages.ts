import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packDeb } from '../../systemd/deb/pack.ts';
import { stage } from '../../systemd/deb/stage.ts';

/** A package of this version, and of the one after it: the same program under another number. */
export type Packages = { readonly now: string; readonly next: string; remove(): void };

export const versions = { now: '1.0.0', next: '1.0.1' } as const;

/** Builds them as `npm run deb` does, but for the compression, which takes a minute. */
export function buildPackages(): Packages {
  const folder = mkdtempSync(join(tmpdir(), 'pbx-bridge-packages-'));
  const root = join(folder, 'root');
  stage(root, 'amd64');
  const pack = (version: string) =>
    packDeb(root, {
      arch: 'amd64',
      folder,
      changedAt: 1_795_000_000,
      version,
      compression: ['-Zgzip', '-z1'],
    });
  const packages = { now: pack(versions.now), next: pack(versions.next) };
  rmSync(root, { recursive: true });
  return { ...packages, remove: () => rmSync(folder, { recursive: true }) };
}
