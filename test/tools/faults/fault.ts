/** How much of a fault is caused: kills, seconds, events. */
export type Size = { readonly count: number; readonly unit: string };

/** What came of a run. The equation is `queued = delivered + waiting + dead`; see `equation.ts`. */
export type Outcome = Counts & {
  /** How often the fault was really caused, in the size's unit. */
  readonly runs: number;
  readonly seed: number;
  /** A line for each thing that did not hold; empty: everything did. */
  readonly broken: readonly string[];
  /** What else was measured, in a few words. */
  readonly note: string;
};

export type Counts = {
  /** Events that the outbox said are on disk. */
  readonly queued: number;
  readonly delivered: number;
  readonly waiting: number;
  /** Dead letters. */
  readonly dead: number;
  /** Taken, and neither at the API nor in the outbox. */
  readonly lost: number;
  /** Arrived after a later state of the same call: the API discards it. */
  readonly inverted: number;
  /** Arrived again: harmless, and not to be avoided where an answer was lost. */
  readonly duplicated: number;
};

export type RunOptions = {
  /** How often the fault is caused, in the size's unit. */
  readonly size: number;
  /** The same seed makes the same choices; what the machine's own timing adds is another matter. */
  readonly seed: number;
  /** Aborted when there is no more time: what was done until then is counted, and `Outcome.runs` says how much. */
  readonly stop: AbortSignal;
  /** Prints how far it is, for people who wait. */
  readonly say: (line: string) => void;
};

export type Run = (options: RunOptions) => Promise<Outcome>;

/** One row of the table: something that breaks, and what must hold all the same. */
export type Fault = {
  readonly name: string;
  /** Why it cannot be caused on this machine, in one line; undefined: it can. Installs what it needs where it may. */
  readonly needs?: () => Promise<string | undefined>;
  /** True if it spends its time with waiting: a test run has it beside others of that kind. */
  readonly waits?: true;
  /** True if even the short form takes minutes: no test run has it; `.ci/run` starts the soak beside the tests. */
  readonly aside?: true;
  /** The size in every test run, and by hand with `--full`. */
  readonly short: Size;
  readonly full: Size;
  readonly run: Run;
  /** The same without what protects from it: it must break the promise, or the row proves nothing. */
  readonly control?: {
    readonly without: string;
    readonly run: Run;
    /** Its own, if the row's would be too long for what must break soon. */
    readonly size?: Size;
  };
};

export const nothing: Counts = {
  queued: 0,
  delivered: 0,
  waiting: 0,
  dead: 0,
  lost: 0,
  inverted: 0,
  duplicated: 0,
};

export function sumOf(all: Iterable<Counts>): Counts {
  const sum: Record<keyof Counts, number> = { ...nothing };
  for (const counts of all) for (const key of Object.keys(sum) as (keyof Counts)[]) sum[key] += counts[key];
  return sum;
}

/** What came of one life of a rig, in which a fault was caused `runs` times. */
export type Part = { readonly counts: Counts; readonly broken: readonly string[]; readonly runs: number };

/** Causes a fault in one rig after the other, a limited number of times in each, until it is enough or there is no more time. */
export async function inParts<Of extends Part>(
  { size, seed, say, stop }: RunOptions,
  most: number,
  run: (count: number, done: number) => Promise<Of>,
  noteOf: (parts: readonly Of[], total: (of: (part: Of) => number) => number) => string,
): Promise<Outcome> {
  const parts: Of[] = [];
  let done = 0;
  while (done < size && !stop.aborted) {
    const part = await run(Math.min(most, size - done), done);
    parts.push(part);
    done += part.runs;
    say(`${done} of ${size}: ${JSON.stringify(part)}`);
  }
  const total = (of: (part: Of) => number) => parts.reduce((sum, part) => sum + of(part), 0);
  return {
    ...sumOf(parts.map(({ counts }) => counts)),
    runs: done,
    seed,
    broken: parts.flatMap(({ broken }) => broken),
    note: noteOf(parts, total),
  };
}
