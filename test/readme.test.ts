import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { processIo } from '../src/cli/command-context.ts';
import { bridgeSections } from '../src/cli/config/env.ts';
import { serviceSection } from '../src/cli/config/service-section.ts';
import { addOperatorCommands } from '../src/cli/operator-commands.ts';
import { addServiceCommands } from '../src/service/commands.ts';
import {
  brokenLinks,
  missingCommands,
  missingPaths,
  missingScripts,
  missingTestParts,
  namedSettings,
  readDocument,
  shownRows,
} from './tools/tree/documents.ts';

/** What the documents name must exist. Whether the README's steps work is tried in `packaging/readme-tests.ts`. */

const project = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));

const { scripts } = JSON.parse(readFileSync(project('package.json'), 'utf8')) as { scripts: object };

const testFiles = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], { cwd: project('') });

const settings = new Set(
  [...Object.values(bridgeSections), serviceSection].flatMap(({ shape }) => Object.keys(shape)),
);
/** Names that are no settings of ours: the dialplan's, Asterisk's, the tests', and placeholders. */
const otherNames =
  /^(CALLER_(PRIORITY(_STATUS)?|SEGMENT|NAME|LANGUAGE|BLOCKED|(LAST|CALLBACK)_EXTENSION)|DIALPLAN_EXISTS|QUEUE_PRIO|CALLING(NUM)?PRES_SV|CDR_PROP|PBX_BRIDGE_(AGI|INSTANCE|SET_NAME)|LAB_PORTS|PBX_LAB_(CACHE|MIRROR|SCREENS|WINDOWS)|FREEPBX_SOURCE(_16)?|NAME|ENV)$/;

const program = new Command('pbx-bridge');
addOperatorCommands(program, processIo('test'));
const operatorCommands = program.commands.map((command) => command.name());
program.command('run');
const notRun = () => {
  throw new Error('no command runs here');
};
addServiceCommands(program, {
  options: notRun,
  run: notRun,
  about: notRun,
  exit: notRun,
  alerts: notRun,
  out: process.stdout,
  in: process.stdin,
});

test('the map in src/README.md has every folder', () => {
  const map = readFileSync(project('src/README.md'), 'utf8');
  const folders = globSync('src/*/**/', { cwd: project('') }).map((path) => `${path.slice(4)}/`);
  assert.deepEqual(
    folders.filter((folder) => !map.includes(`\`${folder}\``)),
    [],
  );
});

const everyDocument = globSync('**/*.md', { cwd: project(''), exclude: ['**/node_modules', 'dist'] });

for (const document of everyDocument.sort().map(readDocument))
  test(`what ${document.path} names exists`, () => {
    const unknown = namedSettings(document).filter((name) => !settings.has(name) && !otherNames.test(name));
    const isShown = ({ file, test: name }: { file: string; test: string }) =>
      name !== '' && existsSync(project(file)) && readFileSync(project(file), 'utf8').includes(name);
    assert.deepEqual(
      {
        links: brokenLinks(document),
        paths: missingPaths(document),
        scripts: missingScripts(document, new Set(Object.keys(scripts))),
        tests: missingTestParts(document, testFiles),
        commands: missingCommands(document, program),
        settings: unknown,
        // SECURITY.md has tables of another form: `security/threat-model.test.ts`.
        rows: document.path === 'SECURITY.md' ? [] : shownRows(document).filter((row) => !isShown(row)),
      },
      { links: [], paths: [], scripts: [], tests: [], commands: [], settings: [], rows: [] },
    );
  });

test('README has a row for every command of operators', () => {
  const [, table = ''] = readDocument('README.md').text.split('\n## Commands\n');
  for (const name of operatorCommands) assert.match(table, new RegExp(`^\\| .*\`${name}\\b`, 'm'), name);
});

test('files that comments name exist', () => {
  const files = globSync(['src/**/*.{ts,sql}', 'test/**/*.ts', 'systemd/**/*.ts'], { cwd: project('') });
  const comments = files.flatMap((file) =>
    readFileSync(project(file), 'utf8')
      .split('\n')
      .filter((line) => /^\s*(\/\/|\/?\*|--) /.test(line))
      .map((line) => ({ file, line })),
  );
  const stale = comments.filter(({ line }) =>
    Array.from(line.matchAll(/(?<![\w./*-])[\w-]+(?:\/[\w.-]+)+\.ts\b/g), ([name]) => name).some(
      (name) => !files.some((file) => `/${file}`.endsWith(`/${name}`)),
    ),
  );
  assert.deepEqual(stale, []);
});
