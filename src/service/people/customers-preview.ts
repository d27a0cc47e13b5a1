import { createHash } from 'node:crypto';
import { accountLimits } from '../accounts/limits.ts';
import { createPause } from '../kit/event-loop-pauses.ts';
import type { Customer } from './customer-fields.ts';
import { isSameCustomer } from './customer-writer.ts';
import { type ImportPlan, planImport } from './customers-csv.ts';
import { isStorable } from './import/plan-import.ts';
import { type LinesReport, planReport } from './import/plan-report.ts';
import type { Table } from './import/table.ts';

/** What importing a table would change. */
export type ImportPreview = LinesReport & {
  readonly added: number;
  readonly changed: number;
  readonly same: number;
  /** National numbers that cannot be dialled: the account's country is unknown, or has no such number. */
  readonly undialable: { readonly count: number; readonly first: string | undefined };
  /** The first customers, each with its first line. */
  readonly lines: readonly { readonly line: number; readonly customer: Customer }[];
  /** The first 100 lines that change a known customer. */
  readonly changes: readonly { readonly line: number; readonly before: Customer; readonly after: Customer }[];
  /** Another one if known customers would be changed otherwise, all of them, not only the first. */
  readonly version: string;
  /** Segments that do not exist. */
  readonly missingSegments: readonly string[];
  /** Whether the account can have them, too. */
  readonly canCreate: boolean;
  readonly plan: ImportPlan;
};

const LINES = 10;
const CHANGES = 100;

/** Reads a table as an import would and changes nothing. */
export async function previewImport(
  table: Table,
  into: Parameters<typeof planImport>[1],
): Promise<ImportPreview> {
  const plan = await planImport(table, into);
  const pause = createPause();
  const counts = { added: 0, changed: 0, same: 0 };
  const changes: { line: number; before: Customer; after: Customer }[] = [];
  const undialable: string[] = [];
  const version = createHash('sha256');
  const lines: { line: number; customer: Customer }[] = [];
  const missing = new Set<string>();
  for (const planned of plan.customers) {
    await pause();
    if (!isStorable(planned)) {
      if (planned.missingSegment !== undefined) missing.add(planned.missingSegment);
      continue;
    }
    const { imported, before, after } = planned;
    if (lines.length < LINES) lines.push({ line: imported.lines[0] ?? 0, customer: after });
    undialable.push(...after.numbers.filter((number) => /^\d{6,}$/.test(number)));
    const what = before === undefined ? 'added' : isSameCustomer(before, after) ? 'same' : 'changed';
    counts[what] += 1;
    if (before === undefined || what !== 'changed') continue;
    version.update(
      JSON.stringify([before, after].map((one) => ({ ...one, numbers: one.numbers.toSorted() }))),
    );
    if (changes.length < CHANGES) changes.push({ line: imported.lines[0] ?? 0, before, after });
  }
  const { length: segments } = await into.customers.segments(into.account);
  return {
    ...counts,
    ...(await planReport(plan.lines, plan.customers)),
    undialable: { count: undialable.length, first: undialable[0] },
    version: version.digest('base64url'),
    lines,
    changes,
    missingSegments: [...missing],
    plan,
    canCreate: segments + missing.size <= accountLimits.segments,
  };
}
