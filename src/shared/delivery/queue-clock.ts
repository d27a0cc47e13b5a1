import { wholeMs } from '../process/clock.ts';

type Clocks = {
  /** Unix ms. */
  readonly now: () => number;
  /** ms of a clock that is never set, `monotonicMs`. */
  readonly monotonic: () => number;
};

/**
 * Both clocks in whole ms, since their times reach the queue, and `queueTime`, by which events on disk become due: the
 * Unix time of the start plus the monotonic clock. A system clock that is set in the meantime neither delays events nor
 * releases many at once.
 */
export function createQueueClock(clocks: Clocks) {
  const now = wholeMs(clocks.now);
  const monotonic = wholeMs(clocks.monotonic);
  let offset = now() - monotonic();
  return {
    now,
    monotonic,
    queueTime: () => offset + monotonic(),
    /** The monotonic time at which an event on disk is due. */
    fromQueueTime: (dueAt: number) => dueAt - offset,
    toUnix: (at: number) => Math.round(now() + at - monotonic()),
    start() {
      offset = now() - monotonic();
    },
  };
}
