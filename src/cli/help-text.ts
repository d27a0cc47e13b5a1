import { EXIT_CODES_HELP } from './exit-codes.ts';
import { fit } from './terminal.ts';

/**
 * What stands below a command's options: examples, a line each, and the exit codes.
 * @param examples lines with a command, and where it is needed a remark, two spaces or more behind it.
 * @param width of the terminal; where a line is too long for it, its remark goes below the command.
 */
export function helpText(examples: string, width: number): string {
  const lines = examples.split('\n').flatMap((line) => {
    const [, command = line, remark] = /^( *\S.*?) {2,}(\S.*)$/.exec(line) ?? [];
    return line.length <= width || remark === undefined ? [line] : [command, `      ${remark}`];
  });
  return ['', 'Examples:', ...lines, '', EXIT_CODES_HELP].flatMap((line) => fit(line, width)).join('\n');
}
