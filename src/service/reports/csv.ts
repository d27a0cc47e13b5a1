import { stringify } from 'csv-stringify/sync';

/** Spreadsheets read text with these first characters as a formula (OWASP, CSV injection); phone numbers are safe. */
const formula = /^[=+\-@\t\r]/;

/** A cell that spreadsheets do not read as a formula. */
export function guarded(text: string): string {
  return formula.test(text) && !/^\+\d+(\|\+?\d+)*$/.test(text) ? `'${text}` : text;
}

/** The text of a guarded cell. */
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
