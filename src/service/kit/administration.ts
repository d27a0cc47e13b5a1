import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyRequest,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Account } from '../accounts/directory-store.ts';
import type { AuditKind } from '../words/audit-kinds.ts';
import { line } from './text.ts';

/** The account of a /admin request, by its administration token. */
export type AccountOf = (request: Pick<FastifyRequest, 'raw'>) => Account;

/** Adds an entry about a /admin request to the audit log, after the change. */
export type AdminAudit = (
  request: Pick<FastifyRequest, 'raw' | 'ip'>,
  what: AuditKind,
  target: string,
) => Promise<void>;

/** A name of an account, integration or segment. */
export const name = line('name');

/** Removes undefined fields (exactOptionalPropertyTypes). */
export function given<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

/** A Fastify instance whose handlers get the types of the contract's schemas. */
export type ZodInstance = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  ZodTypeProvider
>;
