import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { folded } from '../../kit/folded.ts';
import { customer } from '../customer.fixture.ts';
import type { Customer } from '../customer-fields.ts';
import { importCustomers } from '../customers-csv.ts';
import { tableNumbers } from './known-customers.ts';
import { memoryCustomers } from './memory-customers.fixture.ts';

const RUNS = 300;
const numbers = [...Array.from({ length: 7 }, (_, n) => `+493090182${n}`), '+541123456780'];
/** A reference can look like a number: customers without one get their first. */
const references = ['A', 'B', 'C', numbers[0] ?? '', numbers[1] ?? ''];
const names = ['Ann', 'Bob', 'Cid', 'Dan', 'Eve'];

/** Customers of an account: each number is one's. */
const knownCustomers = fc
  .record({
    names: fc.array(fc.constantFrom(...names, undefined), { minLength: 5, maxLength: 5 }),
    count: fc.nat({ max: 5 }),
    owners: fc.array(fc.nat({ max: 6 }), { minLength: numbers.length, maxLength: numbers.length }),
  })
  .map(({ names, count, owners }) =>
    references.slice(0, count).map((reference, n) =>
      customer({
        reference,
        name: names[n] ?? reference,
        numbers: numbers.filter((_, at) => owners[at] === n),
      }),
    ),
  );

type Row = { reference: string; name: string; segment: string; numbers: readonly string[]; unread: string };
const row = fc.record<Row>({
  reference: fc.constantFrom(...references, 'D', ''),
  name: fc.constantFrom(...names, 'ANN', ''),
  segment: fc.constantFrom('', '', 'Gold', 'None'),
  numbers: fc.subarray([...numbers, '+5491123456780'], { maxLength: 4 }),
  unread: fc.constantFrom('', '', '', '"4,93E+11"', 'see note', '#REF!'),
});
const rows = fc.array(row, { maxLength: 7 });
const columns = fc.constantFrom(
  ['reference', 'name', 'segment', 'numbers'] as const,
  ['reference', 'numbers'] as const,
  ['name', 'numbers'] as const,
  ['numbers'] as const,
  ['reference', 'name'] as const,
);
type Columns = typeof columns extends fc.Arbitrary<infer T> ? T : never;

const cellsOf = (row: Row, some: Columns) =>
  some.map((column) =>
    column === 'numbers' ? [...row.numbers, row.unread].filter(Boolean).join('|') : row[column],
  );
const tableOf = (rows: readonly Row[], some: Columns) =>
  [
    some,
    ...rows.map((row) =>
      cellsOf({ ...row, unread: row.unread.replaceAll('"', '') }, some).map((cell) => `"${cell}"`),
    ),
  ]
    .map((cells) => cells.join())
    .join('\n');

/** Rows as a table with these columns has them. */
const seenIn = (rows: readonly Row[], some: readonly string[]): Row[] =>
  rows.map((row) => ({
    ...row,
    ...(!some.includes('reference') && { reference: '' }),
    ...(!some.includes('name') && { name: '' }),
    ...(!some.includes('numbers') && { numbers: [], unread: '' }),
  }));

async function importInto(known: readonly Customer[], ...tables: string[]) {
  const { all, customers } = memoryCustomers(known);
  for (const table of tables) await importCustomers(table, { customers, account: 1, country: 'DE' });
  return all;
}

/** Who has a number. */
const ownersOf = (all: Iterable<Customer>) =>
  new Map(
    Array.from(all, (one) => [...tableNumbers(one.numbers)].map((number) => [number, one] as const)).flat(),
  );

test('whatever is imported, only a table that takes a number away from its customer does so', async () => {
  await fc.assert(
    fc.asyncProperty(knownCustomers, rows, columns, async (known, given, some) => {
      const rows = seenIn(given, some);
      const all = await importInto(known, tableOf(rows, some));
      const before = ownersOf(known);
      const after = ownersOf(all.values());
      const has = (row: Row, number: string) => tableNumbers(row.numbers).has(number);
      for (const [number, owner] of before) {
        const now = after.get(number);
        if (now?.reference === owner.reference) continue;
        const own = rows.filter(({ reference }) => reference === owner.reference);
        const isTakenAway =
          own.length > 0 &&
          own.every((row) => row.unread === '' && !has(row, number)) &&
          (some as readonly string[]).includes('numbers');
        if (now === undefined) assert.ok(isTakenAway, `${number} of ${owner.name} has no customer`);
        else {
          assert.ok(
            rows.some((row) => has(row, number)),
            `no line has ${number}`,
          );
          assert.ok(isTakenAway, `${number} of ${owner.name} went to ${now.name}`);
        }
      }
      // A line without a reference renames no customer.
      for (const one of known) {
        const now = all.get(one.reference);
        assert.ok(now, 'no customer is removed');
        const isNamed =
          one.name === one.reference || rows.some(({ reference }) => reference === one.reference);
        if (!isNamed) assert.equal(folded(now.name), folded(one.name));
      }
    }),
    { numRuns: RUNS },
  );
});

test('the same table again changes nothing, if no line of it was refused', async () => {
  await fc.assert(
    fc.asyncProperty(knownCustomers, rows, columns, async (known, rows, some) => {
      const { all, customers } = memoryCustomers(known);
      const importTable = () =>
        importCustomers(tableOf(rows, some), { customers, account: 1, country: 'DE' });
      const { refused } = await importTable();
      // The customer of a refused line may be known only by lines after it.
      fc.pre(refused === 0);
      const once = stateOf(all);
      await importTable();
      assert.deepEqual(stateOf(all), once);
    }),
    { numRuns: RUNS },
  );
});

const isMadeUp = (reference: string) => /^[0-9a-f]{16}$/.test(reference);

/** All customers, without references that are made up. */
const stateOf = (all: ReadonlyMap<string, Customer>) =>
  Array.from(all.values(), ({ reference, name, segment, numbers }) =>
    JSON.stringify([
      ...[reference, name].map((text) => (isMadeUp(text) ? '' : text)),
      segment,
      numbers.toSorted(),
    ]),
  ).sort();

test('the order of the lines does not matter where each customer has one', async () => {
  const of = <T>(values: readonly T[]) => fc.shuffledSubarray([...values]);
  await fc.assert(
    fc.asyncProperty(
      knownCustomers.map((all) => all.map((one, n) => ({ ...one, name: names[n] ?? '' }))),
      fc.array(row, { minLength: 2, maxLength: names.length }),
      of([...references, 'D', 'E']),
      fc.array(fc.nat({ max: 7 }), { minLength: numbers.length, maxLength: numbers.length }),
      columns,
      fc.infiniteStream(fc.nat()),
      async (known, made, unique, lineOf, some, order) => {
        const rows = made.map(
          (row, n): Row => ({
            ...row,
            // Those without a reference have names of their own.
            reference: unique[n] ?? '',
            name: names[n] ?? '',
            numbers: numbers.filter((_, at) => lineOf[at] === n),
          }),
        );
        const [places] = [rows.map(() => order.next().value)];
        const other = rows.toSorted(
          (a, b) => (places[rows.indexOf(a)] ?? 0) - (places[rows.indexOf(b)] ?? 0),
        );
        const [one, two] = await Promise.all(
          [rows, other].map((lines) => importInto(known, tableOf(lines, some))),
        );
        assert.deepEqual(stateOf(two ?? new Map()), stateOf(one ?? new Map()));
      },
    ),
    { numRuns: RUNS },
  );
});
