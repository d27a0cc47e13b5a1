import type { Command } from 'commander';
import { createContext, EXIT_CODES_HELP, type Io } from './command-context.ts';
import { instanceOption } from './instance-option.ts';
import { type CommandRow, operatorCommands } from './operator-command-table.ts';
import { createTerminal, fit } from './text/terminal.ts';

/** Adds the operators' commands. */
export function addOperatorCommands(program: Command, io: Io): void {
  // Wrap descriptions in narrow terminals too.
  program.configureHelp({ minWidthToWrap: 16 });
  addCommands(program, operatorCommands, io);
}

function addCommands(parent: Command, rows: readonly CommandRow[], io: Io): void {
  for (const row of rows) {
    const command = parent.command(row.name).description(row.description);
    if (row.load !== undefined) addWork(command, row, io);
    addCommands(command, row.commands ?? [], io);
  }
}

function addWork(command: Command, row: WorkRow, io: Io): void {
  const { examples, argument, required, options = [], addShared, json = true } = row;
  if (json) command.option('--json', 'print JSON');
  command.addHelpText('after', () => helpText(examples, createTerminal(io.out, { colour: false }).width));
  if (argument) command.argument(...argument);
  if (required) command.requiredOption(...required);
  addShared?.(command);
  for (const option of options) command.option(...option);
  command.addOption(instanceOption());
  command.action((...given: unknown[]) => run(row, given, io));
}

type WorkRow = Extract<CommandRow, { load: unknown }>;

/** `given`: as commander passes it: arguments, options and the command. */
async function run(row: WorkRow, given: readonly unknown[], io: Io): Promise<void> {
  const command = given.at(-1) as Command;
  const { instance: name, json } = command.opts();
  const instance = name ? { name, mayBeNew: row.makesInstance ?? false } : undefined;
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, onSignal);
  try {
    const work = await row.load();
    const args = [...given.slice(0, -1), stop.signal] as never[];
    const ofInstance = { ...io, environment: () => io.environment(instance) };
    io.exit(await work(createContext(ofInstance, json === true), ...args));
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.removeListener(signal, onSignal);
  }
}

/**
 * Formats the text below a command's options: examples and exit codes.
 * @param examples one command per line, optionally followed by two or more spaces and a remark.
 * @param width of the terminal, columns. If a line is longer, its remark goes below the command.
 */
function helpText(examples: string, width: number): string {
  const lines = examples.split('\n').flatMap((line) => {
    const [, command = line, remark] = /^( *\S.*?) {2,}(\S.*)$/.exec(line) ?? [];
    return line.length <= width || remark === undefined ? [line] : [command, `      ${remark}`];
  });
  return ['', 'Examples:', ...lines, '', EXIT_CODES_HELP].flatMap((line) => fit(line, width)).join('\n');
}
