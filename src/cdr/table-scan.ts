import { z } from 'zod';
import { beganAt, isUniqueid } from './cdr-record.ts';

/**
 * Reading a table that tells neither when a row came into it nor in which time zone its times are (asteriskcdrdb.cdr):
 * how far it was read. Seconds; `local` ones are what the table shows, taken for UTC.
 */
const position = z.object({
  /** Unix s: the latest end of a call that was read. */
  at: z.number().int(),
  /** The same, at the last thorough sweep: a long call may have been overlooked since. */
  swept: z.number().int(),
  /** By how much the table's times are ahead of UTC, by that call; null before the first. */
  zone: z.number().int().nullable(),
  /** Calls that were read and may be met once more: uniqueid, how many rows it had, Unix s of its end. */
  seen: z.array(z.tuple([z.string(), z.number().int(), z.number().int()])),
  /** A sweep that was not finished: at which local time it goes on, and what was latest in it. */
  under: z
    .object({
      cursor: z.number().int(),
      latest: z.number().int(),
      zone: z.number().int().nullable(),
      thorough: z.boolean(),
    })
    .nullable(),
});
export type SweepPosition = z.infer<typeof position>;

export const positionOf = (value: unknown): SweepPosition | undefined => position.safeParse(value).data;

/** A row as far as it tells when: of which call, and from when (local s) for how long (s). */
export type Stretch = { readonly uniqueid: string; readonly began: number; readonly duration: number };

/** A record may be written so long after its call, s: cdr.conf's `batch` keeps them back for 300 s. */
const lateS = 900;
/** No call takes longer, s, for a thorough look, and for one of those in between. */
const longestS = { thorough: 86_400, quick: 3_600 } as const;
/** Zones differ by 26 hours at most: where Asterisk was set to another one, its new times may be as far behind. */
const zonesS = 93_600;
/** Of a PBX with 50,000 calls an hour, a quarter of an hour. */
const mostSeen = 50_000;

/** From when on rows are looked for, local s: those that began, and those that ended then or later. */
export function boundsOf(position: SweepPosition, thorough: boolean) {
  const { zone, under } = position;
  const isWide = thorough || zone === null;
  const endedSince = sinceOf(position, thorough) + (zone ?? 0) - (isWide ? zonesS : 0);
  const beganSince = under?.cursor ?? endedSince - longestS[thorough ? 'thorough' : 'quick'];
  return { beganSince, endedSince };
}

/** Unix s from which on a call's end may be news. */
function sinceOf({ at, swept }: SweepPosition, thorough: boolean): number {
  return (thorough ? Math.min(at, swept) : at) - lateS;
}

export type Candidate = {
  readonly uniqueid: string;
  /** Unix s at which it ended, and at the latest, should its first row be missing: its zone looks too far ahead then. */
  readonly end: number;
  readonly endAtLatest: number;
  readonly zone: number;
};

/**
 * The calls of these rows that may not have been read: those that ended after what was read, or a little before. A
 * uniqueid tells when its call began in UTC; the first of its rows tells when that was on the PBX's own clock. So a
 * call's end is known whatever the zone, also in the hour that a clock goes through twice.
 */
export function candidatesOf(
  position: SweepPosition,
  thorough: boolean,
  stretches: readonly Stretch[],
): Candidate[] {
  const since = sinceOf(position, thorough);
  const known = stretches.filter(({ uniqueid }) => isUniqueid(uniqueid));
  return [...Map.groupBy(known, ({ uniqueid }) => uniqueid)].flatMap(([uniqueid, rows]) => {
    const zone = Math.min(...rows.map(({ began }) => began)) - beganAt({ uniqueid }) / 1_000;
    const ended = Math.max(...rows.map(({ began, duration }) => began + duration));
    const endAtLatest = ended - Math.min(zone, position.zone ?? zone);
    return endAtLatest >= since ? [{ uniqueid, end: ended - zone, endAtLatest, zone }] : [];
  });
}

/** What a page of rows has given. */
export type Page = {
  /** Local s at which the next page begins; undefined if this was the last. */
  readonly cursor: number | undefined;
  readonly thorough: boolean;
  /** Calls that were read, with all their rows. */
  readonly read: readonly (Candidate & { readonly rows: number })[];
  /** The server's clock, Unix s. */
  readonly now: number;
};

/** Where reading goes on after a page. */
export function after(from: SweepPosition, { cursor, thorough, read, now }: Page): SweepPosition {
  const last = read.reduce<Pick<Candidate, 'end' | 'zone'> | undefined>(
    (latest, one) => (latest === undefined || one.end >= latest.end ? one : latest),
    undefined,
  );
  const before = { latest: from.under?.latest ?? from.at, zone: from.under?.zone ?? from.zone };
  const { latest, zone } =
    last === undefined || last.end < before.latest ? before : { latest: last.end, zone: last.zone };
  const seen = new Map(from.seen.map(([uniqueid, rows, end]) => [uniqueid, [uniqueid, rows, end] as const]));
  for (const { uniqueid, rows, endAtLatest } of read) seen.set(uniqueid, [uniqueid, rows, endAtLatest]);
  const keep = (since: number, later = 0) =>
    [...seen.values()]
      .map(([uniqueid, rows, end]): [string, number, number] => [uniqueid, rows, end + later])
      .filter(([, , end]) => end >= since);
  if (cursor !== undefined) {
    // What ended before the rows to come began is met no more in this sweep, nor in one that goes on from here.
    const gone = cursor - (zone ?? 0) - zonesS;
    return { ...from, seen: keep(gone).slice(-mostSeen), under: { cursor, latest, zone, thorough } };
  }
  // A clock that was ahead and was set must not make all that comes look old.
  const at = Math.min(latest, now);
  const swept = thorough ? at : Math.min(from.swept, now);
  // From now on a call's end is taken to be as late as the new zone would have it: where clocks were set back, calls of
  // the hour before are met once more.
  const later = zone === null || from.zone === null ? 0 : Math.max(from.zone - zone, 0);
  return { at, swept, zone, seen: keep(Math.min(at, swept) - lateS, later).slice(-mostSeen), under: null };
}
