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
  updated_at: 'bigint',
  missed: 'boolean',
  closed_from: 'text',
  past: 'boolean',
  ...extraTypes,
  rang: 'text',
  talked: 'text',
} as const;

type StoredColumn = keyof typeof callTypes;
export const storedColumns = Object.keys(callTypes) as StoredColumn[];

/** Of customer `k` in segment `s`, as rows of `whoOf`. */
export const whoColumns =
  'k.reference AS customer_reference, k.name AS customer_name, s.name AS segment, s.priority';

/** When a call `c` was last changed; in the words of its index. */
export const updatedSql = 'coalesce(c.updated_at, c.completed_at, c.answered_at, c.started_at)';

/** The names of `callColumns`. */
export const callNames = [...storedColumns, 'customer_reference', 'customer_name', 'segment', 'priority'];

/** The columns of a call `c` with its customer, which is joined by `whoCalls`. */
export const callColumns = `${storedColumns.map((name) => `c.${name}`).join(', ')}, ${whoColumns}`;

/** Segment `s` of a call `c` and its customer `k`. */
export const segmentJoin = 'LEFT JOIN segments s ON s.id = coalesce(k.segment_id, c.segment_id)';

/**
 * After `calls c`: who has its number now, customer `k` in segment `s`. A call has no copy of them, so that a customer who
 * is added, changed or removed is known on all calls at once. A call whose number was dropped has its segment. Conditions on
 * `k` and `s` are on `coalesce(...)`: with others the databases may begin at the customers, and read all calls of each.
 */
export const whoCalls = `LEFT JOIN customer_numbers n ON n.account_id = c.account_id AND n.number = c.number
  LEFT JOIN customers k ON k.id = n.customer_id ${segmentJoin}`;

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
  updated_at: call.updatedAt,
  closed_from: call.closedFrom,
  past: call.past,
  ...extraFields(call.extras),
  ...whoFields(call),
});

/** Who rang and talked as it is stored: rows, as JSON. */
export const whoFields = ({ rang, talked }: Pick<CallRecord, 'rang' | 'talked'>) => ({
  rang: rang && JSON.stringify(rang.map((one) => [one.by, one.from, one.for])),
  talked: talked && JSON.stringify(talked.map(({ by, from, to = null }) => [by, from, to])),
});

/** What `whoFields` has made. */
export function whoOfFields(row: Readonly<Record<string, unknown>>): Pick<CallRecord, 'rang' | 'talked'> {
  const rowsIn = (text: unknown): readonly [string, number, number | null][] | null =>
    typeof text === 'string' ? JSON.parse(text) : null;
  return {
    rang: rowsIn(row.rang)?.map(([by, from, long]) => ({ by, from, for: long ?? 0 })) ?? null,
    talked: rowsIn(row.talked)?.map(([by, from, to]) => ({ by, from, ...(to !== null && { to }) })) ?? null,
  };
}

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
    // As `updatedSql` says.
    updatedAt: (row.updated_at ?? row.completed_at ?? row.answered_at ?? row.started_at) as number,
    missed: row.missed === null ? null : Boolean(row.missed),
    closedFrom: row.closed_from as CallStatus | null,
    past: Boolean(row.past),
    extras: extrasOfRow(row),
    ...whoOfFields(row),
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
