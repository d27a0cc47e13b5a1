import assert from 'node:assert/strict';
import { test } from 'node:test';
import { customer } from '../customer.fixture.ts';
import type { Customer } from '../customer-fields.ts';
import { importCustomers } from '../customers-csv.ts';
import { previewImport } from '../customers-preview.ts';
import { isLostText } from './blank-cells.ts';
import { memoryCustomers } from './memory-customers.fixture.ts';
import { readTable } from './table.ts';

const polish = customer({ reference: 'q1', name: 'Łódź Sp.', numbers: ['+4930901820'] });
const chinese = customer({ reference: 'q2', name: '李雷', numbers: ['+4930901821'] });
const mixed = customer({ reference: 'q4', name: 'Ünal & Łę', numbers: ['+4930901822'] });
const greek = customer({ reference: 'q5', name: 'ΣΩ' });
const rare = customer({ reference: 'q6', name: '𠮷野' });
const all = [polish, chinese, mixed, greek, rare];

/** Imports lines of our own columns, and previews them first. */
async function importInto(known: readonly Customer[], ...lines: string[]) {
  const store = memoryCustomers(known, undefined, ['Złoty']);
  const text = ['reference,name,segment,numbers', ...lines].join('\n');
  const into = { customers: store.customers, account: 1, country: 'DE' };
  const preview = await previewImport(readTable(text), {
    ...into,
    mapping: ['reference', 'name', 'segment', 'numbers'],
  });
  const report = await importCustomers(text, into);
  assert.deepEqual(preview.warnings, report.warnings);
  const [messages, errors] = [report.warnings, report.errors].map((some) =>
    some.map(({ message }) => message),
  );
  return { messages, errors, preview, after: [...store.all.values()] };
}

test('names stay that Excel has saved with a code page, and the cells are named', async () => {
  const { messages, preview, after } = await importInto(
    all,
    'q1,?ód? Sp.,,+4930901820',
    'q2,??,,+4930901821',
    'q4,Ünal & ??,,+4930901822',
    'q5,??,,',
    'q6,???,,',
  );
  assert.deepEqual(after, all);
  assert.deepEqual([preview.changed, preview.left], [0, 5]);
  const kept = (text: string, known: string) =>
    `Name: “${text}” is “${known}” without letters that the file’s encoding lacks. What is known stays. Save the table as “CSV UTF-8”.`;
  const nothing = (text: string) =>
    `name: “${text}” says nothing, or the file’s encoding lacks its letters. What is known stays.`;
  assert.deepEqual(messages, [
    kept('?ód? Sp.', 'Łódź Sp.'),
    nothing('??'),
    kept('Ünal & ??', 'Ünal & Łę'),
    nothing('???'),
  ]);
});

test('names stay whose letters Windows has replaced by similar ones, or a Mac by underscores', async () => {
  const known = [
    ['Łódź Sp.', 'Lódz Sp.'],
    ['Žďár Šťastný', 'Ždár Štastný'],
    ['İstanbul Şişli', 'Istanbul Sisli'],
    ['Işık Kılıç', 'Isik Kiliç'],
    ['Ștefan Țăran', 'Stefan Taran'],
    ['Ōsaka Đurić', 'Osaka Duric'],
    ['ΣΩ', 'SO'],
    ['ＡＢＣ', 'ABC'],
    // Of central Europe.
    ['Nuñez Łódź', 'Nunez Łódź'],
    ['Søren & Ågård', 'Soren & Agard'],
    // On a Mac.
    ['Łódź GmbH', '_ód_ GmbH'],
    ['Żółw 李', '_ó_w _'],
    ['李雷', '__'],
  ].map(([name = '', written = ''], at) => ({
    written,
    customer: customer({ reference: `q${at}`, name, segment: 'Złoty', numbers: [`+493090182${at}`] }),
  }));
  const customers = known.map((one) => one.customer);
  const { messages, preview, after } = await importInto(
    customers,
    ...known.map(
      ({ written, customer: { reference, numbers } }, at) =>
        `${reference},${written},${['Zloty', 'Z_oty'][at % 2]},${numbers}`,
    ),
  );
  assert.deepEqual(after, customers);
  assert.deepEqual([preview.changed, preview.left], [0, 2 * known.length]);
  for (const { written, customer } of known)
    assert.ok(
      messages?.some((message) => message.includes(`“${written}”`)),
      customer.name,
    );
});

test('underscores of a Mac are named where nothing is known', async () => {
  for (const name of ['_ód_ Sp.', 'Berg & __']) {
    const { messages } = await importInto([], `7,"${name}",,030 901820`);
    assert.match(messages?.[0] ?? '', /^Name: in “.*”, _ may stand for letters/, name);
  }
  for (const name of ['key_account', 'Berg_7', 'a_b_c']) {
    const { messages, after } = await importInto([], `_${name},${name},,030 901820`);
    assert.deepEqual([after[0]?.name, messages], [name, []]);
  }
});

test('without accents that code pages have, it is another name', async () => {
  for (const [before, name] of [
    ['Müller', 'Muller'],
    ['José García', 'Jose Garcia'],
    ['Łódź', 'Lodz'],
  ] as const) {
    const { messages, after } = await importInto(
      [customer({ reference: 'q1', name: before })],
      `q1,${name},,`,
    );
    assert.deepEqual([after[0]?.name, messages], [name, []]);
  }
});

test('segments and references stay, too: a reference is found by its numbers', async () => {
  const known = [
    customer({ reference: 'Ł1', name: 'Ann', segment: 'Złoty', numbers: ['+4930901820'] }),
    customer({ reference: '李', name: 'Bob', segment: null, numbers: ['+4930901821'] }),
  ];
  const { messages, errors, after } = await importInto(
    known,
    '?1,Ann,Z?oty,+4930901820',
    '?,Rob,??,+4930901821',
  );
  assert.deepEqual(errors, []);
  assert.deepEqual(after, [known[0], { ...known[1], name: 'Rob' }]);
  assert.match(messages?.join('\n') ?? '', /Reference: “\?1” is “Ł1”/);
  assert.match(messages?.join('\n') ?? '', /Segment: “Z\?oty” is “Złoty”/);
  assert.match(messages?.join('\n') ?? '', /Reference: “\?” is “李”/);
});

test('without a reference, the name is that of the customer who has the number', async () => {
  const { messages, after } = await importInto([polish], ',?ód? Sp.,,+4930901820');
  assert.deepEqual(after, [polish]);
  assert.match(messages?.[0] ?? '', /Name: “\?ód\? Sp\.” is “Łódź Sp\.”/);
});

test('a cell of nothing but marks costs as much as it is long', () => {
  for (const mark of ['?', '_', '-?', '?-']) {
    const cell = mark.repeat(500_000);
    assert.deepEqual([isLostText(cell), isLostText(`${cell}x`)], [true, false]);
  }
});

test('where nothing is known, question marks in place of letters are named', async () => {
  for (const name of ['?ód? Sp.', 'Lu?a', 'Berg & ??', '?????? Berg', '??, Anna']) {
    const { messages, after, preview } = await importInto([], `7,"${name}",,030 901820`);
    assert.equal(after[0]?.name, name);
    assert.equal(preview.unsure, 1, name);
    assert.match(messages?.[0] ?? '', /^Name: in “.*”, \? may stand for letters/, name);
  }
  for (const name of ['??', '?? ??', '?.?.', '?']) {
    const { messages, after } = await importInto([], `7,${name},,030 901820`);
    assert.equal(after[0]?.name, '7');
    assert.match(messages?.[0] ?? '', /^name: “.*” says nothing, or/, name);
  }
  const { messages } = await importInto([], '??,Ann,,030 901820', 'K?ln,Bob,,030 901821');
  assert.equal(messages?.length, 2);
  for (const message of messages ?? [])
    assert.match(message, /^Reference: (?:“\?\?” says nothing|in “K\?ln”)/);
});

test('what somebody has written is imported: a question, an edit, and what the account has itself', async () => {
  for (const name of ['Wer kommt?', 'Berg?', 'Who?? (asked)', 'Müller ?']) {
    const { messages, after } = await importInto([polish], `q1,${name},,+4930901820`);
    assert.deepEqual([after[0]?.name, messages], [name, []]);
  }
  const other = await importInto([polish], 'q1,?ód? SA,,+4930901820');
  assert.equal(other.after[0]?.name, '?ód? SA');
  assert.equal(other.messages?.length, 1);
  const asciiOnly = await importInto([customer({ reference: 'q1', name: 'Ann Fox' })], 'q1,A?n Fox,,');
  assert.equal(asciiOnly.after[0]?.name, 'A?n Fox');
  const damaged = customer({ reference: 'q1', name: '?ód? Sp.' });
  assert.deepEqual((await importInto([damaged], 'q1,?ód? Sp.,,')).messages, []);
  const repaired = await importInto([damaged], 'q1,Łódź Sp.,,');
  assert.deepEqual([repaired.after[0]?.name, repaired.messages], ['Łódź Sp.', []]);
  const literal = await importInto([], "q1,'??,,030 901820");
  assert.deepEqual([literal.after[0]?.name, literal.messages], ['??', []]);
});
