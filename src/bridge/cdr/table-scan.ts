import { z } from 'zod';
import { beganAt, isUniqueid } from '../calls/open-call.ts';

/**
 * How far a table was read whose rows show neither when they were written nor their time zone (asteriskcdrdb.cdr).
 * Seconds. `local` times are the table's own, read as if they were UTC.
 */
const position = z.object({
  /** Unix s: the latest end of a call that was read. */
  at: z.number().int(),
  /** The same, at the last thorough scan: a long call may have been missed since. */
  thoroughAt: z.number().int(),
  /** By how much the table's times are ahead of UTC, by that call; null before the first. */
  zone: z.number().int().nullable(),
  /** Calls that were read and may be found again: uniqueid, number of rows, Unix s of its end. */
  seen: z.array(z.tuple([z.string(), z.number().int(), z.number().int()])),
  /** A scan that is not finished: the local time at which it continues, and the latest call in it. */
  unfinished: z
    .object({
      cursor: z.number().int(),
      latest: z.number().int(),
      zone: z.number().int().nullable(),
      thorough: z.boolean(),
    })
    .nullable(),
});
export type ScanPosition = z.infer<typeof position>;

export const positionOf = (value: unknown): ScanPosition | undefined => position.safeParse(value).data;

/** The times of a row: when it began (local s), and its duration (s). */
export type RowTimes = { readonly uniqueid: string; readonly began: number; readonly duration: number };

/** How long after its call a record may be written, s: cdr.conf's `batch` delays it by up to 300 s. */
const lateS = 900;
/** The longest call that a scan finds, s. */
const longestS = { thorough: 86_400, quick: 3_600 } as const;
/** Zones differ by at most 26 hours: after a change of Asterisk's zone, its new times may be that far behind. */
const zonesS = 93_600;
/** How far clocks are set back in autumn, s: a call that was read then looks as much younger. */
const setBackS = 3_600;
/** An hour of a PBX with 50,000 calls an hour. */
const maxSeen = 50_000;

/** Where to start if the position tells nothing: this long ago, s, which covers every time zone that a table may be written in. */
const dayS = 86_400;

/**
 * The position, unless it is later than the server's clock (Unix s), which only a clock that was ahead can leave behind.
 * Then a day ago: when the clock was corrected is not known, and calls that were reported are in the ledger.
 */
export function possiblePosition(position: ScanPosition, now: number): ScanPosition {
  const { at, thoroughAt } = position;
  if (Math.max(at, thoroughAt) > now + lateS)
    return { ...position, at: now - dayS, thoroughAt: now - dayS, unfinished: null };
  return { ...position, at: Math.min(at, now) };
}

/** The scan that goes on from here, or a new one: a thorough scan does not continue a quick one. */
export function scanFrom(position: ScanPosition, wantsThorough: boolean) {
  const { unfinished } = position;
  if (wantsThorough && unfinished?.thorough === false)
    return { here: { ...position, unfinished: null }, thorough: true };
  return { here: position, thorough: unfinished?.thorough ?? wantsThorough };
}

/** Which rows to read, local s: those that began since, and ended since. */
export function boundsOf(position: ScanPosition, thorough: boolean) {
  const { zone, unfinished } = position;
  const isWide = thorough || zone === null;
  const endedSince = sinceOf(position, thorough) + (zone ?? 0) - (isWide ? zonesS : 0);
  const beganSince = unfinished?.cursor ?? endedSince - longestS[thorough ? 'thorough' : 'quick'];
  return { beganSince, endedSince };
}

/** Unix s; a call that ended before was read. */
function sinceOf({ at, thoroughAt }: ScanPosition, thorough: boolean): number {
  return (thorough ? Math.min(at, thoroughAt) : at) - lateS;
}

export type Candidate = {
  readonly uniqueid: string;
  /** Unix s of its end. */
  readonly end: number;
  /** The same if its first row is missing, which makes its zone look too far ahead. */
  readonly endAtLatest: number;
  readonly zone: number;
};

/**
 * The calls of these rows that may not have been read: those that ended after the position, or shortly before. A
 * uniqueid contains when its call began in UTC; the call's first row contains that time on the PBX's own clock. So the
 * end is known in any zone, also in the hour that a clock passes twice.
 */
export function candidatesOf(
  position: ScanPosition,
  thorough: boolean,
  rowTimes: readonly RowTimes[],
): Candidate[] {
  const since = sinceOf(position, thorough);
  const known = rowTimes.filter(({ uniqueid }) => isUniqueid(uniqueid));
  return [...Map.groupBy(known, ({ uniqueid }) => uniqueid)].flatMap(([uniqueid, rows]) => {
    const zone = Math.min(...rows.map(({ began }) => began)) - beganAt({ uniqueid }) / 1_000;
    const ended = Math.max(...rows.map(({ began, duration }) => began + duration));
    const endAtLatest = ended - Math.min(zone, position.zone ?? zone);
    return endAtLatest >= since ? [{ uniqueid, end: ended - zone, endAtLatest, zone }] : [];
  });
}

/** The result of reading a page of rows. */
export type Page = {
  /** Local s at which the next page begins; undefined if this was the last. */
  readonly cursor: number | undefined;
  readonly thorough: boolean;
  /** Calls that were read, with all their rows. */
  readonly read: readonly (Candidate & { readonly rows: number })[];
  /** The server's clock, Unix s. */
  readonly now: number;
};

/** The position after a page. */
export function positionAfter(from: ScanPosition, { cursor, thorough, read, now }: Page): ScanPosition {
  const last = read.reduce<Pick<Candidate, 'end' | 'zone'> | undefined>(
    (latest, one) => (latest === undefined || one.end >= latest.end ? one : latest),
    undefined,
  );
  const before = { latest: from.unfinished?.latest ?? from.at, zone: from.unfinished?.zone ?? from.zone };
  const { latest, zone } =
    last === undefined || last.end < before.latest ? before : { latest: last.end, zone: last.zone };
  const seen = new Map(from.seen.map(([uniqueid, rows, end]) => [uniqueid, [uniqueid, rows, end] as const]));
  for (const { uniqueid, rows, endAtLatest } of read) seen.set(uniqueid, [uniqueid, rows, endAtLatest]);
  const seenSince = (since: number, later = 0) =>
    [...seen.values()]
      .map(([uniqueid, rows, end]): [string, number, number] => [uniqueid, rows, end + later])
      .filter(([, , end]) => end >= since)
      .slice(-maxSeen);
  if (cursor !== undefined) {
    // Calls that ended before the remaining rows began are not found again in this scan, nor in one that continues here.
    const seen = seenSince(cursor - (zone ?? 0) - zonesS);
    return { ...from, seen, unfinished: { cursor, latest, zone, thorough } };
  }
  // After a clock that was ahead is corrected, new calls must not look old.
  const at = Math.min(latest, now);
  const thoroughAt = thorough ? at : Math.min(from.thoroughAt, now);
  // From now on the new zone applies to these calls: where clocks were set back, those of the last hour are found again.
  const later = zone === null || from.zone === null ? 0 : Math.max(from.zone - zone, 0);
  const kept = seenSince(Math.min(at, thoroughAt) - lateS - setBackS, later);
  return { at, thoroughAt, zone, seen: kept, unfinished: null };
}

/** The position before all calls that began since then, Unix s. */
export const positionSince = (at: number): ScanPosition => ({
  at,
  thoroughAt: at,
  zone: null,
  seen: [],
  unfinished: null,
});

/** The position after all rows of a table, of which these are the newest; `now`: the server's clock, Unix s. */
export function positionAtEnd(newest: readonly RowTimes[], now: number): ScanPosition {
  // Earlier calls are not reported, so this may be too early, but not too late.
  const start = positionSince(0);
  const read = candidatesOf(start, true, newest).map((call) => ({ ...call, rows: 0 }));
  return read.length === 0
    ? { ...start, at: now - dayS, thoroughAt: now - dayS }
    : { ...positionAfter(start, { cursor: undefined, thorough: true, read, now }), seen: [] };
}
