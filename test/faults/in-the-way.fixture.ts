import { defaultLimits } from '../../src/delivery/limits.ts';

/** Loaded before the bridge: a request that hangs keeps its place to the end. */
for (const lane of Object.values(defaultLimits.lanes)) Object.assign(lane, { patienceMs: 2 ** 30 });
