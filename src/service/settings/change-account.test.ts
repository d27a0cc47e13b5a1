import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBudgets } from '../kit/budget.ts';
import { customer } from '../people/customer.fixture.ts';
import type { Customer } from '../people/customer-fields.ts';
import { changeAccount } from './change-account.ts';

/** An account with this many customers, who have a hundred numbers each. `put`: what happens when some are stored. */
function account(customers: number, put: (changed: readonly Customer[]) => Promise<void>) {
  const budgets = createBudgets();
  const parts = {
    budgets,
    directory: { changeAccount: async () => {} },
    customers: {
      async *all() {
        yield Array.from({ length: customers }, (_, of) =>
          customer({
            reference: `c${of}`,
            name: `Customer ${of}`,
            numbers: Array.from({ length: 100 }, (_, n) => `030 9${10_000 + of * 100 + n}`),
          }),
        );
      },
      async put(_account: number, changed: readonly unknown[]) {
        await put(changed as readonly Customer[]);
        return changed.map(() => null);
      },
    },
  };
  return (country: string) => changeAccount(parts, { id: 1, name: 'A', country: null }, { country });
}

test('numbers are read again in many turns of the event loop, and stored some at a time', async () => {
  const stored: number[] = [];
  const change = account(100, async (changed) => {
    stored.push(changed.reduce((sum, { numbers }) => sum + numbers.length, 0));
  });
  let turns = 0;
  const count = () => {
    turns += 1;
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  await change('DE').finally(() => clearImmediate(timer));
  assert.ok(turns > 10, `${turns} turns`);
  assert.deepEqual([stored.length, ...new Set(stored)], [100, 100]);
});

test('a second change of the country is refused until the first has ended', async () => {
  const go = Promise.withResolvers<void>();
  const change = account(1, () => go.promise);
  const first = change('DE');
  await assert.rejects(change('NL'), { statusCode: 429 });
  go.resolve();
  assert.equal(await first, 'account A, country DE');
  assert.equal(await change('NL'), 'account A, country NL');
});
