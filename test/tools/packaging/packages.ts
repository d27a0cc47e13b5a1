import assert from 'node:assert/strict';
import {
  copyFileSync,
  globSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { version } from '../../../src/shared/process/version.ts';
import { compile } from '../../../systemd/build/compile.ts';
import { packDeb } from '../../../systemd/build/deb.ts';
import { stage } from '../../../systemd/build/stage.ts';

/** A package of this version, and of the one after it: the same program with a step more for each of its databases. */
export type Packages = {
  readonly now: string;
  readonly next: string;
  /** As `now`, with a small program in place of the runtime, which lintian reads for a minute. */
  readonly small: string;
  remove(): void;
};

export const versions = { now: version, next: '1.1.0' } as const;

const changedAt = 1_795_000_000;

/** Builds them as `npm run deb` does, but for the compression: unpacking one takes longer than what is tried with it. */
export function buildPackages(): Packages {
  const folder = mkdtempSync(join(tmpdir(), 'pbx-bridge-packages-'));
  const root = join(folder, 'root');
  const program = join(folder, 'program');
  compile(program);
  stage(root, program, 'amd64');
  const pack = (version: string, into = folder) =>
    packDeb(root, { changedAt, arch: 'amd64', folder: into, version, isQuick: true });
  const now = pack(versions.now);
  const small = withoutRuntime(root, folder, (into) => pack(versions.now, into));
  addSteps(join(root, 'usr/lib/pbx-bridge/lib'));
  const packages = { now, next: pack(versions.next), small };
  rmSync(root, { recursive: true });
  return { ...packages, remove: () => rmSync(folder, { recursive: true }) };
}

/** Packs it with a small program in place of the runtime, into a folder of its own. */
function withoutRuntime(root: string, folder: string, pack: (into: string) => string): string {
  const [runtime, aside] = [join(root, 'usr/lib/pbx-bridge/bin/node'), join(folder, 'node')];
  renameSync(runtime, aside);
  copyFileSync('/bin/true', runtime);
  const made = pack(mkdtempSync(join(folder, 'small-')));
  renameSync(aside, runtime);
  return made;
}

/** What the next version adds to each database: its steps stand before what is said of older ones. */
function addSteps(lib: string): void {
  const found = new Set<string>();
  for (const path of globSync('**/*.js', { cwd: lib })) {
    const text = readFileSync(join(lib, path), 'utf8');
    const next = text.replace(/\}(?=,?\s*\],\s*ifOlder: '(let|save) )/g, (_, word) => {
      found.add(word);
      return `}, { name: 'later', sql: 'ALTER TABLE ${word === 'let' ? 'event' : 'calls'} ADD COLUMN later TEXT' }`;
    });
    if (next !== text) writeFileSync(join(lib, path), next);
  }
  assert.deepEqual([...found].sort(), ['let', 'save'], 'the steps of both SQLite databases');
}
