import { setImmediate } from 'node:timers/promises';
import type { DeliveryQueue, QueuedEvent, Settlement } from './queue.ts';

/** Settlements in one transaction. */
const batchSize = 1_000;

/** Between two tries to record what became of attempts, ms. */
const retryMs = 1_000;

export type Settler = {
  add(settlement: Settlement): void;
  /** How many are not recorded yet. */
  size(): number;
  /** Resolves when all is recorded. */
  idle(): Promise<void>;
  /** Tries no more. */
  stop(): void;
};

type SettlerOptions = {
  readonly queue: Pick<DeliveryQueue, 'settle'>;
  /** `heads`: what the calls of `batch` have to send next. */
  readonly onRecorded: (batch: readonly Settlement[], heads: readonly QueuedEvent[]) => void;
  readonly onFailed: (error: unknown, count: number, waitMs: number) => void;
};

/**
 * Records what became of attempts, one batch after the other: while one is on its way to the disk, the next gathers.
 * What cannot be recorded is kept and tried again; until then its calls rest.
 */
export function createSettler({ queue, onRecorded, onFailed }: SettlerOptions): Settler {
  let gathered: Settlement[] = [];
  let underway = 0;
  let stopped = false;
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    // Answers that came in one turn of the event loop go together.
    await setImmediate();
    while (gathered.length > 0 && !stopped) {
      const batch = gathered.splice(0, batchSize);
      underway = batch.length;
      try {
        const heads = await queue.settle(batch);
        underway = 0;
        onRecorded(batch, heads);
      } catch (error) {
        gathered = [...batch, ...gathered];
        underway = 0;
        onFailed(error, gathered.length, retryMs);
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
    }
    running = undefined;
  }

  return {
    add(settlement) {
      gathered.push(settlement);
      running ??= run();
    },
    size: () => gathered.length + underway,
    idle: () => running ?? Promise.resolve(),
    stop() {
      stopped = true;
    },
  };
}
