import type { CallStatus } from '../../shared/api/contract/call-status.ts';
import {
  type CallExtras,
  type CallRecord,
  extraFields,
  type MissedEnd,
  noExtras,
  scalarFields,
} from './call-record.ts';

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

type ExtraColumn = keyof typeof extraTypes;
export const extraColumns = Object.keys(extraTypes) as ExtraColumn[];

/** The columns of a call's table, and their types on PostgreSQL. */
export const callTypes = {
  integration_id: 'bigint',
  call_id: 'text',
  status: 'text',
  from_number: 'text',
  number: 'text',
  caller_id: 'text',
  started_at: 'bigint',
  ringing_at: 'bigint',
  answered_at: 'bigint',
  completed_at: 'bigint',
  missed: 'boolean',
  closed_from: 'text',
  ...extraTypes,
} as const;

type StoredColumn = keyof typeof callTypes;
export const storedColumns = Object.keys(callTypes) as StoredColumn[];

/** Of customer `k` in segment `s`, as rows of `whoOf`. */
export const whoColumns =
  'k.reference AS customer_reference, k.name AS customer_name, s.name AS segment, s.priority';

/** The names of `callColumns`. */
export const callNames = [...storedColumns, 'customer_reference', 'customer_name', 'segment', 'priority'];

/** The columns of a call `c` with its customer, which is joined by `whoCalls`. */
export const callColumns = `${storedColumns.map((name) => `c.${name}`).join(', ')}, ${whoColumns}`;

/**
 * After `calls c`: who has its number now, customer `k` in segment `s`. A call has no copy of them, so that a customer who
 * is added, changed or removed is known on all calls at once. Conditions on `k` and `s` are on `coalesce(...)`: with
 * others the databases may begin at the customers, and read all calls of each.
 */
export const whoCalls = `LEFT JOIN customer_numbers n ON n.account_id = c.account_id AND n.number = c.number
  LEFT JOIN customers k ON k.id = n.customer_id LEFT JOIN segments s ON s.id = k.segment_id`;

/** A call as a row of its table. */
export const rowOf = (
  call: CallRecord,
): Readonly<Record<StoredColumn, string | number | boolean | null>> => ({
  integration_id: call.integration,
  call_id: call.id,
  status: call.status,
  from_number: call.from,
  number: call.number,
  ...scalarFields(call),
  closed_from: call.closedFrom,
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
    ...whoOf(row),
    callerId: row.caller_id as string | null,
    startedAt: row.started_at as number,
    ringingAt: row.ringing_at as number | null,
    answeredAt: row.answered_at as number | null,
    completedAt: row.completed_at as number | null,
    missed: row.missed === null ? null : Boolean(row.missed),
    closedFrom: row.closed_from as CallStatus | null,
    extras: extrasOfRow(row),
  };
}

/** The customer in a row of `whoColumns`, which are null without one. */
export const whoOf = (
  row: Readonly<Record<string, unknown>>,
): Pick<CallRecord, 'customer' | 'segment' | 'priority'> => ({
  customer:
    row.customer_reference === null
      ? null
      : { reference: row.customer_reference as string, name: row.customer_name as string },
  segment: row.segment as string | null,
  priority: row.priority as number | null,
});

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
