import type { Span } from '../kit/calendar.ts';
import type { SpanFigures } from './aggregate.ts';

export interface ReportStore {
  /**
   * The figures of the calls that began in each of the spans, in order. The figures of a span are kept, and counted
   * again only after one of its calls has moved. Of a span that is not over at `now` (Unix ms), only the last hours are
   * counted again.
   */
  figures(account: number, spans: readonly Span[], now: number): AsyncIterable<SpanFigures>;
}
