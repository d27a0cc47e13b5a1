import type { missedPlaces, Rang, Talked } from '../../shared/api/contract/call-extras.ts';
import { type CallStatus, callStatuses } from '../../shared/api/contract/call-status.ts';

/**
 * A call and its activity record, which are the same: caller, customer, who answered, when, missed or not. Times are the
 * arrival times of the events, Unix milliseconds, unless it is `past`.
 */
export type CallRecord = {
  readonly id: string;
  /** Where its first event came from. */
  readonly integration: number;
  readonly status: CallStatus;
  /** As in the first event. */
  readonly from: string;
  /** Normalised: E.164, or digits. */
  readonly number: string;
  /** Who has the number now, with the segment and its priority now. */
  readonly customer: { readonly reference: string; readonly name: string } | null;
  readonly segment: string | null;
  readonly priority: number | null;
  /** The `caller_id` of the last event that had one. */
  readonly callerId: string | null;
  /** When the first event arrived, of any status. */
  readonly startedAt: number;
  readonly ringingAt: number | null;
  readonly answeredAt: number | null;
  readonly completedAt: number | null;
  /** When the last event that changed it arrived, or the service closed it. */
  readonly updatedAt: number;
  /** Decision `missed-call`; null while the call is open. */
  readonly missed: boolean | null;
  /** The status that the service closed the call from, because its end never came; null if its events say all. */
  readonly closedFrom: CallStatus | null;
  /** From the PBX's records of before there was a bridge: history, of which nobody is told. Its times are those of the records. */
  readonly past: boolean;
  readonly extras: CallExtras;
  /** Whose phones rang (API_EXTRAS); null: not reported. */
  readonly rang: readonly Rang[] | null;
  /** Who talked, from when to when; null: not reported, or not over. */
  readonly talked: readonly Talked[] | null;
};

/** When a call of the past began and ended, Unix ms. */
export type PastTimes = { readonly began: number; readonly ended: number };

/** Stands for a number that was forgotten. */
export const FORGOTTEN = 'forgotten';

/** The part of an event that changes a call. */
type CallStep = {
  readonly id: string;
  readonly integration: number;
  readonly status: CallStatus;
  readonly from: string;
  readonly callerId: string | null;
  /** Absent: the sender sent none. */
  readonly extras?: CallExtras | undefined;
  readonly rang?: readonly Rang[] | undefined;
  readonly talked?: readonly Talked[] | undefined;
  /** Set to close a call whose end never came: the only status that it is closed from. Its time is that of its last event. */
  readonly closes?: CallStatus | undefined;
  /** Set for a call of the past, which is new and over. */
  readonly past?: PastTimes | undefined;
};

/** Who calls: the number, and who has it now. */
export type Caller = Pick<CallRecord, 'number' | 'customer' | 'segment' | 'priority'>;

/** When the last event of a call came. */
const lastEventAt = (call: CallRecord): number => call.answeredAt ?? call.ringingAt ?? call.startedAt;

/**
 * How far a call has come. It only grows: ringing, closed from ringing, answered, closed from answered, completed. An event
 * that comes after the service has closed the call tells more than the guess.
 */
export const progressOf = ({ status, closedFrom }: Pick<CallRecord, 'status' | 'closedFrom'>): number =>
  closedFrom === null ? 2 * callStatuses.indexOf(status) : 2 * callStatuses.indexOf(closedFrom) + 1;

/**
 * The call after an event that came at `arrivedAt`; undefined if it is discarded. API part 3, rules 1, 2 and 4, which are
 * about what was reported: an event takes the end back that the service had guessed.
 */
export function moveCall(
  call: CallRecord | undefined,
  step: CallStep,
  arrivedAt: number,
  callerOf: () => Caller,
): CallRecord | undefined {
  if (step.closes !== undefined && call?.status !== step.closes) return undefined;
  // It is known already: live events say more than records.
  if (step.past !== undefined && call !== undefined) return undefined;
  const closedFrom = step.closes ?? null;
  if (call && progressOf({ status: step.status, closedFrom }) <= progressOf(call)) return undefined;
  const at =
    step.closes === undefined || call === undefined ? (step.past?.ended ?? arrivedAt) : lastEventAt(call);
  const before = call ?? {
    id: step.id,
    integration: step.integration,
    from: step.from,
    ...callerOf(),
    callerId: null,
    startedAt: step.past?.began ?? at,
    ringingAt: null,
    answeredAt: null,
    completedAt: null,
    updatedAt: arrivedAt,
    missed: null,
    closedFrom,
    past: step.past !== undefined,
    extras: noExtras,
    rang: null,
    talked: null,
  };
  const answeredAt = step.status === 'answered' ? at : before.answeredAt;
  const completed = step.status === 'completed';
  const missed = completed ? answeredAt === null && step.callerId === null : null;
  return {
    ...before,
    status: step.status,
    callerId: step.callerId ?? before.callerId,
    ringingAt: step.status === 'ringing' ? at : before.ringingAt,
    answeredAt,
    completedAt: completed ? at : null,
    updatedAt: arrivedAt,
    missed,
    closedFrom,
    extras:
      step.extras === undefined ? before.extras : mergedExtras(before.extras, step.extras, missed === true),
    rang: step.rang ?? before.rang,
    talked: step.talked ?? before.talked,
  };
}

/** The effect of an accepted event on its call: an event that is repeated or out of order has none. */
export type EventEffect = 'moved' | 'repeated' | 'discarded';

/** The effect of an event; `before`, `after`: as for moveCall. */
export function effectOf(
  before: CallRecord | undefined,
  status: CallStatus,
  after: CallRecord | undefined,
): EventEffect {
  if (after !== undefined) return 'moved';
  return before?.[`${status}At`] == null ? 'discarded' : 'repeated';
}

/** The scalar fields of a call, by their names in its table and in JSON. */
export function scalarFields(call: CallRecord) {
  return {
    caller_id: call.callerId,
    started_at: call.startedAt,
    ringing_at: call.ringingAt,
    answered_at: call.answeredAt,
    completed_at: call.completedAt,
    missed: call.missed,
  };
}

/** When a call reached its states. */
type CallTimes = Pick<CallRecord, 'ringingAt' | 'answeredAt' | 'completedAt'>;

/** Who talked with the caller last, as far as it is known; null if nobody is known to. */
export function lastTalker({ callerId, talked }: Pick<CallRecord, 'callerId' | 'talked'>): string | null {
  const end = ({ to = Number.POSITIVE_INFINITY }: Talked) => to;
  const last = (talked ?? []).reduce<Talked | undefined>(
    (one, two) => (one !== undefined && end(one) > end(two) ? one : two),
    undefined,
  );
  const person = last?.by ?? callerId;
  return person === FORGOTTEN ? null : person;
}

/** How long it rang, ms: until answered, else until completed; null if unknown or still ringing. */
export function rangFor(call: CallTimes): number | null {
  const end = call.answeredAt ?? call.completedAt;
  return call.ringingAt === null || end === null ? null : Math.max(0, end - call.ringingAt);
}

/** How long people talked, ms; null if unknown or still talking. */
export function talkedFor(call: CallTimes): number | null {
  return call.answeredAt === null || call.completedAt === null
    ? null
    : Math.max(0, call.completedAt - call.answeredAt);
}

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
function mergedExtras(before: CallExtras, sent: CallExtras, isMissed: boolean): CallExtras {
  const numberCalled = sent.numberCalled ?? before.numberCalled;
  const line = sent.line ?? before.line;
  const missed = isMissed ? sent.missed : null;
  return numberCalled === before.numberCalled && line === before.line && missed === before.missed
    ? before
    : { numberCalled, line, missed };
}
