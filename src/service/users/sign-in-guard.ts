import type { FastifyRequest } from 'fastify';
import { type Log, oncePerMinute } from '../../shared/log/log.ts';
import { Refusal } from '../kit/refusal.ts';
import { makeAttemptLimits, network } from './attempt-limits.ts';
import type { KnownBrowsers } from './known-browser.ts';

export type SignInGuard = ReturnType<typeof makeSignInGuard>;

/** Checks passwords and codes of the second factor, within limits on wrong attempts. SECURITY.md says against whom. */
export function makeSignInGuard({
  browsers,
  isTrustedProxy,
  clock,
  log,
}: {
  browsers: KnownBrowsers;
  isTrustedProxy: (address: string | undefined) => boolean;
  clock: () => number;
  log: Log;
}) {
  const attempts = makeAttemptLimits();
  let silentProxy = false;
  const limited = oncePerMinute(clock);

  /** Checked only where people sign in: a bridge or health check on the proxy's machine sends no such header. */
  function watchProxy({ headers, socket }: FastifyRequest): void {
    if (silentProxy || headers['x-forwarded-for'] !== undefined) return;
    if (!isTrustedProxy(socket.remoteAddress)) return;
    silentProxy = true;
    log.say('service.proxy-sends-no-address', { address: socket.remoteAddress });
  }

  return {
    /**
     * Runs a check within the limits; returns whether it was right. `as`: the user's uid, or a name that no user has;
     * `client`: whose turn in a queue it takes.
     * @throws Refusal 429 if there have been too many wrong attempts, before the check.
     */
    async attempt(
      what: 'password' | 'code',
      { as, request }: { readonly as: string; readonly request: FastifyRequest },
      check: (client: string) => Promise<boolean>,
    ): Promise<boolean> {
      watchProxy(request);
      const browser = browsers.id(request, as);
      const attempt = attempts.begin(what, { as, address: request.ip, browser }, clock());
      if (attempt === undefined) {
        const address = network(request.ip);
        limited((suppressed) => log.say('service.sign-in-limited', { address, suppressed }));
        throw new Refusal(429, ({ tooManyAttempts }) => tooManyAttempts);
      }
      try {
        const right = await check(browser ?? network(request.ip));
        if (right) attempt.right();
        return right;
      } catch (error) {
        attempt.undecided();
        throw error;
      }
    },
  };
}
