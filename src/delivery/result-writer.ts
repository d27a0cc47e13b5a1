import type { DeliveryQueue, DeliveryResult, QueuedEvent } from './queue.ts';

/** From one try to record a result to the next, ms. */
const againMs = 1_000;

type ResultWriter = {
  add(result: DeliveryResult): void;
  /** Results that are not on disk yet. */
  unrecorded(): number;
  /** Results that are. */
  recorded(): number;
  /** What is not recorded then is not tried again. */
  stop(): void;
};

/**
 * Records results on disk. Those that come while others are recorded are recorded together. What the disk refuses is
 * tried again until it succeeds, each by itself: its call rests, and the others go on.
 */
export function createResultWriter({
  queue,
  onRecorded,
  onRefused,
}: {
  readonly queue: Pick<DeliveryQueue, 'record'>;
  /** Of calls that have another event, `nextEvents` has it. */
  readonly onRecorded: (results: readonly DeliveryResult[], nextEvents: readonly QueuedEvent[]) => void;
  readonly onRefused: (error: unknown, unrecorded: number, againMs: number) => void;
}): ResultWriter {
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
      // One of several may be to blame: at once, each by itself.
      setTimeout(again, alone ? againMs : 0);
      return;
    }
    unrecorded -= batch.length;
    recorded += batch.length;
    onRecorded(batch, nextEvents);
  }

  return {
    add(result) {
      unrecorded += 1;
      results.push(result);
      if (!recording) void recordAll();
    },
    unrecorded: () => unrecorded,
    recorded: () => recorded,
    stop() {
      stopped = true;
    },
  };
}
