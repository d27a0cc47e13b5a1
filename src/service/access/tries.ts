import { LRUCache } from 'lru-cache';

/** Failed tries to sign in, within a quarter of an hour. */
const WINDOW_MS = 15 * 60_000;
/** Of one name from one address: a person who has forgotten a password has tried them all by then. */
const OF_NAME = 10;
/** From one address, whatever the names: an office behind one address has no such morning. */
const OF_ADDRESS = 100;
const REMEMBERED = 50_000;

/**
 * Limits tries to sign in, by name and address together and by address. Never by name alone: then anybody could keep a
 * user out by failing in that user's name. In this process only.
 */
export type Tries = {
  /** False: this try is one too many. */
  allowed(signInName: string, address: string, now: number): boolean;
  failed(signInName: string, address: string, now: number): void;
  succeeded(signInName: string, address: string): void;
};

export function makeTries(): Tries {
  const windows = new LRUCache<string, { count: number; until: number }>({ max: REMEMBERED });
  const of = (signInName: string, address: string) =>
    [
      [`${network(address)} ${signInName}`, OF_NAME],
      [network(address), OF_ADDRESS],
    ] as const;
  const current = (key: string, now: number) => {
    const window = windows.get(key);
    return window !== undefined && window.until > now ? window : undefined;
  };
  return {
    allowed: (signInName, address, now) =>
      of(signInName, address).every(([key, most]) => (current(key, now)?.count ?? 0) < most),
    failed(signInName, address, now) {
      for (const [key] of of(signInName, address)) {
        const { count, until } = current(key, now) ?? { count: 0, until: now + WINDOW_MS };
        windows.set(key, { count: count + 1, until });
      }
    },
    succeeded(signInName, address) {
      windows.delete(of(signInName, address)[0][0]);
    },
  };
}

/** One household has 2^64 addresses of IPv6: they count as one. */
function network(address: string): string {
  if (!address.includes(':') || address.startsWith('::ffff:')) return address;
  const [head = '', tail] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  return [...before, ...Array(Math.max(0, zeros)).fill('0'), ...after].slice(0, 4).join(':');
}
