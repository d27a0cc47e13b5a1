import assert from 'node:assert/strict';
import { test } from 'node:test';
import { comparable, spaced } from './number.ts';

const table: [number: string, country: string | null, expected: string][] = [
  ['+4930901820', null, '+4930901820'],
  ['+49 (30) 90-18/20', null, '+4930901820'],
  ['004930901820', null, '+4930901820'],
  ['030901820', null, '030901820'],
  ['030901820', 'DE', '+4930901820'],
  ['0049 30 901820', 'DE', '+4930901820'],
  ['+49 030 901820', 'DE', '+4930901820'],
  ['00 1 212 555 0123', 'NL', '+12125550123'],
  ['(212) 555-0123', 'US', '+12125550123'],
  ['011 44 20 7946 0018', 'US', '+442079460018'],
  ['06 1234 5678', 'IT', '+390612345678'],
  ['1001', 'DE', '1001'],
  ['7', null, '7'],
  ['*21#', 'DE', '21'],
  ['110', 'DE', '110'],
  ['+999', 'DE', '999'],
  ['030901820', 'XX', '030901820'],
];

for (const [number, country, expected] of table) {
  test(`${number} in ${country ?? 'no country'} is compared as ${expected}`, () => {
    assert.equal(comparable(number, country), expected);
  });
}

test('a number is read as people write it, and what is none is left as it is', () => {
  assert.deepEqual(['+4930901820', '+12025550142', '110', '+999', '21'].map(spaced), [
    '+49 30 901820',
    '+1 202 555 0142',
    '110',
    '+999',
    '21',
  ]);
});
