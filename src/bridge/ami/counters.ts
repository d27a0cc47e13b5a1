/** Counters over all connections of a link. */
export type AmiCounters = {
  bytesIn: number;
  bytesOut: number;
  /** Connections that got as far as a snapshot. */
  connects: number;
  /** Call events that became inputs. */
  events: number;
  /** Frames that were too long to keep. */
  tooLong: number;
  /** Call events without a Uniqueid or what else they need. */
  bad: number;
  /** Inputs whose consumer threw. */
  failed: number;
  /** Actions that were not answered in time, and that the bridge can do without. */
  readonly unanswered: Set<string>;
  /** Frames that were not needed, by the event's name; '' are frames that are neither event nor response. */
  readonly ignored: Map<string, number>;
};

/** A dialplan can make up event names, so not all are counted by name; the rest share one. */
const maxNames = 200;
export const otherNames = '(others)';

export function createCounters(): AmiCounters {
  return {
    bytesIn: 0,
    bytesOut: 0,
    connects: 0,
    ignored: new Map(),
    unanswered: new Set(),
    events: 0,
    tooLong: 0,
    bad: 0,
    failed: 0,
  };
}

/** @param name may be a slice of a bigger string: a copy is kept. */
export function countIgnored({ ignored }: AmiCounters, name: string): void {
  const count = ignored.get(name);
  if (count !== undefined) ignored.set(name, count + 1);
  else if (ignored.size < maxNames) ignored.set(Buffer.from(name).toString(), 1);
  else ignored.set(otherNames, (ignored.get(otherNames) ?? 0) + 1);
}
