import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { layOutRepository } from './apt.ts';
import { compile, project } from './compile.ts';
import { packDeb } from './deb.ts';
import { packNpm } from './npm.ts';
import { writeSbom } from './sbom.ts';
import { architectures, stage } from './stage.ts';
import { packTarball } from './tarball.ts';

/**
 * `npm run build`: all that is released, for both architectures, in the folder dist: Debian packages, archives for
 * other distributions, the npm package, what they are made of (SBOM) and their sums. `npm run deb`: the Debian package
 * of one architecture alone. `--apt-key FILE`: besides, a signed apt repository in dist/apt, by this key, which is made if it
 * is not there. Needs npm (10, for the list), dpkg-deb, xz, and strip for each architecture. The same commit, built by the
 * same versions of these, gives the same bytes.
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    arch: { type: 'string' },
    'apt-key': { type: 'string' },
  },
});
const wanted = values.arch ?? (values.only === 'deb' ? 'amd64' : undefined);
const chosen = architectures.filter((name) => wanted === undefined || name === wanted);
if (chosen.length === 0) throw new Error(`--arch: got ${values.arch}; takes ${architectures.join(' or ')}`);
const dist = join(project, 'dist');
const scratch = mkdtempSync(join(tmpdir(), 'pbx-bridge-build-'));
try {
  mkdirSync(dist, { recursive: true });
  const program = join(scratch, 'program');
  compile(program);
  const made: string[] = [];
  const add = (file: string) => {
    made.push(file);
    process.stdout.write(`${file}\n`);
  };
  for (const arch of chosen) {
    const root = join(scratch, arch);
    const options = { arch, folder: dist, changedAt: lastChange() };
    stage(root, program, arch);
    // Before the package: that adds what is Debian's.
    if (values.only !== 'deb') add(packTarball(root, options));
    add(packDeb(root, options));
  }
  if (values.only !== 'deb') {
    add(packNpm(join(scratch, 'npm'), program, dist));
    add(writeSbom(dist, lastChange()));
    writeFileSync(join(dist, 'SHA256SUMS'), made.map(sumOf).join(''));
  }
  const { 'apt-key': keyFile } = values;
  if (keyFile !== undefined) {
    const debs = made.filter((file) => file.endsWith('.deb'));
    // It says when it was made: apt refuses one that is older than what it knows.
    layOutRepository(join(dist, 'apt'), debs, { keyFile, at: Math.floor(Date.now() / 1_000) });
    process.stdout.write(`${join(dist, 'apt')}\n`);
  }
} finally {
  rmSync(scratch, { recursive: true });
}

/** As `sha256sum -c` reads it. */
function sumOf(file: string): string {
  return `${createHash('sha256').update(readFileSync(file)).digest('hex')}  ${basename(file)}\n`;
}

/** Unix seconds of the last commit, so that the same sources give the same bytes; now, without git. */
function lastChange(): number {
  const given = process.env.SOURCE_DATE_EPOCH;
  if (given !== undefined) return Number(given);
  try {
    return Number(execFileSync('git', ['-C', project, 'log', '-1', '--format=%ct'], { encoding: 'utf8' }));
  } catch {
    return Math.floor(Date.now() / 1000);
  }
}
