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
