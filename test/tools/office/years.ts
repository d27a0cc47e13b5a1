import { type CallRecord, moveCall, noExtras } from '../../../src/service/calls/call-record.ts';
import type { AcceptedEvent, RecordedRequest } from '../../../src/service/history/request-store.ts';
import { customer } from '../../../src/service/people/customer.fixture.ts';
import type { Customer } from '../../../src/service/people/customer-fields.ts';
import { normaliseNumber } from '../../../src/shared/phone-number/normalise-number.ts';
import { seededRandom } from '../player/seeded-random.ts';

/**
 * The calls and customers of an office, made up: the same for the same day and scale. Scale 1 is its third year, 0.1 its
 * third month: each day has as many calls, and of what grows with time there is a tenth.
 */
export type Scale = 1 | 0.1;

export const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
export const office = {
  days: 730,
  customers: 5_000,
  numbers: 12_000,
  users: 40,
  /** Who waits to be called back; `often` is how many times the first of them called. */
  toCallBack: 300,
  often: 60,
  /** Those whom the second account missed on one day. */
  crowd: 20_000,
  deliveries: 30_000,
};
/** The accounts: a property manager, and a telephone shop with half as many calls. */
export const [MAIN, SECOND] = [1, 2];

/** A call: its events, and when they came. */
export type OfficeCall = {
  readonly account: number;
  readonly integration: number;
  readonly steps: readonly { readonly at: number; readonly event: AcceptedEvent }[];
};

/** What a colleague did about a missed caller, or noted. */
type OfficeAction = { account: number; number: string; at: number; user: string; kind: string };

const people = [
  'Anneke Petersen',
  'Jürgen Weiß',
  'Zoë de Vries',
  'François Lefèvre',
  'Lucía Muñoz Íñiguez',
  'Łukasz Wiśniewski',
  'Nguyễn Thị Ánh',
  'Олександр Шевченко',
  'Мария Ивановна Кузнецова',
  'Ελένη Παπαδοπούλου',
  'محمد عبد الرحمن العلي',
  'فاطمة حسن',
  '田中 春樹',
  '王小明',
  'Øystein Åsgård',
];
const firms = [
  '',
  '',
  '',
  ', Bäckerei',
  ' & Söhne GmbH',
  ' S.à r.l.',
  ' B.V.',
  ' y Cía. S. L.',
  ', Wohnungseigentümergemeinschaft Elbchaussee 14–18 mit Nebengebäuden, vertreten durch den Beirat',
];
export const segments = [
  { name: 'Notfall', priority: 20 },
  { name: 'Owners', priority: 10 },
  { name: 'Locataires', priority: 5 },
];
/** Names of colleagues; the first is the administrator. */
export const colleagues = Array.from({ length: office.users }, (_, n) => {
  const name = people[n % people.length] as string;
  return n < people.length ? name : `${name} ${Math.floor(n / people.length) + 1}`;
});
export const extensionOf = (colleague: number) => `${1001 + colleague}`;

const begins = ['+4940', '+4930', '+4989', '+3120', '+3314', '+44207'];
/** The nth number that exists in this world. */
export const numberOf = (n: number) => `${begins[n % begins.length]}${3_000_000 + n * 7}`;
/** From where the numbers of strangers, of those to be called back, of those who got through later, and of the crowd. */
const [STRANGERS, WAITING, REACHED, CROWD] = [100_000, 200_000, 210_000, 220_000];
export const waitingNumber = (n: number) => numberOf(WAITING + n);
export const crowdNumber = (n: number) => numberOf(CROWD + n);

/** What phone systems send as the number of a caller who has none, or an odd one. */
const odd = [
  'anonymous',
  'unknown',
  '0',
  '+',
  '12',
  '00',
  '040/33 44-0 ext.7',
  '+499999999999999999',
  'sip:bob@x',
];

/** The customers of the property manager; the telephone shop has five hundred. */
export function* customersOf(account: number, scale: Scale): Generator<Customer> {
  const [count, numbers, from] =
    account === MAIN ? [office.customers * scale, office.numbers * scale, 0] : [500, 500, 50_000];
  for (let n = 0; n < count; n += 1)
    yield customer({
      reference: `${10_000 + n}`,
      name: `${people[n % people.length]}${firms[n % firms.length]}`,
      segment: n % 3 === 0 ? null : (segments[(n >> 2) % segments.length]?.name ?? null),
      numbers: Array.from({ length: Math.ceil((numbers - n) / count) }, (_, at) =>
        numberOf(from + n + at * count),
      ).sort(),
    });
}

/** As trunks write it: in full, from abroad, or with the 0 of the country. */
const written = (number: string, how: number) =>
  how < 0.5 ? number : how < 0.7 ? number.replace('+', '00') : number.replace('+49', '0');

type Given = Pick<OfficeCall, 'account' | 'integration'> & {
  id: string;
  from: string;
  rings: number;
  waits: number;
  /** Undefined: missed. */
  answers?: { extension: string; talks: number } | undefined;
};

/** The second integration of the property manager sends what the API document does not name. */
function callOf({ account, integration, id, from, rings, waits, answers }: Given): OfficeCall {
  const number = normaliseNumber(from, 'DE');
  const missed = {
    where: 'queue',
    name: 'Zentrale',
    by: 'caller',
    after: Math.floor(waits / 1_000),
    at: rings + waits,
  } as const;
  const extras = { ...noExtras, numberCalled: numberOf(90_000 + (rings % 6)), line: 'trunk-1' };
  const of = (status: AcceptedEvent['status'], callerId: string | null = null): AcceptedEvent => ({
    id,
    status,
    from,
    number,
    callerId,
    ...(integration === 2 && {
      extras: status === 'completed' && !answers ? { ...extras, missed } : extras,
    }),
  });
  const answered = rings + waits;
  return {
    account,
    integration,
    steps: [
      { at: rings, event: of('ringing') },
      ...(answers
        ? [
            { at: answered, event: of('answered', answers.extension) },
            { at: answered + answers.talks, event: of('completed', answers.extension) },
          ]
        : [{ at: answered, event: of('completed') }]),
    ],
  };
}

/** Calls from midnight on, by weekday from Sunday. */
const calls = [45, 520, 520, 520, 520, 520, 130];

/** The calls of a day since 1970 (UTC), in the order in which they began. */
export function callsOf(day: number, scale: Scale): OfficeCall[] {
  const random = seededRandom(day);
  const count = calls[(day + 4) % 7] as number;
  const begin = day * DAY_MS + 7 * 60 * MINUTE_MS;
  return Array.from({ length: count }, (_, n): OfficeCall => {
    const rings = begin + Math.floor(((n + random()) * 12 * 60 * MINUTE_MS) / count);
    const isMain = n % 3 !== 2;
    const among = random();
    // Some call more often than others.
    const nth = Math.floor(random() ** 2 * (isMain ? office.numbers * scale : 500)) + (isMain ? 0 : 50_000);
    const stranger = STRANGERS + Math.floor(random() * 40_000 * scale);
    const from =
      among < 0.05
        ? (odd[Math.floor(random() * odd.length)] as string)
        : written(numberOf(among < 0.65 ? nth : stranger), random());
    const waits = 2_000 + Math.floor(random() ** 3 * 60_000);
    const answers =
      waits > 50_000 || random() < 0.03
        ? undefined
        : {
            extension: extensionOf(Math.floor(random() ** 2 * office.users)),
            talks: 8_000 + Math.floor(random() ** 3 * 1_800_000),
          };
    const integration = isMain ? 1 + (n % 2) : 3;
    return callOf({
      account: isMain ? MAIN : SECOND,
      integration,
      id: `pbx${integration}-${day}.${n}`,
      from,
      rings,
      waits,
      answers,
    });
  });
}

/** What the days until `now` leave: who waits to be called back, who got through later, a crowd, and who calls now. */
export function* lateCalls(now: number, scale: Scale): Generator<OfficeCall> {
  const of = { account: MAIN, integration: 1 };
  const waiting = office.toCallBack * scale;
  const missed = (id: string, n: number, ago: number) =>
    callOf({ ...of, id, from: numberOf(n), rings: Math.floor(now - ago), waits: 25_000 });
  for (let n = 0; n < office.crowd * scale; n += 1)
    yield callOf({
      account: SECOND,
      integration: 3,
      id: `crowd-${n}`,
      from: crowdNumber(n),
      waits: 20_000,
      rings: now - 2 * DAY_MS + n * 200,
    });
  for (let n = waiting - 1; n >= 0; n -= 1)
    for (let times = n === 0 ? office.often : 1 + (n % 2); times > 0; times -= 1)
      yield missed(`waiting-${n}-${times}`, WAITING + n, (30 + times + (n * 8_000) / waiting) * MINUTE_MS);
  for (let n = 0; n < waiting / 3; n += 1) {
    yield missed(`missed-${n}`, REACHED + n, (300 + n) * MINUTE_MS);
    yield callOf({
      ...of,
      id: `reached-${n}`,
      from: numberOf(REACHED + n),
      waits: 5_000,
      rings: now - (200 + n) * MINUTE_MS,
      answers: { extension: '1001', talks: 60_000 },
    });
  }
  for (let n = 0; n < 7; n += 1) {
    const call = callOf({
      ...of,
      id: `now-${n}`,
      from: numberOf(n),
      rings: now - (n + 1) * 9_000,
      waits: 5_000,
      answers: { extension: extensionOf(n), talks: 0 },
    });
    yield { ...call, steps: call.steps.slice(0, n < 3 ? 1 : 2) };
  }
}

/** The call as its events leave it. */
export const recordOf = ({ integration, steps }: OfficeCall): CallRecord =>
  steps.reduce<CallRecord | undefined>(
    (call, { at, event }) =>
      moveCall(call, { ...event, integration }, at, () => ({
        number: event.number,
        customer: null,
        segment: null,
        priority: null,
      })),
    undefined,
  ) as CallRecord;

/** Its events as requests, without the extras. */
export const requestsOf = ({ account, integration, steps }: OfficeCall): RecordedRequest[] =>
  steps.map(({ at, event }) => ({
    account,
    integration,
    at,
    began: 0,
    method: 'POST',
    path: '/api/v1/voice/call',
    status: 200,
    request: JSON.stringify({
      id: event.id,
      direction: 'inbound',
      status: event.status,
      from: event.from,
      ...(event.callerId !== null && { caller_id: event.callerId }),
    }),
    response: `{"result":"${event.id.padEnd(48, 'x')}"}`,
    callId: event.id,
    fromNumber: event.from,
    event,
  }));

/** Colleagues call back within half an hour whom they missed, and note something about every twentieth caller. */
export function actionsOf({ account, steps }: OfficeCall, now: number): OfficeAction[] {
  const {
    at: rang,
    event: { number, id },
  } = steps[0] as OfficeCall['steps'][0];
  const { at } = steps.at(-1) as OfficeCall['steps'][0];
  const user = colleagues[rang % office.users] as string;
  const act = (kind: string, minutes: number) => ({
    account,
    number,
    user,
    kind,
    at: Math.min(at + minutes * MINUTE_MS, now),
  });
  if (steps.length === 2) return [act('taken', 4), act('done', 20)];
  return rang % 20 === 0 && !id.startsWith('now') ? [act('note', 1)] : [];
}
