import { createPause } from './event-loop-pauses.ts';

/** Bytes that are decoded before other work may run. */
const PIECE = 64 * 1024;

/** What each byte is as a hexadecimal digit; -1: none. */
const digits = Int8Array.from({ length: 256 }, (_, byte) => {
  const text = String.fromCharCode(byte);
  return /[\da-f]/i.test(text) ? Number.parseInt(text, 16) : -1;
});

/**
 * The fields of a large urlencoded form, read with pauses; undefined if there are more than `most`. URLSearchParams blocks for
 * minutes: from each field without `=` it searches the whole rest. NUL becomes U+FFFD, as in `parseQuery`.
 */
export async function urlEncodedFields(body: Buffer, most: number): Promise<URLSearchParams | undefined> {
  const fields = new URLSearchParams();
  const pause = createPause();
  let count = 0;
  for (let start = 0; start < body.length; ) {
    const next = body.indexOf('&', start);
    const field = body.subarray(start, next < 0 ? body.length : next);
    start += field.length + 1;
    if (++count > most) return undefined;
    if (field.length === 0) continue;
    const equals = field.indexOf('=');
    const name = equals < 0 ? field : field.subarray(0, equals);
    fields.append(await decoded(name, pause), await decoded(field.subarray(name.length + 1), pause));
    await pause();
  }
  return fields;
}

async function decoded(encoded: Buffer, pause: ReturnType<typeof createPause>): Promise<string> {
  const bytes = Buffer.allocUnsafe(encoded.length);
  let length = 0;
  for (let at = 0; at < encoded.length; at += 1) {
    const byte = encoded[at] as number;
    const high = byte === 0x25 ? (digits[encoded[at + 1] ?? 0] as number) : -1;
    const low = high < 0 ? -1 : (digits[encoded[at + 2] ?? 0] as number);
    if (low >= 0) at += 2;
    bytes[length++] = low >= 0 ? high * 16 + low : byte === 0x2b ? 0x20 : byte;
    if (length % PIECE === 0) await pause();
  }
  return bytes.toString('utf8', 0, length).replaceAll('\0', '\ufffd');
}
