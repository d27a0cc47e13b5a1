import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Why Debian's packages cannot be installed here, in one line; undefined if they can. */
export function cannotInstall(): string | undefined {
  if (process.platform !== 'linux') return `it needs Linux, this is ${process.platform}`;
  if (process.getuid?.() !== 0) return 'it needs root';
  if (!existsSync('/usr/bin/apt-get')) return 'it needs Debian or Ubuntu: there is no apt-get';
  return undefined;
}

/** Installs the packages whose file is not there: `{ '/usr/bin/sipp': 'sip-tester' }`. */
export async function installPackages(byFile: Readonly<Record<string, string>>): Promise<void> {
  const missing = Object.entries(byFile).flatMap(([file, name]) => (existsSync(file) ? [] : [name]));
  if (missing.length === 0) return;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  // Test files run side by side, and each may find something missing: who comes second waits.
  const patience = ['-o', 'DPkg::Lock::Timeout=300'];
  await run('apt-get', [...patience, 'update'], { env });
  await run('apt-get', [...patience, 'install', '-y', '--no-install-recommends', ...missing], {
    env,
    maxBuffer: 1e8,
  });
}
