import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { until } from './until.ts';

const run = promisify(execFile);

/** So long another apt-get is waited for, s. */
const LOCK_WAIT_S = 300;

/** Why Debian's packages cannot be installed here, in one line; undefined if they can. */
export function cannotInstall(): string | undefined {
  if (process.platform !== 'linux') return `it needs Linux, this is ${process.platform}`;
  if (process.getuid?.() !== 0) return 'it needs root';
  if (!existsSync('/usr/bin/apt-get')) return 'it needs Debian or Ubuntu: there is no apt-get';
  return undefined;
}

/** Installs the packages whose file is not there: `{ '/usr/bin/sipp': 'sip-tester' }`. */
export async function installPackages(byFile: Readonly<Record<string, string>>): Promise<void> {
  const missing = Object.entries(byFile).flatMap(([file, name]) =>
    existsSync(file) && !isUnderWay(name) ? [] : [name],
  );
  if (missing.length === 0) return;
  await aptGet('update');
  await aptGet('install', '-y', '--no-install-recommends', ...missing);
}

/**
 * Another test file is installing it at this moment: its file may be there long before the libraries that it needs. Who
 * asks apt-get for it too waits until it is done.
 */
function isUnderWay(name: string): boolean {
  const { stdout } = spawnSync('dpkg-query', ['-s', name], { encoding: 'utf8' });
  return /^Status: .* (half-installed|unpacked|half-configured)$/m.test(stdout ?? '');
}

/**
 * Test files run side by side, and each may find something missing: who comes second waits. apt-get itself waits for
 * dpkg alone (DPkg::Lock::Timeout), and gives up at once when another one reads the lists.
 */
async function aptGet(...args: string[]): Promise<void> {
  const options = {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' },
    maxBuffer: 1e8,
  };
  let last: unknown;
  const isDone = async () => {
    try {
      await run('apt-get', ['-o', `DPkg::Lock::Timeout=${LOCK_WAIT_S}`, ...args], options);
      return true;
    } catch (error) {
      last = error;
      if (!/Could not get lock|dpkg was interrupted/.test(String(error))) throw error;
      // An install that was ended in the middle, as with a test that was: apt-get refuses all until it is done.
      if (/dpkg was interrupted/.test(String(error)))
        await run('dpkg', ['--configure', '-a'], options).catch(() => {});
      return false;
    }
  };
  await until(`apt-get ${args[0]} gets its turn`, isDone, { state: () => last, everyMs: 1_000 });
}
