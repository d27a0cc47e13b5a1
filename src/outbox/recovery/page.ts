/** A value of a row: SQLite's NULL, INTEGER or REAL, TEXT. (The outbox stores no blobs.) */
export type Value = null | number | string;

/** A row as it lies in a page. An INTEGER PRIMARY KEY is null in `values`: it is the `rowid`. */
export type PageRow = { readonly rowid: number; readonly values: readonly Value[] };

/** Bytes in a page; what SQLite uses by default. */
export const pageSize = 4096;

const tableLeaf = 0x0d;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The rows in one page of a damaged database, as far as they can be read: a page that is no leaf of a table gives
 * none, a row that makes no sense is left out. Nothing outside the page is needed, except `pageAt` for rows that are
 * longer than a page.
 * Source: https://sqlite.org/fileformat2.html, parts 1.6 and 2.1.
 */
export function* rowsOfPage(
  page: Buffer,
  pageAt: (pageNumber: number) => Buffer | undefined,
): Generator<PageRow> {
  // The first page, which begins in another way, has only the schema.
  if (page.length < pageSize || page[0] !== tableLeaf) return;
  const cells = page.readUInt16BE(3);
  for (let i = 0; i < cells; i++) {
    const pointer = 8 + i * 2;
    if (pointer + 2 > pageSize) return;
    const row = rowAt(page, page.readUInt16BE(pointer), pageAt);
    if (row) yield row;
  }
}

function rowAt(page: Buffer, at: number, pageAt: (n: number) => Buffer | undefined): PageRow | undefined {
  try {
    const cell = reader(page, at);
    const size = cell.varint();
    const rowid = cell.varint();
    const local = localSize(size);
    const start = page.subarray(cell.at(), cell.at() + local);
    const payload = local === size ? start : whole(start, size, page.readUInt32BE(cell.at() + local), pageAt);
    return payload && { rowid, values: record(payload) };
  } catch {
    return undefined; // Beyond the end of something, or not UTF-8.
  }
}

/** Bytes of a payload that are in the page itself; the rest is in a chain of overflow pages. */
function localSize(size: number): number {
  const least = Math.floor(((pageSize - 12) * 32) / 255) - 23;
  const kept = least + ((size - least) % (pageSize - 4));
  return kept <= pageSize - 35 ? kept : least;
}

function whole(start: Buffer, size: number, first: number, pageAt: (n: number) => Buffer | undefined) {
  const parts = [start];
  let left = size - start.length;
  for (let number = first; left > 0; ) {
    const page = pageAt(number);
    if (!page || size > 1 << 24) return undefined;
    parts.push(page.subarray(4));
    left -= pageSize - 4;
    number = page.readUInt32BE(0);
  }
  return Buffer.concat(parts);
}

function record(payload: Buffer): Value[] {
  const header = reader(payload, 0);
  const end = header.varint();
  const body = reader(payload, end);
  const values: Value[] = [];
  while (header.at() < end) values.push(body.value(header.varint()));
  return values;
}

/** Reads forward from `start`; throws beyond the end. */
function reader(bytes: Buffer, start: number) {
  let at = start;

  function take(length: number): number {
    at += length;
    if (at > bytes.length) throw new RangeError('beyond the end');
    return at - length;
  }

  return {
    at: () => at,
    varint(): number {
      // No row of ours needs the longest form, whose ninth byte is another.
      for (let value = 0; ; ) {
        const byte = bytes[take(1)] as number;
        value = value * 128 + (byte & 0x7f);
        if (byte < 0x80) return value;
      }
    },
    /** The value of a serial type (part 2.1 of the format). */
    value(type: number): Value {
      if (type === 0) return null;
      if (type <= 4) return bytes.readIntBE(take(type), type);
      if (type === 5) return bytes.readIntBE(take(6), 6);
      if (type === 6) return Number(bytes.readBigInt64BE(take(8)));
      if (type === 7) return bytes.readDoubleBE(take(8));
      if (type === 8 || type === 9) return type - 8;
      if (type < 13 || type % 2 === 0) throw new RangeError('no type of ours');
      const length = (type - 13) / 2;
      const from = take(length);
      return utf8.decode(bytes.subarray(from, from + length));
    },
  };
}
