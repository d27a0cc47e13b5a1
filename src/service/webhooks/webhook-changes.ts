import { createHash } from 'node:crypto';
import type { Keys } from '../accounts/keys.ts';
import { Refusal } from '../kit/refusal.ts';
import { maxWebhooks, type Webhook, type WebhookChange } from './webhook.ts';
import { openHeaders } from './webhook-headers.ts';
import type { WebhookStore } from './webhook-store.ts';

/** Changes happen one at a time. */
export type ChangesWebhooks = {
  readonly webhooks: WebhookStore;
  withLock<T>(work: () => Promise<T>): Promise<T>;
};

/**
 * Adds a webhook. An account has at most `maxWebhooks`, and one for each address: two would send each event twice, with
 * different ids.
 * @throws Refusal 409 if there is a webhook to the address, 422 if there are as many as possible.
 */
export const addWebhook = (
  { webhooks, withLock }: ChangesWebhooks,
  webhook: Parameters<WebhookStore['add']>[0],
): Promise<void> =>
  withLock(async () => {
    const own = await webhooks.list(webhook.account);
    refuseIfTaken(webhook.url, own);
    if (own.length >= maxWebhooks)
      throw new Refusal(422, ({ tooManyWebhooks }) => tooManyWebhooks(maxWebhooks));
    await webhooks.add(webhook);
  });

/** Somebody else has changed the webhook since it was read. */
export class WebhookChanged extends Refusal {
  constructor() {
    super(409, ({ changedMeanwhile }) => changedMeanwhile);
  }
}

/** Names what somebody can change of a webhook: it is another one after each change. */
export const versionOf = ({ url, events, shape, headers, filter }: Omit<Webhook, 'id'>): string =>
  createHash('sha256')
    .update(JSON.stringify([url, events, shape, headers, filter]))
    .digest('hex');

/**
 * `seen`: the version that the change was made of.
 * @throws WebhookChanged, or Refusal 409 if another webhook of the account has the address
 */
export const changeWebhook = (
  { webhooks, withLock }: ChangesWebhooks,
  { id, account, url }: Webhook,
  change: WebhookChange,
  seen: string,
): Promise<void> =>
  withLock(async () => {
    const all = await webhooks.list(account);
    const now = all.find((one) => one.id === id);
    if (now && versionOf(now) !== seen) throw new WebhookChanged();
    const others = all.filter((one) => one !== now);
    // Two that had one address before this was refused can be changed otherwise.
    if (change.url !== undefined && comparable(change.url) !== comparable(url))
      refuseIfTaken(change.url, others);
    await webhooks.change(id, change);
  });

/** What the audit log says of a webhook: no values of headers. */
export function webhookSummary(webhook: Omit<Webhook, 'id'>, keys: Keys): string {
  const { events, shape, headers, filter } = webhook;
  const names = openHeaders(keys, webhook, headers).map(([name]) => name);
  const isFiltered = Object.values(filter).some((entries) => entries.length > 0);
  return [
    events.join(', '),
    ...(shape ? [`${shape.format} from a template`] : []),
    ...(names.length > 0 ? [`headers ${names.join(', ')}`] : []),
    ...(isFiltered ? ['filtered'] : []),
  ].join('; ');
}

function refuseIfTaken(url: string, others: readonly Webhook[]): void {
  if (others.some((other) => comparable(other.url) === comparable(url)))
    throw new Refusal(409, ({ sameWebhook }) => sameWebhook);
}

/** What a request is sent to: no fragment, the host in lower case, no default port, escapes in upper case. */
function comparable(url: string): string {
  const { origin, pathname, search } = new URL(url);
  return `${origin}${pathname}${search}`.replace(/%[\da-f]{2}/gi, (escaped) => escaped.toUpperCase());
}
