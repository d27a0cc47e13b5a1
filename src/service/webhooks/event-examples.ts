import { type CallRecord, noExtras } from '../calls/call-record.ts';
import { withChange } from '../people/customer-fields.ts';
import type { CallEventName, DueDelivery, PersonEvent, WebhookEvent } from './webhook.ts';

export type ExampleEvent = Pick<DueDelivery, 'event' | 'at' | 'call' | 'person'>;

const began = Date.UTC(2026, 0, 2, 9);
const minute = 60_000;

const answered: CallRecord = {
  id: 'pbx-1767344400.1',
  integration: 0,
  status: 'completed',
  from: '+12025550123',
  number: '+12025550123',
  customer: { reference: '7', name: 'Ann Example' },
  segment: 'VIP',
  priority: 10,
  callerId: '101',
  startedAt: began,
  ringingAt: began,
  answeredAt: began + minute,
  completedAt: began + 2 * minute,
  updatedAt: began + 2 * minute,
  missed: false,
  closedFrom: null,
  past: false,
  extras: { ...noExtras, numberCalled: '+12025550100', line: 'trunk' },
  rang: [{ by: '101', from: 1_000, for: 59_000 }],
  talked: [{ by: '101', from: minute, to: 2 * minute }],
};
const missed: CallRecord = {
  ...answered,
  callerId: null,
  answeredAt: null,
  missed: true,
  talked: [],
  extras: {
    ...answered.extras,
    missed: { where: 'queue', name: '400', by: 'caller', after: 120, at: null },
  },
};
const person: PersonEvent = {
  about: answered.number,
  actionAt: began,
  action: { user: 'Ben', text: 'Wants a “quote” by Monday', seconds: null, due: began + 60 * minute },
  customer: withChange(undefined, {
    reference: '7',
    name: 'Ann Example',
    segment: 'VIP',
    numbers: [answered.number],
  }),
};

/** An event as it could be, with what can be said of it. */
export function exampleOf(event: WebhookEvent): ExampleEvent {
  const call = event === 'call.missed' ? missed : answered;
  if (event.startsWith('call.')) return { event, at: timeOf(call, event) ?? began, call, person: null };
  const isRemoved = event.endsWith('.removed');
  const about = event.startsWith('customer.') ? '7' : person.about;
  return {
    event,
    at: began,
    call: null,
    person: {
      ...person,
      about,
      ...(isRemoved && { action: null }),
      ...(event === 'customer.removed' && { customer: null }),
    },
  };
}

/** With as little as can be: of a stranger, from a bridge that tells no extras. */
export function bareExampleOf(event: WebhookEvent): ExampleEvent {
  const example = exampleOf(event);
  const { call } = example;
  const who = { customer: null, segment: null, priority: null };
  return {
    ...example,
    call: call && { ...call, ...who, extras: noExtras, rang: null, talked: null },
    person:
      example.person && event.startsWith('customer.')
        ? example.person
        : example.person && { ...example.person, customer: null },
  };
}

const timeOf = (
  { ringingAt, answeredAt, completedAt, missed: isMissed }: CallRecord,
  event: WebhookEvent,
): number | null => {
  const times: Readonly<Record<CallEventName, number | null>> = {
    'call.ringing': ringingAt,
    'call.answered': answeredAt,
    'call.ended': isMissed === false ? completedAt : null,
    'call.missed': isMissed === true ? completedAt : null,
  };
  return times[event as CallEventName] ?? null;
};

/** The last event of these calls that is one of these kinds; undefined if there was none. */
export function lastEventOf(
  calls: readonly CallRecord[],
  events: readonly WebhookEvent[],
): ExampleEvent | undefined {
  const happened = calls.flatMap((call) =>
    events.flatMap((event) => {
      const at = timeOf(call, event);
      return at === null ? [] : [{ event, at, call, person: null }];
    }),
  );
  return happened.sort((a, b) => a.at - b.at).at(-1);
}
