import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, describe } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';

// Test files in one process, which saves each of them its start and the loading of what they share. The runner gives
// their names in TEST_FILES. Each is a suite, so that its hooks are its own. Of several processes with the same files, each
// takes the next one that no other has taken.

/** A process whose thread never comes back, or whose tests never end, is killed after so long, ms. */
const longestMs = 40 * 60_000;
/** What is still open so long after the last test would hold the process for ever, ms. */
const closesWithinMs = 60_000;

const files = JSON.parse(process.env.TEST_FILES ?? '[]') as string[];
const taken = process.env.TEST_FILES_TAKEN ?? '';
// What tests start are other programs.
delete process.env.TEST_FILES;
delete process.env.TEST_FILES_TAKEN;

function take(nth: number): boolean {
  try {
    mkdirSync(join(taken, String(nth)));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

new Worker(`setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${longestMs})`, { eval: true }).unref();
// One after the other: while two load the same modules, the tests of one would come into the suite of the other.
for (const [nth, file] of files.entries()) {
  if (!take(nth)) continue;
  await new Promise<void>((ended) => {
    describe(file, async () => {
      after(() => ended());
      try {
        await import(pathToFileURL(resolve(file)).href);
      } catch (error) {
        ended();
        throw error;
      }
    });
  });
}
setTimeout(() => {
  process.stderr.write(`still open after the last test: ${process.getActiveResourcesInfo().join(', ')}\n`);
  process.exit(1);
}, closesWithinMs).unref();
