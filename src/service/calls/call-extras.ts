import {
  callExtrasSchema,
  type missedPlaces,
  type CallExtras as SentExtras,
} from '../../api/contract/call-extras.ts';
import { normaliseNumber } from '../../phone-number/normalise-number.ts';

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

/** As a call keeps them; `country` is the one that its numbers are read in. */
export function extrasOf(
  { number_called, line, at, missed }: SentExtras,
  country: string | null,
): CallExtras {
  return {
    numberCalled:
      number_called === undefined ? null : normaliseNumber(number_called, country) || number_called,
    line: line ?? null,
    missed:
      missed === undefined
        ? null
        : {
            where: missed.where ?? null,
            name: missed.name ?? null,
            by: missed.by ?? null,
            after: missed.after ?? null,
            at: at === undefined ? null : Date.parse(at),
          },
  };
}

/** The extras of a call after an event: `before` itself if the event says nothing new. */
export function mergedExtras(before: CallExtras, sent: CallExtras, isMissed: boolean): CallExtras {
  const numberCalled = sent.numberCalled ?? before.numberCalled;
  const line = sent.line ?? before.line;
  const missed = isMissed ? sent.missed : null;
  return numberCalled === before.numberCalled && line === before.line && missed === before.missed
    ? before
    : { numberCalled, line, missed };
}

/** Why the `extras` of an event's payload were left out; undefined if they were not, or there are none. */
export function extrasProblem(payload: string): string | undefined {
  if (!payload.includes('extras')) return undefined;
  let extras: unknown;
  try {
    extras = JSON.parse(payload)?.extras;
  } catch {
    return undefined;
  }
  const issue = extras == null ? undefined : callExtrasSchema.safeParse(extras).error?.issues[0];
  return issue && `${['extras', ...issue.path].join('.')}: ${issue.message}`;
}
