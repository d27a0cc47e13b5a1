import { randomBytes } from 'node:crypto';

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const LENGTH = 48;

/** `result` of a call event's reply: 48 random letters and digits of the system's generator (API parts 2 and 8). */
export function randomResult(): string {
  let text = '';
  while (text.length < LENGTH) {
    // Of 64 values, the two beyond the alphabet are drawn again: every character is equally likely.
    for (const byte of nextBytes()) {
      const letter = letters[byte & 63];
      if (letter !== undefined) text += letter;
      if (text.length === LENGTH) break;
    }
  }
  return text;
}

const POOL = 64 * 256;
let pool = Buffer.alloc(0);
let used = 0;

/** The generator is asked for many bytes at once; each is used once. */
function nextBytes(): Uint8Array {
  if (used + 64 > pool.length) {
    pool = randomBytes(POOL);
    used = 0;
  }
  used += 64;
  return pool.subarray(used - 64, used);
}
