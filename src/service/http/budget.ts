import { Refusal } from './refusal.ts';

/** Limits how many things of a kind each of several (accounts, users, tokens) has at a time. */
export type Budget = {
  /** Gives a function that returns it. @throws Refusal 429 */
  take(of: number | string): () => void;
};

export function makeBudget(max: number, what: string): Budget {
  const taken = new Map<number | string, number>();
  return {
    take(of) {
      const now = taken.get(of) ?? 0;
      if (now >= max) throw new Refusal(429, `Too many ${what} at a time (${max}). Try again later.`);
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

/** What one account may use at a time, and one user or token of it, so that the others do not wait for it. */
export function makeBudgets() {
  return {
    streams: makeBudget(50, 'open screens of this user or token'),
    accountStreams: makeBudget(500, 'open screens of this account'),
    /** Reads of the whole history: each holds some MB while its client is slow. */
    readers: makeBudget(4, 'reads of the whole history'),
    imports: makeBudget(1, 'imports of this account'),
  };
}

export type Budgets = ReturnType<typeof makeBudgets>;
