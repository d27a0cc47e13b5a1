import type { Outbox } from '../outbox/outbox.ts';
import type { Tally } from '../outbox/tables/tally.ts';
import { within } from './within.ts';

export type QueueFigures = Tally & { readonly oldestWaitingAt: number | undefined };

/**
 * Reads how many events there are. While the disk fails nothing is read from it, which is when people look: after
 * `patienceMs` it gives what was known last. Rejects when nothing is known yet, or the outbox has ended.
 */
export function createQueueReader(
  outbox: Pick<Outbox, 'tally' | 'oldestWaiting'>,
  patienceMs: number,
): () => Promise<QueueFigures> {
  let known: QueueFigures | undefined;
  let underWay: Promise<void> | undefined;

  async function ask(): Promise<void> {
    try {
      const [tally, oldestWaitingAt] = await Promise.all([outbox.tally(), outbox.oldestWaiting()]);
      known = { ...tally, oldestWaitingAt };
    } finally {
      underWay = undefined;
    }
  }

  return async () => {
    // One question at a time: those of everyone who looks would pile up until the disk works again.
    underWay ??= ask();
    await within(patienceMs, underWay);
    if (known === undefined) throw new Error('the disk of the state folder does not answer');
    return known;
  };
}
