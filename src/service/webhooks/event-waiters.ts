import { every } from '../kit/every.ts';
import type { CallEventStore } from './call-event-store.ts';

/** About as often as events are queued (see webhooks.ts). */
const LOOK_MS = 500;

type Waiter = { readonly account: number; readonly after: number; readonly end: () => void };

/** Requests that wait for events of their accounts: one look at the database for all of them, while there are any. */
export function createEventWaiters({ newest }: Pick<CallEventStore, 'newest'>) {
  const waiting = new Set<Waiter>();
  let stopLooking: (() => void) | undefined;

  async function look(): Promise<void> {
    const found = await newest([...new Set(Array.from(waiting, ({ account }) => account))]);
    for (const { account, after, end } of waiting) if ((found.get(account) ?? 0) > after) end();
  }

  return {
    /** Waits until there are events of the account after this one, for `ms` at most, or until the signal. */
    async until({ account, after }: Omit<Waiter, 'end'>, ms: number, signal: AbortSignal): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      const waiter: Waiter = { account, after, end: resolve };
      const timer = setTimeout(resolve, ms);
      signal.addEventListener('abort', () => resolve(), { once: true });
      if (signal.aborted) resolve();
      waiting.add(waiter);
      // If the storage is away, the next look finds what has come.
      stopLooking ??= every(LOOK_MS, look, () => {});
      await promise;
      clearTimeout(timer);
      waiting.delete(waiter);
      if (waiting.size > 0) return;
      stopLooking?.();
      stopLooking = undefined;
    },
    /** Answers those of an account, or all. */
    end(of?: number): void {
      for (const { account, end } of waiting) if (of === undefined || account === of) end();
    },
    count: () => waiting.size,
  };
}
