// biome-ignore lint/suspicious/noExplicitAny: methods take whatever their caller's type says
export type Methods = Record<string, (...args: any[]) => unknown>;

/** A request to run a method, by its number. */
export type ThreadRequest = { readonly id: number; readonly name: string; readonly args: readonly unknown[] };

/** A request that was refused; `isUnavailable`: it may succeed later. */
type Refused = { readonly id: number; readonly message: string; readonly isUnavailable: boolean };

/** Answers to requests, by their numbers. All changes of these requests are on disk. */
export type Answers = {
  /** Requests without a result. */
  readonly done: number[];
  /** id, value, id, value, … */
  readonly values: unknown[];
  readonly errors: Refused[];
  /** Transactions so far. */
  readonly commits: number;
};

/**
 * To the thread: requests, or `close`. Arguments of many rows are flat lists: copying many small objects costs more
 * than writing them to disk.
 */
export type ToThread = readonly ThreadRequest[] | 'close';

/** From the thread; `Notice` is a message that answers no request. */
export type FromThread<Notice> =
  | { readonly type: 'ready' }
  /** The start failed; `refused` if one of our rules forbids it, not an error. */
  | { readonly type: 'no-start'; readonly refused: boolean; readonly message: string }
  | { readonly type: 'answers'; readonly answers: Answers }
  | { readonly type: 'notice'; readonly notice: Notice };

export function noAnswers(): Answers {
  return { done: [], values: [], errors: [], commits: 0 };
}

export function addAnswer({ done, values }: Answers, id: number, value: unknown): void {
  if (value === undefined) done.push(id);
  else values.push(id, value);
}
