/** What stands before a key's value. Never in the first line, which says what the frame is. */
export type FieldKey = `\n${string}`;

/** @param key as Asterisk spells it. */
export function fieldKey(key: string): FieldKey {
  return `\n${key}:`;
}

/** The value of a key, the first where it is repeated. */
export type Fields = (key: FieldKey) => string | undefined;

/**
 * Reads one frame's values, as they are asked for; only as long as its bytes are valid. Each value is a string of
 * its own (V8 cuts strings out of a bigger one without copying, and what is kept would keep the whole frame with it).
 * Bytes that are not UTF-8 become U+FFFD.
 */
export function readFields(frame: Buffer): Fields {
  const text = frame.toString('latin1');
  return (key) => {
    const found = text.indexOf(key);
    if (found < 0) return undefined;
    let start = found + key.length;
    if (text.charCodeAt(start) === SPACE) start++;
    const lineFeed = text.indexOf('\n', start);
    let end = lineFeed < 0 ? text.length : lineFeed;
    while (end > start && text.charCodeAt(end - 1) === CR) end--;
    return frame.toString('utf8', start, end);
  };
}

const SPACE = 32;
const CR = 13;

/** True for the answer to an action. */
export function isResponse(frame: Buffer): boolean {
  return frame.toString('latin1', 0, responsePrefix.length) === responsePrefix;
}

export const responsePrefix = 'Response: ';

/** A frame as recordings hold it: lines joined by CR LF, without the blank line; bytes as they came. */
export function recordable(frame: Buffer): Buffer {
  const text = frame.toString('latin1').replace(/(?<![\r\n])[\r\n]+$/, '');
  return Buffer.from(text.replace(/(?<!\r)\r*\n/g, '\r\n'), 'latin1');
}

/** All values of a frame by key, the first of each; in Latin-1 one character for each byte. */
export function allFields(frame: Buffer, encoding: 'latin1' | 'utf8' = 'latin1'): Map<string, string> {
  const fields = new Map<string, string>();
  for (const line of frame.toString(encoding).split(/(?<!\r)\r*\n/)) {
    const colon = line.indexOf(':');
    const key = line.slice(0, colon);
    if (colon > 0 && !fields.has(key)) fields.set(key, line.slice(colon + 1).replace(/^ /, ''));
  }
  return fields;
}
