import assert from 'node:assert/strict';
import { test } from 'node:test';
import { customer } from '../customer.fixture.ts';
import { columns } from '../customer-fields.ts';
import { importCustomers } from '../customers-csv.ts';
import { previewImport } from '../customers-preview.ts';
import { memoryCustomers } from './memory-customers.fixture.ts';
import { readTable } from './table.ts';

const blocked = customer({
  reference: 'q1',
  name: 'Jo',
  numbers: ['+4930901840'],
  language: 'de',
  blocked: 'yes',
});

async function importInto(known: readonly ReturnType<typeof customer>[], text: string) {
  const store = memoryCustomers(known);
  const into = { customers: store.customers, account: 1, country: 'DE' };
  const table = readTable(text);
  const mapping = table.header.flatMap((name) => columns.find((column) => column === name) ?? []);
  const { warnings } = await previewImport(table, { ...into, mapping });
  const report = await importCustomers(text, into);
  assert.deepEqual(warnings, report.warnings);
  const messages = [...report.warnings, ...report.errors].map(({ message }) => message);
  return { messages, report, after: [...store.all.values()] };
}

test('of several lines with a reference, the last that says whether calls are blocked counts', async () => {
  for (const [cells, expected] of [
    [['yes', 'no'], ''],
    [['no', 'yes'], 'yes'],
    [['yes', ''], 'yes'],
    [['yes', 'false', ''], ''],
    [['', '0'], ''],
  ] as const) {
    const lines = cells.map((cell) => `q1,Jo,${cell}`);
    const { after } = await importInto([blocked], ['reference,name,blocked', ...lines].join('\n'));
    assert.equal(after[0]?.blocked, expected, cells.join());
  }
});

test('a line without a reference replaces no language and unblocks nobody, and is named', async () => {
  const { after, messages } = await importInto(
    [blocked],
    'name,numbers,language,blocked\nJo,030 901840,fr,no',
  );
  assert.deepEqual(after, [blocked]);
  assert.deepEqual(messages, [
    'Language: “fr” is left out. “de” is known, and a line without a reference only adds.',
    'Calls blocked: “no” is left out. “yes” is known, and a line without a reference only adds.',
  ]);
});

test('nor does it replace what a line of the table with the reference says', async () => {
  const { after, messages } = await importInto(
    [{ ...blocked, language: '', blocked: '' }],
    'reference,name,numbers,language,blocked\n,Jo,030 901840,fr,no\nq1,Jo,030 901840,de,yes',
  );
  assert.deepEqual([after[0]?.language, after[0]?.blocked], ['de', 'yes']);
  assert.equal(messages.filter((message) => message.includes('only adds')).length, 2);
});

test('it adds what is not known, and says the same silently', async () => {
  const unknown = { ...blocked, language: '', blocked: '' };
  const line = 'name,numbers,language,blocked\nJo,030 901840,de,yes';
  for (const known of [unknown, blocked]) {
    const { after, messages } = await importInto([known], line);
    assert.deepEqual([after, messages], [[blocked], []]);
  }
  const denied = await importInto([unknown], 'name,numbers,blocked\nJo,030 901840,no');
  assert.deepEqual([denied.after, denied.messages], [[unknown], []]);
});

test('“no” is Norwegian, too: an export is imported as it is', async () => {
  const norwegian = { ...blocked, language: 'no' };
  const lines = 'reference,name,numbers,language,blocked\nq1,Jo,+4930901840,no,no';
  assert.equal((await importInto([norwegian], lines)).after[0]?.language, 'no');
  const { after, messages } = await importInto([blocked], 'name,numbers,language\nJo,030 901840,no');
  assert.equal(after[0]?.language, 'de');
  assert.match(messages.join(), /“no” is left out\. “de” is known/);
});

test('somebody can be called “no”', async () => {
  const { after } = await importInto([], 'reference,name,blocked\n7,no,no');
  assert.deepEqual([after[0]?.name, after[0]?.blocked], ['no', '']);
});
