import type { DeliveryQueue, QueuedEvent } from '../../shared/delivery/queue.ts';
import type { DueDeliveryStore } from './due-delivery-store.ts';
import type { DueDelivery } from './webhook.ts';

/** An event as the dispatcher carries it, without a body, with what that is made of when it is sent. */
export type QueuedDelivery = QueuedEvent & { readonly delivery: DueDelivery };

/** What the order of a person's events begins with. */
export const personOrder = 'person ';

/** Whose events are sent in order. */
const orderOf = ({ call, person, id }: DueDelivery) =>
  call?.id ?? (person ? `${personOrder}${person.about}` : `test ${id}`);

const queued = (delivery: DueDelivery): QueuedDelivery => {
  const { id: seq, event: status, queuedAt, attempts, rejections } = delivery;
  return { seq, callId: orderOf(delivery), status, body: '', queuedAt, attempts, rejections, delivery };
};

/** The queue of one webhook, for the dispatcher. `wants`: whether it is to be sent. */
export function webhookQueue(
  store: DueDeliveryStore,
  webhook: number,
  wants: (delivery: DueDelivery) => boolean,
): DeliveryQueue & {
  /** Keeps what the receiver answered, for the record of the attempt. */
  answered(seq: number, answer: string): void;
} {
  const answers = new Map<number, string>();

  /** Those that the webhook wants. The others are over, so that what comes behind them is due. */
  async function wanted(
    found: readonly DueDelivery[],
  ): Promise<{ readonly isAll: boolean; readonly wanted: DueDelivery[] }> {
    const others = found.filter((one) => !wants(one));
    if (others.length > 0)
      await store.skip(
        webhook,
        others.map(({ id }) => id),
      );
    return { isAll: others.length === 0, wanted: found.filter(wants) };
  }

  return {
    answered: (seq, answer) => void answers.set(seq, answer),
    async due({ except, limit, ...query }) {
      if (limit <= 0) return [];
      const busy = new Set(except);
      // More at a time while none is wanted: a filter may want one of a thousand.
      for (let most = limit + busy.size; ; most = Math.min(2 * most, 1_000)) {
        const found = await store.due(webhook, { ...query, limit: most });
        const free = await wanted(found.filter((one) => !busy.has(orderOf(one))));
        if (free.isAll) return free.wanted.slice(0, limit).map(queued);
      }
    },
    nextDue: (now) => store.nextDue(webhook, now),
    async record(results) {
      const next = await Promise.all(
        results.map((result) =>
          store.record(webhook, result, answers.get(result.seq) ?? result.error ?? null),
        ),
      );
      for (const { seq } of results) answers.delete(seq);
      // What comes behind one that is not wanted is found by the next look.
      return (await wanted(next.flat())).wanted.map(queued);
    },
    expire: (queuedBefore) => store.expire(webhook, queuedBefore),
    waiting: () => store.waiting(webhook),
  };
}
