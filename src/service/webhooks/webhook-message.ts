import { createHmac } from 'node:crypto';
import type { Rang } from '../../shared/api/contract/call-extras.ts';
import type { Extensions } from '../accounts/account.ts';
import type { Keys } from '../accounts/keys.ts';
import { isOldInForce } from '../accounts/limits.ts';
import { callData } from '../calls/call-data.ts';
import type { CallRecord } from '../calls/call-record.ts';
import { momentOf } from '../kit/administration.ts';
import type { DueDelivery, Webhook, WebhookEvent } from './webhook.ts';

/** The secret that a webhook's receiver verifies signatures with. It is not stored, like tokens (see keys.ts). */
export function webhookSecret(
  keys: Keys,
  { uid, secretCounter }: Pick<Webhook, 'uid' | 'secretCounter'>,
): string {
  return `whsec_${Buffer.from(keys.sign('webhook', `${uid} ${secretCounter}`), 'hex').toString('base64')}`;
}

/** The headers of the Standard Webhooks convention. `now`: Unix ms. The message's id is the same in each attempt. */
export function signedHeaders(
  keys: Keys,
  webhook: Pick<Webhook, 'uid' | 'secretCounter' | 'oldSecretUntil'>,
  { id, event, call }: Pick<DueDelivery, 'id' | 'event' | 'call'>,
  { body, now }: { readonly body: string; readonly now: number },
): Record<string, string> {
  const { uid, secretCounter, oldSecretUntil } = webhook;
  const message = `msg_${keys.sign('webhook message', JSON.stringify([uid, event, call?.id ?? id])).slice(0, 32)}`;
  const at = Math.floor(now / 1000);
  const signature = (counter: number) => {
    const key = Buffer.from(
      webhookSecret(keys, { uid, secretCounter: counter }).slice('whsec_'.length),
      'base64',
    );
    return `v1,${createHmac('sha256', key).update(`${message}.${at}.${body}`).digest('base64')}`;
  };
  const withOld = isOldInForce(oldSecretUntil, now);
  return {
    'webhook-id': message,
    'webhook-timestamp': String(at),
    'webhook-signature': [secretCounter, ...(withOld ? [secretCounter - 1] : [])].map(signature).join(' '),
  };
}

/** The JSON of an event. `integration`: the name of the call's integration; `country`: that of the account. */
export function webhookBody(
  { event, at, call }: Pick<DueDelivery, 'event' | 'at' | 'call'>,
  extensions: Extensions,
  integration: string | null,
  country: string | null,
): string {
  if (event !== 'test' && call !== null)
    return JSON.stringify(eventOf({ event, at, call }, extensions, integration, country));
  return JSON.stringify({ type: event, timestamp: momentOf(at), data: {} });
}

/** An event of a call, as programs get it. */
export const eventOf = (
  { event, at, call }: { readonly event: WebhookEvent; readonly at: number; readonly call: CallRecord },
  extensions: Extensions,
  integration: string | null,
  country: string | null,
) => ({
  type: event,
  timestamp: momentOf(at),
  data: callData(asOf(call, event, at), extensions, integration, country),
});

/** The call as it was at this event, which came `at`. */
function asOf(call: CallRecord, event: DueDelivery['event'], at: number): CallRecord {
  // It was closed as missed, and its events came later.
  if (event === 'call.missed' && !call.missed)
    return {
      ...call,
      status: 'completed',
      callerId: null,
      answeredAt: null,
      completedAt: at,
      missed: true,
      rang: call.rang && [],
      talked: null,
    };
  if (call.status === 'completed' && (event === 'call.ringing' || event === 'call.answered')) {
    const { extras, rang, talked } = call;
    return asOf(
      {
        ...call,
        status: 'answered',
        completedAt: null,
        missed: null,
        extras: extras.missed ? { ...extras, missed: null } : extras,
        rang: rang && rangBefore(rang, talked?.[0]?.from),
        talked: null,
      },
      event,
      at,
    );
  }
  return event === 'call.ringing' && call.status === 'answered'
    ? { ...call, status: 'ringing', callerId: null, answeredAt: null, rang: call.rang && [] }
    : call;
}

/** Who had rung when somebody answered, `at` ms after the call began. */
const rangBefore = (rang: readonly Rang[], at = Number.POSITIVE_INFINITY): readonly Rang[] =>
  rang.flatMap((one) => (one.from < at ? { ...one, for: Math.min(one.for, at - one.from) } : []));
