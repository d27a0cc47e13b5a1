import type { FastifyRequest } from 'fastify';
import { line } from '../http/text.ts';
import type { AuditKind } from '../store/audit-store.ts';
import type { Account, DirectoryStore } from '../store/directory-store.ts';

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

/** A change of an integration in words, for the audit log. */
export function integrationChange(
  integration: string,
  { name: renamed, enabled, rotate }: Parameters<DirectoryStore['changeIntegration']>[1],
): string {
  const changes = [
    rotate && 'token replaced',
    renamed !== undefined && `renamed ${renamed}`,
    enabled !== undefined && (enabled ? 'on' : 'off'),
  ];
  return `integration ${integration}: ${changes.filter(Boolean).join(', ')}`;
}
