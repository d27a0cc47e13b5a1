import { createHmac } from 'node:crypto';
import type { Rang } from '../../shared/api/contract/call-extras.ts';
import type { Extensions } from '../accounts/account.ts';
import { integrationName, type ServiceDirectory } from '../accounts/directory.ts';
import type { Keys } from '../accounts/keys.ts';
import { isOldInForce } from '../accounts/limits.ts';
import { callData } from '../calls/call-data.ts';
import type { CallRecord } from '../calls/call-record.ts';
import { momentOf } from '../kit/administration.ts';
import { exampleOf } from './event-examples.ts';
import { personData } from './person-event-data.ts';
import { templateView } from './template-view.ts';
import type { DueDelivery, PersonEventName, Webhook } from './webhook.ts';
import { renderBody } from './webhook-template.ts';

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

/** What an event is told with. `integration`: the name of the call's integration; `country`: that of the account. */
export type Telling = {
  readonly extensions: Extensions;
  readonly integration: string | null;
  readonly country: string | null;
};

/** What events of an account, or of this call of it, are told with. */
export const tellingOf = (
  directory: ServiceDirectory,
  account: number,
  call: CallRecord | null,
): Telling => ({
  extensions: directory.extensions(account),
  integration: call && integrationName(directory, account, call.integration),
  country: directory.account(account)?.country ?? null,
});

type Told = Pick<DueDelivery, 'event' | 'at' | 'call' | 'person'>;

/**
 * The body of an event: its JSON, or what the webhook's template makes of it, which of a test is made of an example.
 * @throws TemplateError
 */
export function webhookBody(
  told: Told,
  { shape, events }: Pick<Webhook, 'shape' | 'events'>,
  telling: Telling,
): string {
  const [first] = events;
  if (shape !== null && told.event === 'test' && first)
    return webhookBody(exampleOf(first), { shape, events }, telling);
  const event = eventOf(told, telling) ?? { type: 'test' as const, timestamp: momentOf(told.at), data: {} };
  return shape === null
    ? JSON.stringify(event)
    : renderBody(shape, templateView(event, told, shape.language));
}

/** An event of a call or a person, as programs get it; undefined of a test. */
export function eventOf({ event, at, call, person }: Told, { extensions, integration, country }: Telling) {
  const timestamp = momentOf(at);
  if (event === 'test') return undefined;
  if (call !== null)
    return {
      type: event,
      timestamp,
      data: callData(asOf(call, event, at), extensions, integration, country),
    };
  return person && { type: event, timestamp, data: personData(event as PersonEventName, person, country) };
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
