import type { QueuedEvent } from './queue.ts';

/** Failed attempts are logged one by one up to ten a minute, then summed up at its end. */
export const windowMs = 60_000;
const linesPerWindow = 10;

export type Failure = { readonly event: QueuedEvent; readonly reason: string; readonly waitMs: number };

export type FailureWindow = {
  /** Monotonic ms. */
  readonly endsAt: number;
  readonly linesLeft: number;
  /** Those that were not logged. */
  readonly summed?: FailureSum;
};

type FailureSum = { readonly count: number; readonly last: Failure };

/** `at`: monotonic ms. */
export type FailureInput =
  | { readonly type: 'failed'; readonly at: number; readonly failure: Failure }
  | { readonly type: 'time'; readonly at: number }
  | { readonly type: 'end' };

type FailureStep = {
  readonly window: FailureWindow;
  /** To be logged: first the sum of a window that is over, then one failure. */
  readonly sum?: FailureSum | undefined;
  readonly failure?: Failure;
};

export const noFailures: FailureWindow = { endsAt: 0, linesLeft: 0 };

export function nextFailureWindow(window: FailureWindow, input: FailureInput): FailureStep {
  const { endsAt, linesLeft, summed: sum } = window;
  if (input.type === 'end') return { window: { endsAt, linesLeft }, sum };
  if (input.at >= endsAt) {
    const opened = { endsAt: input.at + windowMs, linesLeft: linesPerWindow };
    return { ...nextFailureWindow(opened, input), sum };
  }
  if (input.type === 'time') return { window };
  const { failure } = input;
  if (linesLeft > 0) return { window: { ...window, linesLeft: linesLeft - 1 }, failure };
  return { window: { ...window, summed: { count: (sum?.count ?? 0) + 1, last: failure } } };
}
