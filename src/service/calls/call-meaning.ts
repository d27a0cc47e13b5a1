import { type CallRecord, type MissedPlace, rangFor } from './call-record.ts';

// What the facts of a call mean, each as a predicate and as SQL of a row of `calls` with the alias `c`: reports, lists,
// call backs and exports must not disagree.

type Ended = Pick<CallRecord, 'answeredAt' | 'missed'>;

/** Somebody has talked, or talks, to the caller; also if only the end was reported, and says so. */
export const isAnswered = ({ answeredAt, missed }: Ended): boolean => answeredAt !== null || missed === false;
export const answeredSql = (c: string) => `(${c}.answered_at IS NOT NULL OR NOT ${c}.missed)`;

/** Over without an answer. A call that is neither answered nor missed still rings. */
export const isMissed = ({ missed }: Pick<CallRecord, 'missed'>): boolean => missed === true;
export const missedSql = (c: string) => `${c}.missed`;

/** Where a caller was not to reach a person. */
const nobodysPlaces: readonly MissedPlace[] = ['fax', 'blocked'];
/** Of a missed call: whether its caller wanted a person, who may call back; not a received fax or a blocked caller. */
export const wantedPersonSql = (c: string) =>
  `coalesce(${c}.missed_where, '') NOT IN (${nobodysPlaces.map((place) => `'${place}'`).join(', ')})`;

/** Of a missed call: whether its caller waits to be called back; one of the past has been, or gave up long ago. */
export const wantsCallBack = ({ extras: { missed }, past }: Pick<CallRecord, 'extras' | 'past'>): boolean =>
  !past && !(missed?.where && nobodysPlaces.includes(missed.where));
export const wantsCallBackSql = (c: string) => `${wantedPersonSql(c)} AND NOT ${c}.past`;

/** How a call was missed, as in MissedEnd; null if that was not reported. */
export type MissedFacts = {
  readonly missedWhere?: MissedPlace | null;
  readonly missedAfter?: number | null;
};

/** How long a missed caller waited, ms, by the bridge's clock where it was reported; null if unknown. */
export const waitedFor = (
  call: Pick<CallRecord, 'ringingAt' | 'answeredAt' | 'completedAt'> & MissedFacts,
): number | null => (call.missedAfter == null ? rangFor(call) : call.missedAfter * 1000);

/** Missed calls of at most this many seconds are mostly wrong numbers and no fault of the office. */
export const SHORT_SECONDS = 5;
/** Of a missed call: whether it is one of those. */
export const shortSql = (c: string) =>
  `coalesce(${c}.missed_after * 1000, ${c}.completed_at - ${c}.ringing_at) < ${(SHORT_SECONDS + 1) * 1000}`;

/** Where a missed call ended; '' if the bridge reports ends, and does not know it; null if it does not. */
export const placeOf = ({ missedWhere, missedAfter }: MissedFacts): string | null =>
  (missedWhere ?? missedAfter) == null ? null : (missedWhere ?? '');
export const placeSql = (c: string) =>
  `CASE WHEN ${c}.missed_where IS NOT NULL OR ${c}.missed_after IS NOT NULL THEN coalesce(${c}.missed_where, '') END`;
