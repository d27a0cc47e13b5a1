/**
 * Bloom filters of numbers, and many of them as one matrix of bits, so that a question to all of them reads a few bytes
 * in a row. They are kept: what they are made of may change only together with a new table for them.
 */

/** Bits for each number, at least, and how many of them a number sets: of a thousand others, at most four seem to be in. */
const BITS = 12;
const PLACES = 8;
/** Of more numbers than this has room for, more seem to be in. Bits; a power of two, as all sizes are. */
const LARGEST = 2 ** 20;

/** The filter of whole numbers of 32 bits: bit 0 is the lowest of byte 0. */
export function bloomFilter(numbers: ReadonlySet<number>): Uint8Array {
  let size = 64;
  while (size < LARGEST && size < numbers.size * BITS) size *= 2;
  const bits = new Uint8Array(size / 8);
  for (const number of numbers) {
    const step = stepOf(number);
    for (let n = 0; n < PLACES; n += 1) {
      const bit = placeAt(number, step, n) & (size - 1);
      bits[bit >>> 3] = (bits[bit >>> 3] as number) | (1 << (bit & 7));
    }
  }
  return bits;
}

/** Bits that are set, modulo the size, in every filter that a number is in. */
export function placesOf(number: number): number[] {
  const step = stepOf(number);
  return Array.from({ length: PLACES }, (_, n) => placeAt(number, step, n));
}

const placeAt = (number: number, step: number, n: number) => (number >>> 0) + n * step;

/** From one place of a number to the next; 31 bits. */
function stepOf(number: number): number {
  const mixed = Math.imul(number ^ (number >>> 15), 0x2c1b3c6d);
  return ((mixed ^ (mixed >>> 12)) >>> 1) | 1;
}

/**
 * A multiple of eight filters as the rows of a matrix that is kept by columns: for each bit of the largest filter, that
 * bit of all of them, the first filter's as the highest of the first byte. A smaller filter is repeated, since a place
 * is looked for modulo the size.
 */
export function bitMatrix(filters: readonly Uint8Array[]): Uint8Array {
  const length = Math.max(...filters.map((filter) => filter.length));
  const width = filters.length / 8;
  const matrix = new Uint8Array(length * filters.length);
  for (let group = 0; group < width; group += 1) {
    const eight = filters.slice(group * 8, group * 8 + 8);
    for (let at = 0; at < length; at += 1) {
      // Eight bits of eight filters, as two halves of four rows; turned (Hacker's Delight, 7-3).
      let high = 0;
      let low = 0;
      for (let row = 0; row < 4; row += 1) {
        const [one, two] = [eight[row] as Uint8Array, eight[row + 4] as Uint8Array];
        high = (high << 8) | (one[at % one.length] as number);
        low = (low << 8) | (two[at % two.length] as number);
      }
      let swap = (high ^ (high >>> 7)) & 0x00aa00aa;
      high ^= swap ^ (swap << 7);
      swap = (low ^ (low >>> 7)) & 0x00aa00aa;
      low ^= swap ^ (swap << 7);
      swap = (high ^ (high >>> 14)) & 0x0000cccc;
      high ^= swap ^ (swap << 14);
      swap = (low ^ (low >>> 14)) & 0x0000cccc;
      low ^= swap ^ (swap << 14);
      const left = (high & 0xf0f0f0f0) | ((low >>> 4) & 0x0f0f0f0f);
      const right = ((high << 4) & 0xf0f0f0f0) | (low & 0x0f0f0f0f);
      // Row n of the turned eight has the bits of weight 2^(7 - n); the first place has the lowest weight.
      for (let row = 0; row < 4; row += 1) {
        matrix[(at * 8 + 7 - row) * width + group] = left >>> (24 - row * 8);
        matrix[(at * 8 + 3 - row) * width + group] = right >>> (24 - row * 8);
      }
    }
  }
  return matrix;
}
