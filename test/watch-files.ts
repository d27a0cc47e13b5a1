import { readdirSync, readFileSync } from 'node:fs';

/** A test may take so long on a machine that is busy with other things, ms. */
export const longestTestMs = 15 * 60_000;

/** A file whose tests are over, or whose thread never comes back, is ended after so long, ms. */
const longestFileMs = 30 * 60_000;

/**
 * Kills test files that do not end. The test runner gives a test a time limit, but a file with an endless loop, or with
 * something left open after its last test, would be waited for without an end and without a word.
 */
export function watchFiles({ longestMs = longestFileMs, everyMs = 10_000 } = {}): { stop(): void } {
  const since = new Map<number, number>();
  const look = () => {
    const running = childrenOf(process.pid);
    for (const pid of since.keys()) if (!running.includes(pid)) since.delete(pid);
    for (const pid of running) {
      const began = since.get(pid) ?? performance.now();
      since.set(pid, began);
      const file = commandOf(pid).findLast((part) => part.endsWith('.test.ts'));
      if (file === undefined || performance.now() - began < longestMs) continue;
      process.stdout.write(`${file} did not end within ${Math.round(longestMs / 1_000)} s: killed\n`);
      process.kill(pid, 'SIGKILL');
    }
  };
  const timer = setInterval(look, everyMs).unref();
  return { stop: () => clearInterval(timer) };
}

/** Elsewhere than on Linux, nobody is watched. */
function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}

function commandOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean);
  } catch {
    return [];
  }
}
