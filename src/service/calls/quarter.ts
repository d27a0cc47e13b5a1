import { QUARTER_MS } from './aggregate.ts';

/** Whole quarters of an hour since 1970, in which the use of integrations is counted. */
export function quarterOf(at: number): number {
  return Math.floor(at / QUARTER_MS);
}
