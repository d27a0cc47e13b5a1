import type { Fault } from './fault.ts';

/** All faults, in the order of the table. */
export const faults: readonly Fault[] = [];

export const controlName = ({ name, control }: Fault): string => `${name}, control: ${control?.without}`;
