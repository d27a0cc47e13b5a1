import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addPieces, piecesOf } from './text-pieces.ts';

const all = (account: number, text: string | Uint8Array) => {
  const pieces = new Set<number>();
  addPieces(pieces, account, text);
  return pieces;
};

test('a text that holds a term has all pieces of the term, as text and as bytes', () => {
  const text = fc.string({ unit: 'grapheme' });
  fc.assert(
    fc.property(text, text, text, (before, term, after) => {
      const whole = before + term + after;
      const wanted = piecesOf(7, term);
      assert.equal(wanted.length > 0, term !== '');
      assert.ok(wanted.every((piece) => all(7, whole).has(piece)));
      assert.deepEqual(all(7, Buffer.from(whole)), all(7, whole));
    }),
  );
});

test('a text that does not hold a short term lacks a piece of it', () => {
  const text = fc.string({ unit: 'grapheme-ascii', maxLength: 40 });
  const term = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(text, term, (whole, term) => {
      const pieces = all(7, whole);
      const found = piecesOf(7, term).every((piece) => pieces.has(piece));
      assert.equal(found, whole.includes(term));
    }),
  );
});

test('texts that differ have different pieces, and so have accounts', () => {
  const numbers = Array.from({ length: 100_000 }, (_, n) => String(n).padStart(6, '0'));
  const longest = new Set(numbers.map((number) => piecesOf(1, number)[0]));
  assert.ok(longest.size > 99_990, `${longest.size} of ${numbers.length} differ`);
  assert.equal(piecesOf(1, '111111').length, 5);
  assert.equal(new Set([...piecesOf(1, 'pbx-1763'), ...piecesOf(2, 'pbx-1763')]).size, 58);
});

test('pieces are what databases hold: of other numbers, nothing would be found', () => {
  assert.deepEqual([piecesOf(7, 'abcdef')[0], piecesOf(7, 'c')], [1_073_235_154, [1_735_273_788]]);
});
