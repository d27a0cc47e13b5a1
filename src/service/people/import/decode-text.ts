import type { Readable } from 'node:stream';
import { Refusal } from '../../kit/refusal.ts';
import { plainText } from '../../rules/plain-text.ts';
import { en } from '../../words/en.ts';
import { foreignWords } from './western-text.ts';

/** The input is larger than it may be. */
export class TooLarge extends Error {}

/** The charset that a Content-Type names is unknown. */
export class UnknownCharset extends Error {}

/** The encoding of the bytes cannot be detected. The message says what to do. */
export class UnknownEncoding extends Error {
  /** Some that would be damaged, as text for a message. */
  readonly words: string;

  constructor(words: readonly string[]) {
    const named = words.map((word) => plainText(word, 30)).join(', ');
    super(en.errors.unknownEncoding(named));
    this.words = named;
  }
}

/**
 * A file as text. Spreadsheets save UTF-16 or UTF-8 with a byte order mark, UTF-8 without one, or, on Windows in western
 * Europe, Windows-1252. Bytes that are invalid in a text of UTF-8 become U+FFFD, so that their lines can be named.
 * `charset`: what the sender says it is. @throws UnknownCharset, UnknownEncoding, Refusal if it is a file of another format
 */
export function decodedText(bytes: Uint8Array, charset?: string): string {
  const format = otherFormat(bytes);
  if (format) throw new Refusal(415, ({ notCsv }) => notCsv(format));
  const marked = markedEncoding(bytes);
  if (marked) return new TextDecoder(marked).decode(bytes);
  if (charset) return decoderOf(charset).decode(bytes);
  const encoding = unmarkedUtf16(bytes.subarray(0, 4096));
  if (encoding) return new TextDecoder(encoding).decode(bytes);
  const text = new TextDecoder('utf-8').decode(bytes);
  if (!text.includes('\ufffd') || isMostlyValid(text)) return text;
  const western = new TextDecoder('windows-1252').decode(bytes);
  const foreign = foreignWords(western);
  if (foreign.length > 0) throw new UnknownEncoding(foreign);
  return western;
}

/** What address books and spreadsheets save instead, by how it begins. */
const formats: readonly [beginning: RegExp, format: string][] = [
  [/^PK\x03\x04/, 'Excel, ODS or ZIP'],
  [/^\xd0\xcf\x11\xe0/, 'Excel 97'],
  [/^%PDF-/, 'PDF'],
  [/^(?:\xef\xbb\xbf)?\s*BEGIN:VCARD\b/i, 'vCard'],
  // Many a program gives an HTML page the ending .xls.
  [/^(?:\xef\xbb\xbf)?\s*<(?:!DOCTYPE|html|head|meta|table)\b/i, 'HTML'],
  [/^(?:\xef\xbb\xbf)?\s*<\?xml\b/i, 'XML'],
];

function otherFormat(bytes: Uint8Array): string | undefined {
  const beginning = Buffer.from(bytes.subarray(0, 200)).toString('latin1');
  return formats.find(([begins]) => begins.test(beginning))?.[1];
}

/** Characters beyond ASCII that are looked at. */
const SAMPLE = 100_000;

function isMostlyValid(text: string): boolean {
  let [valid, invalid] = [0, 0];
  for (const [char] of text.matchAll(/[^\0-\x7f]/gu)) {
    if (char === '\ufffd') invalid += 1;
    else valid += 1;
    if (valid + invalid === SAMPLE) break;
  }
  return valid >= invalid;
}

/** Which UTF-16 it is, by its mark or its zeros. */
export const utf16Of = (bytes: Uint8Array): string | undefined => {
  const marked = markedEncoding(bytes);
  return marked === 'utf-8' ? undefined : (marked ?? unmarkedUtf16(bytes));
};

/** UTF-16 without a mark: half of the bytes of its digits and separators are 0, always the same half. */
function unmarkedUtf16(bytes: Uint8Array): string | undefined {
  const zeros = [0, 1].map((odd) => bytes.filter((byte, at) => byte === 0 && at % 2 === odd).length);
  const [even = 0, odd = 0] = zeros;
  if (Math.max(even, odd) * 10 < bytes.length || Math.min(even, odd) > 0) return undefined;
  return even > 0 ? 'utf-16be' : odd > 0 ? 'utf-16le' : undefined;
}

function markedEncoding([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : undefined;
}

function decoderOf(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    throw new UnknownCharset(charset);
  }
}

/** All of an input as text. @throws TooLarge, UnknownCharset, UnknownEncoding */
export async function readText(
  input: Readable,
  { charset, maxBytes = Number.POSITIVE_INFINITY }: { charset?: string | undefined; maxBytes?: number } = {},
): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of input) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > maxBytes) throw new TooLarge();
    chunks.push(bytes);
  }
  return decodedText(Buffer.concat(chunks), charset);
}
