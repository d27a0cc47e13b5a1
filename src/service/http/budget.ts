import { type FairQueue, type FairQueueLimits, makeFairQueue } from './fair-queue.ts';
import { Refusal } from './refusal.ts';

/** Limits how many things of a kind each of several (accounts, users, tokens) has at a time. */
type Budget = {
  /** Returns a function that returns it. @throws Refusal 429 */
  take(of: number | string): () => void;
};

export function makeBudget(max: number, what: string): Budget {
  const taken = new Map<number | string, number>();
  return {
    take(of) {
      const now = taken.get(of) ?? 0;
      if (now >= max)
        throw new Refusal(
          429,
          ({ tooManyAtATime }) => tooManyAtATime(max),
          `Too many ${what} at a time (${max}). Try again later.`,
        );
      taken.set(of, now + 1);
      let returned = false;
      return () => {
        if (returned) return;
        returned = true;
        const left = (taken.get(of) ?? 1) - 1;
        if (left === 0) taken.delete(of);
        else taken.set(of, left);
      };
    },
  };
}

/** Text searches of one account: more than people have who wait for the answer. Bridges are never refused. */
const searchLimits: FairQueueLimits = {
  ...{ running: 2, waitingOfOne: 1_000, waiting: 10_000 },
  busy: ({ searchBusy }) => searchBusy,
};

/**
 * Runs searches, a few of each account at a time. The others wait, and take turns by client (a user or token), so that
 * no account and no client keeps another waiting for all of its own.
 */
export function makeSearches(): <T>(account: number, client: string, search: () => Promise<T>) => Promise<T> {
  const accounts = new Map<number, FairQueue>();
  return (account, client, search) => {
    const queue = accounts.get(account) ?? makeFairQueue(searchLimits);
    accounts.set(account, queue);
    return queue(client, search);
  };
}

/** What one account may use at a time, and one user or token of it, so that the others do not wait for it. */
export function makeBudgets() {
  return {
    streams: makeBudget(50, 'open screens of this user or token'),
    accountStreams: makeBudget(500, 'open screens of this account'),
    /** Reads of the whole history: each holds some MB while its client is slow. */
    readers: makeBudget(4, 'reads of the whole history'),
    imports: makeBudget(1, 'imports of this account'),
    searches: makeSearches(),
  };
}

export type Budgets = ReturnType<typeof makeBudgets>;
