import { stringify } from 'csv-stringify/sync';
import { spaced } from '../../shared/phone-number/normalise-number.ts';
import { isValidE164 } from '../../shared/phone-number/parse-number.ts';
import { isChangedBySpreadsheets, isValue } from './spreadsheet-values.ts';

/**
 * Where spreadsheets would read a formula (OWASP, CSV injection; full-width signs count in East Asian ones): at the
 * beginning of a cell, and after a semicolon, which separates cells where the comma is the decimal separator.
 * Behind apostrophes too, so that each cell can be read back.
 */
const formula = /(^|;)(?='*\s*[=+\-@\uff1d\uff0b\uff0d\uff20])/g;

/** A number or several: `+31201234567|110`. Harmless, unless the rest of the line would be taken for its decimals. */
const numbers = /^\+?\d+(\|\+?\d+)*$/;

/** Who a table is for. */
export type CsvDialect = {
  readonly separator: ',' | ';';
  /** Whether what a spreadsheet would take for a number or a date is kept from that. */
  readonly isForSpreadsheets: boolean;
};

/** RFC 4180, each text as it is unless it could be a formula. */
export const forPrograms: CsvDialect = { separator: ',', isForSpreadsheets: false };

/** For the spreadsheets of a language: where the comma is the decimal separator, they expect semicolons between cells. */
export function forSpreadsheets(locale: string): CsvDialect {
  const parts = new Intl.NumberFormat(locale).formatToParts(0.5);
  const hasCommas = parts.some(({ type, value }) => type === 'decimal' && value === ',');
  return { separator: hasCommas ? ';' : ',', isForSpreadsheets: true };
}

/** What begins with a formula, behind apostrophes or not. */
const isFormula = /^'*\s*[=+\-@\uff1d\uff0b\uff0d\uff20]/;

/** A text in one line, with an apostrophe before what a spreadsheet would read as a formula, a number or a date. */
function guarded(text: string, isFirst: boolean, { isForSpreadsheets }: CsvDialect): string {
  if (!isFirst && numbers.test(text) && (!isForSpreadsheets || text.includes('|'))) return text;
  const line = text.replace(/\p{Cc}+/gu, ' ');
  const safe = line.replace(formula, "$1'");
  if (isFormula.test(line)) return safe;
  const bare = line.replace(/^'+/, '');
  // Behind apostrophes always, so that each cell can be read back.
  const isAtRisk = bare === line ? isForSpreadsheets && isChangedBySpreadsheets(line) : isValue(bare);
  return isAtRisk ? `'${safe}` : safe;
}

/** The text of a guarded cell. */
export function unguarded(text: string): string {
  if (!text.includes("'")) return text;
  const read = text.replace(/(^|;)'(?='*\s*[=+\-@\uff1d\uff0b\uff0d\uff20])/g, '$1');
  const isGuarded = text.startsWith("'") && !isFormula.test(text) && isValue(read.replace(/^'+/, ''));
  return isGuarded ? read.slice(1) : read;
}

/** A cell that is written as it is: a number or a time that a spreadsheet may read as such. */
type Plain = { readonly plain: string };
export type Cell = string | number | null | Plain;

/** Lines of a table as CSV; null is an empty cell. */
export function csvLines(rows: readonly (readonly Cell[])[], dialect: CsvDialect = forPrograms): string {
  const { separator } = dialect;
  const written = (cell: Cell, at: number) => {
    if (typeof cell === 'string') return guarded(cell, at === 0, dialect);
    if (typeof cell === 'number') return separator === ';' ? `${cell}`.replace('.', ',') : cell;
    return cell === null ? null : cell.plain;
  };
  return stringify(
    rows.map((row) => row.map(written)),
    { delimiter: separator, record_delimiter: 'windows', quoted_match: /;/ },
  );
}

/** Makes spreadsheets read UTF-8. */
export const BYTE_ORDER_MARK = '\ufeff';

/** Blanks separate thousands in many languages: `+48 512 345 678`. */
const thousands = /^(\+\d{1,3}) (?=\d{3}(?: \d{3})+$)/;

/**
 * Telephone numbers, with blanks, so that a spreadsheet keeps their plus and all of their digits: one that may not be valid has a
 * single blank, since its beginning may be a number: `+376 662 600` of `+376662600606`.
 */
export function csvNumbers(all: readonly string[]): Cell {
  const written = all.map((number) => {
    if (!/^\+\d+$/.test(number)) return number;
    const blanks = spaced(number).replace(/[^\d+]+/g, ' ');
    return blanks.includes(' ') && isValidE164(number)
      ? blanks.replace(thousands, '$1-')
      : number.replace(/^\+\d\d/, '$& ');
  });
  const [only = ''] = written;
  return written.length < 2 && !only.startsWith('+') ? only : { plain: written.join('|') };
}

/** A time (Unix ms) as spreadsheets read it: `2026-11-20 09:12:33`, on the clocks of the zone. */
export const csvTime = (at: number | null, timeZone: string): Cell =>
  at === null
    ? null
    : { plain: zoned(at, timeZone).toPlainDateTime().toString({ smallestUnit: 'second' }).replace('T', ' ') };

/** How the zone's clocks are set at a time: `UTC+01:00`. */
export const csvOffset = (at: number | null, timeZone: string): Cell =>
  at === null ? null : { plain: `UTC${zoned(at, timeZone).offset}` };

const zoned = (at: number, timeZone: string) =>
  Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone);
