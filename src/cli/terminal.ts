import { stripVTControlCharacters, styleText } from 'node:util';
import { escapeControls } from '../log/redact.ts';

/** Standard output, or its replacement in a test. */
export type Output = {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
};

export type Terminal = {
  /** Columns of the terminal, between 30 and 120; 80 if there is none. */
  readonly width: number;
  readonly isTerminal: boolean;
  /** Prints lines; on a terminal, long ones are wrapped at spaces and keep their indentation. */
  print(text?: string): void;
  /** Prints `words` after `first`, wrapped at spaces; further lines are indented by `indent` columns. */
  wrapped(first: string, words: string, indent: number): void;
  json(value: unknown): void;
  readonly paint: Paint;
};

type Colour = 'red' | 'green' | 'yellow' | 'dim' | 'bold';
type Paint = (colour: Colour, text: string) => string;

/** Lines contain text of callers and of the API, so control characters in them are escaped. */
export function createTerminal(out: Output, { colour }: { colour: boolean }): Terminal {
  const isTerminal = out.isTTY === true;
  const widthNow = () => Math.min(Math.max(isTerminal ? (out.columns ?? 80) : 80, 30), 120);
  const paint: Paint = (name, text) =>
    isTerminal && colour ? styleText(name, text, { validateStream: false }) : text;
  const write = (line: string) => void out.write(`${line}\n`);
  return {
    get width() {
      return widthNow();
    },
    isTerminal,
    print(text = '') {
      for (const line of text.split('\n'))
        for (const part of isTerminal ? fit(line, widthNow()) : [line]) write(part);
    },
    paint,
    wrapped(first, words, indent) {
      const used = stripVTControlCharacters(first).length;
      const lines = wrap(escapeControls(words), widthNow() - used, widthNow() - indent);
      write(first + (lines[0] ?? ''));
      for (const line of lines.slice(1)) write(' '.repeat(indent) + line);
    },
    json: (value) => write(JSON.stringify(value, undefined, 2)),
  };
}

/** Wraps a line and keeps its indentation. */
export function fit(line: string, width: number): string[] {
  if (stripVTControlCharacters(line).length <= width) return [line];
  const [indent = ''] = /^ */.exec(line) ?? [];
  return wrap(line.slice(indent.length), width - indent.length).map((part) => indent + part);
}

/** Wraps text at spaces: the first line has at most `width` characters, the others `rest`. Longer words are cut. */
export function wrap(text: string, width: number, rest = width): string[] {
  const lines: string[] = [];
  let line = '';
  const most = () => Math.max(lines.length === 0 ? width : rest, 10);
  for (let word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > most()) {
      lines.push(line);
      line = '';
    }
    while (word.length > most()) {
      const head = word.slice(0, most());
      lines.push(head);
      word = word.slice(head.length);
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
