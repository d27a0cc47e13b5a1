import { randomBytes } from 'node:crypto';
import { createDispatcher, type Dispatcher } from '../../shared/delivery/dispatcher.ts';
import type { DeliveryLimits } from '../../shared/delivery/limits.ts';
import { type Log, oncePerMinute } from '../../shared/log/log.ts';
import type { MessageCode } from '../../shared/log/messages.ts';
import { monotonicMs } from '../../shared/process/clock.ts';
import type { ServiceDirectory } from '../accounts/directory.ts';
import type { Keys } from '../accounts/keys.ts';
import { every } from '../kit/every.ts';
import { classifyAnswer } from './classify-answer.ts';
import type { WebhookClient } from './webhook-client.ts';
import { signedHeaders, webhookBody } from './webhook-message.ts';
import { type QueuedDelivery, webhookQueue } from './webhook-queue.ts';
import type { WebhookStore } from './webhook-rows.ts';
import type { Webhook } from './webhook-store.ts';

export type Webhooks = ReturnType<typeof makeWebhooks>;

type Parts = {
  store: { webhooks: WebhookStore };
  directory: ServiceDirectory;
  keys: Keys;
  clock: () => number;
  log: Log;
};

export type WebhookSettings = {
  /** Private networks that webhooks may be sent to. */
  readonly networks: readonly string[];
  /** Whether other processes may work on the same database. */
  readonly shared: boolean;
  /** For tests, ms: how long an answer may take; how long everything may fail until a webhook is switched off. */
  readonly answerMs?: number;
  readonly lastingMs?: number;
};

const TICK_MS = 500;
/** The lease to deliver: when it expires, ms after its last renewal, another process takes over. */
const LEASE_MS = 15_000;
const RENEW_MS = 5_000;
const DAY_MS = 86_400_000;
/** How long an event is sent again, ms, and how long a webhook may fail before it is switched off. */
const LASTING_MS = 3 * DAY_MS;
/** After a start, or a day without a request, a webhook that fails is switched off after this at the earliest, ms. */
const TRYING_MS = 3_600_000;

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

/**
 * Sends the events of calls to the accounts' webhooks. One process delivers: it holds a lease, a row of the database. It queues the changes of calls since a place that is saved
 * there, and has a dispatcher for each webhook. An event is one row, however often it is queued. An event that is sent
 * twice, after a crash between the answer and its record, has the same webhook-id.
 */
export function makeWebhooks(
  { networks, shared, answerMs, lastingMs = LASTING_MS }: WebhookSettings,
  { store: { webhooks: store }, directory, keys, clock, log }: Parts,
) {
  const holder = shared ? randomBytes(8).toString('hex') : 'the only process';
  /** Loaded for the first request: its library takes 10 MB. */
  let loaded: Promise<WebhookClient> | undefined;
  const client = () => {
    loaded ??= import('./webhook-client.ts').then((it) => it.makeWebhookClient(networks, answerMs));
    return loaded;
  };
  const running = new Map<number, { webhook: Webhook; readonly dispatcher: Dispatcher }>();
  const stopping = new Set<Promise<void>>();
  const counts = { delivered: 0, failed: 0 };
  const rarely = oncePerMinute(clock);
  /** When the lease expires, Unix ms; undefined: this process does not deliver. */
  let leasedUntil: number | undefined;
  /** All changes up to here are queued; null: unknown. */
  let place: string | null = null;
  /** The place in the database. */
  let savedPlace: string | null = null;
  /** True if no webhook was enabled at the last poll, so that changes were not read. */
  let idle = false;
  let stop: (() => void) | undefined;
  let working: Promise<void> = Promise.resolve();

  function open(first: Webhook): void {
    const { id, uid, account } = first;
    const current = () => running.get(id)?.webhook ?? first;
    /**
     * Failed requests since the last success: the time of the first without a pause of a day after it, and of the last.
     */
    let [tryingSince, triedAt] = [0, 0];
    const names = { webhook: uid, host: new URL(first.url).host, account: accountName(account) };
    const queue = webhookQueue(store, id, (delivery) => {
      const integration = directory
        .integrations(account)
        .find((one) => one.id === delivery.call?.integration);
      return webhookBody(delivery, directory.extensions(account), integration?.name ?? null);
    });
    const dispatcher = createDispatcher({
      queue,
      async send(event) {
        const { delivery, body } = event as QueuedDelivery;
        const headers = signedHeaders(keys, current(), delivery, { body, now: clock() });
        const result = await (await client()).post(current().url, headers, body);
        if (result.kind === 'answer') queue.answered(event.seq, `${result.status} ${result.body}`.trim());
        return result;
      },
      classifyResult: classifyAnswer,
      log: {
        say: (code, fields) => {
          const own = codes[code];
          if (own) log.say(own, { ...fields, ...names });
        },
        child: () => log,
      },
      now: clock,
      monotonic: monotonicMs,
      random: Math.random,
      limits: { ...limits, maxAgeMs: lastingMs },
    });
    running.set(id, { webhook: first, dispatcher });
    dispatcher.start((_, result, delivered) => {
      counts[delivered ? 'delivered' : 'failed'] += 1;
      if (result.kind === 'answer' && result.status === 410) {
        if (running.has(id)) switchOff(current(), 'gone'); // else it was switched off during the request
        return;
      }
      const { failingSince } = current();
      const now = clock();
      if (!delivered) {
        if (Math.abs(now - triedAt) > DAY_MS) tryingSince = now;
        triedAt = now;
        const isFailingLong = failingSince !== null && now - failingSince > lastingMs;
        if (isFailingLong && now - tryingSince >= Math.min(lastingMs, TRYING_MS) && running.has(id))
          return switchOff(current(), 'failing');
      }
      if (delivered === (failingSince === null)) return;
      const change = { failingSince: delivered ? null : now };
      const known = running.get(id);
      if (known) known.webhook = { ...known.webhook, ...change };
      void store.change(id, change).catch(() => {}); // the next attempt saves it
    });
  }

  const accountName = (id: number) => directory.accounts().find((account) => account.id === id)?.name ?? '';

  function switchOff(webhook: Webhook, failure: 'gone' | 'failing'): void {
    close(webhook.id);
    const { uid, url, account } = webhook;
    void store.switchOff(webhook.id, failure).then(
      () =>
        log.say('webhook.switched-off', {
          webhook: uid,
          host: new URL(url).host,
          account: accountName(account),
        }),
      () => {}, // the next poll finds it enabled, and it fails again
    );
  }

  function close(id: number): void {
    const stopped = running.get(id)?.dispatcher.stop();
    running.delete(id);
    if (stopped) stopping.add(stopped);
    void stopped?.then(() => stopping.delete(stopped));
  }

  /** Runs a dispatcher for each of these webhooks, and stops all others. */
  function deliverTo(webhooks: readonly Webhook[]): void {
    const wanted = new Map(webhooks.map((webhook) => [webhook.id, webhook]));
    for (const id of [...running.keys()]) if (!wanted.has(id)) close(id);
    for (const webhook of webhooks) {
      const known = running.get(webhook.id);
      if (known === undefined) open(webhook);
      else {
        if (known.webhook.url !== webhook.url) known.dispatcher.retry();
        known.webhook = webhook;
      }
    }
  }

  /** True if this process has the lease. Renews it in time, and saves the place; a single process only saves a new place. */
  async function renewLease(now: number): Promise<boolean> {
    const isNew = leasedUntil === undefined;
    const isDue = isNew || Math.abs((leasedUntil ?? 0) - LEASE_MS - now) >= RENEW_MS;
    if (!isDue || (!isNew && !shared && place === savedPlace)) return true;
    const held = await store.lease(holder, now, now + LEASE_MS, isNew ? undefined : (place ?? undefined));
    if (held !== undefined && isNew) place = idle ? null : held.place;
    savedPlace = place;
    leasedUntil = held && now + LEASE_MS;
    return held !== undefined;
  }

  async function poll(): Promise<void> {
    const now = clock();
    const webhooks = (await store.list(null)).filter(({ enabled }) => enabled);
    if (webhooks.length === 0) {
      idle = true;
      leasedUntil = undefined;
      return deliverTo([]);
    }
    if (!(await renewLease(now))) return deliverTo([]);
    idle = false;
    const queued = await store.queueNew(place, now);
    place = queued.place;
    deliverTo(webhooks);
    for (const id of queued.webhooks) running.get(id)?.dispatcher.poke();
  }

  return {
    /** Polls for new events every half second. */
    start(): void {
      stop = every(
        TICK_MS,
        () => {
          working = poll();
          return working;
        },
        (error) => {
          if (leasedUntil !== undefined && clock() > leasedUntil) deliverTo([]);
          rarely(() => log.say('webhook.not-queued', { error }));
        },
      );
    },
    /** Waits for running requests; other events stay queued. */
    async stop(): Promise<void> {
      stop?.();
      await working.catch(() => {});
      deliverTo([]);
      await Promise.all(stopping);
      if (leasedUntil !== undefined)
        await store.lease(holder, clock(), 0, place ?? undefined).catch(() => {});
      await (await loaded)?.close();
    },
    /** Delivers at once what a user has queued or sent again. If another process delivers, it finds that within seconds. */
    poke: (webhook: number): void => running.get(webhook)?.dispatcher.poke(),
    /** Requests since the start of this process. */
    counts: (): { readonly delivered: number; readonly failed: number } => ({ ...counts }),
  };
}
