import type { CallStatus } from '../../../api/contract/call-event.ts';
import { type CallRecord, scalarFields } from '../../calls/call-record.ts';

/** The columns of a call, and their types on PostgreSQL. */
export const callTypes = {
  integration_id: 'bigint',
  call_id: 'text',
  status: 'text',
  from_number: 'text',
  number: 'text',
  customer_reference: 'text',
  customer_name: 'text',
  segment: 'text',
  priority: 'bigint',
  caller_id: 'text',
  started_at: 'bigint',
  ringing_at: 'bigint',
  answered_at: 'bigint',
  completed_at: 'bigint',
  missed: 'boolean',
} as const;

export const callColumns = Object.keys(callTypes).join(', ');

/** A call as a row of `callColumns`, in their order. */
export const rowOf = (call: CallRecord) => ({
  integration_id: call.integration,
  call_id: call.id,
  status: call.status,
  from_number: call.from,
  number: call.number,
  customer_reference: call.customer?.reference ?? null,
  customer_name: call.customer?.name ?? null,
  ...scalarFields(call),
});

/** A row of `callColumns`. */
export function callOf(row: Readonly<Record<string, unknown>>): CallRecord {
  return {
    id: row.call_id as string,
    integration: row.integration_id as number,
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
