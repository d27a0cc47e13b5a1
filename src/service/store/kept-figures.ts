import { countCalls, noCalls, type Span, type SpanFigures } from '../reports/tally.ts';
import type { CallCursor } from './call-store.ts';

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

/**
 * Figures of spans, counted once. Counting reads every call of the span; it is right to keep what it gives, because the
 * number of moves is read first: whatever moves while it counts makes what is kept out of date.
 */
export async function* keptFigures(
  engine: FiguresEngine,
  account: number,
  spans: readonly Span[],
): AsyncGenerator<SpanFigures> {
  for (let at = 0; at < spans.length; at += BATCH) {
    const batch = spans.slice(at, at + BATCH).map(({ since, until }) => ({ since, until })); // nothing else goes along
    for (const [index, { moves, figures }] of (await engine.kept(account, batch)).entries()) {
      if (figures !== null) yield JSON.parse(figures);
      else if (moves === 0) yield noCalls;
      else yield await countAndKeep(engine, account, batch[index] as Span, moves);
    }
  }
}

async function countAndKeep(engine: FiguresEngine, account: number, span: Span, moves: number) {
  const all = countCalls(span);
  let after: CallCursor | null = null;
  do {
    const slice: CountedSlice = await engine.count(account, span, after);
    all.merge(slice.figures);
    after = slice.next;
  } while (after !== null);
  const figures = all.figures();
  await engine.keep(account, span, moves, JSON.stringify(figures)).catch(() => {}); // counted again next time
  return figures;
}
