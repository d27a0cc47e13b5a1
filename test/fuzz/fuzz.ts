import { seededRandom } from '../../src/ami/player/seeded-random.ts';
import { createMutator } from './mutate.ts';

/** A parser under fuzzing, and what must hold of it whatever it is given. */
export type Target = {
  readonly name: string;
  /** Inputs that are right, to begin with. */
  readonly seeds: readonly Buffer[];
  /** Words of the format, which chance alone would never write. */
  readonly words: readonly string[];
  /** Throws if something does not hold. */
  run(input: Buffer): void;
};

export type FuzzOptions = {
  readonly inputs: number;
  readonly seed: number;
  readonly maxBytes?: number;
};

export type Found = { readonly input: Buffer; readonly error: Error };

/**
 * Changes the seeds at random, as damage and malice would. Gives the first input of which something does not hold, made
 * small. The same seed, the same inputs. (Guided by V8's coverage, the search reached no more of these parsers in the
 * short form: their seeds are whole sessions and calls.)
 */
export function fuzz(target: Target, { inputs, seed, maxBytes = 8_192 }: FuzzOptions): Found | undefined {
  const random = seededRandom(seed);
  const mutate = createMutator(random, target.words, maxBytes);
  const pick = () => target.seeds[Math.floor(random() * target.seeds.length)] as Buffer;
  for (const input of target.seeds) {
    const error = failure(target, input);
    if (error) return { input, error };
  }
  for (let done = 0; done < inputs; done += 1) {
    const input = mutate(pick(), pick());
    const error = failure(target, input);
    if (error) return { input: smallest(target, input), error };
  }
  return undefined;
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
