import type { Log } from '../../shared/log/log.ts';
import { allowList } from '../../shared/process/allow-list.ts';
import type { Keys } from '../accounts/keys.ts';
import { createSignInGuard } from './attempt-limits.ts';
import type { CredentialStore } from './credential-store.ts';
import { createPasswords } from './password.ts';
import { createSecondFactor } from './second-factor.ts';
import { createKnownBrowsers } from './session-cookie.ts';

export type Access = ReturnType<typeof createAccess>;

/** What proves who somebody is, and what limits guessing. `trustedProxies`: addresses and networks. */
export function createAccess(
  credentials: CredentialStore,
  keys: Keys,
  trustedProxies: readonly string[],
  clock: () => number,
  log: Log,
) {
  const browsers = createKnownBrowsers(keys);
  return {
    passwords: createPasswords(),
    secondFactor: createSecondFactor(credentials, keys, clock),
    browsers,
    guard: createSignInGuard(browsers, allowList(trustedProxies), clock, log),
  };
}
