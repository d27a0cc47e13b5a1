import { Refusal } from './refusal.ts';

/** Too many jobs wait already. */
export class Busy extends Refusal {
  constructor() {
    super(429, ({ busy }) => busy);
  }
}

/** Runs a client's job. A client that leaves, which the signal tells, gives up its place. @throws Busy; the signal's reason */
export type FairQueue = <T>(client: string, job: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

type FairQueueLimits = {
  /** Jobs that run at once. */
  readonly running: number;
  /** Jobs of one client that wait. */
  readonly waitingOfOne: number;
  /** Jobs of all clients that wait. */
  readonly waiting: number;
};

/**
 * Runs a few jobs at once. Waiting jobs start round robin, one per client, so that a client with many jobs only delays itself.
 * When too many wait, the client with most of them loses one.
 */
export function createFairQueue(limits: FairQueueLimits): FairQueue {
  type Waiting = { start(): void; refuse(error: Error): void };
  /** In the order in which the clients are next. */
  const queues = new Map<string, Waiting[]>();
  let running = 0;
  let waiting = 0;

  function makeRoom(client: string): void {
    const own = queues.get(client)?.length ?? 0;
    if (own >= limits.waitingOfOne) throw new Busy();
    if (waiting < limits.waiting) return;
    const longest = [...queues.values()].reduce((a, b) => (b.length > a.length ? b : a));
    if (longest.length <= own + 1) throw new Busy();
    waiting -= 1;
    longest.pop()?.refuse(new Busy());
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

  function leave(client: string, one: Waiting): void {
    const queue = queues.get(client) ?? [];
    const at = queue.indexOf(one);
    if (at < 0) return; // it has started
    queue.splice(at, 1);
    if (queue.length === 0) queues.delete(client);
    waiting -= 1;
  }

  async function waitForStart(client: string, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (running < limits.running) {
      running += 1;
      return;
    }
    makeRoom(client);
    waiting += 1;
    const { promise, resolve: start, reject: refuse } = Promise.withResolvers<void>();
    const own: Waiting = { start, refuse };
    const queue = queues.get(client) ?? [];
    queue.push(own);
    queues.set(client, queue);
    const left = () => {
      leave(client, own);
      refuse(signal?.reason);
    };
    signal?.addEventListener('abort', left, { once: true });
    await promise.finally(() => signal?.removeEventListener('abort', left));
  }

  return async (client, job, signal) => {
    await waitForStart(client, signal);
    try {
      return await job();
    } finally {
      next();
    }
  };
}
