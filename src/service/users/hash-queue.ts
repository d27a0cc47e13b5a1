import { LRUCache } from 'lru-cache';
import { Refusal } from '../kit/refusal.ts';

/** Who waits for a password to be hashed. */
export type Client = {
  /** `known`: a user who is signed in, or in a browser that the user has signed in with before. */
  readonly line: 'known' | 'strangers';
  /** The user, or the networks around an address, the widest first, and then the address. */
  readonly names: readonly string[];
};

export const knownUser = (uid: string): Client => ({ line: 'known', names: [uid] });

/** Clients and networks whose turns are counted; the least recently used ones are dropped. */
const MAX_COUNTERS = 50_000;

type Waiting = { readonly names: Client['names']; start(): void; refuse(error: Refusal): void };

/**
 * Hashes a few passwords at once. Others wait in two lines that take every other turn, so strangers cannot delay known
 * browsers by more than their own turn. In a line, the network that has had fewest turns is next, in it the smaller
 * network, and in that the client that has asked least: neither many attempts nor many addresses of a few networks keep
 * others waiting. If too many wait, the one that would be last is refused. Counts begin again when the queue is empty.
 */
export function createHashQueue({ running: max, waiting }: { running: number; waiting: number }) {
  /** The first is the line whose turn it is. */
  const lines: { readonly of: Client['line']; readonly waiting: Waiting[] }[] = [
    { of: 'known', waiting: [] },
    { of: 'strangers', waiting: [] },
  ];
  const counts = new LRUCache<string, number>({ max: MAX_COUNTERS });
  let running = 0;

  function count(names: readonly string[]): void {
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  /** Of a client each attempt counts, also a refused one; of a network the turns that it has had. */
  const asks = (names: Client['names']) => count(names.slice(-1));
  const takesTurn = (names: Client['names']) => count(names.slice(0, -1));

  /** Negative: the first of the two has its turn before the other. */
  function compare(one: Waiting, other: Waiting): number {
    for (const [n, name] of one.names.entries()) {
      const difference = (counts.get(name) ?? 0) - (counts.get(other.names[n] ?? '') ?? 0);
      if (difference !== 0) return difference;
    }
    return 0;
  }

  /** Of equals, the first has waited longest. */
  function takeFrom(line: Waiting[], which: 'first' | 'last'): Waiting | undefined {
    const [head, ...others] = line;
    if (head === undefined) return undefined;
    const taken = others.reduce((best, one) => {
      const order = compare(one, best);
      return (which === 'first' ? order < 0 : order >= 0) ? one : best;
    }, head);
    line.splice(line.indexOf(taken), 1);
    return taken;
  }

  function next(): void {
    for (const line of lines) {
      const first = takeFrom(line.waiting, 'first');
      if (first === undefined) continue;
      lines.sort((a, b) => Number(a === line) - Number(b === line));
      takesTurn(first.names);
      first.start();
      return;
    }
    running -= 1;
    counts.clear();
  }

  /** @throws Refusal 503 if too many wait. */
  return async <T>({ line, names }: Client, job: () => Promise<T>): Promise<T> => {
    asks(names);
    if (running < max) {
      running += 1;
      takesTurn(names);
    } else
      await new Promise<void>((start, refuse) => {
        const own = lines.find(({ of }) => of === line)?.waiting ?? [];
        own.push({ names, start, refuse });
        if (own.length > waiting) takeFrom(own, 'last')?.refuse(new Refusal(503, ({ busy }) => busy));
      });
    try {
      return await job();
    } finally {
      next();
    }
  };
}
