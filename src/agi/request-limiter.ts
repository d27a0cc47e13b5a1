import type { Clock } from '../process/clock.ts';

/**
 * Lets so many requests out at the same time and makes the others wait: those that a caller waits for go first, in
 * the order in which they came. A request that has waited longer than anybody waits for its answer is not made.
 *
 * (Not p-queue, whose home is delivery: what is wanted of it, to move a waiting job up and to let an old one go, is
 * most of what is here.)
 */
export type Gate = {
  run<T>(urgent: boolean, work: () => Promise<T>): Turn<T>;
};

export type Turn<T> = {
  /** What the work gave; undefined if its turn did not come in time, or too many wait already. */
  readonly result: Promise<T | undefined>;
  /** A caller waits for it now. */
  hurry(): void;
};

export type GateOptions = {
  /** Most works at the same time. */
  readonly width: number;
  /** How long a work may wait for its turn, ms. */
  readonly patienceMs: number;
  /** Most works that wait, of each kind. */
  readonly mostWaiting: number;
};

type Waiting = { since: number; readonly admit: (admitted: boolean) => void };

export function createGate({ width, patienceMs, mostWaiting }: GateOptions, clock: Clock): Gate {
  const urgentLine = new Set<Waiting>();
  const aheadLine = new Set<Waiting>();
  let inside = 0;

  const admitNext = (): void => {
    while (inside < width) {
      const line = urgentLine.size > 0 ? urgentLine : aheadLine;
      const [next] = line;
      if (next === undefined) return;
      line.delete(next);
      const inTime = clock.now() - next.since <= patienceMs;
      if (inTime) inside += 1;
      next.admit(inTime);
    }
  };

  async function doInTurn<T>(turn: Promise<boolean>, work: () => Promise<T>): Promise<T | undefined> {
    if (!(await turn)) return undefined;
    try {
      return await work();
    } finally {
      inside -= 1;
      admitNext();
    }
  }

  return {
    run(urgent, work) {
      const line = urgent ? urgentLine : aheadLine;
      if (line.size >= mostWaiting) return { result: Promise.resolve(undefined), hurry: () => {} };
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const waiting: Waiting = { since: clock.now(), admit: resolve };
      line.add(waiting);
      admitNext();
      return {
        result: doInTurn(promise, work),
        hurry() {
          if (!aheadLine.delete(waiting)) return;
          waiting.since = clock.now();
          urgentLine.add(waiting);
        },
      };
    },
  };
}
