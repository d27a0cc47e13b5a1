import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { openSqliteStore } from '../database/sqlite-store.ts';
import { type CsvDialect, forPrograms, forSpreadsheets } from '../kit/csv.ts';
import { createPause } from '../kit/event-loop-pauses.ts';
import { languages } from '../words/words.ts';
import { customer } from './customer.fixture.ts';
import { type Customer, columns, customerFields, eachText } from './customer-fields.ts';
import type { CustomerStore } from './customer-store.ts';
import type { Replacement } from './customer-writer.ts';
import { BadTable, importCustomers, namesCustomers } from './customers-csv.ts';
import { exportCustomers } from './customers-export.ts';
import { previewImport } from './customers-preview.ts';
import { chooseColumns } from './import/choose-columns.ts';
import { readCustomers } from './import/read-customers.ts';
import { readTable } from './import/table.ts';
import type { Refused } from './import-refusals.ts';

const byFirstLine = (errors: readonly Refused[]) =>
  errors.toSorted((a, b) => (a.lines[0] ?? 0) - (b.lines[0] ?? 0));

/** Takes customers; `taken` is a number of somebody else. */
function fakeStore({
  taken = '',
  segments = ['Gold'],
}: {
  taken?: string;
  segments?: readonly string[];
} = {}) {
  const kept: Customer[] = [];
  const customers = {
    matching: async (_account: number, references: Iterable<string>, numbers: Iterable<string>) => {
      const [named, having] = [new Set(references), new Set(numbers)];
      const others = having.has(taken) ? [made('eve', 'Eve', null, taken)] : [];
      return [...kept, ...others].filter(
        (one) => named.has(one.reference) || one.numbers.some((number) => having.has(number)),
      );
    },
    replace: async (_account: number, { after }: Replacement) => {
      for (const customer of after) {
        const nth = kept.findIndex(({ reference }) => reference === customer.reference);
        kept.splice(nth < 0 ? kept.length : nth, 1, customer);
      }
      return null;
    },
    segments: async () => segments.map((name) => ({ name, priority: 1 })),
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
    '7,Ann,,030 901820;+4930901820|110',
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
    const store = fakeStore({ taken: '+4930666' });
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

const readers = [
  ['a program', forPrograms, (cell: string) => cell],
  ['a spreadsheet in English', forSpreadsheets('en-GB'), retyped],
  ['a spreadsheet in German', forSpreadsheets('de-DE'), retyped],
] as const;

async function exported(store: ReturnType<typeof fakeStore>, dialect: CsvDialect): Promise<string> {
  return (await Array.fromAsync(exportCustomers(store.customers, { id: 1, country: null }, dialect))).join(
    '',
  );
}

/** The same, as somebody saves it who has opened it so. */
function saved(text: string, { separator: delimiter }: CsvDialect, open: (cell: string) => string): string {
  const cells: string[][] = parse(text, { bom: true, delimiter });
  return stringify(
    cells.map((row) => row.map(open)),
    { delimiter },
  );
}

for (const [reader, dialect, open] of readers)
  test(`exported customers that ${reader} has read and saved import unchanged, and no cell is a formula`, async () => {
    const store = fakeStore();
    store.kept.push(...stored());
    const text = await exported(store, dialect);
    assert.equal(text.startsWith('\ufeff'), dialect !== forPrograms);
    // However cells are separated, and wherever a quote is taken to begin or to end.
    for (const separator of [',', ';', '\t'])
      for (const cell of text.split(/\r\n/).flatMap((row) => row.split(separator)))
        assert.doesNotMatch(
          cell.replaceAll('"', ''),
          /^\s*[=@＝＋－＠-]|^\s*\+(?![\d ]+[+|\d ]*$)/,
          separator,
        );
    const again = fakeStore();
    // With a country, some of the numbers would be those of it.
    await importInto(again, saved(text, dialect, open), null);
    assert.deepEqual(again.kept, store.kept);
  });

/** What says in other tables that there is nothing. */
const nothings = [
  '-',
  '--',
  '…?',
  '?',
  '*',
  'n/a',
  'N/A',
  'NULL',
  '(null)',
  'undefined',
  'NaN',
  '\\N',
  '###',
  '#NV',
  '#0!',
  '#REF!',
  "'-",
  "''n/a",
  "'\\N",
];

for (const [reader, dialect, open] of readers)
  test(`an export that ${reader} has saved has the customers that are called by what says nothing in other tables`, async () => {
    const store = fakeStore({ segments: nothings });
    store.kept.push(
      ...nothings.flatMap((text, n) => [
        made(`B${n}`, text, text, `+49309018${200 + n}`),
        made(text, 'Ann', null),
        made(`A${n}`, text, null),
      ]),
    );
    const table = saved(await exported(store, dialect), dialect, open);
    for (const known of [store.kept, []]) {
      const again = fakeStore({ segments: nothings });
      again.kept.push(...known);
      const report = await importInto(again, table);
      assert.deepEqual([report.errors, report.warnings], [[], []]);
      assert.deepEqual(again.kept, store.kept);
    }
  });

test('a spreadsheet would change an export for programs: the test of those can fail', async () => {
  const store = fakeStore();
  store.kept.push(...stored());
  const text = (await Array.fromAsync(exportCustomers(store.customers, { id: 1, country: null }))).join('');
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
    const pause = createPause();
    for (let n = 0; n < 20; n += 1) {
      for (const end = performance.now() + 5; performance.now() < end; );
      pieces += 1;
      await pause();
    }
  };
  await Promise.all([work(), work(), work()]);
  over = true;
  assert.ok(turns >= pieces - 3, `${turns} turns for ${pieces} pieces`);
});

test('others have their turn within a line of many columns', async () => {
  // Different ones: what was read once is remembered.
  const cells = Array.from({ length: 60 }, (_, column) =>
    Array.from({ length: 20 }, (_, nth) => `(020) ${1_000_000 + column * 20 + nth} ext 5`).join(', '),
  );
  const header = ['reference', ...cells.map(() => 'numbers')];
  const mapping = header.map((name) => name as 'reference' | 'numbers');
  const table = readTable(`${header.join()}\n1${cells.map((cell) => `,"${cell}"`).join('')}\n`);
  let turns = 0;
  let over = false;
  const count = () => {
    turns += 1;
    if (!over) setImmediate(count);
  };
  setImmediate(count);
  const { customers } = await readCustomers(table, { mapping, country: 'NL', find: async () => [] });
  over = true;
  assert.equal(customers.length, 1);
  assert.ok(turns > 3, `${turns} turns`);
});

test('blank lines are no customers, however many', async () => {
  const store = fakeStore();
  const blank = ',\n\n'.repeat(3_000);
  const { imported, refused } = await importInto(
    store,
    `reference,numbers\n${blank}1,030 901820\n${blank}2,030 901821`,
  );
  assert.deepEqual([imported, refused], [2, 0]);
});

test('a table of very many columns is refused with their number', async () => {
  const wide = (columns: number) => {
    const more = columns - 2;
    return `reference,numbers${',x'.repeat(more)}\n1,030 901820${','.repeat(more)}\n`;
  };
  const { imported } = await importInto(fakeStore(), wide(500));
  assert.equal(imported, 1);
  await assert.rejects(
    importInto(fakeStore(), wide(501)),
    /The table has 501 columns. It may have at most 500/,
  );
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
    language: cell('de', 'German', ''),
    blocked: cell('yes', 'no', 'Ship', ''),
    reference: cell('1', '2', '3', ''),
    segment: cell('Gold', 'None', ''),
    numbers: cell('030901820', '030901821|030901822', '030901822', 'Tom', '030901822, 4,93E+11', ''),
  });
  // Any columns, as long as they say which customer it is.
  const some = fc
    .subarray([...columns], { minLength: 1 })
    .filter((some) => namesCustomers(some) && some.join() !== 'reference');
  await fc.assert(
    fc.asyncProperty(some, fc.array(row, { maxLength: 8 }), async (some, rows) => {
      const cells = rows.map((row) => some.map((column) => row[column]));
      const table = [some, ...cells].map((line) => line.join(',')).join('\n');
      async function look() {
        const { plan: _, ...shown } = await previewImport(readTable(table), { ...into, mapping: some });
        return shown;
      }
      const preview = await look();
      assert.deepEqual(await look(), preview, 'it changed nothing');
      const { added, changed, same, refused, errors, left, unsure, leftOut, warnings } = preview;
      assert.equal(preview.changes.length, changed);
      const report = await importCustomers(table, into);
      assert.deepEqual(
        {
          imported: added + changed + same,
          refused,
          errors: byFirstLine(errors),
          left,
          unsure,
          leftOut,
          warnings: byFirstLine(warnings),
          unknownColumns: [],
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

/** What usually says that there is no reference. */
const placeholders =
  `1,23457E+11|1.2E+11|1E+5|n/a|N/A|NA|-|--|?|*|NULL|null|#NV|#N/A|#REF!|#WERT!|#¡VALOR!|#########|0|00|000
    neu|Neu|NEW|nouveau|unbekannt|k. A.`.split(/\s*[|\n]\s*/);

for (const [reader, dialect, open] of readers)
  test(`an export that ${reader} has saved has its customers whose references are like placeholders`, async () => {
    const store = fakeStore();
    store.kept.push(
      ...placeholders.map((reference, n) =>
        made(reference, `Ann ${String.fromCharCode(65 + n)}`, null, `+49309018${20 + n}`),
      ),
    );
    const before = structuredClone(store.kept);
    const table = saved(await exported(store, dialect), dialect, open);
    const into = { customers: store.customers, account: 1, country: 'DE' };
    const preview = await previewImport(readTable(table), { ...into, mapping: [...columns] });
    assert.deepEqual([preview.same, preview.errors, preview.warnings], [placeholders.length, [], []]);
    const { imported, errors, warnings } = await importCustomers(table, into);
    assert.deepEqual([imported, errors, warnings], [placeholders.length, [], []]);
    assert.deepEqual(store.kept, before);
    // What has changed in the table changes.
    await importCustomers(table.replaceAll('Ann', 'Bob'), into);
    assert.deepEqual(
      store.kept,
      before.map((one) => ({ ...one, name: one.name.replace('Ann', 'Bob') })),
    );
  });

test('a placeholder of several lines is one, though there is a customer with that reference', async () => {
  for (const cell of placeholders) {
    const store = fakeStore();
    const known = made(cell, 'Known', null, '+493090189');
    store.kept.push(known);
    await importInto(store, ownTable(`"${cell}",Ann,,030 901820\n"${cell}",Bob,,030 901821\n`));
    assert.deepEqual(store.kept, [
      known,
      made('+4930901820', 'Ann', null, '+4930901820'),
      made('+4930901821', 'Bob', null, '+4930901821'),
    ]);
  }
});

const ownTable = (rows: string) => `reference,name,segment,numbers\n${rows}`;

test('damaged references and placeholders join no lines, and are never a name', async () => {
  for (const cell of placeholders) {
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
      [
        'The reference of an earlier line: the numbers add up; otherwise the last line that says something counts.',
        [3, 6],
      ],
      ['Reference “7” is “Bob” here, but “Ann” in line 2: they become one customer.', [4]],
    ],
  );
});

/** What the lines of a table say, as the page reads it: by its headers and cells. */
async function readOwn(text: string) {
  const table = readTable(text);
  const mapping = chooseColumns(table.header, table.sample, 'DE');
  const read = await readCustomers(table, { mapping, country: 'DE', find: async () => [] });
  return {
    names: read.customers.map(({ texts }) => texts.name),
    numbers: read.customers.map(({ numbers }) => [...(numbers?.keys() ?? [])]),
    left: read.left.reasons().map(({ message, lines }) => [message.slice(0, 34), ...lines]),
    leftOrRefused: read.left.count() + read.refused.count(),
  };
}

test('a last name that is also the first name stays; a name that a column repeats is there once', async () => {
  const table =
    'Vorname;Nachname;Firma;Telefon\nMartin;Martin;;030 901820\nAnn;Lee;Lee;030 901821\nBob;;Bob;030 901822\n';
  assert.deepEqual((await readOwn(table)).names, ['Martin Martin', 'Ann Lee', 'Bob']);
  const lastName = readTable('Vorname;Name;Telefon\nPaul;Paul;030 901820\n');
  const both = await readCustomers(lastName, {
    mapping: ['name', 'name', 'numbers'],
    country: 'DE',
    find: async () => [],
  });
  assert.equal(both.customers[0]?.texts.name, 'Paul Paul');
});

test('invisible characters in a reference or a name make no other one', async () => {
  const store = fakeStore();
  await importInto(store, 'reference,name,numbers\n1001,Ann,030 901820\n1001\u200b,An\u00adn,030 901821\n');
  assert.deepEqual(store.kept, [made('1001', 'Ann', null, '+4930901820', '+4930901821')]);
});

test('a number that a column of types calls a fax is left out, in other languages too, and on a line of its own', async () => {
  for (const [text, expected] of [
    [
      'Name;Telefon 1 - Typ;Telefon 1 - Nummer;Telefon 2 - Typ;Telefon 2 - Nummer\nArzt A;Arbeit;030 901820;Fax;030 901821',
      ['+4930901820'],
    ],
    ['Name;Art;Rufnummer\nAmt B;Telefon;030 901820\nAmt B;Telefax;030 901821', ['+4930901820']],
    ['Name;Number;Type\nAmt B;030 901820;Phone\nAmt B;030 901821;Fax', ['+4930901820']],
    ['Nom;Téléphone 1 - Type;Téléphone 1 - Numéro\nAnne;Fax;030 901821', []],
  ] as const) {
    const { numbers, leftOrRefused } = await readOwn(text);
    assert.deepEqual(numbers.flat(), expected, text);
    assert.equal(leftOrRefused, 1, text);
  }
});

const googleLines = [
  'Ann,Mobile,+49 171 3920000,Work Fax,030 901820 ::: 030 901821',
  'Bob,* Home Fax,030 901822,Work,030 901823 ::: 030 901824',
  'Eve,Fax,,Main,030 901825',
];
const google = {
  numbers: [['+491713920000'], ['+4930901823', '+4930901824'], ['+4930901825']],
  left: [
    ['Phone 2 - Value: “Fax 030 901820” ', 2],
    ['Phone 2 - Value: “Fax 030 901821” ', 2],
    ['Phone 1 - Value: “Fax 030 901822” ', 3],
  ],
};
const beside = [
  'Name,Phone,Phone Type,phone_1_number,phone_1_type,Kundennr',
  'Ann,030 901820,Work,030 901821,fax,1',
  'Bob,030 901822,Pager,030 901823,cell,2',
];
for (const [where, lines, expected] of [
  [
    "Google's column before it (Label)",
    ['Given Name,Phone 1 - Label,Phone 1 - Value,Phone 2 - Label,Phone 2 - Value', ...googleLines],
    google,
  ],
  [
    "Google's column before it (Type)",
    ['Given Name,Phone 1 - Type,Phone 1 - Value,Phone 2 - Type,Phone 2 - Value', ...googleLines],
    google,
  ],
  [
    'a column beside it',
    beside,
    {
      numbers: [['+4930901820'], ['+4930901823']],
      left: [
        ['phone_1_number: “Fax 030 901821” i', 2],
        ['Phone: “Pager 030 901822” is not a', 3],
      ],
    },
  ],
] as const)
  test(`a number that ${where} calls a fax or a pager is left out and named`, async () => {
    const { numbers, left } = await readOwn(lines.join('\n'));
    assert.deepEqual({ numbers, left }, expected);
  });

test('lines that a quote without a partner would join are named, and none is imported', async () => {
  const head = 'reference;name;Notiz;numbers\n';
  const joined: Record<string, readonly [text: string, lines: number[], imported: string[]]> = {
    'in a column that is not imported': [
      `${head}901;Anton;"ruft an;030 901871\n902;Berta;;030 901872\n903;Caesar;Rohr 2";030 901873\n904;Dora;;030 901874\n`,
      [2, 3, 4],
      ['Dora +4930901874'],
    ],
    'in the name': [
      'reference;name;numbers\n20;Zoe;030 901839\n21;"Krone;030 901840\n22;Adler;030 901841\n23;Rohr 12";030 901842\n',
      [3, 4, 5],
      ['Zoe +4930901839'],
    ],
    'in two lines': [
      `${head}901;Anton;"ruft an;030 901871\r\n902;Berta;2";030 901872\r\n903;Dora;;030 901874\r\n`,
      [2, 3],
      ['Dora +4930901874'],
    ],
    'in the last column': [
      'reference,numbers,name,Notiz\n1,030 901871,Anton,"alt\n2,030 901872,Berta,\n3,030 901873,Caesar,Rohr 2"\n4,030 901874,Dora,\n',
      [2, 3, 4],
      ['Dora +4930901874'],
    ],
    'in the first column': [
      'name;numbers\n"Krone;030 901840\nAdler;030 901841\nRohr 12";030 901842\nDora;030 901874\n',
      [2, 3, 4],
      ['Dora +4930901874'],
    ],
    'with nothing behind it, and a line that has no number': [
      `${head}901;Anton;";unbekannt\n902;Berta;;030 901872\n903;Caesar;";030 901873\n904;Dora;;030 901874\n`,
      [2, 3, 4],
      ['Dora +4930901874'],
    ],
    'in the header': [
      'reference;numbers;"Notiz;name\n901;030 901871;x;Anton\n902;030 901872;2";Berta\n904;030 901874;;Dora\n',
      [1, 2, 3],
      ['904 +4930901874'],
    ],
    'of a line without a number': [
      'numbers;name\nunbekannt;"Anton\n030 901872;Berta\n030 901873;Rohr 2"\n030 901874;Dora\n',
      [2, 3, 4],
      ['Dora +4930901874'],
    ],
    'in a short line': [
      `${head}901;Anton;"ruft an;030 901871\n902;Berta;;030 901872\n903;Caesar;Rohr 2"\n904;Dora;;030 901874\n`,
      [2, 3, 4],
      ['Dora +4930901874'],
    ],
  };
  for (const [name, [text, lines, imported]] of Object.entries(joined)) {
    const store = fakeStore();
    const { errors, refused } = await importInto(store, text);
    assert.deepEqual(
      store.kept.map(({ name, numbers }) => `${name} ${numbers.join()}`),
      imported,
      name,
    );
    assert.deepEqual(
      errors.map(({ lines }) => lines),
      [lines],
      name,
    );
    assert.match(errors[0]?.message ?? '', /quotation mark/, name);
    assert.equal(refused, lines.length);
  }
});

test('notes, addresses and numbers of several lines are imported, with separators in them', async () => {
  for (const [text, ...numbers] of [
    ['reference;name;Notiz;numbers\n1;Anna;"nett; ruft an\nMo; Di; Mi";030 901871\n2;Bob;;030 901872\n'],
    ['reference;name;Notiz;numbers\n1;Anna;"1. a\n2. b; c\n3. d";030 901871\n2;Bob;"x\n\ny";030 901872\n'],
    [
      'name,Adresse,numbers\nAnna,"Weg 1, Hof\n10115 Berlin, DE",030 901871\nBob,"Weg 2\nBerlin",030 901872\n',
    ],
    ['name,numbers,Notiz\nAnna,030 901871,"a, b, c\nd, e, f"\nBob,030 901872,"g\nh"\n'],
    ['numbers,name,Notiz\n030 901871,Anna,"Tel, 2, 3\n1, 2, nett"\n030 901872,Bob,"4\n2, 1, 7"\n'],
    ['numbers;name\n"030 901871\n030 901873";Anna\n030 901872;Bob\n', '030901873'],
    ['name;numbers\nAnna;"030 901871\n030 901873"\nBob;030 901872\n', '030901873'],
    ['numbers\n"030 901871\n030 901872"\n'],
    ['reference;"numbers";name;"Notiz\n(1; 2)"\n1;030 901871;Anna\n2;030 901872;Bob\n'],
  ] as const) {
    const store = fakeStore();
    const { refused } = await importInto(store, text);
    assert.equal(refused, 0, text);
    assert.deepEqual(
      store.kept.flatMap(({ numbers }) => numbers).toSorted(),
      ['030901871', '030901872', ...numbers].map((number) => number.replace('0', '+49')).toSorted(),
      text,
    );
  }
});

test('totals and repeated column names are no customers, and are named', async () => {
  for (const line of [
    'Summe;2;;',
    'Gesamt;;;',
    'Total: 2;1.204,50 €;;',
    'Anzahl;2;;',
    'reference;name;segment;numbers',
    'Totaal;12;;3',
  ]) {
    const store = fakeStore();
    const { errors } = await importInto(
      store,
      `reference;name;segment;numbers\n7;Ann;;030 901820\n${line}\n8;Bob;;\n`,
    );
    assert.deepEqual(
      store.kept.map(({ name }) => name),
      ['Ann', 'Bob'],
      line,
    );
    assert.match(errors[0]?.message ?? '', /total, not a customer|column names once more/, line);
    assert.deepEqual(errors[0]?.lines, [3], line);
  }
  const store = fakeStore();
  await importInto(
    store,
    'reference;name;segment;numbers\n1;Total;;030 901821\n2;Summe;;\nTotal;Energies;;\nSumme AG;2;;\nSum;;;030 901822\n',
  );
  assert.equal(store.kept.length, 5);
});

test('numbers that a cell or its label calls wrong are left out and named, and the customer keeps those that are known', async () => {
  const store = fakeStore();
  await importInto(store, 'reference;numbers\n7;030 901821');
  const { left, warnings } = await importInto(
    store,
    'reference;numbers;type\n7;alt: 030 901821 neu: 030 901822;\n8;030 901823;ungültig\n9;030 901824;privat',
  );
  const numbersOf = (reference: string) => store.kept.find((one) => one.reference === reference)?.numbers;
  assert.deepEqual(numbersOf('7')?.toSorted(), ['+4930901821', '+4930901822']);
  assert.deepEqual([numbersOf('8'), numbersOf('9')], [[], ['+4930901824']]);
  assert.equal(left, 2);
  assert.match(
    warnings[0]?.message ?? '',
    /numbers: “030 901821” is left out: it says that the number is wrong/,
  );
});

test('a column of telephone numbers that is not imported is named, wherever its numbers begin', async () => {
  const columnsNamed = async (header: string, cells: readonly string[], country = 'DE') => {
    const table = readTable(
      [
        `reference;name;Telefon;${header}`,
        ...cells.map((cell, n) => `K${n};Ann ${n};030 90${1820 + n};${cell}`),
      ].join('\n'),
    );
    const mapping = chooseColumns(table.header, table.sample, country);
    const into = { customers: fakeStore().customers, account: 1, country, mapping };
    const { leftOut } = await previewImport(table, into);
    return leftOut.map(({ message, lines }) => [message, ...lines]);
  };
  const late = Array.from({ length: 120 }, (_, line) => (line === 110 ? '+49 30 2488888' : ''));
  for (const [header, cells, line, examples] of [
    ['Kontakt', ['0171 3920000', '0171 3920001'], 2, '0171 3920000, 0171 3920001'],
    ['Rückfrage', ['01713920000', '', '+491713920001'], 2, '01713920000, +491713920001'],
    [
      'Rückfrage',
      ['٠١٧١ ٣٩٢٠٠٠٠', '', '０１７１－３９２０００１'],
      2,
      '٠١٧١ ٣٩٢٠٠٠٠, ０１７１－３９２０００１',
    ],
    ['Kontakt', ['Otto', '0171 3920000'], 3, '0171 3920000'],
    ['Hausarzt Telefon', ['030 901827', '030 901828'], 2, '030 901827, 030 901828'],
    [
      'Manager Phone',
      ['030 901827', '30901828', 'x', 'Ann 030 1234', '030 5'],
      2,
      '030 901827, 30901828, Ann 030 1234',
    ],
    ['Telefon Fax', ['030 901827', '030 901827'], 2, '030 901827'],
    ['Ruf', late, 112, '+49 30 2488888'],
  ] as const)
    assert.deepEqual(
      await columnsNamed(header, cells),
      [[`Column “${header}” is not imported, but seems to have phone numbers: ${examples}.`, line]],
      header,
    );
  for (const [header, cells] of [
    ['Fax', ['030 901829', '030 901828']],
    ['Telefon (Fax)', ['030 901829', '030 901828']],
    ['Telefon (Sekretariat)', ['030 901829', '030 901828']],
    ['Umsatz', ['1204.50', '120456']],
    ['Home', late],
    ['Geschäftlich', late],
    ['Natel', ['0171 3920000', '']],
  ] as const)
    assert.deepEqual(await columnsNamed(header, cells), [], header);
  const { leftOut } = await importInto(fakeStore(), 'reference;numbers;Home2\n1;030 901820;0171 3920000');
  assert.deepEqual(
    leftOut.map(({ message }) => message),
    ['Column “Home2” is not imported, but seems to have phone numbers: 0171 3920000.'],
  );
});

test('a number without its area code, and what a spreadsheet has calculated, are named', async () => {
  const messages = async (cell: string, country: string | null) => {
    const { warnings, unsure, left } = await importInto(
      fakeStore(),
      `reference;name;numbers\n1;Ann;${cell}`,
      country,
    );
    return [unsure, left, ...warnings.map(({ message }) => message)];
  };
  const local = (cell: string) =>
    `numbers: “${cell}” is read as an extension. If it is a phone number, write it with its area code.`;
  assert.deepEqual(await messages('901820', 'DE'), [1, 0, local('901820')]);
  assert.deepEqual(await messages('5552368', 'US'), [1, 0, local('5552368')]);
  assert.deepEqual(await messages('3134', 'US'), [0, 0]);
  assert.deepEqual(await messages('901820', null), [0, 0]);
  assert.deepEqual(await messages('-3134', 'US'), [
    0,
    1,
    'numbers: a spreadsheet has shortened the number “-3134”. Format the column as text and enter the number again.',
  ]);
});

test('digits that are no number are named, and the customer keeps all numbers', async () => {
  const store = fakeStore();
  await importInto(store, 'reference;name;numbers\n1;Asha;098765 43210', 'IN');
  for (const [cell, left, numbers] of [
    ['⁰⁹⁸⁷⁶⁵ ⁴³²¹¹', 1, ['+919876543210']],
    ['⁰⁹⁸⁷⁶⁵ ⁴³²¹¹ / 022 27782183', 1, ['+919876543210', '+912227782183']],
    ['०९८७६५ ४३२१०', 0, ['+919876543210']],
    ['०९८७६५ ४३२१० / ०२२ २७७८२१८३', 0, ['+919876543210', '+912227782183']],
  ] as const) {
    const report = await importInto(store, `reference;name;numbers\n1;Asha;${cell}`, 'IN');
    assert.equal(report.left, left, cell);
    assert.deepEqual(store.kept[0]?.numbers, numbers, cell);
  }
});

test('a known customer loses no number by a cell that has more than numbers', async () => {
  const numbers = ['+491713920000', '+4930901820'];
  for (const cell of [
    '030 901820 <reception> 0171 3920000',
    '030 901820 <0171 3920000>',
    '030 901820 (1) 0171 3920000 (2)',
    '0171 3920000 08-12/14-18',
    '030 901820 -> Fax',
    '0 / 0171 3920000; 030 901820',
  ]) {
    const store = fakeStore();
    await importInto(store, 'reference;name;numbers\n1;Ann;030 901820|0171 3920000');
    await importInto(store, `reference,name,numbers\n1,Ann,"${cell}"`);
    assert.deepEqual(store.kept[0]?.numbers.toSorted(), numbers, cell);
  }
});

/** Reads a table as the page does, by its headers and cells. */
async function importOwn(store: ReturnType<typeof fakeStore>, text: string) {
  const { header, sample } = readTable(text);
  const mapping = chooseColumns(header, sample, 'DE');
  return importCustomers(text, { customers: store.customers, account: 1, country: 'DE', mapping });
}

test('a word for nothing is no country that is not known; Norway’s is one', async () => {
  const store = fakeStore();
  const { unsure } = await importOwn(
    store,
    'Nr;Land;Telefon\n1;unbekannt;030 901820\n2;k. A.;030 901821\n3;NO;40 61 23 45\n4;Mars;030 901823\n',
  );
  assert.equal(unsure, 1);
  assert.deepEqual(store.kept[2]?.numbers, ['+4740612345']);
});

test('the name of a person beside a company, and of a company beside a person', async () => {
  const namesOf = async (...table: string[]) => {
    const store = fakeStore();
    await importOwn(store, table.join('\n'));
    return store.kept.map(({ name, numbers }) => [name, numbers.join(' ')].join(': '));
  };
  assert.deepEqual(
    await namesOf(
      'DisplayName;TelephoneNumber;Company',
      'Berg, Anna;030 90182021;Berg AG',
      'Alt, Bert;030 90182022;Berg AG',
      'Tal, Carl;030 90182023;',
      ';030 90182024;Dorn AG',
    ),
    [
      'Berg, Anna Berg AG: +493090182021',
      'Alt, Bert Berg AG: +493090182022',
      'Tal, Carl: +493090182023',
      'Dorn AG: +493090182024',
    ],
  );
  assert.deepEqual(
    await namesOf(
      'Vorname;Nachname;Anzeigename;Telefon',
      'Anna;Berg;Anna Berg (Einkauf);030 90182021',
      ';;Pforte;030 90182022',
    ),
    ['Anna Berg: +493090182021', 'Pforte: +493090182022'],
  );
  assert.deepEqual(
    await namesOf(
      '*ContactName;FirstName;LastName;PhoneNumber',
      'Acme Ltd;Ann;Lee;030 90182021',
      'Roe, Bob;Bob;Roe;030 90182022',
      'Dorn AG;;;030 90182023',
    ),
    ['Acme Ltd Ann Lee: +493090182021', 'Bob Roe: +493090182022', 'Dorn AG: +493090182023'],
  );
  const late = Array.from({ length: 120 }, (_, n) => `Anna;Berg${n};;030 ${90_182_000 + n}`);
  for (const [header, ...lines] of [
    ['Vorname;Nachname;Anzeigename;Telefon', ...late],
    ['Vorname;Nachname;Kunde;Telefon', ...late],
    ['Vorname;Nachname;Name;Telefon', ...late.map((line) => line.replace(/;(\w+);;/, ';$1;Anna $1;'))],
    ['Firma;Firma 2;Ansprechpartner;Telefon', 'Berg GmbH;;Otto;030 90182000'],
  ] as [string, ...string[]][])
    assert.deepEqual(
      (await namesOf(header, ...lines, ';;Taxi Nord;030 90182999')).at(-1),
      'Taxi Nord: +493090182999',
      header,
    );
  assert.deepEqual(await namesOf('Nazwa;Imię;Nazwisko;Telefon', 'Acme;Anna;Lis;030 90182021'), [
    'Acme Anna Lis: +493090182021',
  ]);
});

test('a column beside a number says what it is for, whatever the column is called', async () => {
  for (const [header, line] of [
    ['Telefon1;Telefon1Typ;Telefon2;Telefon2Typ', '030 901820;Büro;030 901829;Fax'],
    ['Phone1;Type1;Phone2;Type2', '030 901820;Office;030 901829;Fax'],
    ['Typ Telefon 1;Telefon 1;Typ Telefon 2;Telefon 2', 'Büro;030 901820;Fax;030 901829'],
    ['Rufnummer 1;Bemerkung 1;Rufnummer 2;Bemerkung 2', '030 901820;Büro;030 901829;Fax'],
    ['Type tél. 1;Tél. 1;Type tél. 2;Tél. 2', 'Bureau;030 901820;Fax;030 901829'],
    [
      'phone_1_number;phone_1_type;phone_1_extension;phone_1_flags;phone_2_number;phone_2_type;phone_2_extension;phone_2_flags',
      '030 901820;work;;;030 901829;work;;Fax',
    ],
  ] as const) {
    const store = fakeStore();
    await importOwn(
      store,
      `Nr;Name;${header}\n1;Berg;${line}\n2;Ott;${line.replaceAll('Fax', '').replaceAll('9018', '9028')}`,
    );
    assert.deepEqual(
      store.kept.map(({ numbers }) => numbers.length),
      [1, 2],
      header,
    );
  }
  for (const header of [
    'Telefonart;Telefon',
    'Kommunikationsart;Nummer',
    'Kontaktart;Telefonnummer',
    'Beschreibung;Telefon',
  ]) {
    const store = fakeStore();
    await importOwn(
      store,
      `Kundennr;Name;${header}\n1;Berg;Telefon;030 901820\n1;Berg;Fax;030 901829\n2;Ott;${header.startsWith('B') ? 'schickt Fax' : ''};030 901822`,
    );
    assert.deepEqual(
      store.kept.map(({ numbers }) => numbers),
      [['+4930901820'], ['+4930901822']],
      header,
    );
  }
});

test('what databases and spreadsheets write for nothing is no name; keys that are read as decimals are whole', async () => {
  const store = fakeStore();
  const report = await importOwn(
    store,
    'id,name,segment,phone\n1001.0,Anna,None,030 901820\n1002.0,None,(leer),030 901821\n1003.0,(vide),Gold,030 901822\n1004.0,<NA>,nan,030 901823\n',
  );
  assert.equal(report.refused, 0);
  assert.deepEqual(
    store.kept.map(({ reference, name, segment }) => [reference, name, segment]),
    [
      ['1001', 'Anna', null],
      ['1002', '1002', null],
      ['1003', '1003', 'Gold'],
      ['1004', '1004', null],
    ],
  );
  const versions = fakeStore();
  await importOwn(versions, 'id,name,phone\n1.0,Anna,030 901820\n1.5,Max,030 901821\n');
  assert.deepEqual(
    versions.kept.map(({ reference }) => reference),
    ['1.0', '1.5'],
  );
});

test('a spare name that a spreadsheet has lost matters where the line has no other', async () => {
  const store = fakeStore();
  store.kept.push(made('7', 'Ann', null), made('8', 'Bob', null));
  const { left } = await importOwn(
    store,
    'Kundennr;Firma;Ansprechpartner;Telefon\n7;;#REF!;030 901820\n8;Ott KG;#REF!;030 901821\n9;Fox AG;Eve;030 901822',
  );
  assert.equal(left, 1);
  assert.deepEqual(
    store.kept.map(({ name }) => name),
    ['Ann', 'Ott KG', 'Fox AG'],
  );
});

test('colleagues with one switchboard stay two, and their number is named', async () => {
  const store = fakeStore();
  const report = await importOwn(
    store,
    'DisplayName;TelephoneNumber;OtherTelephone;Company\nAnna Berg;030 90182021;030 901820;Berg AG\nBert Alt;030 90182022;030 901820;Berg AG',
  );
  assert.deepEqual(
    store.kept.map(({ name, numbers }) => [name, ...numbers]),
    [
      ['Anna Berg Berg AG', '+493090182021', '+4930901820'],
      ['Bert Alt Berg AG', '+493090182022'],
    ],
  );
  assert.match(JSON.stringify(report.warnings), /\+4930901820 already belongs to/);
});

test('a line without a reference is not said to have that of an earlier line', async () => {
  const { warnings } = await importInto(
    fakeStore(),
    'name,numbers\nAnn,030 901820\nAnn,030 901820|030 901821',
  );
  assert.deepEqual(warnings, [
    {
      message:
        'The customer of an earlier line, by name and number: the numbers add up, and the last segment counts.',
      count: 1,
      lines: [3],
    },
  ]);
});
