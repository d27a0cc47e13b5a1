import type { RequestStore } from '../store/request-store.ts';

/** Tells when an account's history has something new, whichever process recorded it. */
export type HistoryNews = {
  /** `tell` is called at most once a second. Gives the way to stop. */
  follow(account: number, tell: () => void): () => void;
};

const EVERY_MS = 1000;

/** Looks at the newest entry every second, once for all who follow an account, and only while somebody does. */
export function makeHistoryNews(requests: Pick<RequestStore, 'search'>): HistoryNews {
  const followed = new Map<number, { tellers: Set<() => void>; stop: () => void }>();

  async function newest(account: number): Promise<number> {
    const { entries } = await requests.search({
      ...{ account, search: null, order: 'newest', after: null, limit: 1 },
    } as const);
    return entries[0]?.id ?? 0;
  }

  function watch(account: number, tellers: Set<() => void>): () => void {
    let known: number | undefined;
    let looking = false;
    const look = async () => {
      if (looking) return; // the disk is slow: not one look behind the other
      looking = true;
      const id = await newest(account).catch(() => known); // looked at again in a second
      looking = false;
      if (known !== undefined && id !== known) for (const tell of tellers) tell();
      known = id;
    };
    void look();
    const timer = setInterval(look, EVERY_MS);
    return () => clearInterval(timer);
  }

  return {
    follow(account, tell) {
      const teller = () => tell();
      const already = followed.get(account);
      const tellers = already?.tellers ?? new Set();
      const { stop } = already ?? { stop: watch(account, tellers) };
      followed.set(account, { tellers: tellers.add(teller), stop });
      return () => {
        tellers.delete(teller);
        if (tellers.size > 0) return;
        stop();
        followed.delete(account);
      };
    },
  };
}
