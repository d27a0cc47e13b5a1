import type { Outbox } from '../outbox/outbox.ts';
import type { Counters } from '../outbox/tables/counters.ts';
import { within } from '../process/within.ts';

type QueueFigures = Counters & { readonly oldestWaitingAt: number | undefined };

/**
 * Reads how many events there are. While the disk fails nothing is read from it, which is when people look: after
 * `timeoutMs` it returns the last known figures. Rejects when nothing is known yet, or the outbox has ended.
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
    // One question at a time: those of everyone who looks would pile up until the disk works again.
    underWay ??= ask();
    await within(timeoutMs, underWay);
    if (known === undefined) throw new Error('the disk of the state folder does not answer');
    return known;
  };
}
