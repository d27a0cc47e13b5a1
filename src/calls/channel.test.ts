import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dialledNumber } from './channel.ts';

test('the number in a dial string', () => {
  const rows = [
    ['1001', '1001'],
    ['0612345678@trunk', '0612345678'],
    ['g0/0612345678', '0612345678'],
    ['trunk/sip:+31612345678@10.0.0.1:5060', '+31612345678'],
    ['i1/0612345678', '0612345678'],
    ['reception@10.0.0.1', ''],
    ['', ''],
  ] as const;
  for (const [dialString, number] of rows) assert.equal(dialledNumber(dialString), number, dialString);
});
