import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Command } from 'commander';
import type { Io } from './command-context.ts';
import { addOperatorCommands } from './operator-commands.ts';

const io = (columns: number): Io => ({
  out: { write: () => {}, isTTY: true, columns },
  err: { write: () => {} },
  in: process.stdin,
  version: 'test',
  environment: () => ({}),
  exit: () => {},
});

/** The help of each command on a terminal of this width, by the command's name. */
function pages(columns: number): Map<string, string> {
  const program = new Command('pbx-bridge');
  addOperatorCommands(program, io(columns));
  const all = program.commands.flatMap((command) =>
    command.commands.length > 0 ? command.commands : [command],
  );
  return new Map(
    all.map((command) => {
      let text = '';
      command.configureOutput({
        writeOut: (chunk) => {
          text += chunk;
        },
        getOutHelpWidth: () => columns,
      });
      command.outputHelp();
      return [command.name(), text];
    }),
  );
}

const isExample = /^ {2}(\w+=\S+ )?pbx-bridge (?!.* {2})/;

test('every command has examples and its exit codes in its help, and fits into 80, 60 and 40 columns; no example is broken', () => {
  for (const columns of [80, 60, 40])
    for (const [name, text] of pages(columns)) {
      assert.match(text, /^Examples:\n {2}\S/m, name);
      assert.match(text.replaceAll('\n', ' '), /Exit codes: 0 .*, 78 /, name);
      for (const line of text.split('\n').slice(1))
        assert.ok(line.length <= columns || isExample.test(line), `${name}, ${columns}: ${line}`);
    }
});
