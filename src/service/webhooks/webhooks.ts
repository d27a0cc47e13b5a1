import { randomBytes } from 'node:crypto';
import { createDispatcher, type Dispatcher } from '../../delivery/dispatcher.ts';
import type { DeliveryLimits } from '../../delivery/limits.ts';
import type { Log } from '../../log/log.ts';
import type { MessageCode } from '../../log/messages.ts';
import { oncePerMinute } from '../../log/once-per-minute.ts';
import type { ServiceDirectory } from '../accounts/directory.ts';
import type { Keys } from '../accounts/keys.ts';
import type { Store } from '../store/store.ts';
import type { Webhook } from '../store/webhook-store.ts';
import { every } from '../upkeep/every.ts';
import { judgeAnswer } from './judge-answer.ts';
import type { WebhookClient } from './webhook-client.ts';
import { signedHeaders, webhookBody } from './webhook-message.ts';
import { type QueuedDelivery, webhookQueue } from './webhook-queue.ts';

/** Sends the events of calls to the accounts' webhooks. */
export type Webhooks = {
  /** Looks for new events every half second. */
  start(): void;
  /** Lets running requests end; what waits stays queued. */
  stop(): Promise<void>;
  /** Something was queued, or made to wait again, by a person. Another process finds it within seconds. */
  poke(webhook: number): void;
  /** Requests since the start of this process. */
  counts(): { readonly delivered: number; readonly failed: number };
};

type Parts = {
  readonly store: Store;
  readonly directory: ServiceDirectory;
  readonly keys: Keys;
  readonly clock: () => number;
  readonly log: Log;
};

export type WebhookSettings = {
  /** Where webhooks may be sent besides the Internet. */
  readonly networks: readonly string[];
  /** Whether other processes may work on the same database. */
  readonly shared: boolean;
  /** For tests, ms: how long an answer may take; how long everything may fail until a webhook is switched off. */
  readonly answerMs?: number;
  readonly lastingMs?: number;
};

const TICK_MS = 500;
/** The right to deliver: another process takes over this long after this one has died, ms; renewed in time. */
const HOLD_MS = 15_000;
const RENEW_MS = 5_000;
const DAY_MS = 86_400_000;
/** How long an event is tried, and after how long without a delivery a webhook is switched off, ms. */
const LASTING_MS = 3 * DAY_MS;
/** A process that has just started tries for this long, ms, before it switches off what failed until its predecessor ended. */
const STARTING_MS = 3_600_000;

const limits: Partial<DeliveryLimits> = {
  priorities: {
    fresh: { concurrency: 8, turnMs: 2_000, buffer: 128, newestFirst: true },
    backlog: { concurrency: 4, turnMs: 5_000, buffer: 64, newestFirst: false },
    retry: { concurrency: 4, turnMs: 5_000, buffer: 0, newestFirst: false },
  },
  inFlight: 32,
  unrecorded: 200,
};

/** What the log says of a webhook; its page shows each attempt. */
const codes: Partial<Record<MessageCode, MessageCode>> = {
  ...{ 'delivery.paused': 'webhook.stopped', 'delivery.held': 'webhook.stopped' },
  ...{ 'delivery.outage': 'webhook.stopped', 'delivery.resumed': 'webhook.resumed' },
  ...{ 'delivery.dead-letter': 'webhook.gave-up', 'delivery.expired': 'webhook.expired' },
  ...{ 'delivery.not-recorded': 'webhook.not-recorded', 'delivery.queue-failed': 'webhook.not-read' },
};

/**
 * One process delivers: it holds a row of the database, which another takes when that runs out. It queues what changed
 * from a durable place on, and has a dispatcher for each webhook. What is queued twice is one row; what is sent twice
 * (a crash between the answer and its record) has the same webhook-id.
 */
export function makeWebhooks(
  { networks, shared, answerMs, lastingMs = LASTING_MS }: WebhookSettings,
  { store: { webhooks: store }, directory, keys, clock, log }: Parts,
): Webhooks {
  const holder = shared ? randomBytes(8).toString('hex') : 'the only process';
  /** From the first request on: its library takes 10 MB. */
  let loaded: Promise<WebhookClient> | undefined;
  const client = () => {
    loaded ??= import('./webhook-client.ts').then((it) => it.makeWebhookClient(networks, answerMs));
    return loaded;
  };
  const running = new Map<number, { webhook: Webhook; readonly dispatcher: Dispatcher }>();
  const stopping = new Set<Promise<void>>();
  const counts = { delivered: 0, failed: 0 };
  const rarely = oncePerMinute(clock);
  /** Undefined: this process does not deliver. */
  let heldUntil: number | undefined;
  let heldSince = 0;
  /** Null: what changed is not known. */
  let place: string | null = null;
  /** As it is in the database. */
  let keptPlace: string | null = null;
  /** There was no webhook that is on, so that nothing was read. */
  let idle = false;
  let stop: (() => void) | undefined;
  let working: Promise<void> = Promise.resolve();

  function open(first: Webhook): void {
    const { id, uid, account } = first;
    const current = () => running.get(id)?.webhook ?? first;
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
      judge: judgeAnswer,
      onAttempt(_, result, delivered) {
        counts[delivered ? 'delivered' : 'failed'] += 1;
        if (result.kind === 'answer' && result.status === 410) {
          if (running.has(id)) switchOff(current(), 'gone'); // else it is off: this was under way
          return;
        }
        const { failingSince } = current();
        if (delivered === (failingSince === null)) return;
        const change = { failingSince: delivered ? null : clock() };
        const known = running.get(id);
        if (known) known.webhook = { ...known.webhook, ...change };
        void store.change(id, change).catch(() => {}); // the next attempt tries it again
      },
      log: {
        say: (code, fields) => {
          const own = codes[code];
          if (own) log.say(own, { ...fields, ...names });
        },
        child: () => log,
      },
      now: clock,
      monotonic: () => performance.now(),
      random: Math.random,
      limits: { ...limits, maxAgeMs: lastingMs },
    });
    running.set(id, { webhook: first, dispatcher });
    dispatcher.start();
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
      () => {}, // it is found on again by the next look, and fails again
    );
  }

  function close(id: number): void {
    const stopped = running.get(id)?.dispatcher.stop();
    running.delete(id);
    if (stopped) stopping.add(stopped);
    void stopped?.then(() => stopping.delete(stopped));
  }

  /** Has a dispatcher for each of these webhooks, and for no other. */
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

  /** Whether this process has the right to deliver. It is renewed, with the place, unless nothing could be lost. */
  async function hold(now: number): Promise<boolean> {
    const isNew = heldUntil === undefined;
    const isDue = isNew || Math.abs((heldUntil ?? 0) - HOLD_MS - now) >= RENEW_MS;
    if (!isDue || (!isNew && !shared && place === keptPlace)) return true;
    const held = await store.hold(holder, now, now + HOLD_MS, isNew ? undefined : (place ?? undefined));
    if (held !== undefined && isNew) {
      place = idle ? null : held.place;
      heldSince = now;
    }
    keptPlace = place;
    heldUntil = held && now + HOLD_MS;
    return held !== undefined;
  }

  async function look(): Promise<void> {
    const now = clock();
    const webhooks = (await store.list(null)).filter(({ enabled }) => enabled);
    if (webhooks.length === 0) {
      idle = true;
      heldUntil = undefined;
      return deliverTo([]);
    }
    if (!(await hold(now))) return deliverTo([]);
    idle = false;
    const queued = await store.queueNew(place, now);
    place = queued.place;
    const isStarting = now - heldSince < Math.min(lastingMs, STARTING_MS);
    const lost = webhooks.filter(
      ({ failingSince }) => failingSince !== null && now - failingSince > lastingMs && !isStarting,
    );
    for (const webhook of lost) switchOff(webhook, 'failing');
    deliverTo(webhooks.filter((webhook) => !lost.includes(webhook)));
    for (const id of queued.webhooks) running.get(id)?.dispatcher.poke();
  }

  return {
    start() {
      stop = every(
        TICK_MS,
        () => {
          working = look();
          return working;
        },
        (error) => {
          if (heldUntil !== undefined && clock() > heldUntil) deliverTo([]);
          rarely(() => log.say('webhook.not-queued', { error }));
        },
      );
    },
    async stop() {
      stop?.();
      await working.catch(() => {});
      deliverTo([]);
      await Promise.all(stopping);
      if (heldUntil !== undefined) await store.hold(holder, clock(), 0, place ?? undefined).catch(() => {});
      await (await loaded)?.close();
    },
    poke: (webhook) => running.get(webhook)?.dispatcher.poke(),
    counts: () => ({ ...counts }),
  };
}
