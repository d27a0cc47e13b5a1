import assert from 'node:assert/strict';
import { stripTypeScriptTypes } from 'node:module';
import { test } from 'node:test';
import { findChain, readImportGraph } from './import-graph.ts';

/** What the bridge is made of, from the top down. */
const bridgeParts = [
  'status',
  'agi',
  'ami',
  'cdr',
  'calls',
  'outbox',
  'storage',
  'delivery',
  'api',
  'alerts',
  'mail',
  'process',
  'log',
];

/** Data goes one way: a folder imports only from those after it on one of these ways. */
const ways = [
  ['cli', 'config', ...bridgeParts],
  ['bridge', ...bridgeParts],
  ['service', 'delivery', 'api', 'storage', 'alerts', 'mail', 'process', 'log'],
];

/** What every folder may import: the contract between the two programs, and the reading of phone numbers. */
const shared = /^src\/(api\/contract|phone-number)\//;

/** What must be in one place is our own wrapper of a library; these are wrapped there. */
const wrappers: Record<string, RegExp> = {
  'asterisk-manager': /^src\/ami\/wire\//,
  'libphonenumber-js': /^src\/phone-number\//,
  nodemailer: /^src\/mail\//,
  pg: /^src\/service\/store\/postgres\//,
  mysql2: /^src\/cdr\//,
  // How a database is opened, locked and brought up to date: src/shared/storage. Beside it only those who run SQL.
  'node:sqlite': /^src\/(cdr|storage|outbox|service\/store\/sqlite)\//,
};

/** The tracker is pure: it reaches no clock, file or socket, only these. */
const pureLibraries = new Set(['picomatch', 'zod']);

const roots = ['src/bridge/bridge.ts', 'src/service/service.ts', 'src/cli/program.ts', 'src/cli.ts'];
const everything = readImportGraph();
/** Without the tests: they may hold the ends of a way together. */
const graph = new Map([...everything].filter(([path]) => !path.endsWith('.test.ts')));
const folderOf = (path: string) => path.split('/')[1] as string;

function mayImport(from: string, to: string): boolean {
  if (from === to || shared.test(to)) return true;
  // What tests share: no program imports it.
  if (from.endsWith('.fixture.ts') && to.startsWith('test/')) return true;
  const [source, target] = [folderOf(from), folderOf(to)];
  if (source === target) return true;
  return ways.some((way) => way.includes(source) && way.indexOf(target) > way.indexOf(source));
}

/** The chains from each of these files to one that it may not reach. */
const chainsFrom = (paths: readonly string[], isForbidden: (from: string, to: string) => boolean) =>
  paths.flatMap((path) => findChain(graph, path, (target) => isForbidden(path, target))?.join(' -> ') ?? []);

/** The imports that this finds wrong, of files and of libraries. */
const importsThat = (areWrong: (from: string, to: string) => boolean, of = graph) =>
  [...of].flatMap(([from, { files, libraries }]) =>
    [...files, ...libraries].filter((to) => areWrong(from, to)).map((to) => `${from} imports ${to}`),
  );

test('imports go with the data', () => {
  const paths = [...graph.keys()].filter((path) => !roots.includes(path));
  assert.ok(paths.length > 400);
  assert.deepEqual(
    chainsFrom(paths, (from, to) => !mayImport(from, to)),
    [],
  );
});

test('the two programs share only the contract, phone numbers, delivery, the log and the storage; the storage knows nothing of what is stored', () => {
  const ofTheBridge = /^src\/(ami|calls|cdr|outbox|agi|api\/client\.ts)/;
  assert.deepEqual(
    [
      ...chainsFrom(['src/bridge/bridge.ts'], (_, to) => to.startsWith('src/service/')),
      ...chainsFrom(['src/service/service.ts'], (_, to) => ofTheBridge.test(to)),
      ...chainsFrom(['src/shared/storage/thread.ts'], (_, to) => !to.startsWith('src/shared/storage/')),
    ],
    [],
  );
});

test('no file imports a composition root; the contract and phone numbers import nothing else of ours, the tracker hardly a library', () => {
  const wrong = importsThat((from, to) => {
    const isFile = to.startsWith('src/');
    if (roots.includes(to)) return !/^src\/(cli|program)\.ts$/.test(from);
    if (from.startsWith('src/shared/api/contract/'))
      return isFile ? !to.startsWith('src/shared/api/contract/') : to !== 'zod';
    if (from.startsWith('src/shared/phone-number/'))
      return isFile && !to.startsWith('src/shared/phone-number/');
    const isTracker = from.startsWith('src/bridge/calls/') && !from.endsWith('.fixture.ts');
    return isTracker && !isFile && !pureLibraries.has(to);
  });
  assert.deepEqual(wrong, []);
});

test('a library that we wrap is imported by its wrapper alone', () => {
  const wrong = importsThat((from, to) => {
    const [library] = Object.keys(wrappers).filter((name) => to === name || to.startsWith(`${name}/`));
    return library !== undefined && !wrappers[library]?.test(from);
  }, everything);
  assert.deepEqual(wrong, []);
});

test('the threads of storage load no libraries: zod takes 10 to 20 MB in each thread, phone numbers 10', () => {
  const asRun = readImportGraph(stripTypeScriptTypes);
  const isLibrary = (name: string) => !name.startsWith('node:');
  const threads = [...asRun].filter(([, { files }]) => files.includes('src/shared/storage/serve-thread.ts'));
  assert.ok(threads.length >= 3);
  for (const [script] of threads) {
    const chain = findChain(asRun, script, (path) => asRun.get(path)?.libraries.some(isLibrary) === true);
    assert.equal(chain, undefined, `a library is loaded by ${chain?.join(' -> ')}`);
  }
});
