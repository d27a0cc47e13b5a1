import { describe } from 'node:test';
import { faults } from './all.ts';
import { tryFault } from './try-fault.ts';

// Of disks, clocks and real Asterisks: root makes them.
const ofMachines = faults.filter(({ needs, aside }) => needs && !aside);

describe('faults that mostly wait, three at a time', { concurrency: 3 }, () => {
  for (const fault of ofMachines) if (fault.waits) tryFault(fault);
});
for (const fault of ofMachines) if (!fault.waits) tryFault(fault);
