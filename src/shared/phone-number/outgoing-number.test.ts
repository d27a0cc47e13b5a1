import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outgoingNumber } from './outgoing-number.ts';
import { autoNotation, readTrunkNotation } from './trunk-notation.ts';

const strip = (rule: string) => readTrunkNotation(`PJSIP/trunk:${rule}`)?.notation ?? autoNotation;
const berlin = '+4930901820';

// biome-ignore format: one case a line
const cases: [dialled: string, country: string | undefined, rule: string | undefined, number: string | undefined][] = [
  ['030901820', 'DE', undefined, berlin],
  ['004930901820', 'DE', undefined, berlin],
  ['+4930901820', undefined, undefined, berlin],
  ['4930901820', 'DE', undefined, berlin],
  ['9030901820', 'DE', 'strip=9', berlin],
  ['9004930901820', 'DE', 'strip=9', berlin],
  // Without the rule it is not guessed that a 9 goes before each number.
  ['9030901820', 'DE', undefined, '+499030901820'],
  // A number as it stands stays one, also on a trunk that puts a 0 before the numbers of callers.
  ['030901820', 'DE', 'strip=0', berlin],
  ['01713920011', 'DE', 'strip=0', '+491713920011'],
  ['0041446681800', 'DE', 'strip=0', '+41446681800'],
  ['912015550123', 'US', 'strip=9', '+12015550123'],
  ['12015550123', 'US', undefined, '+12015550123'],
  ['030901820', undefined, undefined, undefined],
  ['101', 'DE', undefined, undefined],
  ['', 'DE', undefined, undefined],
];
for (const [dialled, country, rule, number] of cases)
  test(`${dialled || 'nothing'} in ${country ?? 'no country'}${rule ? `, ${rule}` : ''}: ${number ?? 'no number'}`, () =>
    assert.equal(outgoingNumber(dialled, country, rule === undefined ? autoNotation : strip(rule)), number));
