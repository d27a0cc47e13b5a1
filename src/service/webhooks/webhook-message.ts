import { createHmac } from 'node:crypto';
import type { Extensions } from '../accounts/account.ts';
import type { Keys } from '../accounts/keys.ts';
import type { CallRecord } from '../calls/call-record.ts';
import { screenCall } from '../calls/screens.ts';
import type { DueDelivery, Webhook } from './webhook.ts';

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
  const withOld = oldSecretUntil !== null && now < oldSecretUntil;
  return {
    'webhook-id': message,
    'webhook-timestamp': String(at),
    'webhook-signature': [secretCounter, ...(withOld ? [secretCounter - 1] : [])].map(signature).join(' '),
  };
}

/** The JSON of an event. `integration`: the name of the call's integration. */
export function webhookBody(
  { event, at, call }: Pick<DueDelivery, 'event' | 'at' | 'call'>,
  extensions: Extensions,
  integration: string | null,
): string {
  const timestamp = new Date(at).toISOString();
  if (call === null) return JSON.stringify({ type: event, timestamp, data: {} });
  const { number_shown: _, ...data } = screenCall(asOf(call, event, at), extensions);
  return JSON.stringify({ type: event, timestamp, data: { ...data, integration } });
}

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
    };
  if (call.status === 'completed' && (event === 'call.ringing' || event === 'call.answered')) {
    const { extras } = call;
    return asOf(
      {
        ...call,
        status: 'answered',
        completedAt: null,
        missed: null,
        extras: extras.missed ? { ...extras, missed: null } : extras,
      },
      event,
      at,
    );
  }
  return event === 'call.ringing' && call.status === 'answered'
    ? { ...call, status: 'ringing', callerId: null, answeredAt: null }
    : call;
}
