import { z } from 'zod';
import type { IntegrationChange } from '../accounts/directory-store.ts';

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
