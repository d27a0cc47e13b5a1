import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { openSqliteStore } from '../database/sqlite-store.ts';
import { forPrograms, forSpreadsheets } from '../kit/csv.ts';
import { languages } from '../words/words.ts';
import { customer } from './customer.fixture.ts';
import {
  type Customer,
  type CustomerChange,
  columns,
  customerFields,
  eachText,
  withChange,
} from './customer-fields.ts';
import type { CustomerStore } from './customer-store.ts';
import { BadTable, importCustomers, namesCustomers } from './customers-csv.ts';
import { exportCustomers } from './customers-export.ts';
import { previewImport } from './customers-preview.ts';
import { chooseColumns } from './import/choose-columns.ts';
import { readCustomers } from './import/read-customers.ts';
import { readTable } from './import/table.ts';
import { takeTurns } from './import/take-turns.ts';
import type { Refused } from './import-refusals.ts';

const byFirstLine = (errors: readonly Refused[]) =>
  errors.toSorted((a, b) => (a.lines[0] ?? 0) - (b.lines[0] ?? 0));

/** Takes customers; knows the segment Gold alone; `taken` is a number of somebody else. */
function fakeStore(taken = '') {
  const kept: Customer[] = [];
  const customers = {
    put: async (_account: number, added: readonly CustomerChange[]) =>
      added.map((change) => {
        const nth = kept.findIndex(({ reference }) => reference === change.reference);
        const customer = withChange(kept[nth], change);
        if (customer.segment !== null && customer.segment !== 'Gold') {
          return { reason: 'no-such-segment' as const, segment: customer.segment };
        }
        if (customer.numbers.includes(taken))
          return { reason: 'number-taken' as const, number: taken, by: 'Eve' };
        kept.splice(nth < 0 ? kept.length : nth, 1, customer);
        return null;
      }),
    get: async (_account: number, reference: string) => kept.find((one) => one.reference === reference),
    async *all() {
      yield kept;
    },
  } as unknown as CustomerStore;
  return { kept, customers };
}

const importInto = (store: ReturnType<typeof fakeStore>, text: string, country: string | null = 'DE') =>
  importCustomers(text, { customers: store.customers, account: 1, country });

const rows: readonly [string, string, Customer | string][] = [
  ['all columns', '7,Ann,Gold,030 901820', made('7', 'Ann', 'Gold', '+4930901820')],
  ['no reference', ',Ann,,030 901820', made('+4930901820', 'Ann', null, '+4930901820')],
  [
    'two numbers, one twice',
    '7,Ann,,030 901820|+4930901820;110',
    made('7', 'Ann', null, '+4930901820', '110'),
  ],
  ['no numbers', '7,Ann,Gold,', made('7', 'Ann', 'Gold')],
  ['no name', '7,,Gold,', made('7', '7', 'Gold')],
  ['a reference alone', '7,,,', 'There is neither a name nor a number.'],
  ['quotes, commas and line breaks', '7,"Smith, ""Jo""\nAG",,', made('7', 'Smith, "Jo" AG', null)],
  ['another normal form', '7,Zoe\u0308,,', made('7', 'Zoë', null)],
  ['a control character', '7,An\x1b[2Jn,,', 'The name field must not hold control characters.'],
  ['NUL in a reference', 'a\0b,Ann,,', 'The reference field must not hold control characters.'],
  ['a file that is not UTF-8', '7,Ren\ufffd,,', 'The name field must be valid Unicode (UTF-8).'],
  ['a name of 64 kB', `7,${'x'.repeat(60_000)},,`, 'The name field must not be greater than 255 characters.'],
  ['a text in a formula', '="07",Ann,,"=""030 901820"""', made('07', 'Ann', null, '+4930901820')],
  ['a guarded formula', "7,'=SUM(A1),,", made('7', '=SUM(A1)', null)],
  ['a word for a number', ',Ann,,secret', 'numbers: “secret” is not a valid phone number.'],
  ['nothing', ',Ann,,', 'There is neither a reference nor a number.'],
  ['an unknown segment', '7,Ann,Lead,', 'Segment "Lead" does not exist. Add it first.'],
  ["somebody else's number", ',Ann,,+4930666', '+4930666 already belongs to "Eve".'],
  ['too many columns', '7,Ann,,1,2', 'The number of columns differs from the header.'],
];

for (const [name, line, expected] of rows) {
  test(`import: ${name}`, async () => {
    const store = fakeStore('+4930666');
    const report = await importInto(store, `reference,name,segment,numbers\n${line}\n`);
    const refused = typeof expected === 'string';
    assert.deepEqual(store.kept, refused ? [] : [expected]);
    assert.deepEqual(
      report.errors.map(({ message }) => message),
      refused ? [expected] : [],
    );
    assert.deepEqual([report.imported, report.refused], refused ? [0, 1] : [1, 0]);
  });
}

test('import takes semicolons, a byte order mark, and columns in any order', async () => {
  const store = fakeStore();
  const text = '\ufeffNumbers;Name;Segment\r\n"030 901820|110";"Müller, Jo";Gold\r\n';
  await importInto(store, text);
  assert.deepEqual(store.kept, [made('+4930901820', 'Müller, Jo', 'Gold', '+4930901820', '110')]);
});

test('what a table has no column for stays; an empty cell of a column removes it', async () => {
  const store = fakeStore();
  store.kept.push(made('7', 'Ann', 'Gold', '+4930901820'));
  await importInto(store, 'reference,numbers\n7,040 6969199\n');
  assert.deepEqual(store.kept, [made('7', 'Ann', 'Gold', '+49406969199')]);
  await importInto(store, 'reference,name,segment\n7,,\n');
  assert.deepEqual(store.kept, [made('7', '7', null, '+49406969199')]);
});

test('a table with neither reference nor numbers is refused', async () => {
  await assert.rejects(importInto(fakeStore(), 'a,b\n1,2\n'), BadTable);
  await assert.rejects(importInto(fakeStore(), '{"numbers":1}'), BadTable);
  await assert.rejects(importInto(fakeStore(), ''), BadTable);
});

const stored = () => [
  made('+4930901820', '=cmd|A1', 'Gold', '+4930901820', '110'),
  made('@x', '-1 "x", y;=1+1; @z', null, '+491713920000'),
  made("'quoted'", "'=1+1", null, '01701234567'),
  made('8', "＝1+1;＋1;'-1", null, '+12133734253'),
  made('=9', 'A; B', null),
  made('0501', '3 May', null, '0501'),
  made("'0502", "'7", null, '+33612345678', '+5511961234567'),
  made('123456789012', '1/2', 'Gold', '112'),
  made('1E5', '2026-11-27', null),
  made('2-3', 'TRUE', null, '123456789012345'),
  made('1001', 'Müller & Söhne', null, '+4930901821'),
  // In both forms in which the line may call.
  made('1002', 'Ana', null, '+541151234567', '+5491151234567'),
];

/** What a spreadsheet makes of a cell that it takes for something else than text: what it then saves. */
function retyped(cell: string): string {
  const amount = cell.replace(/(?<=\d)[.,\u00a0](?=\d{3}\b)/g, '').replace(',', '.');
  if (/^[+-]?\d+(\.\d+)?(e[+-]?\d+)?%?$/i.test(amount)) {
    const value = Number.parseFloat(amount);
    return Math.abs(value) < 1e11 ? `${value}` : value.toExponential(5).replace('e', 'E');
  }
  if (/^\d{1,4}[-./ ](\d{1,2}|[a-z]{3,4})([-./ ]\d{1,4})?$|^[a-z]{3,9} \d+$/i.test(cell)) return '46353';
  if (/^\d{1,2}:\d\d/.test(cell)) return '0.4375';
  return /^(true|false|wahr|falsch)$/i.test(cell) ? '1' : cell;
}

for (const [reader, dialect, open] of [
  ['a program', forPrograms, (cell: string) => cell],
  ['a spreadsheet in English', forSpreadsheets('en-GB'), retyped],
  ['a spreadsheet in German', forSpreadsheets('de-DE'), retyped],
] as const)
  test(`exported customers that ${reader} has read and saved import unchanged, and no cell is a formula`, async () => {
    const store = fakeStore();
    store.kept.push(...stored());
    let text = '';
    for await (const chunk of exportCustomers(store.customers, 1, dialect)) text += chunk;
    assert.equal(text.startsWith('\ufeff'), dialect !== forPrograms);
    // However cells are separated, and wherever a quote is taken to begin or to end.
    for (const separator of [',', ';', '\t'])
      for (const cell of text.split(/\r\n/).flatMap((row) => row.split(separator)))
        assert.doesNotMatch(
          cell.replaceAll('"', ''),
          /^\s*[=@＝＋－＠-]|^\s*\+(?![\d ]+[+|\d ]*$)/,
          separator,
        );
    const delimiter = dialect.separator;
    const cells: string[][] = parse(text, { bom: true, delimiter });
    const saved = stringify(
      cells.map((row) => row.map(open)),
      { delimiter },
    );
    const again = fakeStore();
    // With a country, some of the numbers would be those of it.
    await importInto(again, saved, null);
    assert.deepEqual(again.kept, store.kept);
  });

test('a spreadsheet would change an export for programs: the test of those can fail', async () => {
  const store = fakeStore();
  store.kept.push(...stored());
  const text = (await Array.fromAsync(exportCustomers(store.customers, 1))).join('');
  const cells: string[][] = parse(text);
  const again = fakeStore();
  await importInto(again, stringify(cells.map((row) => row.map(retyped))), null);
  assert.notDeepEqual(again.kept, store.kept);
});

function made(reference: string, name: string, segment: string | null, ...numbers: string[]): Customer {
  return customer({ reference, name, segment, numbers });
}

test('others get a turn while several long works go on, one piece of which runs in a turn', async () => {
  let turns = 0;
  let over = false;
  const count = () => {
    turns += 1;
    if (!over) setImmediate(count);
  };
  setImmediate(count);
  let pieces = 0;
  const work = async () => {
    const turn = takeTurns();
    for (let n = 0; n < 20; n += 1) {
      for (const end = performance.now() + 5; performance.now() < end; );
      pieces += 1;
      await turn();
    }
  };
  await Promise.all([work(), work(), work()]);
  over = true;
  assert.ok(turns >= pieces - 3, `${turns} turns for ${pieces} pieces`);
});

test('a preview shows what the import then does', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'preview-'));
  const store = await openSqliteStore(join(folder, 'service.db'));
  t.after(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  const { id: account } = await store.directory.addAccount({ uid: 'a', name: 'A', country: 'DE' });
  const into = { customers: store.customers, account, country: 'DE' };
  await store.customers.putSegment(account, { name: 'Gold', priority: 5 });

  const cell = (...values: string[]) => fc.constantFrom(...values);
  const row = fc.record({
    ...eachText(() => cell('Ann', 'Bob', '')),
    reference: cell('1', '2', '3', ''),
    segment: cell('Gold', 'None', ''),
    numbers: cell('030901820', '030901821|030901822', '030901822', 'Tom', '030901822, 4,93E+11', ''),
  });
  // Any columns, as long as they say which customer it is.
  const some = fc.subarray([...columns], { minLength: 1 }).filter(namesCustomers);
  await fc.assert(
    fc.asyncProperty(some, fc.array(row, { maxLength: 8 }), async (some, rows) => {
      const cells = rows.map((row) => some.map((column) => row[column]));
      const table = [some, ...cells].map((line) => line.join(',')).join('\n');
      const look = () => previewImport(readTable(table), { ...into, mapping: some });
      const preview = await look();
      assert.deepEqual(await look(), preview, 'it changed nothing');
      const { added, changed, same, refused, errors, left, warnings } = preview;
      assert.equal(preview.changes.length, changed);
      const report = await importCustomers(table, into);
      assert.deepEqual(
        {
          ...{ imported: added + changed + same, refused, errors: byFirstLine(errors) },
          ...{ left, warnings: byFirstLine(warnings) },
        },
        { ...report, errors: byFirstLine(report.errors), warnings: byFirstLine(report.warnings) },
      );
    }),
    { numRuns: 100 },
  );
});

test('what a page calls a field is recognised as that field, in each language', () => {
  assert.ok(languages.size >= 5);
  for (const words of languages.values())
    assert.deepEqual(
      chooseColumns(
        columns.map((field) => customerFields[field].label(words)),
        [],
        null,
      ),
      columns,
      words.language,
    );
});

const ownTable = (rows: string) => `reference,name,segment,numbers\n${rows}`;

test('damaged references and placeholders join nobody, and are nobody’s name', async () => {
  const noReferences = `1,23457E+11|1.23457E+14|n/a|N/A|NA|-|--|?|NULL|null|#NV|#N/A|#REF!|#WERT!|#¡VALOR!|#########|0|000
    neu|new|nouveau|unbekannt|k. A.`;
  for (const cell of noReferences.split(/\s*[|\n]\s*/)) {
    const store = fakeStore();
    const { imported } = await importInto(
      store,
      ownTable(`"${cell}",Ann,,030 901820\n"${cell}",Bob,,030 901821\n`),
    );
    assert.equal(imported, 2, cell);
    assert.deepEqual(
      store.kept,
      [made('+4930901820', 'Ann', null, '+4930901820'), made('+4930901821', 'Bob', null, '+4930901821')],
      cell,
    );
  }
  const rounded = await importInto(fakeStore(), ownTable('"1,23457E+11",Ann,,030 901820\n'));
  assert.match(rounded.warnings[0]?.message ?? '', /Reference: a spreadsheet has shortened .*1,23457E\+11/);
  for (const cell of ['NULL', '#NV', '#N/A', '#REF!', '-', 'n/a']) {
    const store = fakeStore();
    await importInto(store, ownTable(`7,${cell},${cell},030 901820\n`));
    assert.deepEqual(store.kept, [made('7', '7', null, '+4930901820')], cell);
  }
  const store = fakeStore();
  await importInto(store, ownTable('NO,Null,,\nA-0,Nan,,\n12E4,Leer,,\n'));
  assert.deepEqual(store.kept, [
    made('NO', 'Null', null),
    made('A-0', 'Nan', null),
    made('12E4', 'Leer', null),
  ]);
});

test('lines that join the customer of an earlier one are named, with both names if they differ', async () => {
  const { warnings, left } = await importInto(
    fakeStore(),
    ownTable('7,Ann,,030 901820\n7,Ann,,030 901821\n7,Bob,,030 901822\n8,Eve,,\n7,,,030 901823\n'),
  );
  assert.equal(left, 0);
  assert.deepEqual(
    warnings.map(({ message, lines }) => [message, lines]),
    [
      ['The reference of an earlier line: the numbers add up, and the last name and segment count.', [3, 6]],
      ['Reference “7” is “Bob” here, but “Ann” in line 2: they become one customer.', [4]],
    ],
  );
});

test("a number that Google's column before it calls a fax is left out and named", async () => {
  for (const label of ['Label', 'Type']) {
    const table = readTable(
      [
        `Given Name,Phone 1 - ${label},Phone 1 - Value,Phone 2 - ${label},Phone 2 - Value`,
        'Ann,Mobile,+49 171 3920000,Work Fax,030 901820 ::: 030 901821',
        'Bob,* Home Fax,030 901822,Work,030 901823 ::: 030 901824',
        'Eve,Fax,,Main,030 901825',
      ].join('\n'),
    );
    const mapping = chooseColumns(table.header, table.sample, 'DE');
    const { customers, left } = await readCustomers(table, { mapping, country: 'DE' });
    assert.deepEqual(
      customers.map(({ numbers }) => [...(numbers?.keys() ?? [])]),
      [['+491713920000'], ['+4930901823', '+4930901824'], ['+4930901825']],
    );
    assert.deepEqual(
      left.reasons().map(({ message, lines }) => [message.slice(0, 34), lines]),
      [
        ['Phone 2 - Value: “Fax 030 901820” ', [2]],
        ['Phone 2 - Value: “Fax 030 901821” ', [2]],
        ['Phone 1 - Value: “Fax 030 901822” ', [3]],
      ],
    );
  }
});
