import { styleText } from 'node:util';
import { neutralise } from '../ops/redact.ts';

/** Where a command writes to: standard output, or a test. */
export type Output = {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
};

export type Terminal = {
  /** Columns to write in: those of the terminal, 80 where there is none, never more than 120. */
  readonly width: number;
  readonly isTerminal: boolean;
  print(line?: string): void;
  /** Words broken at spaces; the lines after the first begin `indent` columns in. The first has them already. */
  wrapped(first: string, words: string, indent: number): void;
  json(value: unknown): void;
  readonly paint: Paint;
};

export type Colour = 'red' | 'green' | 'yellow' | 'dim' | 'bold';
export type Paint = (colour: Colour, text: string) => string;

/** What a line of ours is made of comes from callers and from far sides: nothing in it may steer the terminal. */
export function createTerminal(out: Output, { colour }: { colour: boolean }): Terminal {
  const isTerminal = out.isTTY === true;
  const width = Math.min(Math.max(isTerminal ? (out.columns ?? 80) : 80, 30), 120);
  const paint: Paint = (name, text) =>
    isTerminal && colour ? styleText(name, text, { validateStream: false }) : text;
  const print = (line = '') => void out.write(`${line}\n`);
  return {
    width,
    isTerminal,
    print,
    paint,
    wrapped(first, words, indent) {
      const lines = wrap(neutralise(words), width - indent);
      print(first + (lines[0] ?? ''));
      for (const line of lines.slice(1)) print(' '.repeat(indent) + line);
    },
    json: (value) => print(JSON.stringify(value, undefined, 2)),
  };
}

/** Lines of at most `width` characters; only a word that is longer than that is cut. */
export function wrap(text: string, width: number): string[] {
  const most = Math.max(width, 10);
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((each) => pieces(each, most))) {
    if (line !== '' && line.length + 1 + word.length > most) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

function pieces(word: string, most: number): string[] {
  if (word.length <= most) return [word];
  return Array.from({ length: Math.ceil(word.length / most) }, (_, i) =>
    word.slice(i * most, (i + 1) * most),
  );
}
