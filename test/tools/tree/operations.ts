import { Session } from 'node:inspector/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

/** What is to be counted, by name, in this order: the export `works` of a script. */
export type Works = Readonly<Record<string, () => unknown>>;

/**
 * How many blocks of the code of `files` run while each of the `works` of a script does: functions, branches, and bodies of loops.
 * Unlike a time it does not depend on the machine. What runs within built-in functions is not counted, but what they call back
 * is. Each script has a thread of its own: code that was compiled before is not counted by blocks.
 */
export function countOperations(files: RegExp, script: URL): Promise<ReadonlyMap<string, number>> {
  const worker = new Worker(new URL(import.meta.url), { workerData: { files, script: script.href } });
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

async function count(files: RegExp, script: string): Promise<Map<string, number>> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  const take = async () => {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    return result
      .filter(({ url }) => files.test(url))
      .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges.map((range) => range.count)))
      .reduce((sum, times) => sum + times, 0);
  };
  const { works }: { works: Works } = await import(script);
  const counts = new Map<string, number>();
  for (const [name, work] of Object.entries(works)) {
    await take();
    await work();
    counts.set(name, await take());
  }
  return counts;
}

if (!isMainThread && workerData?.files instanceof RegExp)
  parentPort?.postMessage(await count(workerData.files, workerData.script));
