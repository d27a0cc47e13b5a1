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

/** In characters. More than any field takes (see kit/text.ts and MAX_TEXT of numbers): a longer cell is too long for each. */
export const LONGEST_CELL = 4_096;
/** A longer cell in quotes is taken for a quote that is never closed. */
export const LONGEST_QUOTED = 65_536;
/** What a row has in quotes; behind it, a quote is text. */
const MOST_QUOTED = 4 * LONGEST_QUOTED;
/** The rest of a line with more cells is one cell. */
const MOST_CELLS = 10_000;
/** Rows without cells are given after so many blank lines and characters of a cell, so that the reader can let other work run. */
const [BLANK_LINES, LONG_SCAN] = [1_000, 65_536];

/**
 * The cells of a delimiter-separated text, trimmed, without most lines that have none. Unlike RFC 4180, a quote is one only
 * where a cell begins with it and ends after its partner: `Gasthaus "Krone"`, `12" pipes` and `"Krone" Inn` are text, as
 * people and spreadsheets write them. No text is an error. Of a cell that is longer than `longest`, only the beginning is given,
 * and an ellipsis, which makes it longer still: whatever is done with all of a cell takes little time.
 */
export function* rowsOf(
  text: string,
  delimiter: string,
  { quote = '"', longest = LONGEST_CELL }: { quote?: Quote; longest?: number } = {},
): Generator<Row> {
  const isBlank = (char: string | undefined) => (char === ' ' || char === '\t') && char !== delimiter;
  const isEnd = (char: string | undefined) =>
    char === undefined || char === delimiter || char === '\n' || char === '\r';
  const behindBlanks = (at: number): number => {
    let end = at;
    while (isBlank(text[end]) && end - at < LONG_SCAN) end += 1;
    return end;
  };
  const breaks = /\r\n|\r|\n/g;

  let at = text.startsWith('\ufeff') ? 1 : 0;
  let line = 1;
  let blank = 0;
  while (at < text.length) {
    const cells: string[] = [];
    const add = (written: string) => {
      const cell = written.trim();
      cells.push(cell === NULL ? '' : cell.length > longest ? `${cell.slice(0, longest)}…` : cell);
    };
    const began = line;
    const beginning = at;
    let end = at;
    let inQuotes = 0;
    for (;;) {
      const start = behindBlanks(at);
      const isQuoted = text[start] === quote && cells.length < MOST_CELLS && inQuotes < MOST_QUOTED;
      const quoted = isQuoted ? quotedCell(text, start, quote) : undefined;
      end = quoted ? behindBlanks(quoted.end) : 0;
      if (quoted && isEnd(text[end])) {
        inQuotes += end - start;
        line += quoted.cell.match(breaks)?.length ?? 0;
        add(quoted.cell);
      } else {
        const separator = cells.length < MOST_CELLS ? delimiter : '\n';
        end = endOfPart(text, at, separator);
        for (let from = at; end - from === LONG_SCAN; end = endOfPart(text, from, separator)) {
          yield { line: began, cells: [] };
          from = end;
        }
        add(text.slice(at, end));
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

/** Where a cell without quotes ends, or the next part of it. */
function endOfPart(text: string, from: number, separator: string): number {
  const most = Math.min(text.length, from + LONG_SCAN);
  const code = separator.charCodeAt(0);
  for (let at = from; at < most; at += 1) {
    const char = text.charCodeAt(at);
    // Line breaks.
    if (char === code || char === 10 || char === 13) return at;
  }
  return most;
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
