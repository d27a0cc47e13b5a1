import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Account, IntegrationChange } from '../accounts/directory-store.ts';
import type { AuditKind } from '../audit/audit-store.ts';
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

/** How long a replaced token is accepted beside the new one. */
export const oldTokenDays = z.coerce
  .number('The time must be a number of days.')
  .min(0, 'The time must be 0 to 7 days.')
  .max(7, 'The time must be 0 to 7 days.');

/** A new token; the old one is accepted for `days` more days; 0: no longer. */
export const newToken = (days: number, now: number): IntegrationChange => ({
  rotate: true,
  oldTokenUntil: days === 0 ? null : now + Math.round(days * 86_400_000),
});

/** A change of an integration in words, for the audit log. */
export function integrationChangeText(
  integration: string,
  { name: renamed, enabled, rotate, oldTokenUntil }: IntegrationChange,
): string {
  const changes = [
    rotate && 'token replaced',
    rotate && oldTokenUntil && `the old one is accepted until ${new Date(oldTokenUntil).toISOString()}`,
    oldTokenUntil === null && !rotate && 'old token ended',
    renamed !== undefined && `renamed ${renamed}`,
    enabled !== undefined && (enabled ? 'on' : 'off'),
  ];
  return `integration ${integration}: ${changes.filter(Boolean).join(', ')}`;
}
