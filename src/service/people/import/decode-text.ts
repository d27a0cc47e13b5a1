import type { Readable } from 'node:stream';

/** The input is larger than it may be. */
export class TooLarge extends Error {}

/** The charset that a Content-Type names is unknown. */
export class UnknownCharset extends Error {}

/**
 * A file as text. Spreadsheets save UTF-16 or UTF-8 with a byte order mark, UTF-8 without one, or, on Windows in western
 * Europe, Windows-1252. `charset`: what the sender says it is.
 */
export function decodedText(bytes: Uint8Array, charset?: string): string {
  const marked = markedEncoding(bytes);
  if (marked) return new TextDecoder(marked).decode(bytes);
  if (charset) return decoderOf(charset).decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
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

/** All of an input as text. @throws TooLarge */
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
