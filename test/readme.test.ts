import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { addOperatorCommands } from '../src/cli/commands.ts';
import { processIo } from '../src/cli/context.ts';
import { bridgeSections } from '../src/config/env.ts';
import { serviceSection } from '../src/config/service.ts';

/** What README names must exist. Whether its steps work is tried in `packaging/readme-tests.ts`. */
const project = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const readme = readFileSync(project('README.md'), 'utf8');

const chapter = (heading: string) => readme.split(`\n## ${heading}\n`)[1]?.split(/^##+ /m)[0] ?? '';

describe('README: each row of a table with "shown by" names a test that exists', () => {
  const tables = readme.split(/\n\| .* \| shown by \|\n\|[-|]+\n/).slice(1);
  const rows = tables.flatMap((table) => table.split(/\n(?!\|)/)[0]?.split('\n') ?? []);
  assert.ok(tables.length > 1 && rows.length > 15);
  for (const row of rows)
    test(row.split(' | ')[0]?.slice(2) ?? '', () => {
      const [, path = '', name = ''] = /\| \[[\w-]+\]\(([^)]+)\): ([^|]+) \|$/.exec(row) ?? [];
      assert.notEqual(name, '', 'it names none');
      assert.ok(existsSync(project(path)), `${path} is not there`);
      assert.ok(readFileSync(project(path), 'utf8').includes(name), `${path} has no test "${name}"`);
    });
});

test('README: every file that it names is there', () => {
  const linked = [...readme.matchAll(/\]\(([^)#]+)\)/g)].map(([, path = '']) => path);
  const quoted = [...readme.matchAll(/`((?:config|src|test|systemd)\/[\w@./-]*[\w/])`/g)].map(
    ([, path = '']) => path,
  );
  const ofTheReader = /its-name/;
  for (const path of [...linked, ...quoted].filter((path) => !ofTheReader.test(path)))
    assert.ok(existsSync(project(path)), path);
});

test('README: every setting that it names is one', () => {
  const sections = [...Object.values(bridgeSections), serviceSection];
  const settings = new Set(sections.flatMap(({ shape }) => Object.keys(shape)));
  const others = /^(CALLER_PRIORITY(_STATUS)?|QUEUE_PRIO|PBX_BRIDGE_(AGI|INSTANCE)|NAME|ENV)$/;
  const named = [...readme.matchAll(/\b[A-Z]+(?:_[A-Z]+)+\b/g)].map(([name]) => name.replace(/_FILE$/, ''));
  assert.ok(named.length > 20);
  assert.deepEqual(
    named.filter((name) => !settings.has(name) && !others.test(name)),
    [],
  );
});

test('README: every command that operators have is in its table', () => {
  const program = new Command('pbx-bridge');
  addOperatorCommands(program, processIo('test'));
  const [, table = ''] = chapter('See what it does').split('| command | what for |');
  for (const { name } of program.commands.map((command) => ({ name: command.name() })))
    assert.match(table, new RegExp(`^\\| .*\`${name}\\b`, 'm'), name);
});
