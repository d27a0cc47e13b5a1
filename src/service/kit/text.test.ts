import assert from 'node:assert/strict';
import { test } from 'node:test';
import { customer } from '../people/customer.fixture.ts';
import { searchText } from '../people/customer-fields.ts';
import { en } from '../words/en.ts';
import { folded } from './folded.ts';
import { errorText } from './form.ts';
import { searchWords } from './search-text.ts';
import { comparable, line, parseQuery, personName } from './text.ts';

const read = (schema: ReturnType<typeof line>, value: unknown) => {
  const { success, data, error } = schema.safeParse(value);
  return success ? data : { refused: error.issues[0]?.message };
};

test('a line of text is in one normal form, however it was typed', () => {
  for (const typed of ['Zoë Müller', 'Zoe\u0308  Mu\u0308ller ', '\ufeffZoë\u00a0\tMüller', 'Zoë\r\nMüller'])
    assert.equal(read(line('name'), typed), 'Zoë Müller');
  for (const typed of ['K\u00ad-1', '\u200bK-1', 'K-\u20601', 'K\ufeff-1'])
    assert.equal(read(line('name'), typed), 'K-1');
  assert.equal(read(line('name', { blank: true }), ' '), '');
  assert.match(JSON.stringify(read(line('name'), '\u200b')), /required/);
});

test('what cannot be read, or acts on terminals, is refused', () => {
  const refused = (value: unknown, why: RegExp) =>
    assert.match((read(line('name'), value) as { refused: string }).refused, why, String(value));
  for (const blank of ['', ' ', undefined]) refused(blank, /required/);
  for (const control of ['a\0b', '\x1b[2J', 'a\x07', 'a\x85\x9b']) refused(control, /control characters/);
  refused('half \ud83d', /valid Unicode/);
  refused('Ren\ufffd', /valid Unicode/);
  refused('x'.repeat(256), /255 characters/);
  refused(7, /string/);
});

test('text that is many times too long is refused before it is normalised', (t) => {
  const long = 'x '.repeat(100_000);
  const normalise = t.mock.method(String.prototype, 'normalize');
  const { error } = line('name').safeParse(long);
  assert.equal(normalise.mock.callCount(), 0);
  const [issue, ...more] = error?.issues ?? [];
  assert.equal(issue?.message, 'The name field must not be greater than 255 characters.');
  assert.equal(issue && errorText(issue, en.formErrors), en.formErrors.tooLong(255));
  assert.deepEqual(more, []);
  assert.equal(line('name').optional().safeParse(long).success, false);
  const blanks = `Zoë${' '.repeat(3_000)}Müller`;
  assert.equal(read(line('name'), blanks), 'Zoë Müller', 'white space is not counted');
});

test('a name of a user has no invisible character, and no word of two alphabets', () => {
  const name = personName('name', 80);
  for (const good of ['Ann', 'ann@example.com', 'Иван Petrov', 'Νίκος', 'محمد', 'Ann 👋'])
    assert.equal(read(name, good), good);
  for (const bad of ['\u202enna', 'An\u200bn', '\u2066Ann', '\u3164', 'Аdmin', 'Αnn', 'x'.repeat(81)])
    assert.ok((read(name, bad) as { refused: string }).refused, bad);
});

test('names that differ in case, width or invisible characters are the same', () => {
  for (const [one, other] of [
    ['Ann', 'ＡＮＮ'],
    ['Straße', 'STRASSE'],
    ['ΝΊΚΟΣ', 'Νίκος'],
    ['Zoe\u0308', 'ZOË'],
    ['An\u200bn  B', 'Ann B '],
    ['ﬁn', 'FIN'],
  ] as const)
    assert.equal(comparable(one), comparable(other), one);
  assert.notEqual(comparable('Ann'), comparable('Anne'));
});

test('no field of a form holds NUL', () => {
  const fields = parseQuery('a=x%00y&b%00=\0&c=%2500');
  assert.deepEqual(
    [...fields],
    [
      ['a', 'x\ufffdy'],
      ['b\ufffd', '\ufffd'],
      ['c', '%00'],
    ],
  );
});

const text = searchText(
  customer({ reference: 'K-17', name: 'Bäckerei Weiß & Söhne', numbers: ['+4930901820', '123'] }),
);

for (const [term, found] of [
  ['bäck', true],
  ['BACKEREI', true],
  ['weiss sohne', true],
  ['söhne bäck', true],
  ['bäck meier', false],
  ['k-17', true],
  ['030 90 18-20', true],
  ['+49 (30) 901820', true],
  ['0049 30 901820', true],
  ['901820', true],
  ['901821', false],
  ['', true],
] as const)
  test(`"${term}" ${found ? 'finds' : 'does not find'} the bakery`, () => {
    assert.equal(
      searchWords(term).every((word) => text.includes(word)),
      found,
    );
  });

test('a part of a number is found with blanks in it, and a number with a country before it in that country', () => {
  for (const [term, word] of [
    ['901 820', '901820'],
    ['1234 5678', '12345678'],
    ['90\u00a018\u202f20', '901820'],
    [' +49  30 90 18 20 ', '4930901820'],
    ['FR 01 42 68 53 00', '33142685300'],
  ] as const)
    assert.deepEqual(searchWords(term, 'DE'), [word], term);
});

test('a search finds names whatever apostrophe is typed, and Greek ones typed so far', () => {
  const isFound = (term: string, name: string) =>
    searchWords(term).every((word) => folded(name).includes(word));
  for (const [term, name] of [
    ['o’neill', "O'Neill"],
    ["o'neill", 'O’Neill'],
    ['O’Neill', 'O’Neill'],
    ['ΟΔΥΣ', 'Οδυσσέας'],
    ['ΟΔΥΣΣΕΑΣ', 'Οδυσσέας'],
    ['οδυσσεας', 'ΟΔΥΣΣΕΑΣ'],
  ] as const)
    assert.ok(isFound(term, name), `${term} ${name}`);
  assert.ok(!isFound('o’brien', "O'Neill"));
  assert.deepEqual(searchWords("'"), []);
});
