import { constants, setPriority } from 'node:os';

/**
 * Gives way to telephony on the same machine: this process gets the processor when others leave it. Where a sandbox
 * forbids that (`SystemCallFilter=~@resources` of systemd.exec(5)), its work is done with the usual priority.
 */
export function yieldToTelephony(): void {
  try {
    setPriority(constants.priority.PRIORITY_LOW);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SYSTEM_ERROR') throw error;
  }
}
