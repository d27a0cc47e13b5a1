import { type ErrorText, Refusal } from './refusal.ts';

/** Runs jobs for clients. */
export type FairQueue = <T>(client: string, job: () => Promise<T>) => Promise<T>;

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
