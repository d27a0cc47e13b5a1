import PQueue from 'p-queue';
import type { Clock } from '../../shared/process/clock.ts';

/**
 * Limits the number of simultaneous requests. Urgent ones, for which a caller waits, go first, in the order in which
 * they came.
 */
type RequestLimiter = {
  run<T>(urgent: boolean, request: () => Promise<T>): LimitedRequest<T>;
};

type LimitedRequest<T> = {
  /** Undefined if no request was made: its turn came too late, or too many wait already. */
  readonly result: Promise<T | undefined>;
  /** Makes it urgent. */
  raise(): void;
};

type RequestLimiterOptions = {
  /** Most requests at the same time. */
  readonly concurrency: number;
  /** How long a request may wait for its turn, ms. */
  readonly maxWaitMs: number;
  /** Most requests that wait, of each kind. */
  readonly maxWaiting: number;
};

export function createRequestLimiter(
  { concurrency, maxWaitMs, maxWaiting }: RequestLimiterOptions,
  clock: Clock,
): RequestLimiter {
  const queue = new PQueue({ concurrency });
  let requests = 0;

  return {
    run(urgent, request) {
      const priority = Number(urgent);
      // Counting by priority takes longer the more wait.
      if (queue.size >= maxWaiting && queue.sizeBy({ priority }) >= maxWaiting)
        return { result: Promise.resolve(undefined), raise: () => {} };
      const id = String(requests++);
      let since = clock.now();
      let canRaise = !urgent;
      const result = queue.add(
        async () => {
          canRaise = false;
          return clock.now() - since <= maxWaitMs ? request() : undefined;
        },
        { id, priority },
      );
      return {
        result,
        raise() {
          if (!canRaise) return;
          canRaise = false;
          since = clock.now();
          queue.setPriority(id, 1);
        },
      };
    },
  };
}
