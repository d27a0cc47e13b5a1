import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addPieces, PIECE, piecesOf } from './text-pieces.ts';

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
      assert.ok(wanted.every((piece) => all(7, whole).has(piece)));
      assert.deepEqual(all(7, Buffer.from(whole)), all(7, whole));
    }),
  );
});

test('texts that differ have different pieces, and so have accounts', () => {
  assert.equal(piecesOf(1, 'x'.repeat(PIECE - 1)).length, 0);
  const numbers = Array.from({ length: 100_000 }, (_, n) => String(n).padStart(PIECE, '0'));
  const pieces = new Set(numbers.flatMap((number) => piecesOf(1, number)));
  assert.ok(pieces.size > 99_990, `${pieces.size} of ${numbers.length} differ`);
  assert.equal(new Set(piecesOf(1, 'pbx-1763').concat(piecesOf(2, 'pbx-1763'))).size, 6);
});
