import type { Statements } from '../store/statements.ts';
import { createCallEventStore } from './call-event-store.ts';
import { createDeliveryLogStore } from './delivery-log-store.ts';
import { createDueDeliveryStore } from './due-delivery-store.ts';
import { type CallChanges, createEventQueueStore } from './event-queue-store.ts';
import { createWebhookSettingsStore } from './webhook-settings-store.ts';

export type WebhookStore = ReturnType<typeof createWebhookStore>;

/** The webhooks of all accounts and their queues, filled from the calls' changes. */
export const createWebhookStore = (statements: Statements, changes: CallChanges) => {
  const deliveries = createDeliveryLogStore(statements);
  const events = createCallEventStore(statements);
  return {
    ...createWebhookSettingsStore(statements),
    ...createEventQueueStore(statements, changes, events.hasFeeds),
    ...createDueDeliveryStore(statements),
    ...deliveries,
    events,
    /** Deletes the events before `before`. */
    trim: async (before: number): Promise<number> =>
      (await deliveries.trim(before)) + (await events.trimEvents(before)),
  };
};
