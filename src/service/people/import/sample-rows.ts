import type { Row } from './cells.ts';

/** In characters: a shorter table is read as a whole. */
const LONGEST_WHOLE = 256 * 1024;
/** Parts of a longer table that are looked into, equally far from each other, and how many rows are taken from each. */
const [PARTS, OF_PART] = [25, 8];
/** Rows of a sample, and their cells, which cost most. */
const [MOST_ROWS, MOST_CELLS] = [200, 20_000];

/** At most this many of the items, evenly spread, beginning with the first. */
export const evenly = <T>(items: readonly T[], count: number): readonly T[] =>
  items.filter((_, at) => {
    const nth = (index: number) => Math.floor((index * Math.min(count, items.length)) / items.length);
    return nth(at) !== nth(at - 1);
  });

type Rows = {
  /** Reads a part of the table. */
  readonly rowsIn: (text: string) => Iterable<Row>;
  /** The first rows below the header, of those that are rows. */
  readonly first: readonly Row[];
  /** How many rows with cells stand above these. */
  readonly skipped: number;
  /** How many cells rows have. */
  readonly width: number;
  /** Whether an open quote has joined several lines to a row. */
  readonly isJoined: (row: Row) => boolean;
};

/** Rows from everywhere below the header: those at the beginning may say nothing, such as all customers without a number. */
export function sampleRows(body: string, rows: Rows): readonly Row[] {
  const all = body.length <= LONGEST_WHOLE ? wholeTable(body, rows) : partsOf(body, rows);
  return evenly(all, Math.max(1, Math.min(MOST_ROWS, Math.floor(MOST_CELLS / Math.max(1, rows.width)))));
}

const wholeTable = (body: string, { rowsIn, skipped, isJoined }: Rows): readonly Row[] =>
  [...rowsIn(body)]
    .filter(({ cells }) => cells.length > 0)
    .slice(skipped)
    .filter((row) => !isJoined(row));

/** A part may begin in the middle of a cell, which makes rows that are too short. */
function partsOf(body: string, { rowsIn, first, width, isJoined }: Rows): readonly Row[] {
  const size = Math.floor(LONGEST_WHOLE / PARTS);
  const later = Array.from({ length: PARTS - 1 }, (_, nth) => {
    const at = Math.floor((body.length * (nth + 1)) / PARTS);
    const [, text = ''] = /[\r\n]+(.*)/s.exec(body.slice(at, at + size)) ?? [];
    // The last row may be cut off.
    const found = Array.from(Iterator.from(rowsIn(text)).take(OF_PART + 1)).slice(0, -1);
    return found.filter((row) => row.cells.length === width && !isJoined(row));
  }).flat();
  return [...(later.length === 0 ? first : first.slice(0, OF_PART)), ...later];
}
