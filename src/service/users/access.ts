import type { Log } from '../../shared/log/log.ts';
import { allowList } from '../../shared/process/allow-list.ts';
import type { Keys } from '../accounts/keys.ts';
import { type KnownBrowsers, makeKnownBrowsers } from './known-browser.ts';
import { makePasswords, type Passwords } from './password.ts';
import { makeSecondFactor, type SecondFactor } from './second-factor.ts';
import { makeSignInGuard, type SignInGuard } from './sign-in-guard.ts';
import type { UserStore } from './user-store.ts';

/** What proves who somebody is, and what limits guessing. */
export type Access = {
  readonly passwords: Passwords;
  readonly secondFactor: SecondFactor;
  readonly browsers: KnownBrowsers;
  readonly guard: SignInGuard;
};

/** `trustedProxies`: addresses and networks. */
export function makeAccess({
  users,
  keys,
  trustedProxies,
  clock,
  log,
}: {
  users: UserStore;
  keys: Keys;
  trustedProxies: readonly string[];
  clock: () => number;
  log: Log;
}): Access {
  const browsers = makeKnownBrowsers(keys);
  return {
    passwords: makePasswords(),
    secondFactor: makeSecondFactor(users, keys, clock),
    browsers,
    guard: makeSignInGuard({ browsers, isTrustedProxy: allowList(trustedProxies), clock, log }),
  };
}
