import type { ApiAnswer, ApiResult } from '../../shared/api/result.ts';
import { createDispatcher } from '../../shared/delivery/dispatcher.ts';
import type { DeliveryLimits } from '../../shared/delivery/limits.ts';
import type { Log } from '../../shared/log/log.ts';
import type { MessageCode } from '../../shared/log/messages.ts';
import { monotonicMs } from '../../shared/process/clock.ts';
import type { ServiceDirectory } from '../accounts/directory.ts';
import type { Keys } from '../accounts/keys.ts';
import { pauseNow } from '../kit/event-loop-pauses.ts';
import { classifyAnswer } from './classify-answer.ts';
import { hostOf, type Webhook } from './webhook.ts';
import type { WebhookClient } from './webhook-client.ts';
import { wantsEvent } from './webhook-filter.ts';
import { callHeader, openHeaders } from './webhook-headers.ts';
import { newHealth, nextHealth } from './webhook-health.ts';
import { signedHeaders, tellingOf, webhookBody } from './webhook-message.ts';
import { personOrder, type QueuedDelivery, webhookQueue } from './webhook-queue.ts';
import type { WebhookStore } from './webhook-store.ts';
import { contentTypes, TemplateError } from './webhook-template.ts';

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
  const countryOf = () => parts.directory.account(first.account)?.country ?? null;
  const queue = webhookQueue(store, id, (delivery) => wantsEvent(webhook.filter, delivery, countryOf()));

  async function post({ delivery }: QueuedDelivery): Promise<ApiResult> {
    await pauseNow(); // many are sent at once, and each renders a template
    const { url, shape, headers } = webhook;
    try {
      const body = webhookBody(delivery, webhook, tellingOf(parts.directory, webhook.account, delivery.call));
      const signed = signedHeaders(keys, webhook, delivery, { body, now: clock() });
      const own = Object.fromEntries(openHeaders(keys, webhook, headers));
      const contentType = shape && { 'content-type': contentTypes[shape.format] };
      return await client.post(
        url,
        { ...own, ...contentType, ...callHeader(delivery.call), ...signed },
        body,
      );
    } catch (error) {
      if (error instanceof TemplateError) return notSent(error.message);
      throw error;
    }
  }

  const dispatcher = createDispatcher({
    queue,
    async send(event) {
      const result = await post(event as QueuedDelivery);
      if (result.kind === 'answer') queue.answered(event.seq, `${result.status} ${result.body}`.trim());
      return result;
    },
    classifyResult: (result, now) =>
      'notSent' in result
        ? { verdict: 'reject', reason: 'its template makes no body of the event' }
        : classifyAnswer(result, now),
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

/** As if the receiver had found it invalid: it is given up, and the webhook's page says why. */
const notSent = (problem: string): ApiAnswer & { readonly notSent: true } => ({
  notSent: true,
  kind: 'answer',
  status: 422,
  contentType: '',
  body: `Not sent: ${problem}`,
  truncated: false,
  durationMs: 0,
});

function logOf(webhook: Webhook, { log, directory }: SenderParts): Log {
  const fields = namesOf(webhook, directory);
  return {
    say(code, more) {
      const own = codes[code];
      // Who it is about is in no field that is masked.
      const isOfPerson = String(more?.call).startsWith(personOrder);
      if (own) log.say(own, { ...more, ...(isOfPerson && { call: personOrder.trim() }), ...fields });
    },
    child: () => log,
  };
}

/** What log lines call a webhook. */
export function namesOf(webhook: Webhook, directory: ServiceDirectory) {
  const account = directory.account(webhook.account)?.name ?? '';
  return { webhook: webhook.uid, host: hostOf(webhook), account };
}
