import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { matchesStars } from './star-pattern.ts';

test('a star stands for any characters, as in a regular expression', () => {
  const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '*', '.'), maxLength: 6 });
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '.', '\n'), maxLength: 8 });
  fc.assert(
    fc.property(pattern, text, (stars, one) => {
      const regExp = new RegExp(`^${stars.split('*').map(RegExp.escape).join('.*')}$`, 's');
      assert.equal(matchesStars(stars, one), regExp.test(one), JSON.stringify([stars, one]));
    }),
    { numRuns: 2_000 },
  );
});

test('no pattern takes more than the length of the text: backtracking, these would take years', () => {
  for (const stars of [`${'*'.repeat(99)}x`, `${'*1'.repeat(99)}x`, `x${'1*'.repeat(99)}`])
    assert.equal(matchesStars(stars, '1'.repeat(1_000)), false);
  assert.equal(matchesStars('*1'.repeat(100), '1'.repeat(1_000)), true);
});
