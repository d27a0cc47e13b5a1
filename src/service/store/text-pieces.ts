/** Bytes of a piece. Shorter ones are in every block of a busy day; longer ones find no shorter term. */
export const PIECE = 6;

/**
 * Adds what a text is found by: a number for each of its runs of six bytes. Every text that holds a term has all of the
 * term's pieces, so a block of texts that lacks one of them need not be read. Another account's numbers are others.
 */
export function addPieces(pieces: Set<number>, account: number, text: string | Uint8Array): void {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  const seed = Math.imul(account, 0x9e3779b1);
  for (let at = 0; at + PIECE <= bytes.length; at += 1) pieces.add(pieceAt(bytes, at, seed));
}

/** The pieces of a term; none if it is too short to have one. */
export function piecesOf(account: number, term: string): number[] {
  const pieces = new Set<number>();
  addPieces(pieces, account, term);
  return [...pieces];
}

/** A whole number of 32 bits (the mixing of MurmurHash3). */
function pieceAt(bytes: Uint8Array, at: number, seed: number): number {
  const byte = (n: number) => bytes[at + n] as number;
  const low = byte(0) | (byte(1) << 8) | (byte(2) << 16) | (byte(3) << 24);
  let hash = Math.imul(low ^ seed, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash ^ (byte(4) | (byte(5) << 8)), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
