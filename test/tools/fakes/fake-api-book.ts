import { type CallStatus, callStatuses, isForward } from '../../../src/shared/api/contract/call-status.ts';

/** What the API knows of one call. */
export type HeldCall = {
  readonly id: string;
  /** Every status that arrived for it, in order of arrival, discarded ones too. */
  readonly received: CallStatus[];
  /** The status it is in: it only moves forward. */
  state: CallStatus;
  readonly from: string;
  /** caller_id of the last event that moved it and bore one. */
  callerId: string | undefined;
  /** Unix ms at which each status was applied, by the API's clock. */
  readonly at: Partial<Record<CallStatus, number>>;
};

export type Payload = Readonly<Record<string, unknown>>;

/** How many events did what. `inverted` is data lost: a status that came for the first time, but too late. */
export type BookCounts = { moved: number; repeated: number; inverted: number };

export type Book = {
  readonly calls: ReadonlyMap<string, HeldCall>;
  readonly counts: BookCounts;
  /** Names what is missing or wrong in an event, as a Laravel application does; empty if it is well-formed. */
  check(payload: Payload): Record<string, string[]>;
  /** Applies a well-formed event by the API's rule (part 3): forward only, anything else is silently discarded. */
  apply(payload: Payload, at: number): void;
};

export function createBook(): Book {
  const calls = new Map<string, HeldCall>();
  const counts: BookCounts = { moved: 0, repeated: 0, inverted: 0 };

  return {
    calls,
    counts,
    check(payload) {
      const errors: Record<string, string[]> = {};
      for (const field of [
        'id',
        'direction',
        'status',
        ...(payload.direction === 'inbound' ? ['from'] : []),
      ]) {
        if (typeof payload[field] !== 'string' || payload[field] === '') {
          errors[field] = [`The ${field} field is required.`];
        }
      }
      if (!errors.status && !callStatuses.includes(payload.status as CallStatus)) {
        errors.status = ['The selected status is invalid.'];
      }
      if (!errors.direction && payload.direction !== 'inbound') {
        errors.direction = ['The selected direction is invalid.'];
      }
      return errors;
    },
    apply(payload, at) {
      const id = payload.id as string;
      const status = payload.status as CallStatus;
      const callerId = payload.caller_id === undefined ? undefined : String(payload.caller_id);
      const call = calls.get(id);
      if (!call) {
        const from = payload.from as string;
        calls.set(id, { id, received: [status], state: status, from, callerId, at: { [status]: at } });
        counts.moved++;
        return;
      }
      const seenBefore = call.received.includes(status);
      call.received.push(status);
      if (isForward(call.state, status)) {
        call.state = status;
        call.callerId = callerId ?? call.callerId;
        call.at[status] = at;
        counts.moved++;
      } else if (seenBefore) counts.repeated++;
      else counts.inverted++;
    },
  };
}
