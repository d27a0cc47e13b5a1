import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readNumbers } from '../../shared/phone-number/read-numbers.ts';
import { csvLines, csvNumbers, csvOffset, csvTime, forPrograms, forSpreadsheets, unguarded } from './csv.ts';

const sheets = ['en-GB', 'de-DE'].map(forSpreadsheets);

test('cells are separated as the spreadsheets of a language expect', () => {
  const separators = ['en-GB', 'de-DE', 'fr-FR', 'es-ES', 'nl-NL'].map(
    (locale) => forSpreadsheets(locale).separator,
  );
  assert.deepEqual(separators, [',', ';', ';', ';', ';']);
  assert.equal(csvLines([['a', 0.25, null, 'x;y']], forSpreadsheets('de-DE')), 'a;0,25;;"x;y"\r\n');
  assert.equal(csvLines([['a', 0.25, null, 'x;y']]), 'a,0.25,,"x;y"\r\n');
});

test('what a spreadsheet would change has an apostrophe; names, short keys and numbers with blanks have none', () => {
  const guard = (text: string) =>
    csvLines([['', text]], forSpreadsheets('en-GB'))
      .slice(1, -2)
      .replace(/^"(.*)"$/, '$1');
  for (const text of [
    '0501',
    '123456789012',
    '1E5',
    '5 E 5',
    '1 e -5',
    'CHF 5',
    '5 kr',
    '5 zł',
    '2-3',
    '1/2',
    '3.5',
    '10:30',
    '2026-11-27',
    '3 Mai',
    'Sept 2',
    '3 Mrz',
    '3. Mär. 2026',
    '3 Jän',
    'Di 3.5.',
    'Mi, 3. Mai 2026',
    'Tuesday 3/5',
    'mar. 3/5',
    'lun 3 may',
    '50 %',
    'TRUE',
    '7 am',
    '€ 5',
    '4711-1',
    ...'SET-12|Mag 5|GEN-1|ott 3|3 giu|12 set|VERO|R$ 5|FEV 2|VERDADEIRO|5 maj|5 maja|1 sty 2026|PRAWDA|FAŁSZ'.split(
      '|',
    ),
    ...'5. května|PRAVDA|IGAZ|3 mai|SAND|5 мая|ИСТИНА|5 Μαΐου|Pzt 3.5.|5 TL|US$ 5'.split('|'),
  ])
    assert.equal(guard(text), `'${text}`, text);
  for (const text of [
    '1001',
    '0',
    '12345678901',
    'A-1',
    'Müller',
    '3M',
    'C100',
    '1. FC Köln',
    'May',
    'Mi Casa',
    'Marta 3',
    'So 5 Freunde',
    'Vera',
    'Mag. Huber',
    'Setter 5',
    '110|0501',
    '',
  ])
    assert.equal(guard(text), text, text);
  const numbers = (...all: string[]) => csvLines([['', csvNumbers(all)]], forSpreadsheets('en-GB')).trim();
  assert.equal(numbers('+491713920000', '110'), ',+49 171 3920000|110');
  assert.equal(numbers('+12133734253'), ',+1 213 373 4253');
  assert.equal(numbers('+5511961234567'), ',+55 11 96123 4567');
  // With blanks alone, a number in French, Polish, Czech or Russian.
  assert.equal(numbers('+48512345678'), ',+48-512 345 678');
  assert.equal(numbers('+376312345'), ',+376-312 345');
  assert.equal(numbers('+92601123456789'), ',+92 601123456789');
  assert.equal(numbers('01701234567'), ",'01701234567");
  assert.equal(numbers('anonymous'), ',anonymous');
  assert.equal(numbers(), ',');
});

test('every cell is read back as it was', () => {
  const parts = fc.constantFrom(
    "'",
    '=',
    '+',
    '-',
    ';',
    ' ',
    '0',
    '12',
    '3.5',
    'e',
    'E5',
    'May',
    'Mi Casa',
    'Marta 3',
    'So 5 Freunde',
    'a',
    '|',
    '/',
    '@',
    '＝',
    'true',
  );
  const text = fc.array(parts, { maxLength: 6 }).map((some) => some.join(''));
  fc.assert(
    fc.property(text, fc.constantFrom(forPrograms, ...sheets), fc.boolean(), (text, dialect, isFirst) => {
      const line = csvLines([isFirst ? [text] : ['', text]], dialect).slice(isFirst ? 0 : 1, -2);
      const cell = line.startsWith('"') ? line.slice(1, -1).replaceAll('""', '"') : line;
      assert.equal(unguarded(cell), text);
    }),
    { numRuns: 3_000 },
  );
});

test('times are on the clocks of the zone, whose offset is written, too', () => {
  const plain = (cell: unknown) => (cell as { plain: string }).plain;
  const at = Date.parse('2026-10-25T01:30:05.400Z');
  assert.equal(plain(csvTime(at, 'Europe/Berlin')), '2026-10-25 02:30:05');
  assert.equal(plain(csvOffset(at, 'Europe/Berlin')), 'UTC+01:00');
  assert.equal(plain(csvOffset(at - 3_600_000, 'Europe/Berlin')), 'UTC+02:00');
  assert.equal(plain(csvTime(Date.parse('2026-10-25T00:00Z'), 'UTC')), '2026-10-25 00:00:00');
  assert.equal(csvTime(null, 'UTC'), null);
});

test('an exported number is read as itself, also one that may not be valid', () => {
  for (const number of [
    '+376662600606',
    '+92222822628660',
    '+46644420200004',
    '+48512345678',
    '+4930901820',
  ]) {
    const cell = csvNumbers([number]) as { plain: string };
    for (const country of ['DE', 'US', null])
      assert.deepEqual(readNumbers(cell.plain, country).numbers, [number], `${cell.plain} ${country}`);
  }
});
