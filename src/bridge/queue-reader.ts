import { within } from '../shared/process/within.ts';
import type { Outbox } from './outbox/outbox.ts';
import type { Counters } from './outbox/tables/counters.ts';

type QueueFigures = Counters & { readonly oldestWaitingAt: number | undefined };

/**
 * Reads the counts of events. While the disk fails it cannot be read, but that is when people look: after `timeoutMs`
 * it returns the last known counts. Rejects if there are none yet, or if the outbox has ended.
 */
export function createQueueReader(
  outbox: Pick<Outbox, 'counters' | 'oldestWaiting'>,
  timeoutMs: number,
): () => Promise<QueueFigures> {
  let known: QueueFigures | undefined;
  let underWay: Promise<void> | undefined;

  async function ask(): Promise<void> {
    try {
      const [counters, oldestWaitingAt] = await Promise.all([outbox.counters(), outbox.oldestWaiting()]);
      known = { ...counters, oldestWaitingAt };
    } finally {
      underWay = undefined;
    }
  }

  return async () => {
    // One request at a time: while the disk fails, those of all readers would pile up.
    underWay ??= ask();
    await within(timeoutMs, underWay);
    if (known === undefined) throw new Error('the disk of the state folder does not answer');
    return known;
  };
}
