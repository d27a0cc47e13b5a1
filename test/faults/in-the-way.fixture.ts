import { defaultLimits } from '../../src/delivery/limits.ts';

/** Loaded before the bridge: a request that hangs keeps its place to the end. */
for (const priority of Object.values(defaultLimits.priorities))
  Object.assign(priority, { patienceMs: 2 ** 30 });
