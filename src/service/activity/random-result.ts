import { randomFillSync } from 'node:crypto';

const letters = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789');
const LENGTH = 48;

/** Random bytes, read from the system in bulk; each is used once. */
const pool = Buffer.alloc(16_384);
let used = pool.length;

/** `result` of a call event's reply: 48 random letters and digits of the system's generator (API parts 2 and 8). */
export function randomResult(): string {
  const text = Buffer.allocUnsafe(LENGTH);
  for (let filled = 0; filled < LENGTH; ) {
    if (used === pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    const letter = letters[(pool[used] as number) & 63];
    used += 1;
    // The two of 64 values beyond the alphabet are skipped, so that every character is equally likely.
    if (letter === undefined) continue;
    text[filled] = letter;
    filled += 1;
  }
  return text.toString('latin1');
}
