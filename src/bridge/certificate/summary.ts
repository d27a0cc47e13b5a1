import {
  type BridgeCertificate,
  mostDifferences,
  mostNamedCalls,
} from '../../shared/api/contract/bridge-certificate.ts';
import type { CallTable } from './call-table.ts';
import { type Books, type Difference, differences, type Weight } from './difference.ts';

/** Most calls that are listed for one reason; all are counted. */
const MOST_LISTED = 10_000;

/** Calls about which the books differ for the same reason. */
export type Group = {
  readonly difference: Difference;
  readonly weight: Weight;
  readonly what: string;
  count: number;
  /** Ids of the first ones. */
  readonly calls: string[];
};

/** Groups the differences by reason: those that matter most first. */
export function groupsOf(table: Pick<CallTable, 'differences'>, books: Books): Group[] {
  const groups = new Map<string, Group>();
  for (const { id, difference, why } of table.differences(books)) {
    // A reason in other words than ours may differ from call to call.
    const isNew = why !== undefined && !groups.has(`${difference} ${why}`);
    const key = isNew && groups.size >= mostDifferences / 2 ? difference : `${difference} ${why ?? ''}`;
    const [weight, text] = differences[difference];
    const what = why === undefined || key === difference ? text : `${text}: ${why}`;
    const group = groups.get(key) ?? { difference, weight, what, count: 0, calls: [] };
    groups.set(key, group);
    group.count += 1;
    if (group.calls.length < MOST_LISTED) group.calls.push(id);
  }
  const order = Object.keys(differences);
  return [...groups.values()].sort(
    (a, b) => order.indexOf(a.difference) - order.indexOf(b.difference) || b.count - a.count,
  );
}

/** `isWhole`: all of the month's records could be read. */
export function verdictOf(groups: readonly Group[], isWhole: boolean): BridgeCertificate['verdict'] {
  if (groups.some(({ weight }) => weight === 'missing')) return 'missing';
  return isWhole && !groups.some(({ weight }) => weight === 'unproven') ? 'complete' : 'unproven';
}

/** The differences of a summary. */
export const summaryOf = (groups: readonly Group[]): BridgeCertificate['differences'] =>
  groups.slice(0, mostDifferences).map(({ weight, what, count, calls }) => ({
    weight,
    what: what.slice(0, 1_000),
    count,
    calls: calls.slice(0, mostNamedCalls),
  }));
