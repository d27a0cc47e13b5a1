import { globSync, readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { commandsIn } from '../../../src/cli/text/terminal.ts';
import { messages } from '../../../src/shared/log/messages.ts';
import { commandTree, helpAfter } from '../generators/command-tree.ts';
import { blocksOf, type Document, readDocument, root, spansOf } from './documents.ts';

/** A command that a program, page or document prints, and where. */
export type Printed = { readonly where: string; readonly command: string };

/** How a line for a shell begins, in documents. */
const shellLine =
  /^(?:[A-Z_]+=\S* )?(?:pbx-bridge(?!:)|npx|npm|node_modules\/\.bin\/node|systemctl|journalctl|asterisk -|apt|adduser|chown|curl|install|runuser|echo|secret=|kill) ?/;

/** Whole blocks, and code spans, for a shell. The lines of a block belong together. */
export const inDocuments = (documents: readonly Document[]): Printed[] =>
  documents.flatMap(({ path, text }) =>
    [...blocksOf(text), ...spansOf(text)]
      .filter((code) => shellLine.test(code) && / /.test(code.trim()))
      .map((command) => ({ where: path, command })),
  );

/** The examples of every command's `--help`, without their remarks. The man pages are generated from them. */
export const inHelp = (): Printed[] =>
  everyCommand(commandTree()).flatMap((command) =>
    [...helpAfter(command).matchAll(/^ {2}((?:\w+=\S+ )?pbx-bridge .+?)(?: {2,}.*)?$/gm)].map(
      ([, example = '']) => ({ where: `${command.name()} --help`, command: example }),
    ),
  );

/** Every text of a program in which a command is named. */
export function textsWithCommands(): Printed[] {
  const logged = Object.entries(messages).flatMap(([code, message]) =>
    Object.values(message).map((text) => ({ where: code, command: String(text) })),
  );
  const printed = globSync('src/**/*.ts', {
    cwd: root,
    exclude: ['src/**/*.test.ts', 'src/shared/log/messages/**'],
  })
    .filter((path) => !path.endsWith('.fixture.ts'))
    .flatMap((path) =>
      literalsOf(readFileSync(root + path, 'utf8')).map((command) => ({ where: path, command })),
    );
  const samples = globSync(['config/**/*.{conf,yml}', 'systemd/*.service', 'systemd/deb/post*'], {
    cwd: root,
  })
    .flatMap((path) =>
      readFileSync(root + path, 'utf8')
        .split('\n')
        .map((line) => ({ where: path, command: line.replace(/^( *(?:echo|description:) .*)['"]$/, '$1') })),
    )
    // Those of a script's own are run with it.
    .filter(({ command }) => /^ *(?:#|;|\/\/|echo|description:)/.test(command));
  return [...logged, ...printed, ...samples].filter(({ command }) => commandsIn(command).length > 0);
}

/** The commands in a text that are to be typed as they are: after "run", a colon, "see", or alone in brackets. */
export const toBeTyped = (text: string): string[] =>
  commandsIn(text).filter((command) =>
    /(?:\brun|:|\bsee|\()[ ]?$/i.test(text.slice(0, text.indexOf(command))),
  );

/** The texts in quotes of a source file, without its comments; X is what the program fills in. */
function literalsOf(source: string): string[] {
  return source
    .replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
    .split('\n')
    .flatMap((line) => [...line.matchAll(/'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`([^`]*)`/g)])
    .map(
      ([, single, double, template]) => single ?? double ?? template?.replaceAll(/\$\{[^}]*\}/g, 'X') ?? '',
    );
}

const everyCommand = (command: Command): Command[] => [command, ...command.commands.flatMap(everyCommand)];

/** What commander says against the words of a `pbx-bridge` command; undefined if it would run it. */
export function refusalOf(words: readonly string[]): string | undefined {
  const program = commandTree();
  for (const command of everyCommand(program)) {
    command.exitOverride().configureOutput({ writeOut: () => {}, writeErr: () => {} });
    if (
      command !== program &&
      (command.commands.length === 0 || command.name() === 'service' || command.name() === 'trunks')
    )
      command.action(() => {});
  }
  try {
    program.parse([...words], { from: 'user' });
    return undefined;
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    return code === 'commander.helpDisplayed' ? undefined : message;
  }
}

/** The documents that people read commands in. */
export const documents = [
  'README.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'config/dialplan.md',
  'config/operating.md',
  'src/README.md',
  'src/service/README.md',
  'test/asterisk/README.md',
].map(readDocument);
