import { defaultLimits, type PriorityLimits } from '../../src/shared/delivery/limits.ts';

/** Loaded before the bridge: a request that hangs keeps its turn to the end. */
const withoutEnd = { turnMs: 2 ** 30 } satisfies Partial<PriorityLimits>;
for (const priority of Object.values(defaultLimits.priorities)) Object.assign(priority, withoutEnd);
