import { seededRandom } from '../../src/ami/player/seeded-random.ts';
import { type Mutation, mutationsOf } from './mutations.ts';
import { openCopy, partOf, testsOf } from './trial.ts';

export type Source = { readonly path: string; readonly source: string };

export type Result = {
  readonly killed: number;
  readonly survived: number;
  /** Files that no test of the fast tier imports: none of their mutants was tried. */
  readonly untested: readonly string[];
};

export type Options = {
  readonly count: number;
  readonly seed: number;
  readonly say: (line: string) => void;
  /** More test files, in place of those from other parts of the program. */
  readonly also?: readonly string[];
  /** Which mutations may be chosen. */
  readonly only?: (mutation: Mutation) => boolean;
};

/** Time for an unchanged test file, ms. */
const longestMs = 180_000;
/** Tests that take longer hang because of the mutant: a multiple of their usual time, and for very short ones this, ms. */
const hangs = { times: 5, leastMs: 20_000 };

/**
 * Tries `count` mutants, chosen at random from all of these sources, each against the narrowest tests of its file.
 * `say` gets a line for each survivor, `file:line:column: what was changed`. Rejects if tests fail without any change.
 */
export async function tryMutants(
  sources: readonly Source[],
  { count, seed, say, also = [], only = () => true }: Options,
): Promise<Result> {
  const random = seededRandom(seed);
  const all = sources.flatMap(({ path, source }) =>
    mutationsOf(source)
      .filter(only)
      .map((mutation) => ({ path, ...mutation })),
  );
  const copy = openCopy();
  /** By test file: how long it takes without any change, ms. */
  const durations = new Map<string, number>();
  const untested = new Set<string>();
  let [killed, survived] = [0, 0];

  /** Of a source, the quickest first. */
  async function timedTestsOf(path: string): Promise<[string, number][]> {
    const near = testsOf(path).filter((test) => also.length === 0 || partOf(test) === partOf(path));
    const tests = [...new Set([...near, ...also])];
    for (const test of tests) {
      if (durations.has(test)) continue;
      const started = performance.now();
      if (!(await copy.passes(test, { limitMs: longestMs })))
        throw new Error(`${test} fails without any change`);
      durations.set(test, performance.now() - started);
    }
    return [...durations].filter(([test]) => tests.includes(test)).sort(([, a], [, b]) => a - b);
  }

  try {
    while (killed + survived < count) {
      const [mutant] = all.splice(Math.floor(random() * all.length), 1);
      if (mutant === undefined) break;
      const { path, line, column, what, text } = mutant;
      const tests = await timedTestsOf(path);
      if (tests.length === 0) {
        untested.add(path);
        continue;
      }
      let isNoticed = false;
      for (const [test, usualMs] of tests) {
        const limitMs = hangs.leastMs + hangs.times * usualMs;
        isNoticed = !(await copy.passes(test, { limitMs, changed: { path, text } }));
        if (isNoticed) break;
      }
      if (isNoticed) killed += 1;
      else {
        survived += 1;
        say(`${path}:${line}:${column}: ${what}`);
      }
    }
  } finally {
    copy.close();
  }
  return { killed, survived, untested: [...untested] };
}
