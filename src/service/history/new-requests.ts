import type { RequestStore } from './request-store.ts';

/** Reports that an account has new requests, recorded by any process. */
type NewRequests = {
  /** Calls `listener` at most once a second. Returns a function that removes it. */
  follow(account: number, listener: () => void): () => void;
};

const PERIOD_MS = 1000;

/** Polls the newest request every second, once per followed account. */
export function watchNewRequests(requests: Pick<RequestStore, 'search'>): NewRequests {
  const followed = new Map<number, { listeners: Set<() => void>; stop: () => void }>();

  async function newest(account: number): Promise<number> {
    const { entries } = await requests.search({
      account,
      search: null,
      order: 'newest',
      after: null,
      limit: 1,
    } as const);
    return entries[0]?.id ?? 0;
  }

  function watch(account: number, listeners: Set<() => void>): () => void {
    let known: number | undefined;
    let polling = false;
    const poll = async () => {
      if (polling) return;
      polling = true;
      const id = await newest(account).catch(() => known); // tried again in a second
      polling = false;
      if (known !== undefined && id !== known) for (const listener of listeners) listener();
      known = id;
    };
    void poll();
    const timer = setInterval(poll, PERIOD_MS);
    return () => clearInterval(timer);
  }

  return {
    follow(account, listener) {
      const own = () => listener(); // unique, should two followers share a function
      const known = followed.get(account);
      const listeners = known?.listeners ?? new Set();
      const { stop } = known ?? { stop: watch(account, listeners) };
      followed.set(account, { listeners: listeners.add(own), stop });
      return () => {
        listeners.delete(own);
        if (listeners.size > 0) return;
        stop();
        followed.delete(account);
      };
    },
  };
}
