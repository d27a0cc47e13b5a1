import type { DeliveryQueue, QueuedEvent } from '../../shared/delivery/queue.ts';
import type { DueDeliveryStore } from './due-delivery-store.ts';
import type { DueDelivery } from './webhook.ts';

/** An event as the dispatcher carries it, with what it was made of. */
export type QueuedDelivery = QueuedEvent & { readonly delivery: DueDelivery };

const callIdOf = ({ call, id }: DueDelivery) => call?.id ?? `test ${id}`;

/** The queue of one webhook, for the dispatcher. `bodyOf`: makes the body to send. */
export function webhookQueue(
  store: DueDeliveryStore,
  webhook: number,
  bodyOf: (delivery: DueDelivery) => string,
): DeliveryQueue & {
  /** Keeps what the receiver answered, for the record of the attempt. */
  answered(seq: number, answer: string): void;
} {
  const answers = new Map<number, string>();

  const queued = (delivery: DueDelivery): QueuedDelivery => {
    const { id: seq, event, queuedAt, attempts, rejections } = delivery;
    const body = bodyOf(delivery);
    const callId = callIdOf(delivery);
    return { seq, callId, status: event, body, queuedAt, attempts, rejections, delivery };
  };

  return {
    answered: (seq, answer) => void answers.set(seq, answer),
    async due({ except, limit, ...query }) {
      if (limit <= 0) return [];
      const busy = new Set(except);
      const found = await store.due(webhook, { ...query, limit: limit + busy.size });
      return found
        .filter((one) => !busy.has(callIdOf(one)))
        .slice(0, limit)
        .map(queued);
    },
    nextDue: (now) => store.nextDue(webhook, now),
    async record(results) {
      const next = await Promise.all(
        results.map((result) =>
          store.record(webhook, result, answers.get(result.seq) ?? result.error ?? null),
        ),
      );
      for (const { seq } of results) answers.delete(seq);
      return next.flat().map(queued);
    },
    expire: (queuedBefore) => store.expire(webhook, queuedBefore),
    waiting: () => store.waiting(webhook),
  };
}
