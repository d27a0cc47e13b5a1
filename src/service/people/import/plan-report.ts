import { pieces } from '../../kit/event-loop-pauses.ts';
import { type LeftOut, type LineReports, type Refused, refusals } from '../import-refusals.ts';
import type { PlannedCustomer } from './plan-import.ts';

/** What an import says about the lines of its table. */
export type LinesReport = {
  /** Lines that are not imported. */
  readonly refused: number;
  readonly errors: readonly Refused[];
  /** Cells that are left out of lines that are imported. */
  readonly left: number;
  /** Cells that are imported, and may mean something else. */
  readonly unsure: number;
  /** Columns that are not imported although they seem to have telephone numbers. */
  readonly leftOut: readonly LeftOut[];
  /** Why cells are left out, which numbers stay for that, and which lines add to the customer of an earlier one; what else cells may mean. */
  readonly warnings: readonly Refused[];
};

/** What a table's lines, and the customers in them, come to. */
export async function planReport(lines: LineReports, plan: readonly PlannedCustomer[]): Promise<LinesReport> {
  const [refused, left, kept] = [refusals(lines.refused), refusals(lines.left), refusals()];
  for await (const some of pieces(plan))
    for (const { imported, refusal, ...notes } of some) {
      if (refusal !== undefined) for (const line of imported.lines) refused.add(line, refusal);
      for (const { line, message } of notes.left) left.add(line, message);
      for (const { line, message } of notes.kept) kept.add(line, message);
    }
  return {
    refused: refused.count(),
    errors: refused.reasons(),
    left: left.count(),
    unsure: lines.unsure.count(),
    leftOut: lines.leftOut,
    warnings: [...left.reasons(), ...kept.reasons(), ...lines.unsure.reasons(), ...lines.repeated.reasons()],
  };
}
