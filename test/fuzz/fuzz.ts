import { seededRandom } from '../player/seeded-random.ts';
import { type Coverage, measureCoverage } from './coverage.ts';
import { createMutator } from './mutate.ts';

/** A parser under fuzzing, and what must hold of it whatever it is given. */
export type Target = {
  readonly name: string;
  /** Inputs that are right, to begin with. */
  readonly seeds: readonly Buffer[];
  /** Words of the format, which chance alone would never write. */
  readonly words: readonly string[];
  /** Modules whose coverage guides the search: the end of their path. */
  readonly modules: readonly string[];
  /** Throws if something does not hold. */
  run(input: Buffer): void;
};

export type FuzzOptions = {
  readonly inputs: number;
  readonly seed: number;
  /** False: blind, for comparison. */
  readonly guided?: boolean;
  readonly maxBytes?: number;
};

export type Found = { readonly input: Buffer; readonly error: Error };
export type FuzzReport = {
  readonly inputs: number;
  /** Inputs that are kept, because each reached something new. */
  readonly corpus: number;
  /** Characters of the code that were reached. */
  readonly reached: number;
  readonly found?: Found;
};

/** Inputs run between two looks at the coverage: a look costs as much as some dozens of them. */
const batchSize = 512;

/**
 * Coverage-guided: inputs are changed at random, and one that reaches code which none reached before is kept and
 * changed further. Stops at the first input of which something does not hold. The same seed, the same inputs.
 */
export function fuzz(
  target: Target,
  { inputs, seed, guided = true, maxBytes = 8_192 }: FuzzOptions,
): FuzzReport {
  const random = seededRandom(seed);
  const mutate = createMutator(random, target.words, maxBytes);
  const corpus = [...target.seeds];
  const pick = () => corpus[Math.floor(random() ** 0.5 * corpus.length)] as Buffer;
  const coverage = guided
    ? measureCoverage((url) => target.modules.some((module) => url.endsWith(module)))
    : undefined;
  let done = 0;
  const report = (found?: Found): FuzzReport => ({
    inputs: done,
    corpus: corpus.length,
    reached: coverage?.seen() ?? 0,
    ...(found && { found }),
  });

  for (const input of corpus) {
    const error = failure(target, input);
    if (error) return report({ input, error });
  }
  coverage?.fresh();
  while (done < inputs) {
    const batch: Buffer[] = [];
    while (batch.length < batchSize && done < inputs) {
      const input = mutate(pick(), pick());
      done += 1;
      batch.push(input);
      const error = failure(target, input);
      if (error) return report({ input: smallest(target, input), error });
    }
    if (coverage?.look()) keepNew(batch, coverage);
  }
  return report();

  /** Something in this batch reached what is new: halves it until what did is alone. */
  function keepNew(batch: readonly Buffer[], seen: Coverage): void {
    for (const half of [batch.slice(0, batch.length >> 1), batch.slice(batch.length >> 1)]) {
      for (const input of half) target.run(input);
      if (half.length > 1 && seen.look()) keepNew(half, seen);
      else if (half.length === 1 && seen.fresh()) corpus.push(Buffer.from(half[0] as Buffer));
    }
  }
}

function failure(target: Target, input: Buffer): Error | undefined {
  try {
    target.run(input);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** The input with all taken away that the failure does not need. */
function smallest(target: Target, input: Buffer): Buffer {
  let small = input;
  for (let size = Math.ceil(small.length / 2); size >= 1; size = Math.floor(size / 2))
    for (let at = 0; at < small.length; ) {
      const without = Buffer.concat([small.subarray(0, at), small.subarray(at + size)]);
      if (failure(target, without)) small = without;
      else at += size;
    }
  return small;
}
