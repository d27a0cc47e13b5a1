import { isIP } from 'node:net';
import { z } from 'zod';
import { newUid } from '../accounts/directory.ts';
import type { CallRecord } from '../calls/call-record.ts';
import type { Customer } from '../people/customer-fields.ts';
import { formError } from '../words/words.ts';

/** Of calls. One that is over was either missed or ended. */
export const callEvents = ['call.ringing', 'call.answered', 'call.ended', 'call.missed'] as const;
/** Of people: `call_back.` and what was done (see CallerAction), their notes, and they as customers. */
export const personEvents = [
  'call_back.taken',
  'call_back.released',
  'call_back.done',
  'call_back.reopened',
  'call_back.talked',
  'call_back.tried',
  'call_back.remind',
  'note.added',
  'note.changed',
  'note.removed',
  'customer.added',
  'customer.changed',
  'customer.removed',
] as const;
/** The events that a webhook can be sent. */
export const webhookEvents = [...callEvents, ...personEvents] as const;
export type CallEventName = (typeof callEvents)[number];
export type PersonEventName = (typeof personEvents)[number];
export type WebhookEvent = CallEventName | PersonEventName;

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
} & WebhookOptions;

/** What is sent besides the standard, and when. */
export type WebhookOptions = {
  /** Null: the JSON of the event, as the OpenAPI document has it. */
  readonly shape: Shape | null;
  /** Names and values of headers, sealed (see webhook-headers.ts); null: none. */
  readonly headers: string | null;
  readonly filter: EventFilter;
};

/** A body made from a template; `language`: of the words in it. */
export type Shape = {
  readonly format: Format;
  readonly template: string;
  readonly language: string;
};
export const formats = ['json', 'form', 'text'] as const;
export type Format = (typeof formats)[number];

/** Only events that match one entry of each list that has any. */
export type EventFilter = {
  /** Numbers called, with `*` for any digits. */
  readonly called: readonly string[];
  /** Names of segments. */
  readonly segments: readonly string[];
  /** References of customers. */
  readonly customers: readonly string[];
};
export const noFilter: EventFilter = { called: [], segments: [], customers: [] };
export const standardOptions: WebhookOptions = { shape: null, headers: null, filter: noFilter };

export type WebhookChange = {
  readonly url?: string;
  readonly events?: readonly WebhookEvent[];
  readonly options?: WebhookOptions;
  /** Makes a new secret in place of the one with this counter, which signs until `oldSecretUntil`, or no longer. */
  readonly replaces?: number;
  readonly oldSecretUntil?: number | null;
  readonly failingSince?: number | null;
};

/** Of an account. */
export const maxWebhooks = 20;

/** One that is not stored yet. `since`: Unix ms. */
export const newWebhook = (account: number, since: number): Omit<Webhook, 'id'> => ({
  uid: newUid(),
  account,
  url: '',
  events: callEvents,
  secretCounter: 1,
  oldSecretUntil: null,
  enabled: true,
  since,
  failure: null,
  failingSince: null,
  ...standardOptions,
});

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
  /** As it is now, which may be later than the event; null: of a person, or of a test. */
  readonly call: CallRecord | null;
  readonly person: PersonEvent | null;
};

/** What happened to a person. */
export type PersonEvent = {
  /** Whose events are sent in order: a number, or the reference of a customer. */
  readonly about: string;
  /** When the note was written, Unix ms; null: of a customer. */
  readonly actionAt: number | null;
  /** The note, or what was done, as it is now; null if that is gone. */
  readonly action: {
    readonly user: string;
    readonly text: string | null;
    readonly seconds: number | null;
    readonly due: number | null;
  } | null;
  /** The customer, as it is now; of a note or a call back, who has the number. */
  readonly customer: Customer | null;
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
