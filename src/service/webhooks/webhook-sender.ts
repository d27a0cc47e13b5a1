import { createDispatcher } from '../../shared/delivery/dispatcher.ts';
import type { DeliveryLimits } from '../../shared/delivery/limits.ts';
import type { Log } from '../../shared/log/log.ts';
import type { MessageCode } from '../../shared/log/messages.ts';
import { monotonicMs } from '../../shared/process/clock.ts';
import { integrationName, type ServiceDirectory } from '../accounts/directory.ts';
import type { Keys } from '../accounts/keys.ts';
import { classifyAnswer } from './classify-answer.ts';
import { hostOf, type Webhook } from './webhook.ts';
import type { WebhookClient } from './webhook-client.ts';
import { newHealth, nextHealth } from './webhook-health.ts';
import { signedHeaders, webhookBody } from './webhook-message.ts';
import { type QueuedDelivery, webhookQueue } from './webhook-queue.ts';
import type { WebhookStore } from './webhook-store.ts';

export type SenderParts = {
  readonly store: WebhookStore;
  readonly directory: ServiceDirectory;
  readonly keys: Keys;
  readonly clock: () => number;
  readonly log: Log;
  readonly client: Pick<WebhookClient, 'post'>;
  /** How long an event is sent again, and how long everything may fail until a webhook is switched off, ms. */
  readonly lastingMs: number;
  readonly onAttempt: (delivered: boolean) => void;
  /** It is to be switched off. */
  readonly onFailure: (webhook: Webhook, failure: 'gone' | 'failing') => void;
};

export type WebhookSender = ReturnType<typeof createWebhookSender>;

const limits: Partial<DeliveryLimits> = {
  priorities: {
    fresh: { concurrency: 8, turnMs: 2_000 },
    backlog: { concurrency: 4, turnMs: 5_000 },
    retry: { concurrency: 4, turnMs: 5_000 },
  },
  inFlight: 32,
  unrecorded: 200,
};

/** The dispatcher's log codes as those of webhooks; others are not logged, since the webhook's page shows each attempt. */
const codes: Partial<Record<MessageCode, MessageCode>> = {
  'delivery.paused': 'webhook.stopped',
  'delivery.held': 'webhook.stopped',
  'delivery.outage': 'webhook.stopped',
  'delivery.resumed': 'webhook.resumed',
  'delivery.dead-letter': 'webhook.gave-up',
  'delivery.expired': 'webhook.expired',
  'delivery.not-recorded': 'webhook.not-recorded',
  'delivery.queue-failed': 'webhook.not-read',
};

/** Sends the events of one webhook. */
export function createWebhookSender(first: Webhook, parts: SenderParts) {
  const { store, keys, clock, client, lastingMs } = parts;
  const { id } = first;
  let webhook = first;
  let health = newHealth;
  let isOpen = true;
  const queue = webhookQueue(store, id, (delivery) => bodyOf(delivery, first, parts.directory));
  const dispatcher = createDispatcher({
    queue,
    async send(event) {
      const { delivery, body } = event as QueuedDelivery;
      const headers = signedHeaders(keys, webhook, delivery, { body, now: clock() });
      const result = await client.post(webhook.url, headers, body);
      if (result.kind === 'answer') queue.answered(event.seq, `${result.status} ${result.body}`.trim());
      return result;
    },
    classifyResult: classifyAnswer,
    log: logOf(first, parts),
    now: clock,
    monotonic: monotonicMs,
    random: Math.random,
    limits: { ...limits, maxAgeMs: lastingMs },
  });
  dispatcher.start((_, result, delivered) => {
    parts.onAttempt(delivered);
    const isGone = result.kind === 'answer' && result.status === 410;
    const attempt = { delivered, isGone, at: clock(), failingSince: webhook.failingSince };
    const { effect, ...next } = nextHealth(health, attempt, lastingMs);
    health = next.health;
    if (effect?.type === 'switch-off' && isOpen) parts.onFailure(webhook, effect.failure);
    if (effect?.type !== 'save') return;
    const change = { failingSince: effect.failingSince };
    webhook = { ...webhook, ...change };
    void store.change(id, change).catch(() => {}); // the next attempt saves it
  });

  return {
    /** The webhook as it is in the database now. */
    update(changed: Webhook): void {
      if (webhook.url !== changed.url) dispatcher.retry();
      webhook = changed;
    },
    poke: dispatcher.poke,
    /** Waits for running requests; other events stay queued. */
    stop(): Promise<void> {
      isOpen = false;
      return dispatcher.stop();
    },
  };
}

function bodyOf(
  delivery: QueuedDelivery['delivery'],
  { account }: Webhook,
  directory: ServiceDirectory,
): string {
  const integration = delivery.call && integrationName(directory, account, delivery.call.integration);
  const country = directory.account(account)?.country ?? null;
  return webhookBody(delivery, directory.extensions(account), integration, country);
}

function logOf(webhook: Webhook, { log, directory }: SenderParts): Log {
  const fields = namesOf(webhook, directory);
  return {
    say(code, more) {
      const own = codes[code];
      if (own) log.say(own, { ...more, ...fields });
    },
    child: () => log,
  };
}

/** What log lines call a webhook. */
export function namesOf(webhook: Webhook, directory: ServiceDirectory) {
  const account = directory.account(webhook.account)?.name ?? '';
  return { webhook: webhook.uid, host: hostOf(webhook), account };
}
