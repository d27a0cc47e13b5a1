import { resolve } from 'node:path';
import { after, describe } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';

// Test files in one process, which saves each of them its start and the loading of what they share. The runner gives
// their names in TEST_FILES. Each is a suite, so that its hooks are its own.

/** A process whose thread never comes back, or whose tests never end, is killed after so long, ms. */
const longestMs = 30 * 60_000;
/** What is still open so long after the last test would hold the process for ever, ms. */
const closesWithinMs = 60_000;

for (const file of JSON.parse(process.env.TEST_FILES ?? '[]') as string[])
  describe(file, async () => {
    await import(pathToFileURL(resolve(file)).href);
  });
// What tests start are other programs.
delete process.env.TEST_FILES;

new Worker(`setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${longestMs})`, { eval: true }).unref();
after(() => {
  setTimeout(() => {
    process.stderr.write(`still open after the last test: ${process.getActiveResourcesInfo().join(', ')}\n`);
    process.exit(1);
  }, closesWithinMs).unref();
});
