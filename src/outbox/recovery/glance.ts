/**
 * Looks at a row in a page of a table, which begins at `at`, without reading it: true if it is worth reading. Reading
 * takes ten times as long, and there are millions of rows. Source: https://sqlite.org/fileformat2.html, part 2.1.
 */
export type Glance = (page: Buffer, at: number) => boolean;

/**
 * Rows of the small tables (open calls, trunks, counters) have a header of so many bytes at most, events a longer one.
 * A journal's or an attempt's may be as short: such a row is read in vain.
 */
const shortHeader = 9;

/** Columns of the table of events, at least. */
const eventColumns = 10;

export const isOfSmallTable: Glance = (page, at) => (page[headerAt(page, at)] ?? 0) <= shortHeader;

/** Events of these calls. */
export function isEventOf(callIds: Iterable<string>): Glance {
  const wanted = new Set(Array.from(callIds, (id) => Buffer.from(id).toString('latin1')));
  // Most rows are of other calls, which the last bytes of the id tell without making a string of it.
  const tails = new Uint8Array(1 << 16);
  for (const id of wanted) tails[tailOf(Buffer.from(id, 'latin1'), id.length)] = 1;
  return (page, at) => {
    const header = headerAt(page, at);
    const size = page[header] ?? 0;
    // The number, which is kept elsewhere, is NULL here; then comes the call's id.
    if (size <= eventColumns || page[header + 1] !== 0) return false;
    const first = page[header + 2] ?? 0;
    const type = first < 0x80 ? first : (first & 0x7f) * 128 + (page[header + 3] ?? 0);
    if (type < 13 || type % 2 === 0) return false;
    const values = header + size;
    const end = Math.min(values + (type - 13) / 2, page.length);
    return tails[tailOf(page, end)] === 1 && wanted.has(page.toString('latin1', values, end));
  };
}

/** A number made of the last bytes before `end`. */
function tailOf(bytes: Buffer, end: number): number {
  let sum = 0;
  for (let at = Math.max(0, end - 4); at < end; at++) sum = (sum * 31 + (bytes[at] ?? 0)) & 0xffff;
  return sum;
}

/** Where a row's header begins: after its size and its number. Its first byte is its length: none of ours has 128. */
function headerAt(page: Buffer, at: number): number {
  let next = at;
  for (let varints = 0; varints < 2; next++) if ((page[next] ?? 0) < 0x80) varints++;
  return next;
}
