import type { CallStatus } from '../../../api/contract/call-status.ts';
import { type CallExtras, extraFields, type MissedEnd, noExtras } from '../../calls/call-extras.ts';
import { type CallRecord, scalarFields } from '../../calls/call-record.ts';

/** Those of its extras. */
const extraTypes = {
  number_called: 'text',
  line: 'text',
  missed_where: 'text',
  missed_name: 'text',
  missed_by: 'text',
  missed_after: 'bigint',
  ended_at: 'bigint',
} as const;

export const extraColumns = Object.keys(extraTypes);

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
  ...extraTypes,
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
  ...extraFields(call.extras),
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
    extras: extrasOfRow(row),
  };
}

function extrasOfRow(row: Readonly<Record<string, unknown>>): CallExtras {
  if (extraColumns.every((name) => row[name] === null)) return noExtras;
  const missed = {
    where: row.missed_where as MissedEnd['where'],
    name: row.missed_name as string | null,
    by: row.missed_by as MissedEnd['by'],
    after: row.missed_after as number | null,
    at: row.ended_at as number | null,
  };
  return {
    numberCalled: row.number_called as string | null,
    line: row.line as string | null,
    missed: Object.values(missed).some((value) => value !== null) ? missed : null,
  };
}
