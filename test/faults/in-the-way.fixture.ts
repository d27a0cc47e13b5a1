import { pathToFileURL } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import type * as Limits from '../../src/shared/delivery/limits.ts';
import { moduleBeside } from '../../src/shared/process/module-beside.ts';

/** Loaded before the bridge: a request that hangs keeps its turn to the end. */
const withoutEnd = { turnMs: 2 ** 30 } satisfies Partial<Limits.PriorityLimits>;
if (isMainThread) {
  const script = pathToFileURL(process.argv[1] ?? '').href;
  const limits: typeof Limits = await import(moduleBeside(script, './shared/delivery/limits').href);
  for (const priority of Object.values(limits.defaultLimits.priorities)) Object.assign(priority, withoutEnd);
}
