import { customer } from '../../../src/service/people/customer.fixture.ts';
import type { Customer } from '../../../src/service/people/customer-fields.ts';
import type { Segment } from '../../../src/service/people/segment-store.ts';

/** Customers of a fictitious property manager in Hamburg. Their numbers are those of the recordings, and not in use. */
export const segments: readonly Segment[] = [
  { name: 'Emergency', priority: 20 },
  { name: 'Owners', priority: 10 },
  { name: 'Tenants', priority: 5 },
  { name: 'Trades', priority: 1 },
];

const names: readonly (readonly [segment: string | null, ...names: string[]])[] = [
  ['Emergency', 'Lift at Elbchaussee 14', 'Heating control, Wohnpark Süd'],
  [
    'Owners',
    'Dr. Anneke Petersen',
    'Hansa Grundbesitz AG',
    'Familie Özdemir',
    'Kontor Neun GmbH',
    'Lars Thomsen',
  ],
  [
    'Tenants',
    'Aylin Kaya',
    'Bäckerei Weiß',
    'Café Übersee',
    'Frau Dr. Nguyễn',
    'Haruki Tanaka',
    'Ines und Jan Möller',
    'Marta Kowalska',
    'Oleksandr Shevchenko',
    'Praxis am Park',
    'Rita Sørensen',
    'Studio Löwe',
    'Tom Becker',
  ],
  [
    'Trades',
    'Blitz Elektro',
    'Dachdecker Holm',
    'Glaserei Klar',
    'Malermeister Bunt',
    'Sanitär Brandt & Sohn',
  ],
  [null, 'Town hall, Bauamt', 'Insurance, claims desk', 'Parcel depot'],
];

export const callerNumber = (n: number) => `+4940669691${String(n).padStart(2, '0')}`;

const CALLERS = 72;

/** Three of four callers in the recordings are customers. */
const numbersOf = (index: number, customers: number) =>
  Array.from({ length: CALLERS }, (_, n) => n)
    .filter((n) => n % customers === index && n % 4 !== 3)
    .map(callerNumber);

export const customers: readonly Customer[] = names
  .flatMap(([segment, ...of]) => of.map((name) => ({ name, segment })))
  .map((given, index, all) =>
    customer({
      ...given,
      reference: String(10_001 + index),
      numbers: [...numbersOf(index, all.length), ...(index === 0 ? ['+493023125000'] : [])],
    }),
  );

/** Who waits to be called back: missed this number of minutes ago, by the first of their numbers; a colleague has taken one. */
export const waiting = [
  { name: 'Aylin Kaya', missed: [19, 4] },
  { name: 'Heating control, Wohnpark Süd', missed: [9], taken: 'Bilal' },
  { name: 'Hansa Grundbesitz AG', missed: [31] },
  { name: null, missed: [13] },
].map(({ name, ...tries }) => {
  const numbers = customers.find((one) => one.name === name)?.numbers ?? [callerNumber(39)];
  return { name, numbers, number: numbers[0] as string, taken: undefined, ...tries };
});

export const callers: readonly string[] = Array.from({ length: CALLERS }, (_, n) => callerNumber(n));

/** Who works there, by extension. */
export const colleagues = {
  '1001': 'Anna',
  '1002': 'Bilal',
  '1003': 'Chiara',
  '1004': 'Workshop',
} as const;
