import assert from 'node:assert/strict';
import { test } from 'node:test';
import { numberForms } from './normalise-number.ts';

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
