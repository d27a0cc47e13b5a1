import { randomInt } from 'node:crypto';
import { countCalls, type ReportStore, type SpanFigures } from '../calls/aggregate.ts';
import type { CallCursor } from '../calls/call-slices.ts';
import type { Span } from '../kit/calendar.ts';

/**
 * What an engine does for reports: the table is `kept_figures`, and schema.sql, which is released, knows this file as
 * kept-figures.ts. A transaction that moves a call deletes the cached figures of its span.
 */
export type FiguresEngine = {
  /** The cached figures of each span, as JSON. Null: none. */
  cached(account: number, spans: readonly Span[]): Promise<readonly (string | null)[]>;
  /** When the account's first call from `since` on began; null: there is none. */
  firstCall(account: number, since: number): Promise<number | null>;
  /** Marks spans as being counted, by this mark alone, and deletes the cached figures of their beginnings. */
  begin(account: number, spans: readonly Span[], mark: number): Promise<void>;
  /** Counts some of a span's calls, from `after` on. Returns where to continue; null at the end. */
  count(account: number, span: Span, after: CallCursor | null): Promise<CountedSlice>;
  /** Keeps the figures of a span if its mark is still there: then no call has moved since `begin`. */
  store(account: number, span: Span, mark: number, figures: string): Promise<void>;
};

export type CountedSlice = { readonly figures: SpanFigures; readonly next: CallCursor | null };

/** Spans that are read and parsed at once: some milliseconds. */
const BATCH = 8;
const HOUR_MS = 3_600_000;
/** No day of any time zone is longer. Longer spans are not cached: each moved call would have to search for them. */
export const LONGEST_MS = 26 * HOUR_MS;
/** Calls that began longer ago rarely move. */
const SETTLES_MS = HOUR_MS;

/**
 * Figures of spans. A span that is over is counted once, which reads all of its calls. Of a span that is not over, such
 * as today, the figures of its beginning are cached, and the last hours are counted each time. Nothing is counted or cached
 * of a span without calls that is over: a report may begin years before the account, and one call may be years older than the others.
 */
export function createFigureCache(engine: FiguresEngine): ReportStore['figures'] {
  const shared = shareRuns<SpanFigures>();

  async function* figures(account: number, spans: readonly Span[], now: number): AsyncGenerator<SpanFigures> {
    /** No call began in it: the last one that was looked for. */
    let gap: Span = { since: Number.POSITIVE_INFINITY, until: Number.NEGATIVE_INFINITY };
    const isIn = ({ since, until }: Span) => gap.since <= since && until <= gap.until;
    for (let at = 0; at < spans.length; at += BATCH) {
      const batch = spans.slice(at, at + BATCH).map(({ since, until }) => ({ since, until })); // nothing else goes along
      const cached = (await engine.cached(account, batch)).map(readFigures);
      const empty = new Set<Span>();
      for (const [index, span] of batch.entries()) {
        if (cached[index] !== null || span.until > now) continue;
        const { since } = span;
        if (since < gap.since || since > gap.until)
          gap = { since, until: (await engine.firstCall(account, since)) ?? Number.POSITIVE_INFINITY };
        if (isIn(span)) empty.add(span);
      }
      const counted = batch.filter(
        (span, index) => cached[index] === null && canBeCached(span, now) && !empty.has(span),
      );
      const mark = randomInt(2 ** 48 - 1);
      const marked =
        counted.length > 0 &&
        (await engine.begin(account, counted, mark).then(
          () => true,
          () => false,
        ));
      for (const [index, span] of batch.entries()) {
        const known = cached[index];
        if (known) yield known;
        else if (empty.has(span)) yield countCalls(span).figures();
        else if (span.until > now)
          yield await shared(`${account} ${span.since} ${span.until}`, () => inTwoParts(account, span, now));
        else {
          const sum = await count(account, span);
          // What is not cached is counted again the next time.
          if (marked) await engine.store(account, span, mark, JSON.stringify(sum)).catch(() => {});
          yield sum;
        }
      }
    }
  }

  async function inTwoParts(account: number, { since, until }: Span, now: number): Promise<SpanFigures> {
    const all = countCalls({ since, until });
    const settled = Math.floor((now - SETTLES_MS) / HOUR_MS) * HOUR_MS;
    const from = Math.max(since, settled);
    if (from > since)
      for await (const beginning of figures(account, [{ since, until: from }], now)) all.merge(beginning);
    all.merge(await count(account, { since: from, until }), from);
    return all.figures();
  }

  async function count(account: number, span: Span): Promise<SpanFigures> {
    const all = countCalls(span);
    let after: CallCursor | null = null;
    do {
      const slice: CountedSlice = await engine.count(account, span, after);
      all.merge(slice.figures);
      after = slice.next;
    } while (after !== null);
    return all.figures();
  }

  return figures;
}

/** Null for those that a version counted which did not know all figures: they are counted again. */
function readFigures(json: string | null): SpanFigures | null {
  const figures: Partial<SpanFigures> | null = json === null ? null : JSON.parse(json);
  return figures?.shared === undefined ? null : (figures as SpanFigures);
}

const canBeCached = ({ since, until }: Span, now: number) => until <= now && until - since <= LONGEST_MS;

/**
 * When a call has moved, hundreds of screens request the same figures at once. Requests that come during a count share
 * the next one, since the running count may have read before the call moved.
 */
function shareRuns<T>() {
  const running = new Map<string, Promise<T>>();
  const waiting = new Map<string, Promise<T>>();

  function start(key: string, work: () => Promise<T>): Promise<T> {
    const run = work();
    running.set(key, run);
    const over = () => void (running.get(key) === run && running.delete(key));
    run.then(over, over);
    return run;
  }

  return (key: string, work: () => Promise<T>): Promise<T> => {
    const before = running.get(key);
    if (before === undefined) return start(key, work);
    const next = () => {
      waiting.delete(key);
      return start(key, work);
    };
    const known = waiting.get(key) ?? before.then(next, next);
    waiting.set(key, known);
    return known;
  };
}

/** The figures of each day, of those calls alone that began in one of its parts. */
export async function* partFigures<Day extends Span>(
  { figures }: ReportStore,
  account: number,
  days: readonly Day[],
  partsOf: (day: Day) => readonly Span[],
  now: number,
): AsyncGenerator<SpanFigures> {
  const parts = days.map(partsOf);
  const counted = figures(account, parts.flat(), now)[Symbol.asyncIterator]();
  for (const [at, day] of days.entries()) {
    const sum = countCalls(day);
    for (const { since } of parts[at] ?? []) {
      const { value } = await counted.next();
      sum.merge(value as SpanFigures, since);
    }
    yield sum.figures();
  }
}
