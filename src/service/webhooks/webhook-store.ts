import type { DeliveryQueue, DeliveryResult, Priority } from '../../shared/delivery/queue.ts';
import type { CallRecord } from '../calls/call-record.ts';

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
  /** A new secret; the old one signs until `oldSecretUntil`, or no longer. */
  readonly rotate?: true;
  readonly oldSecretUntil?: number | null;
  readonly failingSince?: number | null;
};

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

/**
 * The webhooks of all accounts and their queues (see DeliveryQueue), filled from the calls' changes. Times are Unix ms.
 */
export interface WebhookStore {
  /** Those of an account; null: all. */
  list(account: number | null): Promise<Webhook[]>;
  add(webhook: Pick<Webhook, 'uid' | 'account' | 'url' | 'events' | 'since'>): Promise<void>;
  change(id: number, change: WebhookChange): Promise<void>;
  /** Events from `at` on are sent. */
  switchOn(id: number, at: number): Promise<void>;
  /** Its waiting events count as failed. `failure`: the reason, if the service switches it off; null if a user does. */
  switchOff(id: number, failure: Webhook['failure']): Promise<void>;
  remove(id: number): Promise<void>;

  /**
   * Takes or renews the lease to deliver, until `until`, and saves the place. Returns the place that was saved last, null
   * if there is none; undefined if another process has the lease.
   */
  lease(
    holder: string,
    now: number,
    until: number,
    place?: string,
  ): Promise<{ place: string | null } | undefined>;
  /**
   * Queues the events of calls that changed since `place`, each once. If the changes since then are unknown, it reads the
   * calls of the last day. Returns the new place, and the webhooks with new events.
   */
  queueNew(place: string | null, now: number): Promise<{ place: string; webhooks: Set<number> }>;
  /** Queues a test. */
  addTest(id: number, at: number): Promise<void>;

  /** As DeliveryQueue.due, of one webhook, oldest of each call only. */
  due(
    id: number,
    query: { priority: Priority; now: number; freshSince: number; limit: number },
  ): Promise<DueDelivery[]>;
  /** Whether this delivery is the next of its call. */
  isNext(delivery: number): Promise<boolean>;
  nextDue(id: number, now: number): Promise<number | undefined>;
  /** `answer`: the receiver's, or why there is none. Returns the next delivery of the call. */
  record(id: number, result: DeliveryResult, answer: string | null): Promise<DueDelivery[]>;
  expire: (id: number, ...given: Parameters<DeliveryQueue['expire']>) => Promise<number>;
  /** How many wait: of a webhook, or of all. */
  waiting(id: number | null): Promise<number>;

  /** Newest first; `before`: older than this one. */
  page(query: {
    webhook: number;
    failed: boolean;
    before: number | null;
    limit: number;
  }): Promise<{ deliveries: Delivery[]; next: number | null }>;
  /** Sends one again, or (null) all that failed; gives how many. */
  sendAgain(id: number, delivery: number | null, at: number): Promise<number>;
  /** Deletes the receivers' answers to events of a number's calls, which may repeat the number. */
  forget(account: number, number: string): Promise<void>;
  /** Deletes the deliveries of events before `before`. */
  trim(before: number): Promise<number>;
}
