import { seededRandom } from '../../src/ami/player/seeded-random.ts';
import { type Mutation, mutationsOf } from './mutations.ts';
import { openCopy, testsOf } from './trial.ts';

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
  /** More test files, which run last. */
  readonly also?: readonly string[];
  /** Which mutations may be chosen. */
  readonly only?: (mutation: Mutation) => boolean;
};

/**
 * Tries `count` mutants, chosen at random from all of these sources, each against the narrowest tests of its file.
 * `say` gets a line for each survivor, `file:line: what was changed`, and for tests that fail without any change.
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
  const usable = new Map<string, readonly string[]>();
  const untested = new Set<string>();
  let [killed, survived] = [0, 0];
  try {
    while (killed + survived < count) {
      const [mutant] = all.splice(Math.floor(random() * all.length), 1);
      if (mutant === undefined) break;
      const { path, line, what, text } = mutant;
      const tests = usable.get(path) ?? [...new Set([...testsOf(path), ...also])];
      if (tests.length === 0) untested.add(path);
      if (tests.length === 0) continue;
      if (!usable.has(path) && !(await copy.passes(tests)))
        throw new Error(`the tests of ${path} fail without any change: ${tests.join(' ')}`);
      usable.set(path, tests);
      if (await copy.passes(tests, { path, text })) {
        survived += 1;
        say(`${path}:${line}: ${what}`);
      } else killed += 1;
    }
  } finally {
    copy.close();
  }
  return { killed, survived, untested: [...untested] };
}
