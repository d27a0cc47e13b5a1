import type { Command } from 'commander';
import { metaOf } from '../../../src/cli/config/env.ts';
import type { Section, Shape } from '../../../src/cli/config/variable.ts';
import { commandTree, helpAfter } from './command-tree.ts';
import { defaultOf } from './settings-page.ts';

/** Text of a man page: nothing in it is a macro or an escape. */
const roff = (text: string) =>
  text
    .replaceAll('\\', '\\(rs')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1')
    .replace(
      /[^\x00-\x7f]/gu,
      (letter) => `\\[u${letter.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}]`,
    );

const head = (name: string, section: number, about: string) =>
  `.\\" Made from the program's own help: npm run generate.
.TH ${name.toUpperCase()} ${section} "" "pbx\\-bridge"
.SH NAME
${roff(name)} \\- ${roff(about)}`;

const literal = (text: string) => `.nf\n${roff(text)}\n.fi`;

const options = (command: Command) =>
  command.options
    .filter(({ hidden }) => !hidden)
    .map((option) => {
      const fallback = option.defaultValue === undefined ? '' : ` (default: ${option.defaultValue})`;
      return `.TP\n.B ${roff(option.flags)}\n${roff(option.description + fallback)}`;
    });

const namesOf = (command: Command): string =>
  command.parent ? `${namesOf(command.parent)} ${command.name()}` : command.name();

/** A chapter for a command, then those of its subcommands. */
function chapters(command: Command): string[] {
  const usage = `${namesOf(command)} ${command.usage()}`;
  const after = helpAfter(command);
  return [
    [
      `.SS ${roff(namesOf(command).replace('pbx-bridge ', ''))}`,
      `.B ${roff(usage)}\n.PP`,
      `${roff(sentence(command.description()))}`,
      ...options(command),
      ...(after === '' ? [] : ['.PP', literal(after)]),
    ].join('\n'),
    ...command.commands.flatMap(chapters),
  ];
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

const seeAlso = (...pages: string[]) =>
  `.SH SEE ALSO\n${pages.map((page) => `.BR ${page.replace(/(.*)(\(\d\))/, (_, name, section) => `${roff(name)} ${section}`)}`).join(',\n')}
.PP
/usr/share/doc/pbx\\-bridge/README.md, config/operating.md and src/service/README.md there.`;

/** pbx-bridge(1) and pbx-bridge-service(1). */
export function commandPages(): Readonly<Record<string, string>> {
  const program = commandTree();
  const service = program.commands.find((command) => command.name() === 'service') as Command;
  const others = program.commands.filter((command) => command !== service);
  const page = (name: string, about: string, usage: string, commands: readonly Command[], more: string) =>
    `${[
      head(name, 1, about),
      `.SH SYNOPSIS\n.B ${roff(usage)}`,
      `.SH COMMANDS\n${commands.flatMap(chapters).join('\n')}`,
      more,
    ].join('\n')}\n`;
  return {
    'pbx-bridge.1': page(
      'pbx-bridge',
      program.description().replace(/\.$/, ''),
      'pbx-bridge <command> [options]',
      others,
      seeAlso('pbx-bridge-service(1)', 'pbx-bridge.env(5)'),
    ),
    'pbx-bridge-service.1': page(
      'pbx-bridge-service',
      'the Call Integration API service',
      'pbx-bridge service [command] [options]',
      [service],
      seeAlso('pbx-bridge(1)', 'pbx-bridge.env(5)'),
    ),
  };
}

/** pbx-bridge.env(5): the settings of both programs. */
export function settingsManPage(
  programs: readonly {
    readonly title: string;
    readonly sections: Readonly<Record<string, Section<Shape, unknown>>>;
  }[],
): string {
  const chapter = ({ title, shape }: Section<Shape, unknown>) => [
    `.SS ${roff(title)}`,
    ...Object.entries(shape).map(([name, schema]) => {
      const fallback = defaultOf(schema);
      const given = fallback === undefined || fallback === '' ? '' : ` Default: ${fallback}.`;
      return `.TP\n.B ${name}\n${roff(`${schema.description ?? ''} Takes ${metaOf(schema).takes ?? ''}.${given}`.trim())}`;
    }),
  ];
  return `${[
    head('pbx-bridge.env', 5, 'settings of the bridge and of the service'),
    `.SH DESCRIPTION
The bridge reads /etc/pbx\\-bridge/bridge.env, the service /etc/pbx\\-bridge\\-service/service.env: a line NAME=value for each setting.
Each may also be set as NAME_FILE, the path of a file with the value, or as a systemd credential.`,
    ...programs.flatMap(({ title, sections }) => [
      `.SH ${roff(title.toUpperCase())}`,
      ...Object.values(sections).flatMap(chapter),
    ]),
    seeAlso('pbx-bridge(1)', 'pbx-bridge-service(1)'),
  ].join('\n')}\n`;
}
