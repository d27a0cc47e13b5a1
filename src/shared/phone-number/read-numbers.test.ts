import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readNumbers } from './read-numbers.ts';

test('a number without what is written around it', () => {
  for (const text of [
    '030 901820',
    '\u202a+49 30 901820\u202c',
    'Tel.: 030/901820',
    'tel:+4930901820',
    '030 901820 ext. 12',
  ])
    assert.deepEqual(readNumbers(text, 'DE'), { numbers: ['+4930901820'], unread: [] }, text);
});
