import { EXIT_CODES_HELP } from './exit-codes.ts';
import { fit } from './text/terminal.ts';

/**
 * Formats the text below a command's options: examples and exit codes.
 * @param examples one command per line, optionally followed by two or more spaces and a remark.
 * @param width of the terminal, columns. If a line is longer, its remark goes below the command.
 */
export function helpText(examples: string, width: number): string {
  const lines = examples.split('\n').flatMap((line) => {
    const [, command = line, remark] = /^( *\S.*?) {2,}(\S.*)$/.exec(line) ?? [];
    return line.length <= width || remark === undefined ? [line] : [command, `      ${remark}`];
  });
  return ['', 'Examples:', ...lines, '', EXIT_CODES_HELP].flatMap((line) => fit(line, width)).join('\n');
}
