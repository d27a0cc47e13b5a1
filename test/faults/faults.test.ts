import { faults } from './all.ts';
import { tryFault } from './try-fault.ts';

/** Those that want the machine for themselves, one after the other. */
for (const fault of faults) if (!fault.needs && !fault.waits && !fault.aside) tryFault(fault);
