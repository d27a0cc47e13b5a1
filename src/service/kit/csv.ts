import { stringify } from 'csv-stringify/sync';

/**
 * Where spreadsheets would read a formula (OWASP, CSV injection; full-width signs count in East Asian ones): at the
 * beginning of a cell, and after a semicolon, which separates cells where the comma is the decimal separator.
 * Behind apostrophes too, so that each cell can be read back.
 */
const formula = /(^|;)(?='*\s*[=+\-@\uff1d\uff0b\uff0d\uff20])/g;

/** A number or several: `+31201234567|110`. Harmless, unless the rest of the line would be taken for its decimals. */
const numbers = /^\+?\d+(\|\+?\d+)*$/;

/** A cell that spreadsheets do not read as a formula: in one line, an apostrophe before what would be one. */
function guarded(text: string, isFirst: boolean): string {
  return !isFirst && numbers.test(text) ? text : text.replace(/\p{Cc}+/gu, ' ').replace(formula, "$1'");
}

/** The text of a guarded cell. */
export function unguarded(text: string): string {
  return text.replace(/(^|;)'(?='*\s*[=+\-@\uff1d\uff0b\uff0d\uff20])/g, '$1');
}

export type Cell = string | number | null;

/** Lines of a table as CSV (RFC 4180); null is an empty cell. */
export function csvLines(rows: readonly (readonly Cell[])[]): string {
  return stringify(
    rows.map((row) => row.map((cell, at) => (typeof cell === 'string' ? guarded(cell, at === 0) : cell))),
    { record_delimiter: 'windows', quoted_match: /;/ },
  );
}

/** A time (Unix ms) as CSV has it, with its offset from UTC: `2026-11-20T09:12:33+01:00`. */
export const csvTime = (at: number | null, timeZone: string): string | null =>
  at === null
    ? null
    : Temporal.Instant.fromEpochMilliseconds(at)
        .toZonedDateTimeISO(timeZone)
        .toString({ timeZoneName: 'never', smallestUnit: 'second' });
