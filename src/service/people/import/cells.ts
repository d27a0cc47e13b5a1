/** A row of a table. */
export type Row = {
  /** Where it begins in the file, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
  /** The lines of the file that a row with line breaks in its cells consists of, as they are written. */
  readonly written?: readonly string[];
};

/** What databases write for NULL in a table. */
export const NULL = '\\N';

export type Quote = '"' | "'";

/** A longer cell in quotes is taken for a quote that is never closed. */
const LONGEST_QUOTED = 65_536;
/** The rest of a line with more cells is one cell. */
const MOST_CELLS = 10_000;
/** One in this number of lines without cells is given, so that the reader can let other work run. */
const BLANK_LINES = 1_000;

/**
 * The cells of a delimiter-separated text, trimmed, without most lines that have none. Unlike RFC 4180, a quote is one only
 * where a cell begins with it and ends after its partner: `Gasthaus "Krone"`, `12" pipes` and `"Krone" Inn` are text, as
 * people and spreadsheets write them. No text is an error.
 */
export function* rowsOf(text: string, delimiter: string, quote: Quote = '"'): Generator<Row> {
  const isBlank = (char: string | undefined) => (char === ' ' || char === '\t') && char !== delimiter;
  const isEnd = (char: string | undefined) =>
    char === undefined || char === delimiter || char === '\n' || char === '\r';
  const unquoted = new RegExp(`[^${RegExp.escape(delimiter)}\\r\\n]*`, 'y');
  const restOfLine = /[^\r\n]*/y;
  const breaks = /\r\n|\r|\n/g;

  let at = text.startsWith('\ufeff') ? 1 : 0;
  let line = 1;
  let blank = 0;
  while (at < text.length) {
    const cells: string[] = [];
    const add = (cell: string) => cells.push(cell.trim() === NULL ? '' : cell.trim());
    const began = line;
    const beginning = at;
    let end = at;
    for (;;) {
      let start = at;
      while (isBlank(text[start])) start += 1;
      const isQuoted = text[start] === quote && cells.length < MOST_CELLS;
      const quoted = isQuoted ? quotedCell(text, start, quote) : undefined;
      end = quoted?.end ?? 0;
      while (quoted && isBlank(text[end])) end += 1;
      if (quoted && isEnd(text[end])) {
        line += quoted.cell.match(breaks)?.length ?? 0;
        add(quoted.cell);
      } else {
        const pattern = cells.length < MOST_CELLS ? unquoted : restOfLine;
        pattern.lastIndex = at;
        const cell = pattern.exec(text)?.[0] ?? '';
        end = at + cell.length;
        add(cell);
      }
      at = end + 1;
      if (text[end] !== delimiter) {
        if (text[end] === '\r' && text[at] === '\n') at += 1;
        break;
      }
    }
    const written = line === began ? undefined : text.slice(beginning, end).split(breaks);
    line += 1;
    if (cells.some((cell) => cell !== '')) yield { line: began, cells, ...(written && { written }) };
    else if (++blank % BLANK_LINES === 0) yield { line: began, cells: [] };
  }
}

/**
 * The cell whose opening quote is at `start`, and where it ends; undefined if the quote is not closed. Behind a backslash a
 * single quote is text, and a double one if a letter follows on the first: `"Gasthaus \"Krone\""` of MySQL, but `"C:\"`.
 */
function quotedCell(text: string, start: number, quote: Quote): { cell: string; end: number } | undefined {
  let end = start + 1;
  let escapes = quote === "'";
  for (;;) {
    end = text.indexOf(quote, end);
    if (end < 0 || end - start > LONGEST_QUOTED) return undefined;
    const isEscaped = text[end - 1] === '\\';
    escapes ||= isEscaped && /[\p{L}\p{N}]/u.test(text[end + 1] ?? '');
    if (escapes && isEscaped) end += 1;
    else if (text[end + 1] === quote) end += 2;
    else break;
  }
  const cell = text.slice(start + 1, end).replaceAll(quote + quote, quote);
  return { cell: escapes ? cell.replaceAll(`\\${quote}`, quote) : cell, end: end + 1 };
}
