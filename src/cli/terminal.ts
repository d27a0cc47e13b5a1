import { stripVTControlCharacters, styleText } from 'node:util';
import { escapeControls } from '../log/redact.ts';

/** Where a command writes to: standard output, or a test. */
export type Output = {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
};

export type Terminal = {
  /** Columns to write in now: those of the terminal, 80 where there is none, never more than 120. */
  readonly width: number;
  readonly isTerminal: boolean;
  /** A line, or several; on a terminal what is longer is broken at spaces, the rest as far in as the line. */
  print(text?: string): void;
  /** Words after `first`, broken at spaces; the lines below begin `indent` columns in. */
  wrapped(first: string, words: string, indent: number): void;
  json(value: unknown): void;
  readonly paint: Paint;
};

export type Colour = 'red' | 'green' | 'yellow' | 'dim' | 'bold';
export type Paint = (colour: Colour, text: string) => string;

/** What a line of ours is made of comes from callers and from far sides: nothing in it may steer the terminal. */
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
      const taken = stripVTControlCharacters(first).length;
      const lines = wrap(escapeControls(words), widthNow() - taken, widthNow() - indent);
      write(first + (lines[0] ?? ''));
      for (const line of lines.slice(1)) write(' '.repeat(indent) + line);
    },
    json: (value) => write(JSON.stringify(value, undefined, 2)),
  };
}

/** A line in as many as it takes, each as far in as it is. */
export function fit(line: string, width: number): string[] {
  if (stripVTControlCharacters(line).length <= width) return [line];
  const [indent = ''] = /^ */.exec(line) ?? [];
  return wrap(line.slice(indent.length), width - indent.length).map((part) => indent + part);
}

/** The first line has at most `width` characters, the others `rest`; only a word that is longer is cut. */
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
