import { type ErrorText, Refusal } from './refusal.ts';

/** Limits how many things of a kind each account, user or token has at a time. */
export function makeBudget(max: number, what: string) {
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

/** Text searches of one account, running and waiting: more than people need. Bridges are never refused. */
const searchLimits: FairQueueLimits = {
  running: 2,
  waitingOfOne: 1_000,
  waiting: 10_000,
  busy: ({ busy }) => busy,
};

/**
 * Runs searches, a few of each account at a time. The others wait, and take turns by client (a user or token), so that
 * a client's many searches delay only its own.
 */
function makeSearches() {
  const accounts = new Map<number, FairQueue>();
  const run = <T>(
    account: number,
    client: string,
    search: () => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> => {
    const queue = accounts.get(account) ?? makeFairQueue(searchLimits);
    accounts.set(account, queue);
    return queue(client, async () => {
      signal?.throwIfAborted(); // the client may have gone while this waited
      return search();
    });
  };
  return { run, forget: (account: number): void => void accounts.delete(account) };
}

/** Limits for each account, and for each of its users or tokens, so that none of them delays the others. */
export function makeBudgets() {
  const [searches, summaries] = [makeSearches(), makeSearches()];
  return {
    streams: makeBudget(50, 'open screens of this user or token'),
    accountStreams: makeBudget(500, 'open screens of this account'),
    /** Reads of the whole history: each holds some MB while its client is slow. */
    readers: makeBudget(4, 'reads of the whole history'),
    imports: makeBudget(1, 'imports of this account'),
    searches: searches.run,
    /** Pages that are made of many calls: apart from the searches, so that bridges do not wait for them. */
    summaries: summaries.run,
    /** Of an account that is gone. */
    forget(account: number): void {
      searches.forget(account);
      summaries.forget(account);
    },
  };
}

export type Budgets = ReturnType<typeof makeBudgets>;

/** Requests per minute, of an integration (decision `rate-limit`) and of an account. */
export type RateLimit = ReturnType<typeof makeRateLimit>;

const WINDOW_MS = 60_000;

/** `entry`: an integration's entries about refusals in the history. */
type Limited = 'account' | 'integration' | 'entry';

/**
 * Whether a window of this length that ends at `end` is open. One that ends later than one of now began before the clock
 * was set back: it is over, too.
 */
export const isOpen = (end: number, length: number, now: number): boolean => now < end && end <= now + length;

/** Fixed windows that begin with a client's first request, as Laravel's `throttle` counts. */
export function makeRateLimit() {
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
    forget(of: 'account' | 'integration', id: number): void {
      windows.delete(`${of} ${id}`);
      if (of === 'integration') windows.delete(`entry ${id}`);
    },
    /** The most that it has sent in this minute or the one before, as far as this process knows. */
    lately(of: Limited, id: number, now: number): number {
      const { count, before, resetAt } = windows.get(`${of} ${id}`) ?? { count: 0, before: 0, resetAt: 0 };
      if (isOpen(resetAt, WINDOW_MS, now)) return Math.max(count, before);
      return now < resetAt + WINDOW_MS ? count : 0;
    },
  };
}

/** Runs jobs for clients. */
type FairQueue = <T>(client: string, job: () => Promise<T>) => Promise<T>;

export type FairQueueLimits = {
  /** Jobs that run at once. */
  readonly running: number;
  /** Jobs of one client that wait. */
  readonly waitingOfOne: number;
  /** Jobs of all clients that wait. */
  readonly waiting: number;
  /** Why a job is refused, for its client. */
  readonly busy: ErrorText;
};

/**
 * Runs a few jobs at once. Waiting jobs start one per client in turn, so that a client with many jobs only delays itself.
 * When too many wait, the client with most of them loses one.
 */
export function makeFairQueue(limits: FairQueueLimits): FairQueue {
  type Waiting = { start(): void; refuse(error: Refusal): void };
  /** In the order of the clients' turns. */
  const queues = new Map<string, Waiting[]>();
  let running = 0;
  let waiting = 0;

  function makeRoom(client: string): void {
    const own = queues.get(client)?.length ?? 0;
    const busy = new Refusal(503, limits.busy);
    if (own >= limits.waitingOfOne) throw busy;
    if (waiting < limits.waiting) return;
    const longest = [...queues.values()].reduce((a, b) => (b.length > a.length ? b : a));
    if (longest.length <= own + 1) throw busy;
    waiting -= 1;
    longest.pop()?.refuse(busy);
  }

  function next(): void {
    const [first] = queues;
    if (first === undefined) {
      running -= 1;
      return;
    }
    const [client, queue] = first;
    queues.delete(client);
    waiting -= 1;
    queue.shift()?.start();
    if (queue.length > 0) queues.set(client, queue);
  }

  return async (client, job) => {
    if (running < limits.running) running += 1;
    else {
      makeRoom(client);
      waiting += 1;
      await new Promise<void>((start, refuse) => {
        queues.set(client, [...(queues.get(client) ?? []), { start, refuse }]);
      });
    }
    try {
      return await job();
    } finally {
      next();
    }
  };
}
