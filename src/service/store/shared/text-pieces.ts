/**
 * Bytes of a piece, the longest first. Six tell the blocks of a busy day apart: each of them has nearly every shorter
 * run of digits. One to four are for terms that are that short. Five would add half as many again, and two of four do
 * nearly as well.
 */
const SIZES = [6, 4, 3, 2, 1] as const;

/**
 * Adds what a text is found by: a number for each of its runs of these sizes. Every text that holds a term has all of
 * the term's pieces, so a block of texts that lacks one of them need not be read. Another account's numbers are others.
 */
export function addPieces(pieces: Set<number>, account: number, text: string | Uint8Array): void {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  for (const size of SIZES) {
    const seed = Math.imul(account, 0x9e3779b1) ^ Math.imul(size, 0x27d4eb2f);
    for (let at = bytes.length - size; at >= 0; at -= 1) pieces.add(pieceAt(bytes, at, size, seed));
  }
}

/** The pieces of a term, those that say most first: the longest, and from its end, where ids and numbers differ. */
export function piecesOf(account: number, term: string): number[] {
  const pieces = new Set<number>();
  addPieces(pieces, account, term);
  return [...pieces];
}

/** A whole number of 32 bits (the mixing of MurmurHash3). */
function pieceAt(bytes: Uint8Array, at: number, size: number, seed: number): number {
  const byte = (n: number) => (n < size ? (bytes[at + n] as number) : 0);
  const low = byte(0) | (byte(1) << 8) | (byte(2) << 16) | (byte(3) << 24);
  let hash = Math.imul(low ^ seed, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash ^ (byte(4) | (byte(5) << 8)), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
