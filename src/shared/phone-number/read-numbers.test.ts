import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { getCountries, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { normaliseNumber } from './normalise-number.ts';
import { isValidE164, parse } from './parse-number.ts';
import { readNumbers } from './read-numbers.ts';
import { sameLine } from './same-line.ts';
import { exampleOf, inItsCountry } from './written-forms.fixture.ts';

const BERLIN = '+4930901820';
const MOBILE = '+491713920000';

/** The 0 of scripts with digits of their own, from Arabic to Adlam. */
const zeros = '٠۰߀०০੦૦୦௦౦೦൦෦๐໐༠၀႐០᠐᥆᧐᪀᭐᮰᱀᱐꘠꣐꤀꧐꧰꩐꯰０𐒠𑁦𝟎𝟘𝟬𞅀𞥐🯰';
const inDigits = (text: string, zero: string) =>
  text.replace(/\d/g, (digit) => String.fromCodePoint((zero.codePointAt(0) as number) + Number(digit)));

/** What is written, in Germany unless a country stands behind it. */
type Row = readonly [text: string, numbers: readonly string[], country?: string | null];

const rows: Record<string, readonly Row[]> = {
  'a calling code and the 0 that is not dialled behind it, with a separator where a number could end': [
    ['+49 (0)176/30300495', ['+4917630300495']],
    ['+49 (0)176 / 30300495', ['+4917630300495']],
    ['+49 (0)176 - 30300495', ['+4917630300495']],
    ['+49 0176/30300495', ['+4917630300495']],
    ['+49 (0)221/30300495', ['+4922130300495']],
    ['0049(0)176/30300495', ['+4917630300495']],
    ['0049 (0) 151 / 23456789', ['+4915123456789']],
    ['+49 (0)800 0221392', ['+498000221392']],
    ['+43(0)664/12345678', ['+4366412345678'], 'AT'],
    ['+44 (0) 20 7946 0123', ['+442079460123'], 'GB'],
    ['+49 1512 0591100', ['+4915120591100']],
    ['+48 501 669 018', ['+48501669018'], 'PL'],
    ['+39 06 5583 0805', ['+390655830805'], 'IT'],
    ['347 079 2106', ['+393470792106'], 'IT'],
    ['0031 20 649 0255', ['+31206490255'], 'NL'],
    ['+49 30 901820 / 030 901821', ['+4930901820', '+4930901821']],
  ],
  'spaces, marks and digits that look the same': [
    ...[
      '\u00a0',
      '\u2009',
      '\u202f',
      '\u3000',
      '\u2007',
      '\u200b',
      '\u00ad',
      '\u2060',
      '\ufeff',
      '\u2800',
    ].map((space) => [`030${space}901820`, [BERLIN]] as const),
    ...[
      '\u2010',
      '\u2011',
      '\u2012',
      '\u2013',
      '\u2014',
      '\u2015',
      '\u2212',
      '\ufe63',
      '\uff0d',
      '\u30fc',
    ].map((dash) => [`030${dash}901820`, [BERLIN]] as const),
    ['\u202a+49 30 901820\u202c', [BERLIN]],
    ['\u200e+49 30 901820', [BERLIN]],
    ['\u2066+49\u2069 30 90\u206818\u206920', [BERLIN]],
    ['\u202b030 901820\u202e', [BERLIN]],
    ['０３０／９０１８２０', [BERLIN]],
    ['＋４９（３０）９０１８２０', [BERLIN]],
    ['٠٣٠ ٩٠١٨٢٠', [BERLIN]],
    ['۰۳۰۹۰۱۸۲۰', [BERLIN]],
    ['03ー1234ー5678', ['+81312345678'], 'JP'],
    ...[...zeros].map((zero) => [inDigits('030/901820', zero), [BERLIN]] as const),
    [inDigits('098765 43210 / 022 27782183', '०'), ['+919876543210', '+912227782183'], 'IN'],
  ],
  'ways of writing one number': [
    ['+49.30.901820', [BERLIN]],
    ['+49 (0)30 901820', [BERLIN]],
    ['+49-(0)30-901820', [BERLIN]],
    ['0049 (0) 30 90 18 20', [BERLIN]],
    ['[+49] 30 901820', [BERLIN]],
    ['(+49) 30 901820', [BERLIN]],
    ['+ 49 30 901820', [BERLIN]],
    ['030/901820', [BERLIN]],
    ['030-/901820', [BERLIN]],
    ['030 / 90 18 20', [BERLIN]],
    ['+49 (0) 171 / 39 20 000', [MOBILE]],
    ['0171 392 00 00', [MOBILE]],
    ['030/901820-12', ['+493090182012']],
    ['+4930901820', [BERLIN], null],
    ['02/223.45.67', ['+3222234567'], 'BE'],
    ['01/23/45/67/89', ['+33123456789'], 'FR'],
    ['01 02 03 04 05', ['+33102030405'], 'FR'],
    ['212/555-0123', ['+12125550123'], 'US'],
    ['1 (212) 555-0123', ['+12125550123'], 'US'],
    ['8 (495) 123-45-67', ['+74951234567'], 'RU'],
    ["044'668'18'00", ['+41446681800'], 'CH'],
    ['+39 (0)6 12345678', ['+390612345678'], 'IT'],
    ['1001', ['1001']],
    ['110', ['110']],
    ['491713920000.0', [MOBILE]],
    ['="+4930901820"', [BERLIN]],
    ["'+49 30 901820", [BERLIN]],
  ],
  'addresses and links': [
    ['tel:+49-30-901820', [BERLIN]],
    ['tel://+4930901820', [BERLIN]],
    ['callto:030901820', [BERLIN]],
    ['skype:+4930901820?call', [BERLIN]],
    ['sip:+4930901820@192.0.2.1:5060;user=phone', [BERLIN]],
    ['"Example, Ann 7" <sip:030901820@pbx.example.com;tag=1>', [BERLIN]],
    ['Ann <tel:030901820>, Bob <tel:01713920000>', [BERLIN, MOBILE]],
    ['<a href="tel:+4930901820">030 901820</a>', [BERLIN]],
    ['030 901820<br>0171 3920000', [BERLIN, MOBILE]],
  ],
  'extensions are left out': [
    ['+49 30 901820 ext. 12', [BERLIN]],
    ['030 901820 x12', [BERLIN]],
    ['030 901820 App. 12', [BERLIN]],
    ['030 901820 Apparat 12 (Frau Meier)', [BERLIN]],
    ['030 901820 Durchwahl 12', [BERLIN]],
    ['030 901820 (DW -12)', [BERLIN]],
    ['030 901820,,12', [BERLIN]],
    ['030 901820,12#', [BERLIN]],
    ['030901820;ext=12', [BERLIN]],
    ['030901820p12', [BERLIN]],
    ['030 901820 #12', [BERLIN]],
    ['030 901820 ext. 12 / 0171 3920000', [BERLIN, MOBILE]],
    ['01 23 45 67 89 poste 12', ['+33123456789'], 'FR'],
    ['8 (495) 123-45-67 доб. 12', ['+74951234567'], 'RU'],
    ['03-5234567 שלוחה 5', ['+97235234567'], 'IL'],
    ['010-62345679转8012', ['+861062345679'], 'CN'],
    ['06-1-234-5670 mellék 12', ['+3612345670'], 'HU'],
    ['91 123 45 67 ext 12, 612 34 56 78', ['+34911234567', '+34612345678'], 'ES'],
    ['020-1234567 tst. 12', ['+31201234567'], 'NL'],
    ['(212) 555-0123x45', ['+12125550123'], 'US'],
    ['0316/872 0 Klappe 12', ['+433168720'], 'AT'],
  ],
  labels: [
    ['Tel.: 030 901820', [BERLIN]],
    ['Telefon 030 901820 / Mobil 0171 3920000', [BERLIN, MOBILE]],
    ['T 030 901820 M 0171 3920000', [BERLIN, MOBILE]],
    ['Mobil 1: 0171 3920000 Mobil 2: 030 901820', [MOBILE, BERLIN]],
    ['0171 3920000 (privat)', [MOBILE]],
    ['030 901820 (2. Stock)', [BERLIN]],
    ['030 (Berlin) 901820', [BERLIN]],
    ['1) 030 901820 2) 0171 3920000', [BERLIN, MOBILE]],
    ['☎ 030 901820 📱0171 3920000', [BERLIN, MOBILE]],
    ['030 901820²', [BERLIN]],
    ['Frau Müller 0171 3920000', [MOBILE]],
    ['Tél. : 01 23 45 67 89 (bureau), port. 06 12 34 56 78', ['+33123456789', '+33612345678'], 'FR'],
    ['Móvil: 612 34 56 78 (particular)', ['+34612345678'], 'ES'],
    ['Telefoon (werk) 020-1234567', ['+31201234567'], 'NL'],
    ['Phone (home): (212) 555-0123', ['+12125550123'], 'US'],
  ],
  'several numbers': [
    ...[
      '; ',
      ';',
      ',',
      ', ',
      '|',
      '\n',
      '\r\n',
      '\t',
      ' / ',
      '/',
      ' oder ',
      ' und ',
      ' & ',
      ' + ',
      ' - ',
      ' ',
      ' ::: ',
    ].map((separator) => [`030 901820${separator}0171 3920000`, [BERLIN, MOBILE]] as const),
    ['030 901820 +49 171 3920000', [BERLIN, MOBILE]],
    ['+4930901820+491713920000', [BERLIN, MOBILE]],
    ['030 901820 0049 171 3920000', [BERLIN, MOBILE]],
    ['030 90186 / 030 90187', ['+493090186', '+493090187']],
    ['030 90186 030 90187', ['+493090186', '+493090187']],
    ['030 90186 / 030 90187', ['03090186', '03090187'], null],
    ['030 901820; 1001', [BERLIN, '1001']],
    ['1001, 1002', ['1001', '1002']],
    ['201/0171 3920000', ['201', MOBILE]],
    ['030 901820, 030/901820', [BERLIN]],
    ['01 02 03 04 05 06 07 08 09 10', ['+33102030405', '+33607080910'], 'FR'],
    ['01 23 45 67 89 ou 06 12 34 56 78', ['+33123456789', '+33612345678'], 'FR'],
    ['020 - 123 45 67 of 06 - 12 34 56 78', ['+31201234567', '+31612345678'], 'NL'],
    ['912345678 o 612345678', ['+34912345678', '+34612345678'], 'ES'],
    ['912345678 612345678', ['+34912345678', '+34612345678'], 'ES'],
    ['212-555-0123 or 212-555-0124', ['+12125550123', '+12125550124'], 'US'],
    ['(212) 555-0123 (212) 555-0124', ['+12125550123', '+12125550124'], 'US'],
  ],
  'what says that there is none': [
    '',
    ' ',
    '-',
    '--',
    '—',
    '.',
    '?',
    '/',
    'n/a',
    'N.A.',
    'k.A.',
    'k. A.',
    'keine',
    'keine Angabe',
    'NULL',
    'null',
    'nil',
    'none',
    'NaN',
    'unbekannt',
    'unknown',
    'inconnu',
    'desconocido',
    'onbekend',
    'geen',
    'n.v.t.',
    'aucun',
    'ninguno',
    '0',
    '00',
    '000000',
    '#N/A',
    '#NV',
    'anonymous',
    'Tel.:',
    'Tel.: -',
    '0,00',
    '\u200b',
  ].map((text) => [text, []] as const),
  'forms of the same line': [
    ...['+52 1 55 1234 5678', '+52 55 1234 5678', '5215512345678', '044 55 1234 5678', '01 55 1234 5678'].map(
      (text) => [text, ['+525512345678'], 'MX'] as const,
    ),
    ...['+54 9 11 2345 6789', '+54 11 2345 6789', '011 15 2345-6789', '11 2345 6789', '5491123456789'].map(
      (text) => [text, ['+541123456789'], 'AR'] as const,
    ),
    ['+55 11 8123-4567', ['+5511981234567'], 'DE'],
    ['(11) 98123-4567', ['+5511981234567'], 'BR'],
    ['+39 6 12345678', ['+390612345678'], 'DE'],
    ['+229 97 12 34 56', ['+2290197123456'], 'FR'],
  ],
};
for (const [what, ofThat] of Object.entries(rows))
  test(what, () => {
    for (const [text, numbers, country = 'DE'] of ofThat)
      assert.deepEqual(
        readNumbers(text, country),
        { numbers, unread: [] },
        `${JSON.stringify(text)} in ${country}`,
      );
  });

test('what cannot be read is named, with the numbers beside it', () => {
  const partly: [text: string, numbers: string[], unread: string[], reason: string, country?: string][] = [
    ['4,93012E+11', [], ['4,93012E+11'], 'rounded'],
    ['4.9301E+11', [], ['4.9301E+11'], 'rounded'],
    ['4.9301234567e11; 030 901820', [BERLIN], ['4.9301234567e11'], 'rounded'],
    ['030 901850/52', ['+4930901850'], ['52'], 'ambiguous'],
    ['030 90 18 50/52/53', ['+4930901850'], ['52/53'], 'ambiguous'],
    ['030 90185-0 / -12', ['+4930901850'], ['12'], 'ambiguous'],
    ['030/90188, 90189', ['+493090188'], ['90189'], 'ambiguous'],
    ['030/90188,90189', ['+493090188'], ['90189'], 'ambiguous'],
    ['030x901820', [], ['030x901820'], 'not-a-number'],
    ['030/901820 oder -21', [BERLIN], ['-21'], 'ambiguous'],
    ['030 901820/901821', [BERLIN], ['901821'], 'ambiguous'],
    ['030 901850/52 / 0171 3920000', ['+4930901850', MOBILE], ['52'], 'ambiguous'],
    ['01 23 45 67 89/90', ['+33123456789'], ['90'], 'ambiguous', 'FR'],
    ['+4930901820, 1001', [BERLIN], ['1001'], 'ambiguous'],
    // What a phone dials after a pause (iOS, Android), or a number of the PBX.
    ['030 901820;21', [BERLIN], ['21'], 'ambiguous'],
    ['+12125550123;45', ['+12125550123'], ['45'], 'ambiguous'],
    ['030 901820;21#', [BERLIN], ['21#'], 'ambiguous'],
    ['030 901820;7246433', [BERLIN], ['7246433'], 'ambiguous'],
    ['030 901820;21;0171 3920000', [BERLIN, MOBILE], ['21'], 'ambiguous'],
    ['1001/1002', [], ['1001/1002'], 'ambiguous'],
    ['0+491713920000', [], ['0+491713920000'], 'ambiguous'],
    ['030+90+18+20', [], ['030+90+18+20'], 'ambiguous'],
    ['493,012,345,678', [], ['493,012,345,678'], 'ambiguous'],
    ['030 901820, alice7', [BERLIN], ['alice7'], 'not-a-number'],
    ['alice', [], ['alice'], 'not-a-number'],
    ['Mobile', [], ['Mobile'], 'not-a-number'],
    ['7a', [], ['7a'], 'not-a-number'],
    ['Haus 12', [], ['Haus 12'], 'not-a-number'],
    ['0800 REIMANN', [], ['0800 REIMANN'], 'not-a-number'],
    ['1-800-FLOWERS', [], ['1-800-FLOWERS'], 'not-a-number', 'US'],
    ['ann7@example.com', [], ['ann7@example.com'], 'not-a-number'],
    ['01.02.2024', [], ['01.02.2024'], 'not-a-number'],
    ['2024-02-01', [], ['2024-02-01'], 'not-a-number'],
    ['18:30', [], ['18:30'], 'not-a-number'],
    ['+999 123 456 789', [], ['+999 123 456 789'], 'not-a-number'],
    ['DE89370400440532013000', [], ['DE89370400440532013000'], 'not-a-number'],
    ['#####', [], ['#####'], 'not-a-number'],
  ];
  for (const [text, numbers, unread, reason, country = 'DE'] of partly)
    assert.deepEqual(
      readNumbers(text, country),
      { numbers, unread: unread.map((one) => ({ text: one, reason })) },
      `${JSON.stringify(text)} in ${country}`,
    );
});

test('digits whose plus a spreadsheet may have removed are read in the country, and their other reading is given', () => {
  const two: [digits: string, number: string, country?: string][] = [
    ['41446681800', '+4941446681800'],
    ['436641234567', '+49436641234567'],
    ['33123456789', '+4933123456789'],
    ['41 44 668 18 00', '+4941446681800'],
    ['4930901820', '+14930901820', 'US'],
    ['4325550123', '+14325550123', 'US'],
    ['3281234567', '+393281234567', 'IT'],
  ];
  for (const [text, number, country = 'DE'] of two) {
    const other = `+${text.replaceAll(' ', '')}`;
    const unsure = [{ text, number, other }];
    assert.deepEqual(readNumbers(text, country), { numbers: [number], unread: [], unsure }, text);
  }
  // Today's form of another number of the account's own country.
  assert.deepEqual(readNumbers('3906123456', 'IT').unsure, [
    { text: '3906123456', number: '+393906123456', other: '+3906123456' },
  ]);
  const { numbers, unsure } = readNumbers('41446681800; 030 901820', 'DE');
  assert.deepEqual([numbers.length, unsure?.length], [2, 1]);
  const sure: [text: string, country?: string][] = [
    ['041446681800'],
    ['+41446681800'],
    ['0041446681800'],
    ['1601234567'],
    ['30901820'],
    ['491713920000'],
    ['31612345678'],
    ['(432) 555-0123', 'US'],
    ['14325550123', 'US'],
    ['84951234567', 'RU'],
    ['446681800', 'CH'],
  ];
  for (const [text, country = 'DE'] of sure) assert.equal(readNumbers(text, country).unsure, undefined, text);
});

/** Fully read numbers, or none; never another number. What is unread is named. */
const onlyOrUnread = (rowsOf: readonly (readonly [text: string, number: string, country?: string])[]) => {
  for (const [text, number, country = 'DE'] of rowsOf) {
    const read = readNumbers(text, country);
    const what = `${text} in ${country}: ${JSON.stringify(read)}`;
    assert.ok(read.numbers.length === 0 || (read.numbers.length === 1 && read.numbers[0] === number), what);
    assert.notEqual(read.unread.length, 0, what);
  }
};

test('dates and hours beside a number are no part of it', () => {
  const times = [
    '27.11.2026',
    '27.11.26',
    '27.11.',
    '27/11/2026',
    '2026-11-27',
    '11/27/2026',
    '24/7',
    '8-17',
  ];
  const hours = [
    '8:00-17:00',
    '8.00-17.00',
    '9-12 Uhr',
    'ab 18h',
    '9am-5pm',
    '8h30-12h',
    '18.30 Uhr',
    '8 - 17 Uhr',
  ];
  for (const time of [...times, ...hours, 'Mo-Fr 8-17', 'Mo-Fr 8:00 bis 17:00']) {
    const written = (number: string) => [`${time} ${number}`, `${number} ${time}`, `${number} (${time})`];
    for (const text of [...written('030 901820'), ...written('030/901820'), ...written('+49 30 901820')]) {
      const { numbers } = readNumbers(text, 'DE');
      assert.ok(
        numbers.length === 0 || (numbers.length === 1 && numbers[0] === BERLIN),
        `${text}: ${numbers}`,
      );
    }
    onlyOrUnread([
      [time, ''],
      [`020-1234567 ${time}`, '+31201234567', 'NL'],
      [`06 12 34 56 78 ${time}`, '+33612345678', 'FR'],
    ]);
  }
  for (const text of [
    '27.11.2026 030 901820',
    '030 901820 24/7',
    '8:00-17:00 030 901820',
    'Mo-Fr 9-12 Uhr 030 901820',
  ])
    assert.deepEqual(readNumbers(text, 'DE').numbers, [BERLIN], text);
  for (const [text, number, country] of [
    ['06-12 34 56 78', '+31612345678', 'NL'],
    ['06-12.34.56.78', '+31612345678', 'NL'],
    ['08-12 34 56 78', '+46812345678', 'SE'],
    ['01.12.23.45.67', '+33112234567', 'FR'],
    ['01.12.23 45 67', '+33112234567', 'FR'],
  ] as const)
    assert.deepEqual(readNumbers(text, country), { numbers: [number], unread: [] }, text);
});

test('a number with hidden digits is no number', () => {
  const masks = ['*', '**', '****', '##', '####', '…', '..', '...', '__', '??', 'XXX', 'xx', '••••', '●●●'];
  for (const mask of masks)
    for (const number of ['0171 392', '+49171392', '030 9018', '03090182', '030/901820', '+49 30 901820'])
      for (const gap of ['', ' '])
        onlyOrUnread([
          [`${number}${gap}${mask}`, ''],
          ...(mask === 'xx' ? [] : [[`${number}${gap}${mask}12`, ''] as const]),
        ]);
  for (const text of ['030****20', '+49 171 *** 0000', '***1820', '…1820', '030 901820*12', '030 901820#'])
    assert.deepEqual(readNumbers(text, 'DE'), {
      numbers: [],
      unread: [{ text: text.replace('…', '...'), reason: 'not-a-number' }],
    });
  assert.deepEqual(readNumbers('0171 392****; 030 901820', 'DE').numbers, [BERLIN]);
  for (const [text, number] of [
    ['#31#030901820', BERLIN],
    ['*31#030901820', BERLIN],
    ['030 901820 #12', BERLIN],
  ] as const)
    assert.deepEqual(readNumbers(text, 'DE'), { numbers: [number], unread: [] }, text);
});

test('what may be two numbers or one is neither joined nor guessed', () => {
  const pairs: [text: string, numbers: string[], country?: string][] = [
    ['+43 1 58058 / 58059', ['+43158058'], 'AT'],
    ['+43 1 58058 / 58059', ['+43158058']],
    ['06 12 34 56 78 - 79', ['+33612345678'], 'FR'],
    ['06 12 34 56 78 – 79', ['+33612345678'], 'FR'],
    ['0471 413000 - 413001', ['+390471413000'], 'IT'],
    ['030 901820 - 901821', [BERLIN]],
    ['030 90186 - 90187', ['+493090186']],
    ['30,901,820', []],
    ['4,930,901', []],
    ['030•901820', []],
    ['030 : 901820', []],
    ['030: 901820', []],
    ['030 | 901820', []],
    ['030, 901820', []],
    [' 030, 901820', []],
    ['Tel. 030, 901820', []],
    ['+49; 30 901820', []],
    ['030 901820 0171', []],
    ['030 901820 030', []],
    ['+49 30 901820 0171', []],
    ['01|)1', []],
    ['030, (901820)', []],
    // With blanks alone: each of these was joined, or read in another country.
    ['030 901820 901821', []],
    ['+49 30 901820 901821', []],
    ['0049 30 90186 90187', []],
    ['030 90182000 90182001', []],
    ['030 901820 030 90', []],
    ['0171 3920000 3920001', []],
    ['0171 3920000 112', []],
    ['901820 901821', []],
    ['901820 12', []],
    ['1001 1002', []],
    ['1001 1002 1003', []],
    ['1001 1002', [], 'FR'],
    ['020 123 45 67 112', [], 'NL'],
    ['020 123 45 67 12', [], 'NL'],
    ['+31 20 123 45 67 12', []],
    ['0031 20 1234567 12', []],
    ['01 23 45 67 89 112', [], 'FR'],
    ['912 345 678 112', [], 'ES'],
    ['912345678 112', [], 'ES'],
    ['044 668 18 00 12', [], 'CH'],
    ['22 12 34 56 12', [], 'NO'],
    ['212 555 0123 12', [], 'US'],
    ['020 7946 0958 123', [], 'GB'],
    ['01 58058 58059', [], 'AT'],
    ['0471 413000 413001', [], 'IT'],
    ['+1 212 555 0123 212 555 0124', []],
  ];
  for (const [text, numbers, country = 'DE'] of pairs) {
    const read = readNumbers(text, country);
    assert.deepEqual(read.numbers, numbers, `${text}: ${JSON.stringify(read)}`);
    assert.ok(
      read.unread.length > 0 && read.unread.every(({ reason }) => reason === 'ambiguous'),
      `${text}: ${JSON.stringify(read)}`,
    );
  }
  for (const [text, numbers, country = 'DE'] of [
    ['+4930901820.00', [BERLIN]],
    ['+4930901820,0', [BERLIN]],
    ['+49 30 - 901820', [BERLIN]],
    ['030 - 90 18 20', [BERLIN]],
    ['06 - 12 34 56 78', ['+31612345678'], 'NL'],
    ['030 901820 - 0171 3920000', [BERLIN, MOBILE]],
    ['030 901820 • 0171 3920000', [BERLIN, MOBILE]],
    ['101, 102, 103', ['101', '102', '103']],
    ['11,12,13,14,15', ['11', '12', '13', '14', '15']],
    // As some write what others write with dots.
    ['06,12,34,56,78', ['+33612345678'], 'FR'],
    ['06,12,34,56,78, 01,42,68,53,00', ['+33612345678', '+33142685300'], 'FR'],
    ['+33,6,12,34,56,78', ['+33612345678'], 'FR'],
    // In countries with numbers of any length, as is dialled: the number, and an extension behind it.
    ['030 901820 110', ['+4930901820110']],
    ['030 901820 12', ['+493090182012']],
    ['+49 30 901820 110', ['+4930901820110']],
    ['030 9018 2011', ['+493090182011']],
    ['030 901820 030 901821', [BERLIN, '+4930901821']],
    ['030 90 18 20 030 90 18 21', [BERLIN, '+4930901821']],
    ['030 901820 030 901821 0171 3920000', [BERLIN, '+4930901821', MOBILE]],
    ['98765 43210', ['+919876543210'], 'IN'],
    ['+91 98765 43210', ['+919876543210']],
    ['(555) 123-4567', ['+15551234567'], 'US'],
    ['555 123 4567', ['+15551234567'], 'US'],
  ] as const)
    assert.deepEqual(readNumbers(text, country), { numbers, unread: [] }, text);
});

test('a national number with the code of a country before it is read in that country', () => {
  const codes: Row[] = [
    ...['NL 020 1234567', '(NL) 020 1234567', '[NL] 020/1234567', 'NL: 020-1234567', 'NL, 020 1234567'].map(
      (text) => [text, ['+31201234567'], 'AT'] as const,
    ),
    ...['NL\n020 1234567', 'NL | (020) 123 45 67', 'Tel. NL 020 1234567', 'NL Tel.: 020 1234567'].map(
      (text) => [text, ['+31201234567'], 'AT'] as const,
    ),
    ['NL 020 1234567', ['+31201234567'], null],
    ['Jan Example NL 020 1234567 ext. 12', ['+31201234567'], 'AT'],
    ['NL +31 20 1234567', ['+31201234567']],
    ['NL 31 20 1234567', ['+31201234567']],
    ['(AT) 01 234567', ['+431234567']],
    ['CH: 044 668 18 00', ['+41446681800'], 'US'],
    ['IT 06 12345678', ['+390612345678'], 'US'],
    ['US (212) 555-0123', ['+12125550123']],
    ['USA 212-555-0123', ['+12125550123']],
    ['UK 020 7946 0958', ['+442079460958']],
    ['01 234567, NL 020 1234567; +43 1 234568', ['+431234567', '+31201234567', '+431234568'], 'AT'],
    ['NL 020 1234567 / AT 01 234567', ['+31201234567', '+431234567'], 'GB'],
    // Letters that say whose number it is: in that country it would be none, or is not written so.
    ...['GE 030 901820', 'PR 030 901820', 'SE 030 901820'].map((text) => [text, [BERLIN]] as const),
    ['VA 804-555-2368', ['+18045552368'], 'US'],
    ['DE 302-555-2368', ['+13025552368'], 'US'],
    // Names of countries.
    ['Schweiz: 044 668 18 00', ['+41446681800']],
    ['Schweiz, Tel. 044 668 18 00', ['+41446681800']],
    ['Frau Meier (Schweiz) 044 668 18 00', ['+41446681800']],
    ['Österreich: 0664 1234567', ['+436641234567']],
    ['Niederlande (020) 123 45 67', ['+31201234567']],
    ['Suisse 079 123 45 67', ['+41791234567'], 'FR'],
    ['United Kingdom: 020 7946 0958', ['+442079460958']],
    ['Hotel Schweiz 030 901820', [BERLIN]],
    ['Hotel Deutschland 030 901820', [BERLIN]],
    ['Georgia 404-555-0123', ['+14045550123'], 'US'],
    ['030 901820 Deutschland', [BERLIN]],
    // Two letters are not only codes.
    ['DE 030 901820', [BERLIN]],
    ['DE 030 901820', [BERLIN], 'NL'],
    ['Pr 030 901820', [BERLIN]],
    ['Pr. 030 901820', [BERLIN]],
    ['Fa. 030 901820', [BERLIN]],
    ['TEL 030 901820', [BERLIN]],
    ['NR 030 901820', [BERLIN]],
    ['TLF 912 345 678', ['+34912345678'], 'ES'],
    ['030 901820 DW 12', [BERLIN]],
    ['030 901820 (EG)', [BERLIN]],
    ['030 901820 (GF)', [BERLIN]],
    ['+49 (DE) 30 901820', [BERLIN]],
  ];
  for (const [text, numbers, country = 'DE'] of codes)
    assert.deepEqual(readNumbers(text, country), { numbers, unread: [] }, `${text} in ${country}`);

  const refused: [text: string, reason: string, country?: string][] = [
    // No number of that country, or no country.
    ...['FA 030 901820', 'XY 030 901820', 'NLD 020 1234567'].map(
      (text) => [text, 'not-a-number'] as [string, string],
    ),
    // A number of both, in an IT department or in Italy.
    ...['IT: 030 901821', '(IT) 0171 1234567', 'BR 089 35041234', 'HR: 0421 123456', 'NL 020 1234567'].map(
      (text) => [text, 'ambiguous'] as [string, string],
    ),
    ['HR 044 668 18 00', 'ambiguous', 'CH'],
    ['HR: 020 1234567', 'ambiguous', 'NL'],
    ['IN 317-555-2368', 'ambiguous', 'US'],
    ['CO 303-555-2368', 'ambiguous', 'US'],
    ['044 668 18 00 Schweiz', 'ambiguous'],
    ['Fax Schweiz 044 668 18 00', 'not-a-number'],
    // Perhaps something else than a code.
    ...['nl 020 1234567', 'PH 02 8123 4567', 'EG 02 27928000', '020 1234567 NL', '020 1234567 (NL)'].map(
      (text) => [text, 'ambiguous'] as [string, string],
    ),
    ['de 030 901820', 'ambiguous', 'NL'],
  ];
  for (const [text, reason, country = 'DE'] of refused)
    assert.deepEqual(
      readNumbers(text, country),
      { numbers: [], unread: [{ text, reason }] },
      `${text} in ${country}`,
    );
  assert.deepEqual(readNumbers('Zentrale: 030 901820, IT: 030 901821', 'DE'), {
    numbers: [BERLIN],
    unread: [{ text: 'IT: 030 901821', reason: 'ambiguous' }],
  });
  // One after the other, with codes before or behind.
  assert.deepEqual(readNumbers('020 1234567 NL, 01 234567 AT', 'DE').numbers, []);
  for (const country of getCountries()) {
    const example = exampleOf(country);
    if (example.number.length < 10) continue;
    const { numbers, unread } = readNumbers(`${country} ${example.formatNational()}`, 'DE');
    const isEither = (number: string) =>
      number.replace('+549', '+54') === example.number.replace('+549', '+54');
    assert.ok(numbers.every(isEither), `${country} ${example.formatNational()}: ${numbers}`);
    assert.equal(numbers.length + unread.length, 1, country);
  }
});

test('fax numbers and numbers of customers are not kept', () => {
  for (const [text, unread] of [
    ['Tel: 030 901820 Fax: 030 901821', 'Fax 030 901821'],
    ['030 901820, Fax 030 901821', 'Fax 030 901821'],
    ['030 901820 / Fax 030 901821', 'Fax 030 901821'],
    ['030 901820; 030 901821 (Fax)', '030 901821 Fax'],
    ['Telefax 030 901821; 030 901820', 'Fax 030 901821'],
    ['Kd.-Nr. 1234567 Tel 030 901820', 'Kd.-Nr. 1234567'],
    ['Kd-Nr: 1234567, 030 901820', 'Kd-Nr: 1234567'],
    ['030 901820 Kunden-Nr.: 1234567', 'Kunden-Nr.: 1234567'],
  ] as const)
    assert.deepEqual(
      readNumbers(text, 'DE'),
      { numbers: [BERLIN], unread: [{ text: unread, reason: 'not-a-number' }] },
      text,
    );
  for (const text of ['030 901820 (Fax)', 'Fax: 030 901820', '030 901820 Fax', 'Kundennummer 1234567'])
    assert.deepEqual(
      [readNumbers(text, 'DE').numbers.length, readNumbers(text, 'DE').unread.length],
      [0, 1],
      text,
    );
  for (const text of ['Tel/Fax: 030 901820', 'Tel.-Nr. 030 901820', 'Telefon und Fax 030 901820'])
    assert.deepEqual(readNumbers(text, 'DE').numbers, [BERLIN], text);
});

const someCountry = fc.constantFrom(
  ...(['DE', 'FR', 'ES', 'NL', 'US', 'GB', 'AT', 'CH', 'IT', 'BR', 'JP'] as const),
);
const separator = fc.constantFrom(
  ';',
  ' ; ',
  ',',
  ', ',
  '|',
  '\n',
  ' / ',
  ' oder ',
  ' or ',
  ' ou ',
  ' of ',
  ' o ',
  ' ::: ',
);

/** Numbers of a country that must not be misread: its example, with other last digits that are valid, too. */
const numbersOf = (country: string) =>
  fc.array(fc.integer({ min: 10, max: 99 }), { minLength: 1, maxLength: 4 }).map((ends) => {
    const { number } = exampleOf(country);
    return ends.map((end) => `${number.slice(0, -2)}${end}`);
  });

test('numbers with a separator between them are read one by one, in whatever form each is written', () => {
  const lists = someCountry.chain((country) =>
    fc.record({
      country: fc.constant(country),
      numbers: numbersOf(country),
      separator,
      forms: fc.array(fc.nat({ max: 7 }), { minLength: 4, maxLength: 4 }),
    }),
  );
  fc.assert(
    fc.property(lists, ({ country, numbers, separator: between, forms }) => {
      const written = numbers.map((number, index) => {
        const all = inItsCountry(exampleOf(country)).filter((form) => !form.includes(';'));
        const form = all[(forms[index] ?? 0) % all.length] as string;
        return form.replace(/\d(\D*)\d(\D*)(?=(?:@|")|$)/, `${number.slice(-2, -1)}$1${number.slice(-1)}$2`);
      });
      const text = written.join(between);
      const { numbers: read, unread } = readNumbers(text, country);
      assert.deepEqual({ read, unread }, { read: [...new Set(numbers)], unread: [] }, text);
    }),
  );
});

test('digits of two numbers are never joined, with whatever stands between them', () => {
  const national = [
    '030 901820',
    '030/90186',
    '0171 3920000',
    '05551 123-0',
    '(040) 66 60 00 1',
    '+49 89 123456',
  ];
  const first = fc.constantFrom(...national, '1001', '201');
  const second = fc.constantFrom(...national);
  const between = fc.stringMatching(/^[ /,;|+\n.-]{0,3}(?:oder|or|und|x)?[ /,;|+\n-]{1,3}$/);
  fc.assert(
    fc.property(first, between, second, fc.constantFrom('DE', 'AT', null), (one, gap, other, country) => {
      const parts = [one, other].map((text) => normaliseNumber(text, country).replace('+', ''));
      const { numbers } = readNumbers(`${one}${gap}${other}`, country);
      const longest = Math.max(...parts.map((part) => part.length));
      for (const number of numbers)
        assert.ok(number.replace('+', '').length <= longest, `${one}${gap}${other}: ${number}`);
    }),
    { numRuns: 1_000 },
  );
});

test('what was read is read again as it is', () => {
  const people = fc.stringMatching(/^[+0-9 ()/.,;|x#*-]{0,30}$/);
  fc.assert(
    fc.property(
      people,
      fc.constantFrom('DE', 'FR', 'US', 'AR', 'MX', 'IT', null),
      fc.constantFrom('|', '; ', '\n'),
      (text, country, by) => {
        const { numbers } = readNumbers(text, country);
        assert.deepEqual(readNumbers(numbers.join(by), country), { numbers, unread: [] }, text);
      },
    ),
    { numRuns: 2_000 },
  );
});

test('no amount of marks and spaces around and between digits changes a number', () => {
  const marks = fc.stringMatching(
    /^[ \u00a0\u2009\u3000\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\u00ad-]{0,4}$/u,
  );
  fc.assert(
    fc.property(
      fc.array(marks, { minLength: 12, maxLength: 12 }),
      fc.constantFrom('DE', 'US', null),
      (between, country) => {
        const text = between.map((mark, index) => `${mark}${BERLIN[index] ?? ''}`).join('');
        assert.deepEqual(readNumbers(text, country), { numbers: [BERLIN], unread: [] }, JSON.stringify(text));
      },
    ),
  );
});

test("every country's example, written as in its country, is one number", () => {
  for (const country of getCountries()) {
    const example = exampleOf(country);
    for (const text of inItsCountry(example)) {
      if (text.replace(/\D/g, '').length < 7) continue;
      const number = normaliseNumber(example.number, country);
      assert.equal(
        readNumbers(text, country).numbers[0]?.replace('+54', '+549'),
        number.replace(/^\+54(?!9)/, '+549'),
        `${text} in ${country}`,
      );
    }
  }
});

test('a list of the numbers that one customer can have is read; more are not', () => {
  const numbers = Array.from({ length: 100 }, (_, index) =>
    index % 10 === 0 ? `${1001 + index}` : `+493090${18_200_000 + index}`,
  );
  assert.deepEqual(readNumbers(numbers.join('|'), 'DE'), { numbers, unread: [] });
  for (const text of [
    [...numbers, '+4930901820'].join('|'),
    '1|001|00'.repeat(120),
    '030 901820; '.repeat(51),
    '１ '.repeat(101),
  ])
    assert.deepEqual(readNumbers(text, 'DE'), { numbers: [], unread: [{ text, reason: 'not-a-number' }] });
});

test('a text of any length and kind ends', () => {
  for (const text of [
    '1'.repeat(200_000),
    '1 '.repeat(499),
    '01 '.repeat(300),
    '1,'.repeat(499),
    '('.repeat(999),
    `${'x1'.repeat(499)}a`,
    '<'.repeat(999),
  ])
    assert.ok(readNumbers(text, 'DE'));
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => Boolean(readNumbers(text, 'DE'))),
  );
});

/** Valid numbers of a country that begin as its example does: the first digits stay, the others are drawn. */
const numbersLike = (country: string) => {
  const { countryCallingCode, nationalNumber } = exampleOf(country);
  return fc
    .tuple(
      fc.integer({ min: 1, max: nationalNumber.length - 1 }),
      fc.stringMatching(new RegExp(`^[0-9]{${nationalNumber.length}}$`)),
    )
    .map(([kept, drawn]) =>
      parsePhoneNumberFromString(
        `+${countryCallingCode}${nationalNumber.slice(0, kept)}${drawn.slice(kept)}`,
      ),
    )
    .filter((number) => number?.isValid() === true);
};

test('a number as programs show it is this one number, whatever its parts are', () => {
  for (const country of getCountries())
    fc.assert(
      fc.property(numbersLike(country), (number) => {
        const [expected] = sameLine(number?.number ?? '');
        const international = number?.formatInternational() ?? '';
        const national = number?.formatNational() ?? '';
        for (const home of [country, 'DE', null])
          assert.deepEqual(readNumbers(international, home), { numbers: [expected], unread: [] }, `${home}`);
        // Fewer digits may be an extension.
        if (national.replace(/\D/g, '').length > 7)
          assert.deepEqual(readNumbers(national, country).numbers, [expected], national);
      }),
      { numRuns: 15 },
    );
});

test('numbers of a fax, a pager or an assistant are left out, in whatever words', () => {
  const labels = {
    Fax: `Fax|Fax-Nr.|Fax Nr.|Fax #|Fax Büro|Fax geschäftlich|Privatfax|Büro-Fax|eFax|Telefax|Faxgerät|Télécopie|Télécopieur
      Facsimile|Faksnummer`,
    Pager: 'Pager|Piepser|Buscapersonas|Semafoon|Telex|Beeper',
    Assistant: `Assistentin|Assistent|Assistenz|Assistent(in)|Assistant|Assistante|Asistente|Assistente|Sekretärin|Secrétaire
      Asst.|Telefon Assistent|Assistentin Frau Meier|Téléphone de l’assistante`,
  };
  for (const [mark, some] of Object.entries(labels))
    for (const label of some.split(/\||\n\s*/))
      for (const text of [`${label}: 030 901820`, `030 901820 (${label})`]) {
        const { numbers, unread } = readNumbers(text, 'DE');
        assert.deepEqual(numbers, [], text);
        assert.match(unread.at(-1)?.text ?? '', new RegExp(`${mark}.*030 901820|030 901820.*${mark}`), text);
      }
  for (const text of [
    'fax 030 901820',
    'pager 030 901820',
    '030 901820 - Fax',
    '030 901820 Fax Büro',
    '030 901820=Fax',
    '030 901820 Assistentin',
    '030 901820 (nur Fax)',
    '030 901820 (Fax: Büro)',
    '(Pager) 030 901820',
  ])
    assert.deepEqual(readNumbers(text, 'DE').numbers, [], text);
  const beside = readNumbers('Tel. 030 901820, Assistentin: 030 901821 / Fax: 030 901822', 'DE');
  assert.deepEqual(beside.numbers, ['+4930901820']);
  for (const text of [
    'Tel. + Fax: 030 901820',
    '030 901820 (Tel./Fax)',
    '030 901820 (kein Fax)',
    'Assistance: 030 901820',
    '030 901820 (Sekretariat)',
    '030 901820 (Zentrale)',
    'Fax: -; Tel: 030 901820',
    'F. Meier: 030 901820',
    '030 901820 (F. Meier)',
    '030 901820 F. Meier',
  ])
    assert.deepEqual(readNumbers(text, 'DE').numbers, ['+4930901820'], text);
});

test('what is a number when it is called is the same number in a table, also where numbers are short', () => {
  let random = 7;
  let count = 0;
  for (const country of getCountries())
    for (let nth = 0; nth < 60; nth += 1) {
      random = (random * 1_103_515_245 + 12_345) & 0x7fffffff;
      const digits = `${random}`.padStart(10, '3').slice(-6 - (nth % 3));
      const called = normaliseNumber(digits, country);
      if (!isValidE164(called)) continue;
      count += 1;
      const national = parse(called)?.formatNational() ?? '';
      // Not what may be a date or an international number.
      for (const written of [digits, national].filter((text) => !/^00|^\d\d\./.test(text)))
        if (normaliseNumber(written, country) === called)
          assert.deepEqual(readNumbers(written, country).numbers, [called], `${country} ${written}`);
    }
  assert.ok(count > 500, `${count}`);
  for (const [country, written, number] of [
    ['LU', '48 12 34', '+352481234'],
    ['EE', '688 6620', '+3726886620'],
    ['LI', '232 12 34', '+4232321234'],
    ['PA', '223-1234', '+5072231234'],
    ['HU', '(06 1) 492 9664', '+3614929664'],
  ] as const)
    assert.deepEqual(readNumbers(written, country), { numbers: [number], unread: [] }, written);
  assert.deepEqual(readNumbers('901820', 'DE').numbers, ['901820']);
});

test('a 0 before the calling code may stand for a plus', () => {
  assert.deepEqual(readNumbers('049 171 3920000', 'DE'), {
    numbers: ['+49491713920000'],
    unread: [],
    unsure: [{ text: '049 171 3920000', number: '+49491713920000', other: '+491713920000' }],
  });
  for (const [text, country] of [
    ['0491 713920', 'DE'],
    ['04931 123456', 'DE'],
    ['039 2312345', 'IT'],
    ['055 3221 1234', 'BR'],
    ['041 210 12 34', 'CH'],
    ['+49 171 3920000', 'DE'],
  ] as const)
    assert.equal(readNumbers(text, country).unsure, undefined, text);
});
