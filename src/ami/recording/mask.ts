import { createHmac } from 'node:crypto';

/**
 * Hides numbers and names in a recording's frames, each always behind the same stand-in, so that the trace still works:
 * a number keeps its length and its beginning (country and area), and the same subscriber in national and in
 * international form stays the same one. Without the key the originals cannot be found; the key is thrown away.
 */
export type Masker = (frame: Buffer) => Buffer;

/** What must stay as it is, and what is a number of five digits or more. Ids of channels, calls and bridges come first. */
const tokens =
  /\b\d{9,11}\.\d+\b|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|-[0-9a-f]{8}(?=[;\s]|$)|\d{5,}/gm;

const names = /^((?:\w*CallerIDName|\w*ConnectedLineName): )(.+)$/gim;

/** Digits at the end that make a subscriber; of a short number, all but the first. */
const tail = 6;

/** @param key random bytes, for one recording. */
export function createMasker(key: Buffer): Masker {
  const digest = (text: string) => createHmac('sha256', key).update(text).digest();

  function number(digits: string): string {
    const kept = Math.max(digits.length - tail, 1);
    const hidden = digits.slice(kept);
    const stand = digest(hidden).readUIntBE(0, 6) % 10 ** hidden.length;
    return digits.slice(0, kept) + String(stand).padStart(hidden.length, '0');
  }

  return (frame) => {
    const text = frame
      .toString('latin1')
      .replace(names, (line, key: string, name: string) =>
        name.startsWith('<unknown>') || /^\s*$/.test(name)
          ? line
          : `${key}Caller ${digest(name.trim()).toString('hex', 0, 3)}${name.endsWith('\r') ? '\r' : ''}`,
      )
      .replace(tokens, (token) => (/^\d+$/.test(token) ? number(token) : token));
    return Buffer.from(text, 'latin1');
  };
}
