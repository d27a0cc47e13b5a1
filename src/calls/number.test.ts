import assert from 'node:assert/strict';
import { test } from 'node:test';
import { normaliseNumber } from './number.ts';

test('what is told as a number', () => {
  const rows = [
    ['0201234567', 'NL', '+31201234567'],
    ['0031201234567', 'NL', '+31201234567'],
    ['+31 20 123-4567', undefined, '+31201234567'],
    ['0201234567', undefined, '0201234567'],
    ['1001', 'DE', '1001'],
    ['112', 'DE', '112'],
    ['tel:+31201234567', 'DE', '+31201234567'],
    ['sip:0201234567@10.0.0.1', 'NL', '+31201234567'],
    ['alice7', 'DE', ''],
    ['anonymous', 'DE', ''],
    ['', 'DE', ''],
  ] as const;
  for (const [raw, country, told] of rows) assert.equal(normaliseNumber(raw, country), told, raw);
});
