import type { Log } from '../../shared/log/log.ts';
import { allowList } from '../../shared/process/allow-list.ts';
import type { Keys } from '../accounts/keys.ts';
import { makeSignInGuard } from './attempt-limits.ts';
import type { CredentialStore } from './credential-store.ts';
import { makePasswords } from './password.ts';
import { makeSecondFactor } from './second-factor.ts';
import { makeKnownBrowsers } from './session-cookie.ts';

export type Access = ReturnType<typeof makeAccess>;

/** What proves who somebody is, and what limits guessing. `trustedProxies`: addresses and networks. */
export function makeAccess(
  credentials: CredentialStore,
  keys: Keys,
  trustedProxies: readonly string[],
  clock: () => number,
  log: Log,
) {
  const browsers = makeKnownBrowsers(keys);
  return {
    passwords: makePasswords(),
    secondFactor: makeSecondFactor(credentials, keys, clock),
    browsers,
    guard: makeSignInGuard(browsers, allowList(trustedProxies), clock, log),
  };
}
