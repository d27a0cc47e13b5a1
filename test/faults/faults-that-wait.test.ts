import { describe } from 'node:test';
import { faults } from './all.ts';
import { tryFault } from './try-fault.ts';

describe('faults that mostly wait, three at a time', { concurrency: 3 }, () => {
  for (const fault of faults) if (!fault.needs && fault.waits && !fault.aside) tryFault(fault);
});
