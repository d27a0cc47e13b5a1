import type { FastifyRequest } from 'fastify';
import { limits } from '../../api/contract/decisions.ts';
import { text } from '../../api/contract/text.ts';
import type { Account } from '../store/directory-store.ts';

/** The account of a /admin request, by its administration token. */
export type AccountOf = (request: Pick<FastifyRequest, 'raw'>) => Account;

/** A name of an account, integration or segment. */
export const name = text('name', limits.referenceLength).min(1, 'The name field is required.');

/** Removes undefined fields (exactOptionalPropertyTypes). */
export function given<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
