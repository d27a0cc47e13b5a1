import type { Log } from '../../shared/log/log.ts';
import { allowList } from '../../shared/process/allow-list.ts';
import type { Keys } from '../accounts/keys.ts';
import { makeSignInGuard } from './attempt-limits.ts';
import { makePasswords } from './password.ts';
import { makeSecondFactor } from './second-factor.ts';
import { makeKnownBrowsers } from './session-cookie.ts';
import type { UserStore } from './user-store.ts';

export type Access = ReturnType<typeof makeAccess>;

/** What proves who somebody is, and what limits guessing. `trustedProxies`: addresses and networks. */
export function makeAccess(
  users: UserStore,
  keys: Keys,
  trustedProxies: readonly string[],
  clock: () => number,
  log: Log,
) {
  const browsers = makeKnownBrowsers(keys);
  return {
    passwords: makePasswords(),
    secondFactor: makeSecondFactor(users, keys, clock),
    browsers,
    guard: makeSignInGuard(browsers, allowList(trustedProxies), clock, log),
  };
}
