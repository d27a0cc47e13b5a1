import { table } from '../tools/lab/table.ts';
import type { MatrixResult } from './run-matrix.ts';
import type { Verdict } from './verdict.ts';

export function isRight({ faults }: Verdict): boolean {
  return faults.length === 0;
}

/** A line for each row: what was reported live, Asterisk's word, and what is wrong in any feed. */
export function rowTable({ release, verdicts }: MatrixResult): string {
  const rows = [...Map.groupBy(verdicts, ({ row }) => row)].map(([row, some]) => {
    const wrong = some.filter((verdict) => !isRight(verdict));
    // The same fault in several feeds is printed once.
    const faults = [...Map.groupBy(wrong, ({ faults }) => faults.join('; '))].map(
      ([text, those]) => `${those.map(({ feed }) => feed)}: ${text}`,
    );
    const [first] = some;
    return [row, release, first?.reported ?? '', first?.cdr ?? '', faults.join('; ') || 'right'];
  });
  return table(['row', 'asterisk', 'reported', "asterisk's word", 'verdict'], rows);
}

/** Right rows of all, for each world and feed, and how often the API agrees with Asterisk's records. */
export function summary(results: ReadonlyMap<string, MatrixResult>): string {
  const all = [...results.values()].flatMap(({ verdicts }) => verdicts);
  const feeds = [...new Set(all.map(({ feed }) => feed))];
  const rows = [...results].map(([world, { verdicts, strays }]) => [
    world,
    ...feeds.map((feed) => {
      const some = verdicts.filter((verdict) => verdict.feed === feed);
      const marked = some.filter((verdict) => verdict.marked).length;
      return `${some.filter(isRight).length}/${some.length}${marked > 0 ? ` (${marked} marked)` : ''}`;
    }),
    `${strays.length}`,
  ]);
  const sum = (count: (verdict: Verdict) => number) => all.reduce((n, verdict) => n + count(verdict), 0);
  return `${table(['rows right', ...feeds, 'stray calls'], rows)}
Asterisk's own word and the API agree on ${sum(({ agreed }) => agreed)} of ${sum(({ calls }) => calls)} calls.`;
}
