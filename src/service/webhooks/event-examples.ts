import { mostPeople } from '../../shared/api/contract/call-extras.ts';
import { type CallRecord, noExtras } from '../calls/call-record.ts';
import { MAX_NUMBERS, withChange } from '../people/customer-fields.ts';
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

/** A text that ends a JSON string, a field of a form or a tag where it is not escaped, and is no number. */
const awkward = 'O\u2019Neil "N" \\ </a>&b=%00 007';

/** The call as it is when this event is sent at once. */
function callAt(event: WebhookEvent): CallRecord {
  if (event === 'call.missed') return missed;
  if (event === 'call.ended') return answered;
  const open = { ...answered, status: 'answered', completedAt: null, missed: null, talked: null } as const;
  return event === 'call.answered' ? open : { ...open, status: 'ringing', callerId: null, answeredAt: null };
}

/** As long a list as can be: what a template makes of it must not be too much. */
const longest = <T>(count: number, one: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => one(at));

const stranger = { customer: null, segment: null, priority: null };
/** The same call, as calls differ. */
const callVariants: readonly ((call: CallRecord) => CallRecord)[] = [
  // Of a stranger, from a bridge that tells no extras.
  (call) => ({ ...call, ...stranger, extras: noExtras, rang: null, talked: null }),
  // With a number that stands for a withheld one, and nobody of whom it is known that they rang or answered.
  (call) => ({
    ...call,
    ...stranger,
    from: '000',
    number: '000',
    callerId: null,
    rang: [],
    talked: call.talked && [],
  }),
  // To a group, from a national number.
  (call) => ({
    ...call,
    from: '0900',
    number: '0900',
    customer: { reference: awkward, name: awkward },
    segment: awkward,
    priority: -1,
    callerId: call.callerId && awkward,
    extras: { ...call.extras, numberCalled: '0101', line: awkward },
    rang: [awkward, '0102'].map((by) => ({ by, from: 0, for: 1_000 })),
    talked: call.talked && [awkward, '0102'].map((by) => ({ by, from: minute })),
  }),
  // With everybody of a large office.
  (call) => ({
    ...call,
    rang: longest(mostPeople, (at) => ({ by: `${101 + at}`, from: 0, for: 1_000 })),
    talked: call.talked && longest(mostPeople, (at) => ({ by: `${101 + at}`, from: minute })),
  }),
  // Answered by a sender that does not say by whom.
  (call) => ({ ...call, callerId: null, rang: ['101', '102'].map((by) => ({ by, from: 0, for: 1_000 })) }),
];

/** The same event of a person or a customer, as these differ. */
const personVariants: readonly ((event: PersonEvent, isOfCustomer: boolean) => PersonEvent)[] = [
  // Of a stranger; a customer without a number.
  ({ customer, ...event }, isOfCustomer) => ({
    ...event,
    customer: isOfCustomer ? customer && { ...customer, segment: null, numbers: [] } : null,
  }),
  ({ customer, ...event }) => ({
    ...event,
    customer: customer && { ...customer, numbers: longest(MAX_NUMBERS, (at) => `+1202555${1_000 + at}`) },
  }),
  ({ about, action, customer, ...event }, isOfCustomer) => ({
    ...event,
    about: isOfCustomer ? awkward : '0900',
    action: action && { user: awkward, text: `${awkward}\r\n\t\u0000`, seconds: 95, due: null },
    customer: customer && {
      ...withChange(customer, {
        reference: awkward,
        name: awkward,
        segment: awkward,
        numbers: ['0900', '000'],
      }),
      language: 'de',
      blocked: 'yes',
    },
  }),
];

/**
 * Events of this kind that differ in all that a template may stumble over: people and numbers of whom there are none, one or several, a
 * withheld or national number, texts with quotes and line breaks, and what is not always told.
 */
export function examplesOf(event: WebhookEvent): readonly ExampleEvent[] {
  const example = exampleOf(event);
  const { person: ofPerson } = example;
  if (ofPerson !== null) {
    const isOfCustomer = event.startsWith('customer.');
    return [example, ...personVariants.map((vary) => ({ ...example, person: vary(ofPerson, isOfCustomer) }))];
  }
  return [example, ...callVariants.map((vary) => ({ ...example, call: vary(callAt(event)) }))];
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
