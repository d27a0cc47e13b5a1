import assert from 'node:assert/strict';
import { stripTypeScriptTypes } from 'node:module';
import { describe, test } from 'node:test';
import { findChain, importsOf, readImportGraph } from './import-graph.ts';

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
  // How a database is opened, locked and brought up to date: src/storage. Beside it only those who run SQL.
  'node:sqlite': /^src\/(cdr|storage|outbox|service\/store\/sqlite)\//,
};

/** The tracker is pure: it reaches no clock, file or socket, only these. */
const pureLibraries = new Set(['picomatch', 'zod']);

const roots = ['src/bridge.ts', 'src/service.ts', 'src/program.ts', 'src/cli.ts'];
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

describe('imports go with the data', () => {
  for (const path of graph.keys()) {
    if (roots.includes(path)) continue;
    test(path, () => {
      const chain = findChain(graph, path, (target) => !mayImport(path, target));
      assert.equal(chain, undefined, `against the arrow: ${chain?.join(' -> ')}`);
    });
  }

  test('nobody imports a composition root', () => {
    for (const [path, { files }] of graph)
      for (const target of files)
        assert.ok(
          !roots.includes(target) || /^src\/(cli|program)\.ts$/.test(path),
          `${path} imports ${target}`,
        );
  });

  test('the contract imports only itself', () => {
    for (const [path, { files, libraries }] of graph) {
      if (!path.startsWith('src/api/contract/')) continue;
      for (const target of files)
        assert.ok(target.startsWith('src/api/contract/'), `${path} imports ${target}`);
      for (const library of libraries) assert.equal(library, 'zod', `${path} imports ${library}`);
    }
  });

  test('phone numbers are read in one place, which imports nothing else of ours', () => {
    for (const [path, { files }] of graph)
      if (path.startsWith('src/phone-number/'))
        for (const target of files)
          assert.ok(target.startsWith('src/phone-number/'), `${path} imports ${target}`);
  });

  test('the storage knows nothing of what is stored', () => {
    const chain = findChain(graph, 'src/storage/thread.ts', (path) => !/^src\/storage\//.test(path));
    assert.equal(chain, undefined, `the storage reaches further: ${chain?.join(' -> ')}`);
  });

  test('the two programs share nothing but the contract, phone numbers, delivery, the log and the storage', () => {
    const chain = findChain(graph, 'src/bridge.ts', (path) => path.startsWith('src/service/'));
    assert.equal(chain, undefined, `the bridge reaches the service: ${chain?.join(' -> ')}`);
    const back = findChain(graph, 'src/service.ts', (path) =>
      /^src\/(ami|calls|cdr|outbox|agi|api\/client\.ts)/.test(path),
    );
    assert.equal(back, undefined, `the service reaches the bridge: ${back?.join(' -> ')}`);
  });
});

describe('a library that we wrap is imported by its wrapper alone', () => {
  for (const [library, home] of Object.entries(wrappers))
    test(library, () => {
      for (const [path, { libraries }] of everything)
        if (libraries.some((name) => name === library || name.startsWith(`${library}/`)))
          assert.match(path, home, `${path} imports ${library}`);
    });

  test('the tracker is pure', () => {
    for (const [path, { libraries }] of graph)
      if (path.startsWith('src/calls/') && !path.endsWith('.fixture.ts'))
        for (const library of libraries) assert.ok(pureLibraries.has(library), `${path} imports ${library}`);
  });
});

test('the threads of storage load no libraries: zod takes 10 to 20 MB in each thread, phone numbers 10', () => {
  const asRun = readImportGraph(stripTypeScriptTypes);
  const isLibrary = (name: string) => !name.startsWith('node:');
  const threads = [...asRun].filter(([, { files }]) => files.includes('src/storage/serve-thread.ts'));
  assert.ok(threads.length >= 3);
  for (const [script] of threads) {
    const chain = findChain(asRun, script, (path) => asRun.get(path)?.libraries.some(isLibrary) === true);
    assert.equal(chain, undefined, `a library is loaded by ${chain?.join(' -> ')}`);
  }
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
