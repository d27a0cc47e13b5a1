import type { FastifyReply } from 'fastify';
import { isOpen } from '../rules/time-limit.ts';
import { whenClosed } from './closed-with.ts';
import { Refusal } from './refusal.ts';

/** Limits how many things of a kind each account, user or token has at a time. */
export function createBudget(max: number, what: string) {
  const taken = new Map<number | string, number>();
  return {
    /** Takes one until the signal. @throws Refusal 429; the reason of a signal that is over */
    hold(key: number | string, signal: AbortSignal): void {
      signal.throwIfAborted();
      signal.addEventListener('abort', this.take(key), { once: true });
    },
    /** Takes one; returns a function that gives it back. @throws Refusal 429 */
    take(key: number | string): () => void {
      const now = taken.get(key) ?? 0;
      if (now >= max)
        throw new Refusal(
          429,
          ({ tooManyAtATime }) => tooManyAtATime(max),
          `Too many ${what} at a time (${max}). Try again later.`,
        );
      taken.set(key, now + 1);
      let returned = false;
      return () => {
        if (returned) return;
        returned = true;
        const left = (taken.get(key) ?? 1) - 1;
        if (left === 0) taken.delete(key);
        else taken.set(key, left);
      };
    },
  };
}

/** Limits for each account, and for each of its users or tokens, besides the turns of its requests (see account-turns.ts). */
export function createBudgets() {
  const streams = createBudget(50, 'open screens of this user or token');
  const accountStreams = createBudget(500, 'open screens of this account');
  return {
    /** Takes a stream of an account and of its user or token, until the client has left. @throws Refusal 429 */
    holdStream(reply: FastifyReply, account: number, owner: string): void {
      whenClosed(reply, streams.take(owner));
      whenClosed(reply, accountStreams.take(account));
    },
    /** Reads of the whole history: each holds some MB while its client is slow. */
    readers: createBudget(4, 'reads of the whole history'),
    /** Each holds a connection for as long as nothing happens. */
    waitingReads: createBudget(10, 'requests that wait for events of this account'),
    imports: createBudget(1, 'imports of this account'),
    /** Each reads the numbers of all customers again. */
    countries: createBudget(1, "changes of this account's country"),
  };
}

export type Budgets = ReturnType<typeof createBudgets>;

/** Requests per minute, of an integration (decision `rate-limit`) and of an account. */
export type RateLimit = ReturnType<typeof createRateLimit>;

const WINDOW_MS = 60_000;

/**
 * `account bridge`, `integration bridge`: what a bridge tells of itself and of who rings, which must not use up what calls and
 * lookups need. `entry`: an integration's entries about refusals in the history.
 */
type Limited = Client | `${Client} bridge` | 'entry';
type Client = 'account' | 'integration';

/** Fixed windows that begin with a client's first request, as Laravel's `throttle` counts. */
export function createRateLimit() {
  const windows = new Map<string, { count: number; resetAt: number; before: number }>();
  return {
    /** Counts one request at `now` (Unix ms). */
    take(
      of: Limited,
      id: number,
      perMinute: number,
      now: number,
    ): { allowed: boolean; remaining: number; resetAt: number } {
      const client = `${of} ${id}`;
      let window = windows.get(client);
      if (window === undefined || !isOpen(window.resetAt, WINDOW_MS, now)) {
        const before = window !== undefined && now < window.resetAt + WINDOW_MS ? window.count : 0;
        window = { count: 0, resetAt: now + WINDOW_MS, before };
        windows.set(client, window);
      }
      window.count += 1;
      return {
        allowed: window.count <= perMinute,
        remaining: Math.max(0, perMinute - window.count),
        resetAt: window.resetAt,
      };
    },
    /** Of an account or integration that is gone. */
    forget(of: Client, id: number): void {
      for (const what of ['', ' bridge']) windows.delete(`${of}${what} ${id}`);
      if (of === 'integration') windows.delete(`entry ${id}`);
    },
    /** The most that it has sent in this minute or the one before, as far as this process knows. */
    recentPeak(of: Limited, id: number, now: number): number {
      const { count, before, resetAt } = windows.get(`${of} ${id}`) ?? { count: 0, before: 0, resetAt: 0 };
      if (isOpen(resetAt, WINDOW_MS, now)) return Math.max(count, before);
      return now < resetAt + WINDOW_MS ? count : 0;
    },
  };
}
