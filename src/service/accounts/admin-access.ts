import type { FastifyRequest } from 'fastify';
import type { AuditKind } from '../words/audit-kinds.ts';
import type { Account } from './account.ts';

export type AdminRequest = Pick<FastifyRequest, 'raw' | 'ip' | 'headers'>;
/** A request about one thing, by its uid. */
export type RequestByUid = AdminRequest & { readonly params: { readonly uid: string } };

/** What the routes under /admin know of who asks. */
export type AdminAccess = {
  /** The account of a request, by its administration token. */
  readonly accountOf: (request: Pick<AdminRequest, 'raw'>) => Account;
  /** Whether the token of a request is valid now: a body can take minutes to arrive. */
  readonly isAuthentic: (request: Pick<AdminRequest, 'headers'>) => boolean;
  /** Adds an entry to the audit log, after the change. */
  readonly audit: (
    request: Pick<AdminRequest, 'raw' | 'ip'>,
    what: AuditKind,
    target: string,
  ) => Promise<void>;
};
