import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { packDeb } from './deb.ts';
import { type Architecture, architectures, stage } from './stage.ts';

/**
 * `npm run deb -- --arch amd64|arm64`: the Debian package, in the folder dist. Needs npm and dpkg-deb, and strip
 * for that architecture; nothing is compiled.
 */
const { values } = parseArgs({ options: { arch: { type: 'string', default: 'amd64' } } });
const arch = architectures.find((name) => name === values.arch);
if (arch === undefined) throw new Error(`--arch: got ${values.arch}; takes ${architectures.join(' or ')}`);
const folder = mkdtempSync(join(tmpdir(), 'pbx-bridge-deb-'));
try {
  process.stdout.write(`${await build(arch)}\n`);
} finally {
  rmSync(folder, { recursive: true });
}

async function build(arch: Architecture): Promise<string> {
  const root = join(folder, 'root');
  await stage(root, arch);
  mkdirSync('dist', { recursive: true });
  return packDeb(root, { arch, folder: 'dist', changedAt: lastChange() });
}

/** Unix seconds of the last commit, so that the same sources give the same package; now, without git. */
function lastChange(): number {
  try {
    return Number(execFileSync('git', ['log', '-1', '--format=%ct'], { encoding: 'utf8' }));
  } catch {
    return Math.floor(Date.now() / 1000);
  }
}
