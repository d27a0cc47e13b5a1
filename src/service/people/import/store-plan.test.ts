import assert from 'node:assert/strict';
import { test } from 'node:test';
import { customer } from '../customer.fixture.ts';
import type { Customer } from '../customer-fields.ts';
import { importCustomers, importPlan, planImport } from '../customers-csv.ts';
import { memoryCustomers } from './memory-customers.fixture.ts';
import { readTable } from './table.ts';

const numberOf = (n: number) => `+4930${100_000 + n}`;
const made = (n: number, count = 1): Customer =>
  customer({
    reference: `r${n}`,
    name: `Name ${n}`,
    numbers: Array.from({ length: count }, (_, at) => numberOf(n + at)),
  });
const into = { account: 1, country: 'DE' };

test('more customers than are stored together can hand their numbers round', async () => {
  const known = Array.from({ length: 1_300 }, (_, n) => made(n));
  const { all, customers } = memoryCustomers(known);
  const lines = known.map(({ reference }, n) => `${reference},${numberOf((n + 1) % known.length)}`);
  const report = await importCustomers(`reference,numbers\n${lines.join('\n')}\n`, { ...into, customers });
  assert.deepEqual([report.imported, report.errors, report.warnings], [known.length, [], []]);
  for (const [n, { reference }] of known.entries())
    assert.deepEqual(all.get(reference)?.numbers, [numberOf((n + 1) % known.length)]);
});

test('customers are stored few enough at a time that they have at most 200 numbers', async () => {
  const { customers } = memoryCustomers(Array.from({ length: 20 }, (_, n) => made(100 * n, 100)));
  const sizes: number[] = [];
  const counting = {
    ...customers,
    replace(...[account, replacement]: Parameters<typeof customers.replace>) {
      const all = [...replacement.before, ...replacement.after].flatMap(({ numbers }) => numbers);
      sizes.push(new Set(all).size);
      return customers.replace(account, replacement);
    },
  };
  const numbers = (n: number) => Array.from({ length: 100 }, (_, at) => numberOf(100 * n + at)).join('|');
  const lines = Array.from({ length: 40 }, (_, n) => `r${100 * n},Other ${n},Gold,${numbers(n)}`);
  // Three whose numbers go round are more than are stored together.
  const given = [60, 61, 62].map((n) => `r${100 * n},Name,,${numbers(n)}`);
  const handed = [61, 62, 60].map((n, at) => `r${100 * (60 + at)},Name,,${numbers(n)}`);
  for (const table of [[...lines, ...given], handed]) {
    const text = `reference,name,segment,numbers\n${table.join('\n')}\n`;
    const { imported } = await importCustomers(text, { ...into, customers: counting });
    assert.equal(imported, table.length);
  }
  assert.ok(Math.max(...sizes) <= 200, `${Math.max(...sizes)} numbers`);
});

/** What others do to the customers right before the import stores its first. */
const changes: Record<
  string,
  { change: (all: Map<string, Customer>) => void; seen: string[]; unseen: string[] }
> = {
  'one of two who swap is renamed': {
    change: (all) => all.set('r1', { ...made(1), name: 'Edited' }),
    seen: ['r1 Edited 1', 'r2 Name 2 2', 'r3 Name 3 9'],
    unseen: ['r1 Edited 2', 'r2 Name 2 1', 'r3 Name 3 9'],
  },
  'a new number of one is given to somebody else': {
    change: (all) => all.set('x', customer({ reference: 'x', name: 'X', numbers: [numberOf(9)] })),
    seen: ['r1 Name 1 2', 'r2 Name 2 1', 'r3 Name 3', 'x X 9'],
    unseen: ['r1 Name 1 2', 'r2 Name 2 1', 'r3 Name 3', 'x X 9'],
  },
  'one is removed': {
    change: (all) => all.delete('r2'),
    seen: ['r1 Name 1 1', 'r3 Name 3 9'],
    unseen: ['r1 Name 1 2', 'r2 r2 1', 'r3 Name 3 9'],
  },
};

for (const [what, { change, seen, unseen }] of Object.entries(changes))
  for (const isSeen of [true, false])
    test(`what others do at the same moment stays: ${what}${isSeen ? ', and the import was seen' : ''}`, async () => {
      let once = false;
      const { all, customers } = memoryCustomers([made(1), made(2), made(3)], (all) => {
        if (!once) change(all);
        once = true;
      });
      const table = readTable(`reference,numbers\nr1,${numberOf(2)}\nr2,${numberOf(1)}\nr3,${numberOf(9)}\n`);
      const plan = await planImport(table, { ...into, customers, mapping: ['reference', 'numbers'] });
      const { imported, refused } = await importPlan(plan, { ...into, customers, isSeen });
      assert.deepEqual(
        Array.from(all.values(), ({ reference, name, numbers }) =>
          [reference, name, ...numbers.map((number) => Number(number.slice(-2)))].join(' '),
        ).sort(),
        isSeen ? seen : unseen,
      );
      assert.equal(imported + refused, 3);
    });
