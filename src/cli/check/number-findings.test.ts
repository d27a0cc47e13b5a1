import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTrunkNotation } from '../../phone-number/trunk-notation.ts';
import { numberFindings } from './number-findings.ts';

test('what each rule makes of a number', () => {
  const trunkNumbers = ['PJSIP/a-*:national:strip=0', 'DAHDI/*:as-is'].flatMap(
    (entry) => readTrunkNotation(entry) ?? [],
  );
  const lines = (text: string, settings = {}) =>
    numberFindings(text, { defaultCountry: 'DE', ...settings }).map(
      ({ what, result }) => `${what}: ${result}`,
    );
  assert.deepEqual(lines('4915112345678'), [
    'number 4915112345678 on any trunk: reported as +4915112345678 (E.164 without its plus)',
  ]);
  assert.deepEqual(lines('0030901820', { trunkNumbers }), [
    'number 0030901820 on PJSIP/a-*: reported as +4930901820 (TRUNK_NUMBERS=PJSIP/a-*:national:strip=0: a national number of DE)',
    'number 0030901820 on DAHDI/*: reported as 0030901820 (TRUNK_NUMBERS=DAHDI/*:as-is: as it is)',
    'number 0030901820 on any other trunk: reported as +4930901820 (as dialled in DE after a 0)',
  ]);
  assert.deepEqual(lines('anonymous'), [
    'number anonymous on any trunk: withheld by its caller: reported as WITHHELD_NUMBER or not at all',
  ]);
  assert.deepEqual(lines('alice7'), [
    'number alice7 on any trunk: no number: reported as MISSING_NUMBER or WITHHELD_NUMBER, or not at all',
  ]);
});
