import { createHmac } from 'node:crypto';

/**
 * Hides numbers and names in a recording's frames, each always behind the same stand-in, so that the trace still works:
 * a number keeps its length and its beginning (country and area), and the same subscriber in national and in
 * international form stays the same one. Without the key the originals cannot be found; the key is thrown away.
 */
type Masker = (frame: Buffer) => Buffer;

/** What must stay as it is, and what is a number of five digits or more. Ids of channels, calls and bridges come first. */
const tokens =
  /\b\d{9,11}\.\d+\b|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|-[0-9a-f]{8}(?=[;\s]|$)|\d{5,}/gm;

const names = /^((?:\w*CallerIDName|\w*ConnectedLineName): )(.+)$/gim;

/** Digits at the end that make a subscriber; of a short number, all but the first. */
const tail = 6;

/** A header whose value the settings name by globs. */
const nameField = /^\w*(?:Channel|Newname|Context): (.*?)\r?$/;

/**
 * @param key random bytes, for one recording.
 * @param classify what the settings say of a channel's or context's name. Where they say something else of its stand-in (a
 *   trunk is named by its number, and a glob names it), the name is kept: a replay must classify it as the bridge does.
 */
export function createMasker(key: Buffer, classify: (name: string) => string = () => ''): Masker {
  const digest = (text: string) => createHmac('sha256', key).update(text).digest();

  function number(digits: string): string {
    // Zeros stand for a number that is withheld.
    if (/^0+$/.test(digits)) return digits;
    const shown = Math.max(digits.length - tail, 1);
    const hidden = digits.slice(shown);
    const stand = digest(hidden).readUIntBE(0, 6) % 10 ** hidden.length;
    return digits.slice(0, shown) + String(stand).padStart(hidden.length, '0');
  }

  return (frame) => {
    const original = frame.toString('latin1');
    const masked = original
      .replace(names, (line, key: string, name: string) =>
        name.startsWith('<unknown>') || /^\s*$/.test(name)
          ? line
          : `${key}Caller ${digest(name.trim()).toString('hex', 0, 3)}${name.endsWith('\r') ? '\r' : ''}`,
      )
      .replace(tokens, (token) => (/^\d+$/.test(token) ? number(token) : token));
    const lines = original.split('\n');
    const checked = masked.split('\n').map((line, i) => {
      const name = nameField.exec(lines[i] ?? '')?.[1];
      if (name === undefined || line === lines[i]) return line;
      return classify(name) === classify(nameField.exec(line)?.[1] ?? '') ? line : lines[i];
    });
    return Buffer.from(checked.join('\n'), 'latin1');
  };
}
