import { Session } from 'node:inspector';

/** How much of the code has been reached, in characters, by V8's own block coverage. */
export type Coverage = {
  /** How much ran since the last call for the first time ever; it counts as reached from now on. */
  fresh(): number;
  /** The same, but it does not count as reached. */
  look(): number;
  seen(): number;
};

/** One for the life of the process: what was compiled while nobody counted is never counted by the block. */
let session: Session | undefined;

/**
 * Measures the modules whose address matches. The ready-made fuzzer of this field, Jazzer.js 4.0, wants a newer libc
 * (2.38) than Debian 12 has; V8 counts by itself what a fuzzer needs to know, and asking it costs a millisecond or so,
 * which is little for a whole batch of inputs.
 */
export function measureCoverage(matches: (url: string) => boolean): Coverage {
  session ??= startSession();
  post(session, 'Profiler.takePreciseCoverage');
  /** Of each function that was seen, what has not run yet, in characters of its source. */
  let unreached = new Map<string, readonly Stretch[]>();
  let reached = 0;
  /** What is unreached after the runs since the last call, and how much of it those were the first to reach. */
  function take(): { left: Map<string, readonly Stretch[]>; gained: number } {
    const { result } = post(session as Session, 'Profiler.takePreciseCoverage') as Taken;
    const left = new Map(unreached);
    let gained = 0;
    for (const { url, functions } of result) {
      if (!matches(url)) continue;
      for (const { ranges } of functions) {
        const whole = ranges[0];
        if (whole === undefined || whole.count === 0) continue;
        const key = `${url}:${whole.startOffset}:${whole.endOffset}`;
        const before = left.get(key) ?? [[whole.startOffset, whole.endOffset] as const];
        const now = overlap(before, notRun(ranges));
        gained += length(before) - length(now);
        left.set(key, now);
      }
    }
    return { left, gained };
  }

  return {
    fresh() {
      const { left, gained } = take();
      unreached = left;
      reached += gained;
      return gained;
    },
    look: () => take().gained,
    seen: () => reached,
  };
}

function startSession(): Session {
  const started = new Session();
  started.connect();
  post(started, 'Profiler.enable');
  // Counts, not marks: a mark would be given only once, and nobody could ask twice.
  post(started, 'Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  return started;
}

type Range = { readonly startOffset: number; readonly endOffset: number; readonly count: number };
/** From, up to, not including, to. */
type Stretch = readonly [from: number, to: number];

/** V8 names a block only where its count differs from that of what is around it; the inner one holds. */
function notRun(ranges: readonly Range[]): Stretch[] {
  const edges = [...new Set(ranges.flatMap(({ startOffset, endOffset }) => [startOffset, endOffset]))].sort(
    (a, b) => a - b,
  );
  const stretches: Stretch[] = [];
  for (const [index, from] of edges.entries()) {
    const to = edges[index + 1];
    const inner = ranges.findLast(({ startOffset, endOffset }) => startOffset <= from && from < endOffset);
    if (to !== undefined && inner?.count === 0) stretches.push([from, to]);
  }
  return stretches;
}

function overlap(some: readonly Stretch[], others: readonly Stretch[]): Stretch[] {
  return some.flatMap(([from, to]) =>
    others.flatMap(([start, end]): Stretch[] => {
      const both: Stretch = [Math.max(from, start), Math.min(to, end)];
      return both[0] < both[1] ? [both] : [];
    }),
  );
}

function length(stretches: readonly Stretch[]): number {
  return stretches.reduce((sum, [from, to]) => sum + to - from, 0);
}

type Taken = {
  result: {
    url: string;
    functions: { ranges: Range[] }[];
  }[];
};

/** Within one thread the inspector answers before `post` returns. */
function post(session: Session, method: string, params: object = {}): unknown {
  let answer: { error: Error | null; result: unknown } | undefined;
  session.post(method, params, (error, result) => {
    answer = { error, result };
  });
  if (answer === undefined) throw new Error(`the inspector did not answer ${method}`);
  if (answer.error) throw new Error(`${method}: ${answer.error.message}`);
  return answer.result;
}
