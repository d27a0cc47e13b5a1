import { setFlagsFromString } from 'node:v8';

/** Heap growth before the old generation is collected, percent of the live heap. */
const GARBAGE_PERCENT = 20;

/**
 * Limits the memory of this process, since a PBX host needs it for other things. By default V8 lets the heap of each
 * thread grow to several times its live size: 330 MB while a backlog of millions is delivered. With earlier collections
 * and small young generations it is 190 MB, without a measurable cost in CPU time. Call it before any work.
 */
export function keepHeapSmall(): void {
  setFlagsFromString(`--heap-growing-percent=${GARBAGE_PERCENT}`);
  setFlagsFromString('--semi-space-growth-factor=1');
}
