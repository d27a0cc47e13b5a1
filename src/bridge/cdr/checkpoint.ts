import { beganAt } from '../calls/open-call.ts';
import type { RecordSource } from './cdr-source.ts';

/** How far a source was read, stored with the events of the calls before it. */
export type Checkpoint = {
  /** The source's name. */
  readonly source: string;
  /** Unix ms: earlier calls are not reported. */
  readonly since: number;
  readonly position: unknown;
};

/** The stored checkpoint; undefined if there is none, or it is of another source. */
export function readCheckpoint(
  text: string | undefined,
  records: RecordSource<unknown>,
): Checkpoint | undefined {
  if (text === undefined) return undefined;
  const { source, since, position } = JSON.parse(text) as Checkpoint;
  const known = source === records.name ? records.positionOf(position) : undefined;
  return known === undefined ? undefined : { source, since, position: known };
}

/** No call takes longer, ms. */
const longestCallMs = 2 * 86_400_000;
/** `since` moves in steps of this, ms. */
const stepMs = 3_600_000;

/**
 * The next `since` when all records were read: calls that the ledger need not keep any longer are too old to be reported,
 * unless they are pending. `pending`: uniqueids.
 */
export function nextSince(
  since: number,
  { now, keepMs }: { now: number; keepMs: number },
  pending: Iterable<string>,
): number {
  let next = Math.floor((now - Math.max(keepMs, longestCallMs)) / stepMs) * stepMs;
  for (const uniqueid of pending) next = Math.min(next, beganAt({ uniqueid }));
  return Math.max(since, next);
}

/**
 * `since`, unless it is later than now, which only a clock that was ahead can leave behind: no call would be reported
 * until that time. Then the time before which the longest call ended, as the ledger may have forgotten the calls before.
 */
export function possibleSince(since: number, now: number): number {
  return since > now + stepMs ? nextSince(0, { now, keepMs: 0 }, []) : since;
}
