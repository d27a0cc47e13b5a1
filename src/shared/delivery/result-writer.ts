import type { DeliveryQueue, DeliveryResult, QueuedEvent } from './queue.ts';

/** Interval of attempts to record a result, ms. */
const againMs = 1_000;

/**
 * Records results on disk. Results that come during a write are written together. A result that the disk refuses is
 * retried by itself until it succeeds: its call waits, and others go on.
 */
export function createResultWriter({
  queue,
  onRecorded,
  onRefused,
}: {
  readonly queue: Pick<DeliveryQueue, 'record'>;
  /** `nextEvents`: the next events of these calls. */
  readonly onRecorded: (results: readonly DeliveryResult[], nextEvents: readonly QueuedEvent[]) => void;
  readonly onRefused: (error: unknown, unrecorded: number, againMs: number) => void;
}) {
  const results: DeliveryResult[] = [];
  let recording = false;
  let unrecorded = 0;
  let recorded = 0;
  let stopped = false;

  async function recordAll(): Promise<void> {
    recording = true;
    while (results.length > 0) await record(results.splice(0));
    recording = false;
  }

  async function record(batch: readonly DeliveryResult[]): Promise<void> {
    let nextEvents: readonly QueuedEvent[];
    try {
      nextEvents = await queue.record(batch);
    } catch (error) {
      const alone = batch.length === 1;
      if (alone) onRefused(error, unrecorded, againMs);
      const again = () => !stopped && batch.forEach((result) => void record([result]));
      // One of several may be the cause: each is retried at once, by itself.
      setTimeout(again, alone ? againMs : 0);
      return;
    }
    unrecorded -= batch.length;
    recorded += batch.length;
    onRecorded(batch, nextEvents);
  }

  return {
    add(result: DeliveryResult) {
      unrecorded += 1;
      results.push(result);
      if (!recording) void recordAll();
    },
    /** Results that are not on disk yet. */
    unrecorded: () => unrecorded,
    /** Results that are on disk. */
    recorded: () => recorded,
    /** Results that are not recorded by then are dropped. */
    stop() {
      stopped = true;
    },
  };
}
