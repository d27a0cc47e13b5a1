import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isWithheld, numberIn, placeholderIn } from './number-text.ts';

test('what says that a number is withheld, and what is only no number', () => {
  const rows: [raw: string, withheld: boolean][] = [
    ['anonymous', true],
    ['Anonymous', true],
    ['"Anonymous" <sip:anonymous@anonymous.invalid:5060>', true],
    ['"0000"', true],
    ['sip:anonymous@anonymous.invalid', true],
    ['Restricted', true],
    ['private', true],
    ['P', true],
    ['0000000000', true],
    ['+000', true],
    ['０００', true],
    ['Private Number', true],
    ['anonymous.caller', true],
    ['anonymous7', true],
    ['Privé', true],
    ['secretary', false],
    ['secretariat', false],
    ['Blockhaus', false],
    ['Privatklinik', false],
    ['private-clinic', false],
    ['alice7', false],
    ['pete', false],
    ['reception', false],
    ['unknown', false],
    ['', false],
    ['0', true],
    ['tel:110', false],
    ['030901820', false],
  ];
  for (const [raw, withheld] of rows) assert.equal(isWithheld(raw), withheld, raw);
});

test('words that a carrier writes with the digits of a keypad: withheld, or no number at all', () => {
  for (const [digits, placeholder] of [
    ['266696687', 'withheld'],
    ['7378742833', 'withheld'],
    ['2562533', 'withheld'],
    ['86282452253', 'missing'],
    ['8656696', 'missing'],
  ] as const)
    for (const before of ['', '+', '00', '1', '+1', 'sip:+', 'tel:'])
      assert.equal(placeholderIn(before + digits), placeholder, before + digits);
  for (const number of [
    '266696688',
    '+2666966870',
    '+4930266696687',
    '0266696687',
    '+13528656696',
    '8656696123',
    '',
  ])
    assert.equal(placeholderIn(number), undefined, number);
});

test('what can be dialled in a text, in a time that does not grow with its square', () => {
  const rows = [
    ['sip:0171392@10.0.0.1:5060', '0171392'],
    ['tel:0171392', '0171392'],
    ['tel:0171392;phone-context=+49', '0171392'],
    ['sip:0171392:5060', '0171392'],
    ['sip:+49171392@10.0.0.1;user=phone', '+49171392'],
    ['sip:+49171392;npdi@10.0.0.1:5060', '+49171392'],
    ['0171392:5060', '0171392'],
    ['0171392;user=phone', '0171392'],
    ['"0171392"', '0171392'],
    ["'0171392' ", '0171392'],
    ['"Ann 7" <sip:0171392@10.0.0.1:5060;user=phone>', '0171392'],
    ['<tel:+49-171-392>', '+49-171-392'],
    ['"0171392" <alice>', ''],
    ['"Ann"', ''],
    ['sip:5060', '5060'],
    ['%2B49171392', '+49171392'],
    ['0171392 ,12', '0171392'],
    // The first of several; never two joined.
    ['030 90186 / 030 90187', '030 90186'],
    ['030 901850/52', '030 901850'],
    ['+49 30 901820 ext. 12', '+49 30 901820'],
    ['Tel.: 0171392', '0171392'],
    ['1001/1002', ''],
    ['0+49171392000', ''],
    ['++49 171 392000', '+49 171 392000'],
    ['"Ann" <sip:++49171392000@10.0.0.1>', '+49171392000'],
    ['7+49171392000', ''],
    // A PBX writes one number, in blocks of its own.
    ['32 450 00 12 34', '32 450 00 12 34'],
    ['353 087 123 4567', '353 087 123 4567'],
    ['\u202a+49171392\u202c', '+49171392'],
    ['sales-0171392000', ''],
    ['+', ''],
    ['++49', ''],
    ['alice7', ''],
    [`${'1'.repeat(200_000)}a`, ''],
    // No number has so many groups of digits, and each takes more time than the one before it.
    [Array(7).fill('030 901820').join(' / '), ''],
    ['"Haus 12" <sip:+49 171 392 00 00@10.0.0.1:5060>', '+49 171 392 00 00'],
  ] as const;
  for (const [raw, number] of rows) assert.equal(numberIn(raw), number, raw.slice(0, 40));
});
