import { countCalls, type SpanFigures } from '../calls/aggregate.ts';
import type { ReportStore } from '../calls/report-store.ts';
import type { Span } from '../kit/calendar.ts';

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
