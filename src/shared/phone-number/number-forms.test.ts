import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { exportedNumber, normaliseNumber, numberForms } from './normalise-number.ts';

test('the usual forms of a number; one that is not E.164 has no other', () => {
  assert.deepEqual(numberForms('+4930901820'), [
    '+4930901820',
    '004930901820',
    '4930901820',
    '+49 30 901820',
    '030 901820',
    '030901820',
  ]);
  assert.deepEqual(numberForms('110'), ['110']);
});

test('a number of no country is exported with the plus without which it would be another number', () => {
  for (const [number, country, exported] of [
    ['2102345678', 'DE', '+2102345678'],
    ['2102345678', null, '2102345678'],
    ['101', 'DE', '101'],
    ['15551234', 'DE', '15551234'],
    ['+49301234567', 'DE', '+49301234567'],
    ['', 'DE', ''],
  ] as const)
    assert.equal(exportedNumber(number, country), exported, `${number} ${country}`);
});

test('an exported number is read as the same number again', () => {
  const written = fc.oneof(
    fc.stringMatching(/^\+?\d{5,15}$/),
    // Two zeros behind a calling code make no number: the parser takes one of them each time.
    fc.stringMatching(/^\+?(49|43|31|44|41|1|33|39|48|55|91|64|880)0{1,3}\d{4,9}$/),
  );
  const country = fc.constantFrom(
    'DE',
    'AT',
    'CH',
    'NL',
    'FR',
    'IT',
    'GB',
    'ES',
    'PL',
    'US',
    'BR',
    'IN',
    null,
  );
  fc.assert(
    fc.property(written, country, (text, country) => {
      const number = normaliseNumber(text, country);
      assert.equal(normaliseNumber(exportedNumber(number, country), country), number);
      if (number.startsWith('+')) assert.equal(normaliseNumber(number, country), number);
    }),
    { numRuns: 5_000 },
  );
});
