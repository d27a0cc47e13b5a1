import { stringify } from 'csv-stringify/sync';

/** A spreadsheet takes a text that begins so for a formula (OWASP, CSV injection); numbers alone are none. */
const formula = /^[=+\-@\t\r]/;

/** A text as a cell that no spreadsheet computes. */
export function guarded(text: string): string {
  return formula.test(text) && !/^\+\d+(\|\+?\d+)*$/.test(text) ? `'${text}` : text;
}

/** The text that `guarded` made a cell of. */
export function unguarded(text: string): string {
  return text.startsWith("'") && formula.test(text.slice(1)) ? text.slice(1) : text;
}

export type Cell = string | number | null;

/** Lines of a table as CSV (RFC 4180); null is an empty cell. */
export function csvLines(rows: readonly (readonly Cell[])[]): string {
  return stringify(
    rows.map((row) => row.map((cell) => (typeof cell === 'string' ? guarded(cell) : cell))),
    { record_delimiter: 'windows' },
  );
}
