import { randomBytes } from 'node:crypto';
import { oncePerMinute } from '../../shared/log/log.ts';
import { every } from '../kit/every.ts';
import { createLazyWebhookClient } from './lazy-webhook-client.ts';
import type { Webhook } from './webhook.ts';
import { LEASE_MS, type Lease, leaseRequest, nextLease } from './webhook-lease.ts';
import { createWebhookSender, namesOf, type SenderParts, type WebhookSender } from './webhook-sender.ts';
import type { WebhookStore } from './webhook-store.ts';

export type Webhooks = ReturnType<typeof createWebhooks>;

type Parts = Pick<SenderParts, 'directory' | 'keys' | 'clock' | 'log'> & {
  store: { webhooks: WebhookStore };
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
/** How long an event is sent again, ms, and how long a webhook may fail before it is switched off. */
const LASTING_MS = 3 * 86_400_000;

/**
 * Sends the events of calls to the accounts' webhooks. One process delivers: it holds a lease, a row of the database. It
 * queues the changes of calls since a cursor that is saved there, and has a sender for each webhook. An event is one row,
 * however often it is queued. An event that is sent twice, after a crash between the answer and its record, has the same
 * webhook-id.
 */
export function createWebhooks(settings: WebhookSettings, parts: Parts) {
  const { clock, log } = parts;
  const { shared } = settings;
  const store = parts.store.webhooks;
  const senders = createSenders(settings, parts);
  const holder = shared ? randomBytes(8).toString('hex') : 'the only process';
  const rarely = oncePerMinute(clock);
  let lease: Lease = { state: 'none' };
  let stopPolling: (() => void) | undefined;
  let working: Promise<void> = Promise.resolve();

  async function renewLease(now: number): Promise<void> {
    const request = leaseRequest(lease, { now, shared });
    if (request === undefined) return;
    const until = now + LEASE_MS;
    const held = await store.lease(holder, now, until, request.cursor);
    lease = nextLease(lease, { type: 'answered', held, until });
  }

  async function poll(): Promise<void> {
    const now = clock();
    const webhooks = (await store.list(null)).filter(({ enabled }) => enabled);
    if (webhooks.length === 0 && !(await store.hasOtherReaders()))
      lease = nextLease(lease, { type: 'no-webhooks' });
    else await renewLease(now);
    if (lease.state !== 'held') return senders.deliverTo([]);
    const queued = await store.queueNew(lease.cursor, now);
    lease = nextLease(lease, { type: 'queued', cursor: queued.cursor });
    senders.deliverTo(webhooks);
    for (const id of queued.webhooks) senders.poke(id);
  }

  function onPollFailed(error: unknown): void {
    if (lease.state === 'held' && clock() > lease.until) senders.deliverTo([]);
    rarely(() => log.say('webhook.not-queued', { error }));
  }

  return {
    /** Polls for new events every half second. */
    start(): void {
      const work = () => {
        working = poll();
        return working;
      };
      stopPolling = every(TICK_MS, work, onPollFailed);
    },
    /** Waits for running requests; other events stay queued. */
    async stop(): Promise<void> {
      stopPolling?.();
      await working.catch(() => {});
      await senders.stop();
      if (lease.state === 'held')
        await store.lease(holder, clock(), 0, lease.cursor ?? undefined).catch(() => {});
      await senders.close();
    },
    /** Delivers at once what a user has queued or sent again. If another process delivers, it finds that within seconds. */
    poke: (webhook: number): void => senders.poke(webhook),
    /** Requests since the start of this process. */
    counts: (): { readonly delivered: number; readonly failed: number } => senders.counts(),
  };
}

/** A sender for each webhook that this process delivers to. */
function createSenders({ networks, answerMs, lastingMs = LASTING_MS }: WebhookSettings, parts: Parts) {
  const { directory, log } = parts;
  const store = parts.store.webhooks;
  const running = new Map<number, WebhookSender>();
  const stopping = new Set<Promise<void>>();
  const counts = { delivered: 0, failed: 0 };
  const client = createLazyWebhookClient(networks, answerMs);
  const senderParts: SenderParts = {
    ...parts,
    store,
    client,
    lastingMs,
    onAttempt(delivered) {
      counts[delivered ? 'delivered' : 'failed'] += 1;
    },
    onFailure: (webhook, failure) => void switchOff(webhook, failure),
  };

  async function switchOff(webhook: Webhook, failure: 'gone' | 'failing'): Promise<void> {
    stopSender(webhook.id);
    try {
      await store.switchOff(webhook.id, failure);
      log.say('webhook.switched-off', namesOf(webhook, directory));
    } catch {
      // The next poll finds it enabled, and it fails again.
    }
  }

  function stopSender(id: number): void {
    const stopped = running.get(id)?.stop();
    running.delete(id);
    if (stopped) stopping.add(stopped);
    void stopped?.then(() => stopping.delete(stopped));
  }

  function deliverTo(webhooks: readonly Webhook[]): void {
    const wanted = new Set(webhooks.map(({ id }) => id));
    for (const id of [...running.keys()]) if (!wanted.has(id)) stopSender(id);
    for (const webhook of webhooks) {
      const sender = running.get(webhook.id);
      if (sender) sender.update(webhook);
      else running.set(webhook.id, createWebhookSender(webhook, senderParts));
    }
  }

  return {
    /** Sends the events of these webhooks, and of no others. */
    deliverTo,
    poke: (id: number): void => running.get(id)?.poke(),
    counts: () => ({ ...counts }),
    async stop(): Promise<void> {
      deliverTo([]);
      await Promise.all(stopping);
    },
    close: client.close,
  };
}
