import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { isSlow } from '../runner/tiers.ts';

/** A document that people read, and what it names: links, paths, commands, settings, tests. */
export type Document = {
  /** Relative to the project. */
  readonly path: string;
  readonly text: string;
};

export const root = fileURLToPath(new URL('../../../', import.meta.url));

export const readDocument = (path: string): Document => ({
  path,
  text: readFileSync(join(root, path), 'utf8'),
});

/** Links that lead nowhere: to a file that does not exist, or to a heading that it does not have. */
export function brokenLinks({ path, text }: Document): string[] {
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  return links.filter((link) => {
    if (/^https?:/.test(link)) return false;
    const [file = '', anchor] = link.split('#');
    const target = file === '' ? path : join(dirname(path), file);
    if (!existsSync(join(root, target))) return true;
    return anchor !== undefined && !anchorsOf(readDocument(target).text).includes(anchor);
  });
}

/** As GitHub makes them of headings. */
const anchorsOf = (text: string) =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );

/** The code spans and the lines of code blocks, without the prompts and comments of a shell. */
const codeOf = (text: string): string[] => [
  ...blocksOf(text).flatMap((block) => block.split('\n')),
  ...spansOf(text),
];

/** The code blocks, without their indentation. */
export const blocksOf = (text: string): string[] =>
  [...text.matchAll(/^( *)```(\w*)\n([\s\S]*?)^ *```$/gm)]
    .filter(([, , language]) => language !== 'mermaid')
    .map(([, indent = '', , block = '']) => block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''));

/** The code spans of the prose. */
export function spansOf(text: string): string[] {
  const prose = text.replace(/^ *```\w*\n[\s\S]*?^ *```$/gm, '');
  return [...prose.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.replaceAll(/\s*\n\s*/g, ' '));
}

const folders = ['', 'src/'];

/**
 * Code spans that look like a path of this project and are none: `src/bridge/ami/link.ts`, or `ami/link.ts` and `link.ts`
 * in a document that lies in `src/` or in `src/bridge/ami/`. A path may have `*` in place of names; one with NAME is made by
 * its reader.
 */
export function missingPaths({ path, text }: Document): string[] {
  const named = codeOf(text)
    .flatMap((code) => (code.includes(' ') ? [] : [code]))
    .filter((code) => !/\bNAME\b/.test(code) && /^[\w@.*-]+(\/[\w@.*-]+)*\/?$/.test(code))
    .filter((code) => /^(config|src|test|systemd)\/|\.(ts|tsx)$|\/$/.test(code));
  return named.filter((name) => {
    const places = [dirname(path), ...folders].map((folder) => join(root, folder, name));
    return !places.some((place) => exists(place));
  });
}

function exists(place: string): boolean {
  if (place.includes('*')) return existsSync(place.slice(0, place.indexOf('*')).replace(/[^/]*$/, ''));
  return existsSync(place) && (!place.endsWith('/') || statSync(place).isDirectory());
}

/** `npm run NAME` and the like that package.json does not have. */
export function missingScripts({ text }: Document, scripts: ReadonlySet<string>): string[] {
  const named = [...text.matchAll(/\bnpm (?:run (?:--silent )?([\w:-]+)|(test|start)\b)/g)];
  return named.map(([, run, short]) => run ?? short ?? '').filter((name) => !scripts.has(name));
}

/** Parts of paths after `npm test --` and `npm run test:all --` that no test file of that tier has. */
export function missingTestParts({ text }: Document, files: readonly string[]): string[] {
  const named = codeOf(text).flatMap((code) => {
    const [, script, parts = ''] = /^npm (test|run test:all) -- ([^#]+)/.exec(code) ?? [];
    return parts
      .split(/\s+/)
      .filter((part) => part !== '' && !part.includes('NAME'))
      .map((part) => ({ part, fast: script === 'test' }));
  });
  const missing = named.filter(
    ({ part, fast }) => !files.some((file) => file.includes(part) && !(fast && isSlow(file))),
  );
  return missing.map(({ part }) => part);
}

/** The same in `pbx-bridge` commands: a command, a subcommand or an option that does not exist. */
export function missingCommands({ text }: Document, program: Command): string[] {
  const lines = codeOf(text).flatMap((code) => {
    const calls = [...code.matchAll(/(?:^|\$ |[;&|] ?|npx |[A-Z_]+=\S* )pbx-bridge (?!\{)([^;&|#]+)/g)];
    if (calls.length > 0) return calls.map(([, call = '']) => call);
    // `outbox list` and `check --call`, where it is clear whose command it is.
    const [first = '', second] = code.split(' ');
    return second !== undefined && subcommand(program, first) ? [code] : [];
  });
  return lines.filter((line) => !isCommand(program, line.trim().split(/\s+/)));
}

const subcommand = (command: Command, name: string) => command.commands.find((it) => it.name() === name);

function isCommand(program: Command, words: readonly string[]): boolean {
  const command = subcommand(program, words[0] ?? '');
  if (command === undefined) return (words[0] ?? '').startsWith('--');
  const [, second = ''] = words;
  if (command.commands.length > 0 && /^[a-z]/.test(second)) return isCommand(command, words.slice(1));
  const options = new Set([...command.options.map(({ long }) => long), '--help']);
  return words.every((word) => !word.startsWith('--') || options.has(word));
}

/** Names in capitals with an underscore: settings, without the `_FILE` that each can have. */
export const namedSettings = ({ text }: Document): string[] =>
  [...text.matchAll(/\b[A-Z]+(?:_[A-Z]+)+\b/g)].map(([name]) => name.replace(/_FILE$/, ''));

/** The rows of tables with a column "shown by": what they say, and the test that shows it. */
export function shownRows({ path, text }: Document): { what: string; file: string; test: string }[] {
  const tables = text.split(/\n\| .* \| shown by \|\n\|[-|]+\n/).slice(1);
  const rows = tables.flatMap((table) => table.split(/\n(?!\|)/)[0]?.split('\n') ?? []);
  return rows.map((row) => {
    const [, link = '', test = ''] = /\| \[[\w-]+\]\(([^)]+)\): ([^|]+) \|$/.exec(row) ?? [];
    return { what: row.split(' | ')[0]?.slice(2) ?? '', file: join(dirname(path), link), test };
  });
}
