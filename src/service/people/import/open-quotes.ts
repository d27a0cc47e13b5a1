import type { Row } from './cells.ts';

/** A cell of digits, or a code with a digit in it: what a column of keys or telephones has in each line. */
const isCode = (cell: string) => /^[^\p{L}]*\d[^\p{L}]*$|^[\p{L}\w./-]*\d[\p{L}\w./-]*$/u.test(cell);

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
  const codes = Array.from({ length: width }, (_, column) => column).filter((column) => {
    const filled = rows.map(({ cells }) => cells[column] ?? '').filter(Boolean);
    return filled.length > 0 && filled.filter(isCode).length >= filled.length / 2;
  });
  /** How many cells of a line are codes where others are, less those that are not; undefined if it has too few cells. */
  const likeness = (line: string): number | undefined => {
    const cells = line.split(delimiter).map((cell) => cell.replace(/^\s*["']|["']\s*$/g, '').trim());
    if (cells.length < width) return undefined;
    const filled = codes.map((column) => cells[column] ?? '').filter(Boolean);
    return filled.reduce((sum, cell) => sum + (isCode(cell) ? 1 : -1), 0);
  };
  return ({ written: [first = '', ...later] = [] }, isFirst = false) => {
    if (width < 2 || later.length === 0) return false;
    const begins = likeness(first);
    return (
      begins !== undefined && (isFirst || begins >= 0) && later.some((line) => (likeness(line) ?? 0) > 0)
    );
  };
}
