import assert from 'node:assert/strict';
import { forPrograms, forSpreadsheets } from '../../src/service/kit/csv.ts';
import { customer } from '../../src/service/people/customer.fixture.ts';
import { type Customer, listedNumbers, MAX_NUMBERS } from '../../src/service/people/customer-fields.ts';
import { importCustomers } from '../../src/service/people/customers-csv.ts';
import { exportCustomers } from '../../src/service/people/customers-export.ts';
import { previewImport } from '../../src/service/people/customers-preview.ts';
import { readTable } from '../../src/service/people/import/table.ts';
import type { StoreTests } from './service-store-conformance.ts';

type Context = Parameters<StoreTests[string]>[0];

/** An account with these customers, to which tables are imported: what is said, and who has which numbers then. */
async function importer(
  { store: { customers }, account }: Pick<Context, 'store' | 'account'>,
  ...known: Customer[]
) {
  for await (const chunk of customers.all(account))
    for (const { reference } of chunk) await customers.remove(account, reference);
  assert.deepEqual(new Set(await customers.put(account, known)), new Set(known.length > 0 ? [null] : []));
  const into = { customers, account, country: 'DE' };
  const state = async () =>
    (await Array.fromAsync(customers.all(account)))
      .flat()
      .map(({ reference, name, numbers }) => short(`${reference} ${name}: ${numbers.join(' ')}`.trim()))
      .sort();
  return {
    state,
    /** Imports the lines, after a look at what that would do; then once more, which must change nothing. */
    async imports(...lines: string[]) {
      const table = `${lines.join('\n')}\n`;
      const mapping = readTable(table).header.map((name) => name as 'numbers');
      const preview = await previewImport(readTable(table), { ...into, mapping });
      const { imported, errors, warnings } = await importCustomers(table, into);
      assert.equal(preview.added + preview.changed + preview.same, imported);
      assert.deepEqual([preview.errors, preview.warnings], [errors, warnings]);
      const after = await state();
      const again = await importCustomers(table, into);
      assert.deepEqual(await state(), after, 'the same file again');
      assert.equal(again.imported, imported);
      return {
        state: after,
        says: [...errors, ...warnings].map(({ message, lines }) => `${lines.join()}: ${short(message)}`),
      };
    },
  };
}

/** `+49309018a` is `a`. */
const [a, b, c, d, e] = ['1', '2', '3', '4', '5'].map((n) => `+4930901820${n}`) as [
  string,
  string,
  string,
  string,
  string,
];
const short = (text: string) =>
  text.replaceAll(/\+4930901820(\d)/g, (_, n: string) => 'abcde'[Number(n) - 1] ?? '');

const [anna, bert] = [
  customer({ reference: '1', name: 'Anna', numbers: [a] }),
  customer({ reference: '2', name: 'Bert', numbers: [b] }),
];
const fritz = customer({ reference: a, name: 'Fritz', numbers: [a, b] });

/** All orders of some lines. */
const orders = (lines: readonly string[]): string[][] =>
  lines.length < 2
    ? [[...lines]]
    : lines.flatMap((line, at) => orders(lines.toSpliced(at, 1)).map((rest) => [line, ...rest]));

/** What an import asks of every store. */
export const importTests: StoreTests = {
  async 'an import is asked before each transaction whether it may go on, and keeps what it has stored'({
    store: { customers },
    account,
  }) {
    const table = `reference,name\n${Array.from({ length: 1_700 }, (_, n) => `${n},Ann`).join('\n')}`;
    let asked = 0;
    const goOn = async () => {
      asked += 1;
      if (asked > 2) throw new Error('signed out');
    };
    const into = { customers, account, country: 'DE', goOn };
    await assert.rejects(importCustomers(table, into), /signed out/);
    assert.equal((await Array.fromAsync(customers.all(account))).flat().length, 400);
  },

  async 'without a reference, a person is known by any number and the name, in whatever order the numbers are'(
    of,
  ) {
    const { imports } = await importer(of, customer({ reference: a, name: 'Anna', numbers: [a, b] }));
    const same = { state: [`a Anna: a b`], says: [] };
    assert.deepEqual(await imports('name,numbers', `Anna,${b}|${a}`), same);
    assert.deepEqual(await imports('numbers,numbers,name', `${b},${a},Anna`), same);
    assert.deepEqual(await imports('name,numbers', `ANNA,${b}`, `Anna,${a}`), {
      ...same,
      says: [
        '3: The customer of an earlier line, by name and number: the numbers add up, and the last segment counts.',
      ],
    });
    assert.deepEqual(await imports('numbers', b), same, 'no name');
    assert.deepEqual((await imports('name,numbers', `Anna,${b}|${c}`)).state, ['a Anna: a b c']);
    assert.deepEqual(
      (await imports('name,numbers', `,${c}|${d}`)).state,
      ['a Anna: a b c d'],
      'an empty name',
    );
  },

  async 'numbers are read in the country that their line names'({ store, account }) {
    const { customers } = store;
    const { state } = await importer({ store, account });
    const table = `reference,name,country,numbers
1,Zürich AG,CH,044 668 18 00
2,Wien GmbH,Österreich,0664 1234567
3,Utrecht BV,Netherlands,030 2393993|+4930901820
4,Berlin GmbH,,030 9018201
5,Roma SRL,#REF!,030 9018202
6,Paris SARL,Nowhere,030 9018203
7,Nobody,CH,030 12
`;
    const report = await importCustomers(table, { customers, account, country: 'DE' });
    assert.deepEqual(await state(), [
      '1 Zürich AG: +41446681800',
      '2 Wien GmbH: +436641234567',
      '3 Utrecht BV: +31302393993 +4930901820',
      '4 Berlin GmbH: a',
      '5 Roma SRL: b',
      '6 Paris SARL: c',
      '7 Nobody:',
    ]);
    assert.deepEqual([report.imported, report.left, report.unsure], [7, 1, 2]);
    assert.deepEqual(
      report.warnings.map(({ message, lines }) => `${lines.join()}: ${message}`),
      [
        '8: numbers: “030 12” is not a valid phone number.',
        '6: country: “#REF!” is not a known country. The numbers of the line are read as without it.',
        '7: country: “Nowhere” is not a known country. The numbers of the line are read as without it.',
      ],
    );
  },

  async 'errors of a spreadsheet empty nothing, whatever their column'({ store, account }) {
    const { customers } = store;
    await customers.addSegments(account, ['Gold'], 1);
    const anna = customer({ reference: '1', name: 'Anna', segment: 'Gold', numbers: [a] });
    const errors =
      '#NV #N/A #N/D #REF! #NAME? #NUM! #NULL! #VALUE! #DIV/0! #SPILL! #WERT! #BEZUG! #¡NUM! #ÜBERLAUF! #BLOCKED! #UNKNOWN! ##### Err:509';
    for (const error of errors.split(' '))
      for (const [line, column] of [
        [`1;${error};Gold;${a}`, 'name'],
        [`1;Anna;${error};${a}`, 'segment'],
        [`1;Anna;Gold;${error}`, 'numbers'],
      ] as const) {
        const { state } = await importer({ store, account }, anna);
        const table = `reference;name;segment;numbers\n${line}\n`;
        const report = await importCustomers(table, { customers, account, country: 'DE' });
        assert.deepEqual(await state(), ['1 Anna: a'], line);
        assert.equal((await customers.get(account, '1'))?.segment, 'Gold', line);
        assert.deepEqual([report.imported, report.left], [1, 1], line);
        assert.ok(
          report.warnings[0]?.message.startsWith(`${column}: “${error}” is an error of a spreadsheet`),
          line,
        );
      }
    // A new customer is called by its reference; a customer can be called so.
    const { state } = await importer({ store, account });
    const table = `reference;name;numbers\n#REF!;Cleo;${c}\n2;#REF!;${b}\n3;'#REF!;${a}\n`;
    const { warnings } = await importCustomers(table, { customers, account, country: 'DE' });
    assert.deepEqual(await state(), ['2 2: b', '3 #REF!: a', 'c Cleo: c']);
    assert.deepEqual(
      warnings.map(({ lines }) => lines),
      [[3], [2]],
    );
  },

  async 'what a code page has made of an export changes nothing, and is named'({ store, account }) {
    const { customers } = store;
    await customers.addSegments(account, ['Złoty'], 1);
    const { state } = await importer(
      { store, account },
      customer({ reference: 'q1', name: 'Łódź Sp.', segment: 'Złoty', numbers: [a] }),
      customer({ reference: 'q2', name: '李雷', numbers: [b] }),
      customer({ reference: 'Ł3', name: 'ΣΩ & Co', numbers: [c] }),
    );
    const before = await state();
    const table = `reference;name;segment;numbers\nq1;?ód? Sp.;Z?oty;${a}\nq2;??;;${b}\n?3;?? & Co;;${c}\n`;
    const report = await importCustomers(table, { customers, account, country: 'DE' });
    assert.deepEqual(await state(), before);
    assert.equal((await customers.get(account, 'q1'))?.segment, 'Złoty');
    assert.deepEqual([report.imported, report.left], [3, 5]);
  },

  async 'a number that two people share renames neither, and stays where it is'(of) {
    const taken = (line: number) => [`${line}: a already belongs to "Fritz".`];
    for (const lines of orders([`Gabi,${a}|${c}`, `Fritz,${a}|${b}`])) {
      const { imports } = await importer(of, fritz);
      const gabi = lines.findIndex((line) => line.startsWith('Gabi')) + 2;
      assert.deepEqual(await imports('name,numbers', ...lines), {
        state: ['a Fritz: a b', 'c Gabi: c'],
        says: taken(gabi),
      });
    }
    const { imports } = await importer(of, fritz);
    assert.deepEqual(await imports('name,numbers', `Gabi,${a}`), { state: ['a Fritz: a b'], says: taken(2) });
    assert.deepEqual(await imports('name,numbers', `Gabi,${c}|${a}`), {
      state: ['a Fritz: a b', 'c Gabi: c'],
      says: taken(2),
    });
  },

  async 'a new customer whose first number is the reference of another one has a reference of its own'(of) {
    const { imports } = await importer(of, { ...fritz, numbers: [b] });
    const { state } = await imports('name,numbers', `Gabi,${a}`);
    assert.match(state.join(), /^a Fritz: b,\w+ Gabi: a$|^\w+ Gabi: a,a Fritz: b$/);
  },

  async 'a number that the table gives to another customer is there, whatever the order of the lines'(of) {
    for (const [what, lines, state] of [
      ['moves on', [`1,Anna,${b}`, `2,Bert,${c}`], ['1 Anna: b', '2 Bert: c']],
      ['is swapped', [`1,Anna,${b}`, `2,Bert,${a}`], ['1 Anna: b', '2 Bert: a']],
      ['leaves an empty cell', [`1,Anna,${a}|${b}`, '2,Bert,'], ['1 Anna: a b', '2 Bert:']],
      ['goes to a new customer', [`2,Bert,${c}`, `3,Cleo,${b}`], ['1 Anna: a', '2 Bert: c', '3 Cleo: b']],
      ['goes round', [`1,Anna,${b}`, `2,Bert,${c}`, `3,Cleo,${a}`], ['1 Anna: b', '2 Bert: c', '3 Cleo: a']],
    ] as const)
      for (const order of orders(lines)) {
        const { imports } = await importer(of, anna, bert);
        const done = await imports('reference,name,numbers', ...order);
        assert.deepEqual(done, { state: [...state], says: [] }, `${what}: ${order}`);
      }
    // Without references, a table only adds.
    for (const order of orders([`Anna,${c}|${b}`, `Bert,${d}|${a}`])) {
      const known = [
        { ...anna, numbers: [a, c] },
        { ...bert, numbers: [b, d] },
      ];
      const { imports } = await importer(of, ...known);
      const { state, says } = await imports('name,numbers', ...order);
      assert.deepEqual(state, ['1 Anna: a c', '2 Bert: b d']);
      assert.deepEqual(says.map((text) => text.slice(3)).sort(), [
        'a already belongs to "Anna".',
        'b already belongs to "Bert".',
      ]);
    }
  },

  async 'a number that its customer has in the table, too, or who is not in the table, stays'(of) {
    const taken = (line: number) => [`${line}: b already belongs to "Bert".`];
    for (const bert2 of [[], [`2,Bert,${b}|${c}`], ['2,Bert,see note']]) {
      const { imports } = await importer(of, anna, bert);
      const { state, says } = await imports('reference,name,numbers', `1,Anna,${a}|${b}`, ...bert2);
      assert.equal(state[0], '1 Anna: a');
      assert.match(state[1] ?? '', /^2 Bert: b( c)?$/);
      assert.deepEqual(
        says.slice(0, 1),
        bert2[0] === '2,Bert,see note' ? ['3: numbers: “see note” is not a valid phone number.'] : taken(2),
      );
      assert.ok(says.includes(taken(2)[0] ?? ''));
    }
    const { imports } = await importer(of, anna, bert);
    assert.deepEqual((await imports('reference,name', '1,Anna', '2,Bert')).state, ['1 Anna: a', '2 Bert: b']);
  },

  async 'a line that is refused gives up no number'(of) {
    const { imports } = await importer(of, anna, bert);
    const { state, says } = await imports('reference,segment,numbers', `1,,${a}|${b}`, `2,Missing,${c}`);
    assert.deepEqual(state, ['1 Anna: a', '2 Bert: b']);
    assert.deepEqual(says, [
      '3: Segment "Missing" does not exist. Add it first.',
      '2: b already belongs to "Bert".',
    ]);
  },

  async 'a cell that cannot be read deletes no number, and the report says which are kept'(of) {
    for (const cell of [
      '"4,91719E+11"',
      '#N/A',
      '#NV',
      '#REF!',
      '########',
      'see note',
      '030 901820 20-21',
      '0171 392****',
      'Fax 030 901829',
    ]) {
      const { imports } = await importer(
        of,
        { ...anna, numbers: [a, b] },
        customer({ reference: '3', name: 'Cleo' }),
      );
      const { state, says } = await imports(
        'reference,name,numbers,numbers',
        `1,Anna,${a},${cell}`,
        `3,Cleo,${b}|${d},`,
      );
      assert.deepEqual(state, ['1 Anna: a b', '3 Cleo: d'], cell);
      assert.ok(says.includes('2: "Anna" keeps b: a number of the line could not be read.'), says.join('\n'));
      assert.ok(says.includes('3: b already belongs to "Anna".'), says.join('\n'));
      const all = await imports('reference,name,numbers,numbers', `1,Anna,${cell},${c}`);
      assert.deepEqual(all.state, ['1 Anna: a b c', '3 Cleo: d']);
      assert.ok(all.says.includes('2: "Anna" keeps a, b: a number of the line could not be read.'));
    }
    // A line that is refused may have had them.
    for (const line of [`1,Anna,${b},too many`, `1,${'x'.repeat(300)},${b}`, '1']) {
      const { imports } = await importer(of, { ...anna, numbers: [a, b] });
      const { state, says } = await imports('reference,name,numbers', `1,Anna,${a}`, line);
      assert.deepEqual(state, ['1 Anna: a b']);
      assert.ok(says.includes('3: "Anna" keeps b: a number of the line could not be read.'), says.join('\n'));
    }
    const { imports } = await importer(of, { ...anna, numbers: [a, b] });
    assert.deepEqual(await imports('reference,numbers', `1,${a}`), { state: ['1 Anna: a'], says: [] });
  },

  async 'a customer with as many numbers as one can have survives an export and an import'(of) {
    const { store, account } = of;
    const many = (from: string, count: number = MAX_NUMBERS) =>
      Array.from({ length: count }, (_, n) => `${from}${100 + n}`);
    for (const numbers of [
      many('+49160901810'),
      many('+4930901'),
      many('+541134567'),
      many('01701234'),
      many('9'),
      [...many('+4930901', 40), ...many('01701234', 40), ...many('9', 20)],
    ]) {
      const known = customer({ reference: '1', name: 'Many', numbers });
      const { state } = await importer(of, known);
      for (const dialect of [forPrograms, forSpreadsheets('de-DE'), forSpreadsheets('en-GB')]) {
        const text = (
          await Array.fromAsync(exportCustomers(store.customers, { id: account, country: null }, dialect))
        ).join('');
        const before = await state();
        for (const isKnown of [true, false]) {
          if (!isKnown) await store.customers.remove(account, '1');
          const report = await importCustomers(text, { customers: store.customers, account, country: null });
          assert.deepEqual([report.imported, report.errors, report.warnings], [1, [], []], `${numbers[0]}`);
          assert.deepEqual(await state(), before);
        }
      }
    }
  },

  async 'no path gives a customer more numbers than one can have'(of) {
    const { customers } = of.store;
    const many = (from: number, count: number) =>
      Array.from({ length: count }, (_, n) => `+4930901${from + n}`);
    const full = customer({ reference: '1', name: 'Full', numbers: many(1000, MAX_NUMBERS) });
    const other = customer({ reference: '2', name: 'Other', numbers: many(2000, 2) });
    const { imports } = await importer(of, full, other);
    const tooMany = { reason: 'too-many-numbers' };
    const more = { ...full, numbers: [...full.numbers, '+4930901999'] };
    assert.deepEqual(await customers.put(of.account, [more]), [tooMany]);
    const replace = (before: Customer[], after: Customer[]) =>
      customers.replace(of.account, { before, after });
    assert.deepEqual(await replace([full], [more]), tooMany);
    assert.deepEqual(
      await replace([full, other], [{ ...full, numbers: [...full.numbers, ...other.numbers] }]),
      tooMany,
    );
    assert.deepEqual(
      await replace([], [customer({ reference: '3', numbers: many(3000, MAX_NUMBERS + 1) })]),
      tooMany,
    );
    const twice = many(1000, MAX_NUMBERS).map((number) => number.replace('+4930', '+5411'));
    assert.equal(
      await replace([], [customer({ reference: '4', numbers: twice })]),
      null,
      'two forms of each',
    );
    // More of them than one can have, as a merge in 1.0.0 left them, are no reason to refuse another change.
    const says = (await imports('name,numbers', `Full,${full.numbers[0]}|${e}`)).says;
    assert.deepEqual(says, ['2: A customer can have at most 100 numbers.']);
    assert.equal(listedNumbers((await customers.get(of.account, '1'))?.numbers ?? []).length, MAX_NUMBERS);
  },
};
