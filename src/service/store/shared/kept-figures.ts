import { LRUCache } from 'lru-cache';
import { countCalls, noCalls, type Span, type SpanFigures } from '../../reports/tally.ts';
import type { CallCursor } from '../call-store.ts';
import type { ReportStore } from '../store.ts';

/** What an engine does for reports. */
export type FiguresEngine = {
  /**
   * For each span how often its calls have moved so far, and what was kept of it if that was after as many moves. The
   * moves are the sum of `calls`, `answered` and `completed` of report_hours: every move of a call raises one of them,
   * in the same transaction. Hours that the span only touches count too: then it is counted anew once too often.
   */
  kept(account: number, spans: readonly Span[]): Promise<readonly KeptFigures[]>;
  /** What some of a span's calls come to, from `after` on, and where to go on; null at the end. */
  count(account: number, span: Span, after: CallCursor | null): Promise<CountedSlice>;
  /** Keeps what a span came to, and forgets what was kept of its beginning. */
  keep(account: number, span: Span, moves: number, figures: string): Promise<void>;
};

export type KeptFigures = { readonly moves: number; readonly figures: string | null };
export type CountedSlice = { readonly figures: SpanFigures; readonly next: CallCursor | null };

/** Spans that are asked for, and parsed, at once: some milliseconds. */
const BATCH = 8;
const HOUR_MS = 3_600_000;
/** Of calls that began so long ago, few still move. */
const SETTLES_MS = HOUR_MS;
/** Accounts whose today is kept in memory, some 10 to 100 kB each; and how long, ms. */
const LATEST = 100;
const LATEST_MS = 60_000;

/**
 * Figures of spans, counted once. Counting reads every call of the span; it is right to keep what it gives, because the
 * number of moves is read first: whatever moves while it counts makes what is kept out of date. Of a span that goes on,
 * such as today, its beginning is kept, and the last hours are counted again after each move, once for all who look.
 */
export function keptFigures(engine: FiguresEngine): ReportStore['figures'] {
  const latest = new LRUCache<string, { moves: number; figures: Promise<SpanFigures> }>({
    max: LATEST,
    ttl: LATEST_MS,
  });

  async function* figures(account: number, spans: readonly Span[], now: number): AsyncGenerator<SpanFigures> {
    for (let at = 0; at < spans.length; at += BATCH) {
      const batch = spans.slice(at, at + BATCH).map(({ since, until }) => ({ since, until })); // nothing else goes along
      for (const [index, { moves, figures }] of (await engine.kept(account, batch)).entries()) {
        const span = batch[index] as Span;
        if (figures !== null) yield JSON.parse(figures);
        else if (moves === 0) yield noCalls;
        else if (span.until <= now) yield await countAndKeep(account, span, moves);
        else yield await once(account, span, moves, now);
      }
    }
  }

  async function countAndKeep(account: number, span: Span, moves: number): Promise<SpanFigures> {
    const figures = await count(account, span);
    await engine.keep(account, span, moves, JSON.stringify(figures)).catch(() => {}); // counted again next time
    return figures;
  }

  /** Hundreds of screens ask at once when a call has moved. */
  function once(account: number, span: Span, moves: number, now: number): Promise<SpanFigures> {
    const key = `${account} ${span.since} ${span.until}`;
    const known = latest.get(key);
    if (known?.moves === moves) return known.figures;
    const figures = inTwoParts(account, span, now);
    latest.set(key, { moves, figures });
    figures.catch(() => latest.delete(key));
    return figures;
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
