/** One line of a table; `line` is where it begins in the file, from 1. */
export type Row = { readonly line: number; readonly cells: readonly string[] };

/** A longer cell in quotes is taken for a quote that is never closed. */
const LONGEST_QUOTED = 65_536;
/** The rest of a line with more cells is one cell. */
const MOST_CELLS = 10_000;
/** Of so many lines without cells one is given, so that who reads them can let other work run. */
const BLANK_LINES = 1_000;

/**
 * The cells of a delimiter-separated text, trimmed, without most lines that have none. Unlike RFC 4180, a quote is one only
 * where a cell begins with it and ends after its partner: `Gasthaus "Krone"`, `12" pipes` and `"Krone" Inn` are text, as
 * people and spreadsheets write them. No text is an error.
 */
export function* rowsOf(text: string, delimiter: string): Generator<Row> {
  const isBlank = (char: string | undefined) => (char === ' ' || char === '\t') && char !== delimiter;
  const isEnd = (char: string | undefined) =>
    char === undefined || char === delimiter || char === '\n' || char === '\r';
  const unquoted = new RegExp(`[^${delimiter === '|' ? '\\|' : delimiter}\\r\\n]*`, 'y');
  const restOfLine = /[^\r\n]*/y;
  const breaks = /\r\n|\r|\n/g;

  let at = text.startsWith('\ufeff') ? 1 : 0;
  let line = 1;
  let blank = 0;
  while (at < text.length) {
    const cells: string[] = [];
    const began = line;
    for (;;) {
      let start = at;
      while (isBlank(text[start])) start += 1;
      const quoted = text[start] === '"' && cells.length < MOST_CELLS ? quotedCell(text, start) : undefined;
      let end = quoted?.end ?? 0;
      while (quoted && isBlank(text[end])) end += 1;
      if (quoted && isEnd(text[end])) {
        line += quoted.cell.match(breaks)?.length ?? 0;
        cells.push(quoted.cell.trim());
      } else {
        const pattern = cells.length < MOST_CELLS ? unquoted : restOfLine;
        pattern.lastIndex = at;
        const cell = pattern.exec(text)?.[0] ?? '';
        end = at + cell.length;
        cells.push(cell.trim());
      }
      at = end + 1;
      if (text[end] !== delimiter) {
        if (text[end] === '\r' && text[at] === '\n') at += 1;
        break;
      }
    }
    line += 1;
    if (cells.some((cell) => cell !== '')) yield { line: began, cells };
    else if (++blank % BLANK_LINES === 0) yield { line: began, cells: [] };
  }
}

/** The cell whose opening quote is at `start`, and where it ends; undefined if the quote is not closed. */
function quotedCell(text: string, start: number): { cell: string; end: number } | undefined {
  let end = start + 1;
  for (;;) {
    end = text.indexOf('"', end);
    if (end < 0 || end - start > LONGEST_QUOTED) return undefined;
    if (text[end + 1] !== '"') break;
    end += 2;
  }
  return { cell: text.slice(start + 1, end).replaceAll('""', '"'), end: end + 1 };
}
