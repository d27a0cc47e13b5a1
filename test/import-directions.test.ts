import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { test } from 'node:test';
import { findChain, importsOf, readImportGraph } from './tools/tree/import-graph.ts';

/**
 * The rooms, from the top down: a file imports only from its own room and from those after it. The composition roots and
 * what lies beside them are the room of their program's name.
 */
const order = [
  ...['cli', 'cli/check', 'cli/explain', 'cli/text', 'cli/config'],
  ...[
    'bridge',
    'bridge/status',
    'bridge/agi',
    'bridge/ami',
    'bridge/certificate',
    'bridge/cdr',
    'bridge/calls',
    'bridge/outbox',
  ],
  ...['service', 'service/client', 'service/commands', 'service/app', 'service/upkeep', 'service/database'],
  ...['service/settings', 'service/reports', 'service/notifications', 'service/webhooks'],
  ...['service/activity', 'service/integrations'],
  ...[
    'service/priority',
    'service/people',
    'service/history',
    'service/calls',
    'service/users',
    'service/audit',
  ],
  ...['service/accounts', 'service/kit', 'service/store', 'service/words', 'service/rules'],
  ...['shared/delivery', 'shared/api', 'shared/storage', 'shared/alerts', 'shared/mail'],
  ...['shared/phone-number', 'shared/process', 'shared/log'],
];

/** What must be in one place is our own wrapper of a library; these are wrapped there. */
const wrappers: Record<string, RegExp> = {
  'asterisk-manager': /^src\/bridge\/ami\/wire\//,
  'libphonenumber-js': /^src\/shared\/phone-number\//,
  mustache: /^src\/service\/webhooks\/webhook-template\.ts$/,
  nodemailer: /^src\/shared\/mail\//,
  http_ece: /^src\/service\/notifications\//,
  pg: /^src\/service\/store\/postgres\//,
  mysql2: /^src\/bridge\/cdr\//,
  // How a database is opened, locked and brought up to date: src/shared/storage. Beside it only those who run SQL.
  'node:sqlite':
    /^src\/(shared\/storage|bridge\/(cdr|certificate|outbox)|service\/(calls\/call-meaning\.test\.ts$|store\/sqlite|database\/sqlite-[a-z]+\.ts$|[a-z]+\/[a-z-]+-sqlite\.ts$))/,
};

/** The tracker is pure: it reaches no clock, file or socket, only these. */
const pureLibraries = new Set(['picomatch', 'zod']);

const roots = ['src/bridge/bridge.ts', 'src/service/service.ts', 'src/cli/program.ts', 'src/cli.ts'];
const everything = readImportGraph();
/** What Node loads: imports of types are gone. */
const asRun = readImportGraph(stripTypeScriptTypes);
/** Without the tests: they may hold the ends of a way together. */
const graph = new Map([...everything].filter(([path]) => !path.endsWith('.test.ts')));

/** `service/people` of `src/service/people/person.ts`, `service` of `src/service/service.ts`. */
const roomOf = (path: string) => {
  const [, program = '', room = ''] = path.split('/');
  return order.includes(`${program}/${room}`) ? `${program}/${room}` : program;
};
const programOf = (path: string) => path.split('/')[1] as string;

function mayImport(from: string, to: string): boolean {
  // What tests share: no program imports it.
  if (from.endsWith('.fixture.ts') && to.startsWith('test/')) return true;
  const [source, target] = [programOf(from), programOf(to)];
  if (source !== target && source !== 'cli' && target !== 'shared') return false;
  return order.indexOf(roomOf(to)) >= order.indexOf(roomOf(from));
}

/** The chains from each of these files to one that it may not reach. */
const chainsFrom = (paths: readonly string[], isForbidden: (from: string, to: string) => boolean) =>
  paths.flatMap((path) => findChain(graph, path, (target) => isForbidden(path, target))?.join(' -> ') ?? []);

/** The imports that this finds wrong, of files and of libraries. */
const importsThat = (areWrong: (from: string, to: string) => boolean, of = graph) =>
  [...of].flatMap(([from, { files, libraries }]) =>
    [...files, ...libraries].filter((to) => areWrong(from, to)).map((to) => `${from} imports ${to}`),
  );

test('a room imports only from those below it, and neither program from the other', () => {
  const files = [...graph.keys()].filter((path) => !/^src\/cli\.ts$/.test(path));
  assert.ok(files.length > 300);
  const rooms = new Set(files.map(roomOf));
  assert.deepEqual([...rooms].sort(), [...order].sort(), 'a room that is in no place of the order');
  const wrong = importsThat(
    (from, to) => to.startsWith('src/') && !/^src\/cli\.ts$/.test(from) && !mayImport(from, to),
  );
  // With the way back: a circle is seen whole.
  const chains = wrong.map((edge) => {
    const [from = '', to = ''] = edge.split(' imports ');
    const back = findChain(graph, to, (path) => roomOf(path) === roomOf(from));
    return back ? `${edge}, and back: ${back.join(' -> ')}` : edge;
  });
  assert.deepEqual(chains, []);
});

test('no file imports itself by way of others', () => {
  const files = [...graph.keys()].filter((path) => !path.endsWith('.fixture.ts'));
  assert.deepEqual(
    files.flatMap((path) => findChain(graph, path, (target) => target === path)?.join(' -> ') ?? []),
    [],
  );
});

test('what tests work with imports no test', () => {
  const tools = [...readImportGraph(undefined, 'test')].filter(([path]) => path.startsWith('test/tools/'));
  assert.ok(tools.length > 100);
  const isTest = (path: string) => path.startsWith('test/') && !path.startsWith('test/tools/');
  const wrong = tools.flatMap(([from, { files }]) =>
    files.filter(isTest).map((to) => `${from} imports ${to}`),
  );
  assert.deepEqual(wrong, []);
});

test('the storage knows nothing of what is stored', () => {
  const isElsewhere = (_: string, to: string) => !to.startsWith('src/shared/storage/');
  assert.deepEqual(chainsFrom(['src/shared/storage/thread.ts'], isElsewhere), []);
});

test('no file imports a composition root; the contract and phone numbers import nothing else of ours, the tracker hardly a library', () => {
  const wrong = importsThat((from, to) => {
    const isFile = to.startsWith('src/');
    if (roots.includes(to)) return !/^src\/cli(\/program)?\.ts$/.test(from);
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

test('what a browser loads imports only what is served to it, and acts only in entries', () => {
  const isServed = (path: string) => /^src\/service\/(client|rules)\//.test(path);
  const modules = [...asRun].filter(([path]) => isServed(path) && !path.endsWith('.test.ts'));
  assert.ok(modules.length > 25);
  const wrong = modules.flatMap(([from, { files, libraries }]) =>
    [...files.filter((to) => !isServed(to)), ...libraries].map((to) => `${from} imports ${to}`),
  );
  assert.deepEqual(wrong, []);
  // A line that is not indented begins or ends a declaration, or is part of a comment.
  const isDeclared = /^( |$|\/[/*]|(import|export|const|(async )?function|type) |[)}\]])/;
  const acting = modules
    .filter(([path]) => !path.startsWith('src/service/client/entries/'))
    .flatMap(([path]) => {
      const lines = readFileSync(new URL(`../${path}`, import.meta.url), 'utf8').split('\n');
      return lines.filter((line) => !isDeclared.test(line)).map((line) => `${path}: ${line}`);
    });
  assert.deepEqual(acting, []);
});

test('the threads of storage load no libraries: zod takes 10 to 20 MB in each thread, phone numbers 10', () => {
  const isLibrary = (name: string) => !name.startsWith('node:');
  const threads = [...asRun].filter(([, { files }]) => files.includes('src/shared/storage/serve-thread.ts'));
  assert.ok(threads.length >= 3);
  for (const [script] of threads) {
    const chain = findChain(asRun, script, (path) => asRun.get(path)?.libraries.some(isLibrary) === true);
    assert.equal(chain, undefined, `a library is loaded by ${chain?.join(' -> ')}`);
  }
});

test('the service starts without what few need: each of these is loaded by the first who does', () => {
  const atStart = readImportGraph((source) => stripTypeScriptTypes(source).replaceAll(/\bimport\(/g, ''));
  const lazy = ['undici', 'nodemailer', 'pg', 'mysql2', 'http_ece'];
  const chain = findChain(atStart, 'src/service/service.ts', (path) =>
    (atStart.get(path)?.libraries ?? []).some((name) => lazy.includes(name)),
  );
  assert.equal(chain, undefined, `a library is loaded by ${chain?.join(' -> ')}`);
});

test('who opens TLS connections trusts the authorities of the machine', () => {
  const connects = ['undici', 'nodemailer', 'mysql2/promise', 'pg', 'node:tls'];
  const from = [...asRun].filter(([path, { libraries }]) => {
    const source = readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
    const isClient = !libraries.includes('node:tls') || source.includes('tls.connect(');
    return !path.endsWith('.test.ts') && isClient && libraries.some((name) => connects.includes(name));
  });
  assert.ok(from.length >= 8, `${from.length} files`);
  const trusts = /shared\/process\/authorities\.ts$|store\/postgres\/primary\.ts$/;
  assert.deepEqual(
    from.filter(([, { files }]) => !files.some((file) => trusts.test(file))).map(([path]) => path),
    [],
  );
});

test('import lines are read in all their forms, and a chain is found and named', () => {
  const source = [
    "import type { A } from './a.ts';",
    'import {\n  b,\n  c,\n} from "../b.ts";',
    "export { d } from './d.ts';",
    "import 'node:fs';",
    "const e = await import('./e.ts');",
    "new Worker(new URL('./worker.ts', import.meta.url));",
  ].join('\n');
  assert.deepEqual(importsOf('src/x/y.ts', source), {
    files: ['src/x/a.ts', 'src/b.ts', 'src/x/d.ts', 'src/x/e.ts', 'src/x/worker.ts'],
    libraries: ['node:fs'],
  });
  const cycle = new Map([
    ['a', { files: ['b'], libraries: [] }],
    ['b', { files: ['a', 'c'], libraries: [] }],
    ['c', { files: ['forbidden'], libraries: [] }],
  ]);
  assert.deepEqual(
    findChain(cycle, 'a', (path) => path === 'forbidden'),
    ['a', 'b', 'c', 'forbidden'],
  );
  assert.equal(
    findChain(cycle, 'a', (path) => path === 'other'),
    undefined,
  );
});
