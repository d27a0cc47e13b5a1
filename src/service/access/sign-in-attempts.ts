import { LRUCache } from 'lru-cache';

/** Failed attempts count for this long. */
const WINDOW_MS = 15 * 60_000;
/** For one name from one address. */
const MAX_PER_NAME = 10;
/** From one address for all names; an office may share one address. */
const MAX_PER_ADDRESS = 100;
const MAX_ENTRIES = 50_000;

/**
 * Limits failed sign-ins by name and address together, and by address. Never by name alone: anybody could then keep a
 * user out by failing in that user's name. Counted in this process only.
 */
export type SignInAttempts = {
  /** False if there have been too many failures. */
  allowed(signInName: string, address: string, now: number): boolean;
  failed(signInName: string, address: string, now: number): void;
  succeeded(signInName: string, address: string): void;
};

export function makeSignInAttempts(): SignInAttempts {
  const windows = new LRUCache<string, { count: number; until: number }>({ max: MAX_ENTRIES });
  const limitsFor = (signInName: string, address: string) =>
    [
      [`${network(address)} ${signInName}`, MAX_PER_NAME],
      [network(address), MAX_PER_ADDRESS],
    ] as const;
  const current = (key: string, now: number) => {
    const window = windows.get(key);
    return window !== undefined && window.until > now ? window : undefined;
  };
  return {
    allowed: (signInName, address, now) =>
      limitsFor(signInName, address).every(([key, limit]) => (current(key, now)?.count ?? 0) < limit),
    failed(signInName, address, now) {
      for (const [key] of limitsFor(signInName, address)) {
        const { count, until } = current(key, now) ?? { count: 0, until: now + WINDOW_MS };
        windows.set(key, { count: count + 1, until });
      }
    },
    succeeded(signInName, address) {
      windows.delete(limitsFor(signInName, address)[0][0]);
    },
  };
}

/** An IPv6 address without its last 64 bits, which its owner can choose freely; an IPv4 address as it is. */
function network(address: string): string {
  if (!address.includes(':') || address.startsWith('::ffff:')) return address;
  const [before = [], after = []] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = Array(Math.max(0, 8 - before.length - after.length)).fill('0');
  return [...before, ...zeros, ...after].slice(0, 4).join(':');
}
