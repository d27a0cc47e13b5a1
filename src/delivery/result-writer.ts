import { setImmediate } from 'node:timers/promises';
import type { DeliveryQueue, DeliveryResult, QueuedEvent } from './queue.ts';

/** Settlements in one transaction. */
const batchSize = 1_000;

/** Between two tries to record what became of attempts, ms. */
const retryMs = 1_000;

export type ResultWriter = {
  add(result: DeliveryResult): void;
  /** How many are not recorded yet. */
  size(): number;
  /** Resolves when what came until now is recorded or was refused once. */
  flushed(): Promise<void>;
  /** Resolves when all is recorded. */
  idle(): Promise<void>;
  /** Tries no more. */
  stop(): void;
};

type ResultWriterOptions = {
  readonly queue: Pick<DeliveryQueue, 'record'>;
  /** `nextEvents`: what the calls of `batch` have to send next. */
  readonly onRecorded: (batch: readonly DeliveryResult[], nextEvents: readonly QueuedEvent[]) => void;
  readonly onFailed: (error: unknown, count: number, waitMs: number) => void;
};

/**
 * Records what became of attempts, one batch after the other: while one is on its way to the disk, the next gathers.
 * What cannot be recorded is set aside and tried again; until then its calls rest, and the others go on.
 */
export function createResultWriter({ queue, onRecorded, onFailed }: ResultWriterOptions): ResultWriter {
  const gathered: DeliveryResult[] = [];
  const refused: DeliveryResult[] = [];
  let underway = 0;
  let stopped = false;
  let running: Promise<void> | undefined;
  let retrying: Promise<void> | undefined;

  /** Records a batch or, when it is refused, of its halves what can be. Gives the last error. */
  async function record(batch: readonly DeliveryResult[]): Promise<unknown> {
    let nextEvents: readonly QueuedEvent[];
    try {
      nextEvents = await queue.record(batch);
    } catch (error) {
      if (batch.length === 1 || stopped) {
        underway -= batch.length;
        refused.push(...batch);
        return error;
      }
      const middle = batch.length >> 1;
      const first = await record(batch.slice(0, middle));
      return (await record(batch.slice(middle))) ?? first;
    }
    underway -= batch.length;
    onRecorded(batch, nextEvents);
    return undefined;
  }

  async function take(batch: readonly DeliveryResult[]): Promise<void> {
    underway += batch.length;
    const error = await record(batch);
    if (error === undefined || stopped) return;
    onFailed(error, size(), retryMs);
    retrying ??= retry();
  }

  async function run(): Promise<void> {
    // Answers that came in one turn of the event loop go together.
    await setImmediate();
    while (gathered.length > 0 && !stopped) await take(gathered.splice(0, batchSize));
    running = undefined;
  }

  async function retry(): Promise<void> {
    while (refused.length > 0 && !stopped) {
      await new Promise((resolve) => setTimeout(resolve, retryMs));
      if (!stopped) await take(refused.splice(0));
    }
    retrying = undefined;
  }

  function size(): number {
    return gathered.length + underway + refused.length;
  }

  return {
    add(result) {
      gathered.push(result);
      running ??= run();
    },
    size,
    flushed: async () => running,
    async idle() {
      while (running || retrying) await Promise.all([running, retrying]);
    },
    stop() {
      stopped = true;
    },
  };
}
