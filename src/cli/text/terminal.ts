import { stripVTControlCharacters, styleText } from 'node:util';
import { escapeControls, printableJson } from '../../shared/log/redact.ts';

/** Standard output, or its replacement in a test. */
export type Output = {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
};

type Colour = 'red' | 'green' | 'yellow' | 'dim' | 'bold';
type Paint = (colour: Colour, text: string) => string;

export type Terminal = ReturnType<typeof createTerminal>;

/** Lines contain text of callers and of the API, so control characters in them are escaped. */
export function createTerminal(out: Output, { colour }: { colour: boolean }) {
  const isTerminal = out.isTTY === true;
  const widthNow = () => Math.min(Math.max(isTerminal ? (out.columns ?? 80) : 80, 30), 120);
  const paint: Paint = (name, text) =>
    isTerminal && colour ? styleText(name, text, { validateStream: false }) : text;
  const write = (line: string) => void out.write(`${printable(line, isTerminal && colour)}\n`);
  return {
    /** Columns of the terminal, between 30 and 120; 80 if there is none. */
    get width() {
      return widthNow();
    },
    isTerminal,
    /** Prints lines; on a terminal, long ones are wrapped at spaces and keep their indentation. */
    print(text = '') {
      for (const line of text.split('\n'))
        for (const part of isTerminal ? fit(line, widthNow()) : [line]) write(part);
    },
    paint,
    /** Prints `words` after `first`; on a terminal wrapped at spaces, further lines indented by `indent` columns. */
    wrapped(first: string, words: string, indent: number) {
      const used = stripVTControlCharacters(first).length;
      const text = escapeControls(words);
      const lines = isTerminal ? wrap(text, widthNow() - used, widthNow() - indent) : [text];
      write(first + (lines[0] ?? ''));
      for (const line of lines.slice(1)) write(' '.repeat(indent) + line);
    },
    json: (value: unknown) => void out.write(`${printableJson(value)}\n`),
  };
}

/** What `paint` adds. */
const ownColours = /(\x1b\[(?:1|2|22|31|32|33|39)m)/;

/** A line without control characters of files, callers or servers, but with our own colours. */
const printable = (line: string, coloured: boolean) =>
  coloured
    ? line
        .split(ownColours)
        .map((part) => (ownColours.test(part) ? part : escapeControls(part)))
        .join('')
    : escapeControls(line);

/** Wraps a line and keeps its indentation. */
export function fit(line: string, width: number): string[] {
  if (stripVTControlCharacters(line).length <= width) return [line];
  const [indent = ''] = /^ */.exec(line) ?? [];
  return wrap(line.slice(indent.length), width - indent.length).map((part) => indent + part);
}

/** A command in a text, to the end of its sentence or bracket. */
const command =
  /(?<![\w/@.-])(?:pbx-bridge|npx|npm run|systemctl|journalctl|asterisk -rx|adduser|chown) (?:.*?)(?=[.,;:)]+(?: |$)|$)/g;

/** The commands in a text. */
export const commandsIn = (text: string): string[] => text.match(command) ?? [];

/** The words of a text. A command is one word: broken in two it could not be pasted. */
const wordsOf = (text: string) =>
  text
    .replace(command, (it) => it.replaceAll(' ', '\0'))
    .split(' ')
    .map((word) => word.replaceAll('\0', ' '));

/**
 * Wraps text at spaces: the first line has at most `width` characters, the others `rest`. Longer words are cut; a longer
 * command or address is left to the terminal, which does not break what is copied from it.
 */
export function wrap(text: string, width: number, rest = width): string[] {
  const lines: string[] = [];
  let line = '';
  const most = () => Math.max(lines.length === 0 ? width : rest, 10);
  for (let word of wordsOf(text)) {
    if (line !== '' && line.length + 1 + word.length > most()) {
      lines.push(line);
      line = '';
    }
    while (word.length > most() && !/ |^https?:/.test(word)) {
      const head = word.slice(0, most());
      lines.push(head);
      word = word.slice(head.length);
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
