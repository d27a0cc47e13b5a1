import PQueue from 'p-queue';
import type { QueuedEvent } from './queue.ts';

export type PriorityLimits = {
  /** Requests at the same time. */
  readonly concurrency: number;
  /**
   * After so many ms without an answer a request gives its place to the next one, and goes on: calls whose requests
   * hang must not be in the way of the others.
   */
  readonly patienceMs: number;
  /** Events in memory that wait for their turn; the rest stays on disk. */
  readonly buffer: number;
  /** The newest of them goes first, else the one that came first. */
  readonly newestFirst: boolean;
};

export type PriorityGate = {
  /** How many more events it takes. */
  room(): number;
  /** `send` must not reject. */
  add(event: QueuedEvent, send: () => Promise<void>): void;
  /** Forgets what has not begun, and gives it. */
  clear(): QueuedEvent[];
  /** Requests that hold a place. */
  holding(): number;
  /** Frees the places of requests that began at or before `startedBefore`, at most `most`; gives how many. */
  release(startedBefore: number, most: number): number;
};

/** A gate: so many at the same time. p-queue is memory: a gate, never a store. */
export function createPriorityGate(
  { concurrency, buffer, newestFirst }: PriorityLimits,
  monotonic: () => number,
): PriorityGate {
  const gate = new PQueue({ concurrency });
  const waiting = new Set<QueuedEvent>();
  /** Requests that hold a place, in the order in which they began. */
  const holders = new Set<{ readonly startedAt: number; readonly free: () => void }>();

  return {
    room: () => concurrency + buffer - gate.pending - gate.size,
    add(event, send) {
      waiting.add(event);
      void gate.add(
        () =>
          new Promise<void>((free) => {
            waiting.delete(event);
            const holder = { startedAt: monotonic(), free };
            holders.add(holder);
            void send().then(() => {
              holders.delete(holder);
              free();
            });
          }),
        { priority: newestFirst ? event.seq : 0 },
      );
    },
    clear() {
      gate.clear();
      const forgotten = [...waiting];
      waiting.clear();
      return forgotten;
    },
    holding: () => holders.size,
    release(startedBefore, most) {
      let released = 0;
      for (const holder of holders) {
        if (released >= most || holder.startedAt > startedBefore) break;
        holders.delete(holder);
        holder.free();
        released++;
      }
      return released;
    },
  };
}
