import { LRUCache } from 'lru-cache';
import { countCalls, noCalls, type Span, type SpanFigures } from '../reports/tally.ts';
import type { CallCursor } from './call-store.ts';
import type { ReportStore } from './store.ts';

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
  keep(account: number, span: Span, moves: number, figures: string): Promise<void>;
};

export type KeptFigures = { readonly moves: number; readonly figures: string | null };
export type CountedSlice = { readonly figures: SpanFigures; readonly next: CallCursor | null };

/** Spans that are asked for, and parsed, at once: some milliseconds. */
const BATCH = 8;
const HOUR_MS = 3_600_000;
/** Hours that are kept in memory, some kB each: of 80 accounts' today. */
const HOURS = 2_000;

/**
 * Figures of spans, counted once. Counting reads every call of the span; it is right to keep what it gives, because the
 * number of moves is read first: whatever moves while it counts makes what is kept out of date. Days that are over are
 * kept in the database. Today, where a call moves all the time, is put together from its hours, kept in memory: only
 * those that move are counted again.
 */
export function keptFigures(engine: FiguresEngine): ReportStore['figures'] {
  const hours = new LRUCache<string, { moves: number; figures: SpanFigures }>({ max: HOURS });

  async function* figures(account: number, spans: readonly Span[], now: number): AsyncGenerator<SpanFigures> {
    for (let at = 0; at < spans.length; at += BATCH) {
      const batch = spans.slice(at, at + BATCH).map(({ since, until }) => ({ since, until })); // nothing else goes along
      for (const [index, { moves, figures }] of (await engine.kept(account, batch)).entries()) {
        const span = batch[index] as Span;
        if (figures !== null) yield JSON.parse(figures);
        else if (moves === 0) yield noCalls;
        else if (span.until <= now) yield await countAndKeep(account, span, moves);
        else yield await byTheHour(account, span);
      }
    }
  }

  async function countAndKeep(account: number, span: Span, moves: number): Promise<SpanFigures> {
    const figures = await count(account, span);
    await engine.keep(account, span, moves, JSON.stringify(figures)).catch(() => {}); // counted again next time
    return figures;
  }

  async function byTheHour(account: number, span: Span): Promise<SpanFigures> {
    const all = countCalls(span);
    const parts = hoursIn(span);
    for (const [index, { moves }] of (await engine.kept(account, parts)).entries()) {
      if (moves === 0) continue;
      const part = parts[index] as Span;
      const key = `${account} ${part.since} ${part.until}`;
      let known = hours.get(key);
      if (known?.moves !== moves) {
        known = { moves, figures: await count(account, part) };
        hours.set(key, known);
      }
      all.merge(known.figures, part.since);
    }
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

/** As UTC has them: in a zone that is half an hour off, the first and the last are halves. */
function hoursIn({ since, until }: Span): Span[] {
  const hours: Span[] = [];
  for (let at = since; at < until; ) {
    const next = Math.min(until, (Math.floor(at / HOUR_MS) + 1) * HOUR_MS);
    hours.push({ since: at, until: next });
    at = next;
  }
  return hours;
}
