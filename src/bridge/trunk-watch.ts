import type { Input } from './calls/input.ts';
import { readTrunk, type StoredTrunk } from './calls/trunk.ts';

/** Interval between two checks for an operator's corrections, ms. */
const EVERY_MS = 5_000;

/**
 * Finds changes that an operator makes to the table of trunks while the bridge runs, by comparing it with the last
 * read. The bridge's own changes are found too, but change nothing in the tracker.
 */
export function createTrunkWatch(
  saved: readonly StoredTrunk[],
  {
    read,
    apply,
    now,
  }: { read: () => Promise<readonly StoredTrunk[]>; apply: (input: Input) => void; now: () => number },
) {
  let known = saved;
  let timer: NodeJS.Timeout | undefined;

  /** Looks now. */
  async function check(): Promise<void> {
    const before = new Map(known.map((row) => [row.endpoint, row.source]));
    known = await read();
    const there = new Set(known.map(({ endpoint }) => endpoint));
    const added = known
      .filter(({ endpoint, source }) => before.get(endpoint) !== source)
      .flatMap((row) => readTrunk(row) ?? []);
    const forgotten = [...before.keys()].filter((endpoint) => !there.has(endpoint));
    if (added.length + forgotten.length > 0) apply({ type: 'trunks-corrected', at: now(), added, forgotten });
  }

  return {
    check,
    start() {
      // The outbox says itself what is wrong with the disk.
      timer = setInterval(() => void check().catch(() => {}), EVERY_MS);
    },
    stop: () => clearInterval(timer),
  };
}
