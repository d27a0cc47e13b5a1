import { PassThrough } from 'node:stream';
import type { Command } from 'commander';
import { createProgram } from '../../../src/cli/create-program.ts';
import { addOperatorCommands } from '../../../src/cli/operator-commands.ts';
import { addServiceCommands } from '../../../src/service/commands.ts';

/** The whole program with all its commands, to be read, not run. */
export function commandTree(): Command {
  const unused = () => {
    throw new Error('the commands are not run here');
  };
  const [out, input] = [new PassThrough(), Object.assign(new PassThrough(), { isTTY: false })];
  const program = createProgram('', unused);
  const io = { version: '', environment: () => ({}), exit: unused };
  addOperatorCommands(program, { ...io, out, err: out, in: input });
  addServiceCommands(program, {
    options: unused,
    alerts: unused,
    run: unused,
    about: unused,
    exit: unused,
    out,
    in: input,
  });
  return program;
}

/** What the help of a command says after its options: examples and exit codes. */
export function helpAfter(command: Command): string {
  let text = '';
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
  });
  command.outputHelp();
  return text.slice(command.helpInformation().length).trim();
}
