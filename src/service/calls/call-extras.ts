import type { missedPlaces } from '../../shared/api/contract/call-extras.ts';

export type MissedPlace = (typeof missedPlaces)[number];

/** How a missed call ended. Every member is null where the bridge does not know it. */
export type MissedEnd = {
  readonly where: MissedPlace | null;
  /** Which queue, ring group, mailbox, menu or extension. */
  readonly name: string | null;
  readonly by: 'caller' | 'pbx' | null;
  /** Whole seconds from the beginning of the call. */
  readonly after: number | null;
  /** When it ended by the clock of the bridge's machine, Unix ms. */
  readonly at: number | null;
};

/** What only a bridge with API_EXTRAS reports of a call. */
export type CallExtras = {
  /** In the form in which numbers are compared, or as it was sent if it has no digits. */
  readonly numberCalled: string | null;
  /** The trunk. */
  readonly line: string | null;
  /** Of missed calls only. */
  readonly missed: MissedEnd | null;
};

export const noExtras: CallExtras = { numberCalled: null, line: null, missed: null };

/** Flat, by their names in tables and in JSON. */
export const extraFields = ({ numberCalled, line, missed }: CallExtras) => ({
  number_called: numberCalled,
  line,
  missed_where: missed?.where ?? null,
  missed_name: missed?.name ?? null,
  missed_by: missed?.by ?? null,
  missed_after: missed?.after ?? null,
  ended_at: missed?.at ?? null,
});

/** The extras of a call after an event: `before` itself if the event says nothing new. */
export function mergedExtras(before: CallExtras, sent: CallExtras, isMissed: boolean): CallExtras {
  const numberCalled = sent.numberCalled ?? before.numberCalled;
  const line = sent.line ?? before.line;
  const missed = isMissed ? sent.missed : null;
  return numberCalled === before.numberCalled && line === before.line && missed === before.missed
    ? before
    : { numberCalled, line, missed };
}
