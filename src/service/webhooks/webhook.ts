import { isIP } from 'node:net';
import { z } from 'zod';
import type { CallRecord } from '../calls/call-record.ts';
import { formError } from '../words/words.ts';

/** The events that a webhook can be sent. A call that is over was either missed or ended. */
export const webhookEvents = ['call.ringing', 'call.answered', 'call.ended', 'call.missed'] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

/** An address of an account that events of its calls are posted to. */
export type Webhook = {
  readonly id: number;
  readonly uid: string;
  readonly account: number;
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  readonly secretCounter: number;
  /** Until when the secret before this one signs, too, Unix ms; null: no longer. */
  readonly oldSecretUntil: number | null;
  readonly enabled: boolean;
  /** Unix ms: events from then on are sent. */
  readonly since: number;
  /** Why the service switched it off: the receiver answered 410 Gone, or nothing has arrived for days. */
  readonly failure: 'gone' | 'failing' | null;
  /** Unix ms: every request from then on failed; null: the last arrived. */
  readonly failingSince: number | null;
};

export type WebhookChange = {
  readonly url?: string;
  readonly events?: readonly WebhookEvent[];
  /** Makes a new secret in place of the one with this counter, which signs until `oldSecretUntil`, or no longer. */
  readonly replaces?: number;
  readonly oldSecretUntil?: number | null;
  readonly failingSince?: number | null;
};

/** Of an account. */
export const maxWebhooks = 20;

export const hostOf = (webhook: Pick<Webhook, 'url'>): string => new URL(webhook.url).host;

/** An address that requests may be sent to, as far as can be said without asking for its name. */
export const webhookUrl = (mayReach: (address: string) => boolean) =>
  z
    .string()
    .trim()
    .max(500)
    .refine((text) => {
      const { protocol = '', username, password } = URL.parse(text) ?? {};
      return ['https:', 'http:'].includes(protocol) && username === '' && password === '';
    }, formError('webhookUrl'))
    .refine((text) => {
      const host = URL.parse(text)?.hostname.replace(/^\[|\]$/g, '') ?? '';
      return isIP(host) === 0 || mayReach(host);
    }, formError('webhookPrivate'));

/** `new`: not sent yet; `retry`: failed, and sent again; `failed`: given up, and can be sent again by a user. */
type DeliveryState = 'new' | 'retry' | 'delivered' | 'failed';

/** An event that waits for its delivery. */
export type DueDelivery = {
  readonly id: number;
  readonly event: WebhookEvent | 'test';
  /** When it happened, Unix ms. */
  readonly at: number;
  readonly queuedAt: number;
  readonly attempts: number;
  readonly rejections: number;
  /** As it is now, which may be later than the event; null: of a test. */
  readonly call: CallRecord | null;
};

/** A delivery as its page shows it. */
export type Delivery = Pick<DueDelivery, 'id' | 'event' | 'at'> & {
  readonly state: DeliveryState;
  /** All requests so far. */
  readonly tries: number;
  /** Of the last request; null: none yet. */
  readonly triedAt: number | null;
  readonly httpStatus: number | null;
  /** What the receiver answered, or why there was no answer. */
  readonly answer: string | null;
  readonly callId: string | null;
};
