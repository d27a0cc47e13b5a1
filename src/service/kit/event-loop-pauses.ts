import { setImmediate as nextTurn } from 'node:timers/promises';
import { monotonicMs } from '../../shared/process/clock.ts';

/** How long one piece of work may block the thread, ms: other requests wait for a few of them. */
const PIECE_MS = 4;

let last: Promise<void> = Promise.resolve();

/** Waits for a turn of the event loop that no other piece of work has: requests are answered between two of them. */
export function pauseNow(): Promise<void> {
  last = last.then(() => nextTurn());
  return last;
}

/**
 * To be awaited often during long work: every few milliseconds it lets other work run. All long work of the process
 * does one piece per turn of the event loop.
 */
export function createPause(): () => Promise<void> | undefined {
  let began = monotonicMs();
  return () => {
    if (monotonicMs() - began < PIECE_MS) return undefined;
    return pauseNow().then(() => {
      began = monotonicMs();
    });
  };
}

/** Items of one piece, if each takes some microseconds. */
const PIECE_ITEMS = 100;

/** A long list in pieces, with pauses between them: a loop over all of it must not keep others waiting. */
export async function* pieces<T>(all: Iterable<T>): AsyncGenerator<T[]> {
  const pause = createPause();
  let piece: T[] = [];
  for (const one of all) {
    if (piece.push(one) < PIECE_ITEMS) continue;
    yield piece;
    piece = [];
    await pause();
  }
  yield piece;
}

/** `Array.filter` with pauses. */
export async function filterWithPauses<T>(all: readonly T[], isKept: (one: T) => boolean): Promise<T[]> {
  const kept: T[] = [];
  for await (const piece of pieces(all)) for (const one of piece) if (isKept(one)) kept.push(one);
  return kept;
}

/** The items in ascending order of their keys, sorted with pauses: quick where much is in order already. */
export async function sortWithPauses<T>(all: readonly T[], keyOf: (one: T) => number): Promise<T[]> {
  let runs: T[][] = [];
  for await (const piece of pieces(all))
    for (const one of piece) {
      const run = runs.at(-1);
      const last = run?.at(-1);
      if (run === undefined || last === undefined || keyOf(last) > keyOf(one)) runs.push([one]);
      else run.push(one);
    }
  // Many runs are shorter than a piece: one pause for all of them.
  const pause = createPause();
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      const both: T[] = [];
      for await (const piece of pieces(inOrder(runs[at] ?? [], runs[at + 1] ?? [], keyOf)))
        both.push(...piece);
      merged.push(both);
      await pause();
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

function* inOrder<T>(left: readonly T[], right: readonly T[], keyOf: (one: T) => number): Generator<T> {
  let [l, r] = [0, 0];
  while (l < left.length && r < right.length) {
    const [a, b] = [left[l] as T, right[r] as T];
    if (keyOf(b) < keyOf(a)) {
      yield b;
      r += 1;
    } else {
      yield a;
      l += 1;
    }
  }
  for (; l < left.length; l += 1) yield left[l] as T;
  for (; r < right.length; r += 1) yield right[r] as T;
}
