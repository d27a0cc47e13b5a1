import type { CallExtras, CallRecord, PastTimes } from '../../../src/service/calls/call-record.ts';
import type { Store } from '../../../src/service/database/store.ts';
import type { RecordedRequest } from '../../../src/service/history/request-store.ts';
import type { CallStatus } from '../../../src/shared/api/contract/call-status.ts';
import { normaliseNumber } from '../../../src/shared/phone-number/normalise-number.ts';

/** An event of a call, as a test says it. */
export type ReportedEvent = {
  readonly account?: number;
  /** Unix ms. */
  readonly at?: number;
  readonly id?: string;
  readonly status?: CallStatus;
  readonly from?: string;
  readonly callerId?: string | null;
  /** Beside the fields of an event, in what was received. */
  readonly also?: Record<string, unknown>;
  readonly extras?: CallExtras | undefined;
  readonly past?: PastTimes;
  readonly rang?: CallRecord['rang'];
  readonly talked?: CallRecord['talked'];
  /** By which the number is read. */
  readonly country?: string;
};

/** The accepted request of integration 1 that reports it. */
export function recorded({
  account = 1,
  at = 1,
  id = 'call-1',
  status = 'ringing',
  from = '+4930901820',
  callerId = null,
  also,
  extras,
  past,
  rang,
  talked,
  country = 'DE',
}: ReportedEvent): RecordedRequest {
  return {
    account,
    integration: 1,
    at,
    began: 0,
    method: 'POST',
    path: '/api/v1/voice/call',
    request: JSON.stringify({
      id,
      direction: 'inbound',
      status,
      from,
      ...(callerId && { caller_id: callerId }),
      ...also,
    }),
    status: 200,
    response: '{"result":"r"}',
    callId: id,
    fromNumber: from,
    event: {
      id,
      status,
      from,
      number: normaliseNumber(from, country),
      callerId,
      extras,
      rang: rang ?? undefined,
      talked: talked ?? undefined,
      past,
    },
  };
}

/** Gives the call as it moved. */
export const report = async (store: Store, event: ReportedEvent) =>
  (await store.requests.record(recorded(event))).call;
