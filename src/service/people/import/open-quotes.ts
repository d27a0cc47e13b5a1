import { isFiller } from '../../../shared/phone-number/number-words.ts';
import type { Row } from './cells.ts';

/** In characters. */
const LONGEST_CODE = 100;
/** Lines that are looked at of a row. */
const MOST_LINES = 1_000;

/** A cell of digits, or a code with a digit in it: what a column of keys or telephones has in each line. */
const isCode = (cell: string) =>
  cell.length <= LONGEST_CODE &&
  /^[^\p{L}]*\p{Nd}[^\p{L}]*$|^[\p{L}\p{Nd}_./-]*\p{Nd}[\p{L}\p{Nd}_./-]*$/u.test(cell);

const digitsIn = (cell: string) => cell.replace(/\P{Nd}/gu, '').length;

/**
 * Finds rows that a quote which is never closed has joined: the quote of a later line, as that of `12"`, ends the cell.
 * Then the line with the first quote and a later one look like whole rows of the table: they are as wide, and have codes
 * where the others have them. Notes and addresses of several lines do not. `rows`: some rows of the table. `isFirst`:
 * the row may be its header, which has no codes.
 */
export function joinedRows(
  rows: readonly Row[],
  { delimiter, width }: { delimiter: string; width: number },
): (row: Row, isFirst?: boolean) => boolean {
  /** How many digits the codes of a column have at least; undefined for other columns. */
  const shortest = Array.from({ length: width }, (_, column) => {
    const filled = rows.map(({ cells }) => cells[column] ?? '').filter(Boolean);
    const codes = filled.filter(isCode);
    const isColumn = codes.length > 0 && codes.length >= filled.length / 2;
    return isColumn ? Math.min(...codes.map(digitsIn)) : undefined;
  });
  /** How many cells of a line are codes where others are, less those that are not; undefined if it has too few cells. */
  const likeness = (line: string): number | undefined => {
    const cells = line.split(delimiter, width);
    if (cells.length < width) return undefined;
    return shortest.reduce<number>((sum, digits, column) => {
      const cell = (cells[column] ?? '').replace(/^\s*["']|["']\s*$/g, '').trim();
      if (digits === undefined || isFiller(cell)) return sum;
      return sum + (isCode(cell) && digitsIn(cell) >= digits ? 1 : -1);
    }, 0);
  };
  return ({ written: [first = '', ...later] = [] }, isFirst = false) => {
    if (width < 2 || later.length === 0) return false;
    const begins = likeness(first);
    return (
      begins !== undefined &&
      (isFirst || begins >= 0) &&
      later.slice(0, MOST_LINES).some((line) => (likeness(line) ?? 0) > 0)
    );
  };
}
