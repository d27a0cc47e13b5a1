import { seededRandom } from '../player/seeded-random.ts';
import { mutationsOf } from './mutations.ts';
import { type Copy, openCopy, partOf, testsOf } from './trial.ts';
import { whyUnnoticeable } from './unnoticeable.ts';

export type Source = { readonly path: string; readonly source: string };

export type Result = {
  readonly killed: number;
  readonly survived: number;
  /** Which nobody can notice, and which were not tried. */
  readonly unnoticeable: number;
  /** Files that no test of the fast tier imports: none of their mutants was tried. */
  readonly untested: readonly string[];
};

export type Options = {
  readonly count: number;
  readonly seed: number;
  readonly say: (line: string) => void;
  /** How many are tried at once, each in a copy of its own. */
  readonly atOnce?: number;
  /** More test files, in place of those from other parts of the program. */
  readonly also?: readonly string[];
};

/** Time for an unchanged test file, ms. */
const longestMs = 180_000;
/** Tests that take longer hang because of the mutant: a multiple of their usual time, and for very short ones this, ms. */
const hangs = { times: 5, leastMs: 20_000 };

/**
 * Tries `count` mutants, chosen at random from all of these sources, each against the narrowest tests of its file, the
 * nearest first. `say` gets a line for each survivor, `file:line:column: what was changed`, and for each test that fails
 * without any change.
 */
export async function tryMutants(
  sources: readonly Source[],
  { count, seed, say, atOnce = 1, also = [] }: Options,
): Promise<Result> {
  const { chosen, untested } = choose();
  /** By test file: how long it takes without any change, ms; undefined if it fails. */
  const durations = new Map<string, Promise<number | undefined>>();
  /** By test file: how many mutants it noticed. What noticed many is asked second. */
  const noticed = new Map<string, number>();
  let [killed, survived, unnoticeable] = [0, 0, 0];
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, work));
  return { killed, survived, unnoticeable, untested };

  function choose() {
    const random = seededRandom(seed);
    const all = sources.flatMap(({ path, source }) =>
      mutationsOf(source).map((mutation) => ({ path, ...mutation })),
    );
    const chosen: ((typeof all)[number] & { tests: string[] })[] = [];
    const untested = new Set<string>();
    while (chosen.length < count) {
      const [mutant] = all.splice(Math.floor(random() * all.length), 1);
      if (mutant === undefined) break;
      const near = testsOf(mutant.path);
      const kept = near.filter((test) => also.length === 0 || partOf(test) === partOf(mutant.path));
      const tests = [...new Set([...kept, ...also])];
      if (tests.length === 0) untested.add(mutant.path);
      else chosen.push({ ...mutant, tests });
    }
    return { chosen, untested: [...untested] };
  }

  async function work(): Promise<void> {
    const copy = openCopy();
    try {
      for (let mutant = chosen.shift(); mutant !== undefined; mutant = chosen.shift()) {
        const { path, line, column, what } = mutant;
        if (whyUnnoticeable(path, mutant) !== undefined) unnoticeable += 1;
        else if (await isNoticed(copy, mutant)) killed += 1;
        else {
          survived += 1;
          say(`${path}:${line}:${column}: ${what}`);
        }
      }
    } finally {
      copy.close();
    }
  }

  async function isNoticed(
    copy: Copy,
    { path, text, tests }: { path: string; text: string; tests: readonly string[] },
  ): Promise<boolean> {
    const [nearest, ...others] = tests;
    const seldom = (test: string) => -(noticed.get(test) ?? 0);
    for (const test of [nearest as string, ...others.sort((a, b) => seldom(a) - seldom(b))]) {
      if (!durations.has(test)) durations.set(test, timed(copy, test));
      const usualMs = await durations.get(test);
      if (usualMs === undefined) continue;
      const limitMs = hangs.leastMs + hangs.times * usualMs;
      if (!(await copy.passes(test, { limitMs, changed: { path, text } }))) {
        noticed.set(test, (noticed.get(test) ?? 0) + 1);
        return true;
      }
    }
    return false;
  }

  /** Undefined if it fails twice: what others do on this machine at the same time must not end a long run. */
  async function timed(copy: Copy, test: string): Promise<number | undefined> {
    for (let tries = 0; tries < 2; tries += 1) {
      const started = performance.now();
      if (await copy.passes(test, { limitMs: longestMs })) return performance.now() - started;
    }
    say(`${test} fails without any change: it is left out`);
    return undefined;
  }
}
