import type { CallStatus } from '../../../api/contract/call-event.ts';
import type { CallRecord } from '../../calls/call-record.ts';

export const callColumns = `c.call_id, c.status, c.from_number, c.number, c.customer_reference, c.customer_name,
  c.segment, c.priority, c.caller_id, c.started_at, c.ringing_at, c.answered_at, c.completed_at, c.missed`;

/** A row of `callColumns`. */
export function callOf(row: Readonly<Record<string, unknown>>): CallRecord {
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
    missed: row.missed === null ? null : Boolean(row.missed),
  };
}
