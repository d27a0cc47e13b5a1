import assert from 'node:assert/strict';
import { test } from 'node:test';
import { customer } from '../customer.fixture.ts';
import { importCustomers } from '../customers-csv.ts';
import { previewImport } from '../customers-preview.ts';
import { memoryCustomers } from './memory-customers.fixture.ts';
import { readTable } from './table.ts';

/** Imports a cell for a customer who has these numbers: what it has then, and what is named. */
async function importCell(cell: string, country: string | null, ...numbers: string[]) {
  const store = memoryCustomers([customer({ reference: '7', name: 'Ann', numbers })]);
  const into = { customers: store.customers, account: 1, country };
  const table = `reference,name,numbers\n7,Ann,${cell}`;
  const preview = await previewImport(readTable(table), {
    ...into,
    mapping: ['reference', 'name', 'numbers'],
  });
  const { warnings } = await importCustomers(table, into);
  return {
    numbers: store.all.get('7')?.numbers,
    said: warnings.length,
    isSame: preview.changed === 0,
  };
}

test('digits of which a spreadsheet has removed the plus are the number that the customer has', async () => {
  for (const [number, country] of [
    ['+48512345678', 'DE'],
    ['+351912345678', 'DE'],
    ['+420601123456', 'DE'],
    ['+376312345', 'FR'],
    ['+48512345678', null],
  ] as const)
    for (const cell of [number.slice(1), number.slice(1).replace(/\B(?=(?:\d{3})+$)/g, '\u202f')])
      assert.deepEqual(
        await importCell(cell, country, number),
        { numbers: [number], said: 0, isSame: true },
        `${cell} ${country}`,
      );
});

test('so are those to which a program has added decimals', async () => {
  const number = '+48512345678';
  for (const cell of ['48512345678.0', '48512345678.00', '"48512345678,0"'])
    assert.deepEqual(
      await importCell(cell, 'DE', number),
      { numbers: [number], said: 0, isSame: true },
      cell,
    );
});

test('a number as it is exported is the customer’s, also where its groups could be two numbers', async () => {
  const number = '+261207123456';
  assert.deepEqual(await importCell('+261 20 71 234 56', 'DE', number), {
    numbers: [number],
    said: 0,
    isSame: true,
  });
});

test('other digits are read as before: a new number, and one that is known as it is read', async () => {
  const [poland, germany] = ['+48512345678', '+4948512345678'];
  assert.deepEqual(await importCell('48512345678', 'DE'), { numbers: [germany], said: 1, isSame: false });
  assert.deepEqual(await importCell('48512345678', 'DE', germany), {
    numbers: [germany],
    said: 1,
    isSame: true,
  });
  assert.deepEqual((await importCell('48512345678', 'DE', germany, poland)).numbers, [germany]);
  assert.deepEqual((await importCell('030 901820', 'DE', poland)).numbers, ['+4930901820']);
});

test('a number of no country, as it was exported, is the one that the customer has, alone and beside others', async () => {
  const berlin = '+4930901820';
  for (const [cell, ...numbers] of [
    ['+2102345678', '2102345678'],
    ['+21 02345678', '2102345678'],
    ['2102345678', '2102345678'],
    ['99912345678901', '99912345678901'],
    ['+2102345678|+4930901820|101', berlin, '101', '2102345678'],
    ['+21 02345678|+49 30 901820', berlin, '2102345678'],
  ] as const)
    assert.deepEqual(await importCell(cell, 'DE', ...numbers), { numbers, said: 0, isSame: true }, cell);
});

test('a number of no country that the customer does not have is named, and the others stay', async () => {
  assert.deepEqual(await importCell('+2102345678', 'DE', '+4930901820'), {
    numbers: ['+4930901820'],
    said: 2,
    isSame: true,
  });
});
