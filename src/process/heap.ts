import { setFlagsFromString } from 'node:v8';

/** How much of what is alive may pile up as garbage before the old generation is collected, percent. */
const GARBAGE_PERCENT = 20;

/**
 * Keeps the memory of this process near to what it needs: a PBX host has other use for it. V8 lets a busy heap grow to
 * several times of what is alive in it, each thread's own: 330 MB while a backlog of millions is drained. Collected
 * sooner, and with young generations that stay as small as they begin, it is 190 MB, at the same cost in CPU time as far
 * as that could be measured. To be called before there is work to do.
 */
export function keepHeapSmall(): void {
  setFlagsFromString(`--heap-growing-percent=${GARBAGE_PERCENT}`);
  setFlagsFromString('--semi-space-growth-factor=1');
}
