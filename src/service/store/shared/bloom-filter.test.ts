import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bitMatrix, bloomFilter, placesOf } from './bloom-filter.ts';

const number = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const isSet = (filter: Uint8Array, place: number) => {
  const bit = place % (filter.length * 8);
  return (((filter[bit >>> 3] as number) >>> (bit & 7)) & 1) === 1;
};
const has = (filter: Uint8Array, wanted: number) => placesOf(wanted).every((place) => isSet(filter, place));

test('a number is in the filter of every set that has it', () => {
  fc.assert(
    fc.property(fc.uniqueArray(number, { maxLength: 500 }), (numbers) => {
      const filter = bloomFilter(new Set(numbers));
      assert.ok(numbers.every((one) => has(filter, one)));
      assert.ok(filter.length >= 8 && Number.isInteger(Math.log2(filter.length)));
    }),
  );
});

test('few others seem to be in it, however many it has', () => {
  const random = (count: number, from: number) =>
    Array.from({ length: count }, (_, n) => Math.imul(from + n, 0x9e3779b1) >>> 0);
  for (const count of [1, 100, 5_461, 5_462, 69_000, 87_381]) {
    const filter = bloomFilter(new Set(random(count, 0)));
    const wrong = random(20_000, 10_000_000).filter((other) => has(filter, other)).length;
    assert.ok(wrong <= 100, `${wrong} of 20000 others among ${count}`);
    assert.ok(filter.length <= Math.max(8, count * 3), `${filter.length} bytes for ${count}`);
  }
  assert.equal(bloomFilter(new Set(random(300_000, 0))).length, 131_072);
});

test('a matrix has each bit of each filter in its place, of filters of different sizes', () => {
  const filter = fc
    .integer({ min: 3, max: 7 })
    .chain((power) => fc.uint8Array({ minLength: 2 ** power, maxLength: 2 ** power }));
  const filters = fc
    .integer({ min: 1, max: 3 })
    .chain((groups) => fc.array(filter, { minLength: groups * 8, maxLength: groups * 8 }));
  fc.assert(
    fc.property(filters, (rows) => {
      const matrix = bitMatrix(rows);
      const size = Math.max(...rows.map(({ length }) => length)) * 8;
      assert.equal(matrix.length, (size / 8) * rows.length);
      const width = rows.length / 8;
      for (let place = 0; place < size; place += 1)
        for (const [row, one] of rows.entries()) {
          const byte = matrix[place * width + (row >>> 3)] as number;
          assert.equal(((byte >>> (7 - (row & 7))) & 1) === 1, isSet(one, place), `${place} of ${row}`);
        }
    }),
  );
});

test('filters are what databases hold: by other bits, nothing would be found', () => {
  assert.deepEqual(placesOf(123_456_789).slice(0, 3), [123_456_789, 375_234_308, 627_011_827]);
  assert.deepEqual([...bloomFilter(new Set([7]))], [192, 0, 1, 2, 4, 8, 16, 32]);
});
