import { z } from 'zod';
import type { Integration } from '../accounts/account.ts';
import type { IntegrationChange } from '../accounts/integration-store.ts';
import { goodUntil, MOST_OLD_DAYS, tokenReplaced } from '../accounts/limits.ts';

/** How long a replaced token is accepted along with the new one. */
export const oldTokenDays = z.coerce
  .number('The time must be a number of days.')
  .min(0, `The time must be 0 to ${MOST_OLD_DAYS} days.`)
  .max(MOST_OLD_DAYS, `The time must be 0 to ${MOST_OLD_DAYS} days.`);

/**
 * A new token; the present one is accepted for `days` more days; 0: no longer. `replaces`: the counter of the one that is
 * meant, if that may be another one by now.
 * @throws ChangeRefused if the one before it is still accepted, unless all are to end
 */
export function newToken(
  { tokenCounter, oldTokenUntil }: Integration,
  days: number,
  now: number,
  replaces = tokenCounter,
): IntegrationChange {
  if (replaces !== tokenCounter) throw tokenReplaced();
  return { replaces, oldTokenUntil: goodUntil(oldTokenUntil, days, now) };
}

/** A change of an integration in words, for the audit log. */
export function integrationChangeText(
  integration: string,
  { name: renamed, enabled, replaces, oldTokenUntil }: IntegrationChange,
): string {
  const isNew = replaces !== undefined;
  const changes = [
    isNew && 'token replaced',
    isNew && oldTokenUntil && `the old one is accepted until ${new Date(oldTokenUntil).toISOString()}`,
    oldTokenUntil === null && !isNew && 'old token ended',
    renamed !== undefined && `renamed ${renamed}`,
    enabled !== undefined && (enabled ? 'on' : 'off'),
  ];
  return `integration ${integration}: ${changes.filter(Boolean).join(', ')}`;
}
