import type { CallStatus } from '../../../api/contract/call-event.ts';
import { type CallRecord, scalarFields } from '../../calls/call-record.ts';
import type { Row } from './database.ts';

export const callColumns = `c.call_id, c.status, c.from_number, c.number, c.customer_reference, c.customer_name,
  c.segment, c.priority, c.caller_id, c.started_at, c.ringing_at, c.answered_at, c.completed_at, c.missed`;

/** A row of `callColumns`. */
export function callOf(row: Row): CallRecord {
  return {
    id: row.call_id as string,
    status: row.status as CallStatus,
    from: row.from_number as string,
    number: row.number as string,
    customer:
      row.customer_reference === null
        ? null
        : { reference: row.customer_reference as string, name: row.customer_name as string },
    segment: row.segment as string | null,
    priority: row.priority as number | null,
    callerId: row.caller_id as string | null,
    startedAt: row.started_at as number,
    ringingAt: row.ringing_at as number | null,
    answeredAt: row.answered_at as number | null,
    completedAt: row.completed_at as number | null,
    missed: row.missed as boolean | null,
  };
}

/** The columns of a call, as JSON for json_to_recordset. */
export function rowOf(call: CallRecord) {
  return {
    call_id: call.id,
    status: call.status,
    from_number: call.from,
    number: call.number,
    customer_reference: call.customer?.reference ?? null,
    customer_name: call.customer?.name ?? null,
    ...scalarFields(call),
  };
}
