import { type Caller, type CallRecord, type EventEffect, effectOf, moveCall } from '../calls/call-record.ts';
import type { RecordedRequest } from './request-store.ts';

/** What a request does to the database besides its entry in the history, whichever engine writes it. */
type RequestPlan = {
  /** Its event's call as it is then; undefined: it does not move. The figures of the time in which it began are outdated. */
  readonly call: CallRecord | undefined;
  /** Of its event, for the history; null: it has none. */
  readonly effect: EventEffect | null;
  /** Counts as use of its integration: what the service closes by itself does not, nor a call of the past. */
  readonly isUse: boolean;
};

/** `before`: the event's call as it is, undefined if it is new; `caller`: who has the event's number now. */
export function planRequest(
  { event, integration, at }: RecordedRequest,
  before: CallRecord | undefined,
  caller: (number: string) => Caller,
): RequestPlan {
  if (event === null) return { call: undefined, effect: null, isUse: true };
  const call = moveCall(before, { ...event, integration }, at, () => caller(event.number));
  return {
    call,
    effect: effectOf(before, event.status, call),
    isUse: (event.closes ?? event.past) === undefined,
  };
}

/** ms, to a microsecond. */
export const durationOf = ({ began }: RecordedRequest, now: number): number =>
  Math.max(0, Math.round((now - began) * 1000) / 1000);
