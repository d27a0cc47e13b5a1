import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findChain, type Imports, importsOf } from '../import-graph.ts';
import { isSlow } from '../tiers.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Test files that each mutant runs against at most: the nearest. */
const mostTests = 20;
/** Of a test process, MiB: a mutant that collects without end must not take the machine's memory. */
const mostMemory = 1_024;

/** Read once: while mutants are tried, people write tests. */
let graph: Map<string, Imports> | undefined;

/**
 * The narrowest tests of a file in the fast tier, the nearest first: those that import it by the shortest chain (a
 * thread's file through its URL too), those beside it before those of the same part of the program and all others.
 */
export function testsOf(path: string): string[] {
  graph ??= new Map(
    globSync(['src/**/*.ts', 'test/**/*.ts'], { cwd: root }).map((file) => [
      file,
      importsOf(file, readFileSync(join(root, file), 'utf8')),
    ]),
  );
  const imports = graph;
  /** What the service keeps is tested by the conformance suite, and what a change of it tells by that of strangers. */
  const isKept = /^src\/service\/((store|database)\/|.*-(store|rows|reader|paging|sqlite)\.ts$)/.test(path);
  const named = (file: string) =>
    basename(file) === `${basename(path, '.ts')}.test.ts` ||
    (isKept && /^test\/integration\/service-(store|stranger)\.test/.test(file));
  const near = [...imports.keys()]
    .filter((file) => file.endsWith('.test.ts') && !isSlow(file))
    .flatMap((file) => {
      const chain = findChain(imports, file, (target) => target === path);
      if (chain === undefined) return [];
      const distance =
        dirname(file) === dirname(path) || named(file) ? 0 : partOf(file) === partOf(path) ? 2 : 10;
      return [{ file, steps: chain.length + distance }];
    });
  return near
    .sort((a, b) => a.steps - b.steps || a.file.localeCompare(b.file))
    .slice(0, mostTests)
    .map(({ file }) => file);
}

/** `src/bridge/outbox` of `src/bridge/outbox/tables/intake.ts`. */
export const partOf = (path: string) => path.split('/').slice(0, 3).join('/');

export type Copy = ReturnType<typeof openCopy>;

/** A copy of the project in which a file can be changed without anybody noticing. */
export function openCopy() {
  const folder = mkdtempSync(join(tmpdir(), 'pbx-bridge-mutants-'));
  const notCopied = new Set(['node_modules', '.git', 'dist']);
  cpSync(root, folder, { recursive: true, filter: (path) => !notCopied.has(path.slice(root.length)) });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  // What killed tests leave behind goes with the copy.
  mkdirSync(join(folder, 'tmp'));
  return {
    /** Runs a test file, with `text` in place of a file's if given; true if all passed within `limitMs`. */
    async passes(
      test: string,
      { limitMs, changed }: { limitMs: number; changed?: { path: string; text: string } },
    ): Promise<boolean> {
      if (changed === undefined) return pass(folder, test, limitMs);
      const file = join(folder, changed.path);
      const original = readFileSync(file);
      writeFileSync(file, changed.text);
      try {
        return await pass(folder, test, limitMs);
      } finally {
        writeFileSync(file, original);
      }
    },
    close() {
      // Disks that killed tests left mounted.
      spawnSync('sh', ['-c', 'umount tmp/*/'], { cwd: folder });
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Ends at the first test that fails. */
function pass(cwd: string, test: string, limitMs: number): Promise<boolean> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(process.execPath, [`--max-old-space-size=${mostMemory}`, '--test-reporter=tap', test], {
    cwd,
    env: { ...env, TMPDIR: join(cwd, 'tmp') },
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return new Promise((resolve) => {
    const end = (passed: boolean) => {
      clearTimeout(timer);
      // With the programs that a broken test left behind.
      if (child.pid !== undefined)
        try {
          process.kill(-child.pid, 'SIGKILL');
        } catch {
          // They have ended.
        }
      resolve(passed);
    };
    const timer = setTimeout(() => end(false), limitMs);
    child.stdout.on('data', (text: Buffer) => /^\s*not ok /m.test(text.toString()) && end(false));
    child.once('exit', (code) => end(code === 0));
  });
}
