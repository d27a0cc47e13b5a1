import { Refusal } from './refusal.ts';

/** Too many jobs wait already. */
export class Busy extends Refusal {
  constructor() {
    super(429, ({ busy }) => busy);
  }
}

/**
 * Runs a client's job, which learns whether it has waited. A client that leaves (see the signal) gives up its place.
 * @throws Busy; the signal's reason
 */
export type FairQueue = <T>(
  client: string,
  job: (hasWaited: boolean) => Promise<T>,
  signal?: AbortSignal,
) => Promise<T>;

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
  const waiting = createWaitingJobs(limits);
  let running = 0;

  /** Whether the client had to wait. */
  async function waitForStart(client: string, signal: AbortSignal | undefined): Promise<boolean> {
    signal?.throwIfAborted();
    if (running < limits.running) {
      running += 1;
      return false;
    }
    const { promise, resolve: start, reject: refuse } = Promise.withResolvers<void>();
    const job: WaitingJob = { start, refuse };
    waiting.add(client, job);
    const leave = () => {
      waiting.remove(client, job);
      refuse(signal?.reason);
    };
    signal?.addEventListener('abort', leave, { once: true });
    await promise.finally(() => signal?.removeEventListener('abort', leave));
    return true;
  }

  return async (client, job, signal) => {
    const hasWaited = await waitForStart(client, signal);
    try {
      return await job(hasWaited);
    } finally {
      const next = waiting.next();
      if (next === undefined) running -= 1;
      else next.start();
    }
  };
}

type WaitingJob = { start(): void; refuse(error: Error): void };

/** The jobs that wait, by client. */
function createWaitingJobs(limits: Pick<FairQueueLimits, 'waitingOfOne' | 'waiting'>) {
  /** In the order in which the clients are next. */
  const queues = new Map<string, WaitingJob[]>();
  let count = 0;

  /** @throws Busy */
  function makeRoom(client: string): void {
    const own = queues.get(client)?.length ?? 0;
    if (own >= limits.waitingOfOne) throw new Busy();
    if (count < limits.waiting) return;
    const longest = [...queues.values()].reduce((a, b) => (b.length > a.length ? b : a));
    if (longest.length <= own + 1) throw new Busy();
    count -= 1;
    longest.pop()?.refuse(new Busy());
  }

  return {
    /** @throws Busy */
    add(client: string, job: WaitingJob): void {
      makeRoom(client);
      count += 1;
      const queue = queues.get(client) ?? [];
      queue.push(job);
      queues.set(client, queue);
    },
    /** Takes the job that is next; its client is the last then. */
    next(): WaitingJob | undefined {
      const [first] = queues;
      if (first === undefined) return undefined;
      const [client, queue] = first;
      queues.delete(client);
      count -= 1;
      const job = queue.shift();
      if (queue.length > 0) queues.set(client, queue);
      return job;
    },
    /** Removes a job, unless it has started. */
    remove(client: string, job: WaitingJob): void {
      const queue = queues.get(client) ?? [];
      const index = queue.indexOf(job);
      if (index < 0) return;
      queue.splice(index, 1);
      if (queue.length === 0) queues.delete(client);
      count -= 1;
    },
  };
}
