/**
 * What asterisk-manager is given to read: frames that are well-formed, whatever Asterisk sent. It keeps
 * values in plain objects and emits events under names that come from the wire, so only keys that are
 * known to be harmless, each once, get through to it.
 */

/** Keys that an event's frame may hand on, as Asterisk spells them. At most 31: each is a bit, or 0 if it may be repeated. */
export type FrameKeys = ReadonlyMap<string, number>;

const repeated = new Set(['Variable']);

export function frameKeys(keys: readonly string[]): FrameKeys {
  if (keys.length > 31) throw new RangeError(`${keys.length} keys are more than an integer has bits for`);
  return new Map(keys.map((key, index) => [key, repeated.has(key) ? 0 : 1 << index]));
}

/**
 * The event's frame as text with only the given keys, the first one where a key is repeated (what comes
 * later was smuggled in by a value), but every Variable of a Status. Bytes that are not UTF-8 become U+FFFD.
 */
export function normaliseEvent(frame: Buffer, event: string, keys: FrameKeys): string {
  const text = frame.toString('utf8');
  let out = `Event: ${event}\r\n`;
  let seen = 0;
  let colon = -1;
  for (let start = text.indexOf('\n') + 1; start < text.length; ) {
    const lineFeed = text.indexOf('\n', start);
    const end = lineFeed < 0 ? text.length : lineFeed;
    if (colon < start) colon = text.indexOf(':', start);
    if (colon < 0) break;
    if (colon < end) {
      const bit = keys.get(text.slice(start, colon));
      if (bit !== undefined && (seen & bit) === 0) {
        seen |= bit;
        out += line(text, start, colon, end);
      }
    }
    start = end + 1;
  }
  return `${out}\r\n`;
}

/** A line as asterisk-manager reads it: one space after the colon, even where Asterisk left it out. */
function line(text: string, start: number, colon: number, end: number): string {
  let stop = end;
  while (text.charCodeAt(stop - 1) === 13) stop--;
  if (text.charCodeAt(colon + 1) === 32) return `${text.slice(start, stop)}\r\n`;
  return `${text.slice(start, colon)}: ${text.slice(colon + 1, stop)}\r\n`;
}

/** Keys of a response that could be taken for something else: by the library, or by JavaScript. */
const plainKey = /^[A-Za-z][A-Za-z0-9-]*$/;
const reserved = new Set(['event', 'response', 'content', 'variable', 'chanvariable']);

/**
 * The response's frame as text: Response (`Success` or `Error`, whatever else Asterisk calls it), then its
 * keys, each once. Gives its ActionID too; undefined when it has none.
 */
export function normaliseResponse(frame: Buffer): { actionId: string; text: string } | undefined {
  const [first = '', ...rest] = frame.toString('utf8').split(/\r*\n/);
  const fields = new Map<string, string>();
  for (const row of rest) {
    const colon = row.indexOf(':');
    const key = row.slice(0, colon);
    const name = key.toLowerCase();
    if (colon < 0 || !plainKey.test(key) || reserved.has(name) || name in Object.prototype) continue;
    if (!fields.has(name)) fields.set(name, `${key}: ${row.slice(colon + 1).replace(/^ /, '')}\r\n`);
  }
  const actionId = fields.get('actionid')?.slice('ActionID: '.length, -2);
  if (actionId === undefined) return undefined;
  const response = /^Response: (Success|Goodbye|Pong)$/i.test(first) ? 'Success' : 'Error';
  return { actionId, text: `Response: ${response}\r\n${[...fields.values()].join('')}\r\n` };
}

/** A frame as recordings hold it: lines joined by CR LF, without the blank line; bytes as they came. */
export function recordable(frame: Buffer): Buffer {
  const text = frame.toString('latin1').replace(/[\r\n]+$/, '');
  return Buffer.from(text.replace(/\r*\n/g, '\r\n'), 'latin1');
}

/** A recorded frame's values by key, the first of each; one character for each byte (Latin-1). */
export function frameFields(frame: Buffer): Map<string, string> {
  const fields = new Map<string, string>();
  for (const row of frame.toString('latin1').split('\r\n')) {
    const colon = row.indexOf(':');
    const key = row.slice(0, colon);
    if (colon > 0 && !fields.has(key)) fields.set(key, row.slice(colon + 1).replace(/^ /, ''));
  }
  return fields;
}
