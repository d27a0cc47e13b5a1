import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { type Log, oncePerMinute } from '../../shared/log/log.ts';
import { createAttemptCounters } from '../kit/attempt-counters.ts';
import { Refusal } from '../kit/refusal.ts';
import { type Client, knownUser } from './hash-queue.ts';
import type { KnownBrowsers } from './session-cookie.ts';

/** How many attempts may be wrong within a quarter of an hour. */
const limits = {
  /** Of one user, or of a name that no user has, from one address, or from one browser that the user signed in with before. */
  user: 10,
  /** All users and names from one address; an office may share one. */
  address: 100,
  /** Of one user or name from all addresses. */
  userEverywhere: { password: 50, code: 10 },
} as const;

/** Somebody who tries to sign in, or to confirm who they are. */
export type Who = {
  /** The user's uid, or a name that no user has. */
  readonly as: string;
  readonly address: string;
  /** The id of a browser in which the user has signed in before: it has limits of its own. */
  readonly browser: string | undefined;
};

/** An attempt that was counted as wrong when it began. */
export type Attempt = {
  /** The attempt was right: it does not count, and earlier ones of this user from this client no longer do. */
  right(): void;
  /** It was not decided: not counted. */
  undecided(): void;
};

/**
 * Limits wrong attempts to sign in. A browser that signed in before has a limit of its own, so others cannot lock its user
 * out. All other browsers share one limit for each user, which stops guessing from many addresses. Each process counts
 * for itself.
 */
export function createAttemptLimits() {
  const counters = createAttemptCounters();

  /** The counters of an attempt, with their limits; the first is that of this user and client. */
  function countersFor(what: 'password' | 'code', { as, address, browser }: Who) {
    const user = `${what} ${createHash('sha256').update(as).digest('base64url')}`;
    if (browser !== undefined) return [[`${browser} ${user}`, limits.user]] as const;
    const from = network(address);
    return [
      [`${from} ${user}`, limits.user],
      [from, limits.address],
      [user, limits.userEverywhere[what]],
    ] as const;
  }

  return {
    /** Counts an attempt before it is checked, so that simultaneous ones are limited too. Undefined: over a limit. */
    begin(what: 'password' | 'code', who: Who, now: number): Attempt | undefined {
      const taken = counters.count(countersFor(what, who), now);
      if (taken === undefined) return undefined;
      const undecided = () => {
        for (const counter of taken) counter.count = Math.max(0, counter.count - 1);
      };
      return {
        undecided,
        right() {
          undecided();
          for (const counter of taken.slice(0, 1)) counter.count = 0;
        },
      };
    },
  };
}

/** The client behind an address: an IPv6 address without its last 64 bits, which its owner chooses freely. */
export function network(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/, '');
  const kind = isIP(plain);
  if (kind !== 6) return kind === 4 ? plain : 'unknown';
  const [before = [], after = []] = plain.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = Array(8 - before.length - after.length).fill('0');
  return [...before, ...zeros, ...after].slice(0, 4).join(':');
}

/** Somebody at an address: IPv4 by /16, /24 and address, IPv6 by /32, /48 and /64. */
function stranger(address: string): Client {
  const client = network(address);
  const parts = client.split(/[.:]/);
  const networks = [2, 3].map((length) => parts.slice(0, length).join('.'));
  return { line: 'strangers', names: [...networks, client] };
}

/** Checks passwords and codes of the second factor, within limits on wrong attempts. SECURITY.md says against whom. */
export function createSignInGuard(
  browsers: KnownBrowsers,
  isTrustedProxy: (address: string | undefined) => boolean,
  clock: () => number,
  log: Log,
) {
  const attempts = createAttemptLimits();
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
     * `client`: who waits for it.
     * @throws Refusal 429 if there have been too many wrong attempts, before the check.
     */
    async attempt(
      what: 'password' | 'code',
      { as, request }: { readonly as: string; readonly request: FastifyRequest },
      check: (client: Client) => Promise<boolean>,
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
        const right = await check(browser === undefined ? stranger(request.ip) : knownUser(as));
        if (right) attempt.right();
        return right;
      } catch (error) {
        attempt.undecided();
        throw error;
      }
    },
  };
}
