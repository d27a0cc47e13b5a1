import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { project } from './compile.ts';
import { manifest } from './stage.ts';

/** Writes what the program is made of, as the lock file has it, in CycloneDX. Gives its path. */
export function writeSbom(folder: string, changedAt: number): string {
  const options = ['--sbom-format=cyclonedx', '--sbom-type=application', '--omit=dev', '--package-lock-only'];
  const said = execFileSync('npm', ['sbom', ...options], { cwd: project, encoding: 'utf8', maxBuffer: 1e8 });
  // A number and a time of this run, and the folder's name: the same lock file gives the same text.
  const { serialNumber: _, ...sbom } = JSON.parse(said) as Sbom;
  sbom.metadata.timestamp = new Date(changedAt * 1_000).toISOString();
  sbom.metadata.component.name = manifest.name;
  const file = join(folder, `pbx-bridge-${manifest.version}.cdx.json`);
  writeFileSync(file, `${JSON.stringify(sbom, undefined, 2)}\n`);
  return file;
}

type Sbom = {
  readonly serialNumber?: string;
  readonly metadata: { timestamp: string; readonly component: { name: string } };
};
