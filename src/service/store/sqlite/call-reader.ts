import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite';
import type { CallRecord } from '../../calls/call-record.ts';
import type { CallFilter } from '../call-store.ts';
import type { CallHits, CallSlice } from '../shared/cursor-paging.ts';
import { callColumns, callOf } from './call-rows.ts';

/** Calls that a slice looks at: some milliseconds. */
const LOOK = 10_000;

/** Reads calls in slices, each short enough that a lookup behind it does not wait. */
export function callReader(db: DatabaseSync) {
  const prepared = new Map<string, ReturnType<typeof db.prepare>>();
  const all = (sql: string, ...values: SQLInputValue[]) => {
    const statement = prepared.get(sql) ?? db.prepare(sql);
    prepared.set(sql, statement);
    statement.setReturnArrays(true);
    return statement.all(...values) as unknown as SQLOutputValue[][];
  };
  db.function('lower_case', { deterministic: true }, (text) => String(text).toLowerCase());

  return {
    call(account: number, id: string): CallRecord | undefined {
      const [row] = all(`SELECT ${callColumns} FROM calls WHERE account_id = ? AND call_id = ?`, account, id);
      return row && callOf(row);
    },

    openCalls: (account: number, max: number): CallRecord[] =>
      all(
        `SELECT ${callColumns} FROM calls WHERE account_id = ? AND status <> 'completed'
         ORDER BY started_at DESC, id DESC LIMIT ?`,
        account,
        max,
      )
        .map(callOf)
        .toReversed(),

    missedCalls: (account: number, since: number, max: number): CallRecord[] =>
      all(
        `SELECT ${callColumns} FROM calls WHERE account_id = ? AND missed = 1 AND completed_at >= ?
         ORDER BY completed_at DESC, id DESC LIMIT ?`,
        account,
        since,
        max,
      )
        .map(callOf)
        .toReversed(),

    callSlice({ account, filter, towards, from, limit }: CallSlice): CallHits {
      const { index, by, rest } = conditions(filter);
      const older = towards === 'older';
      const walk = [{ sql: 'account_id = ?', values: [account] }, ...by];
      if (from !== null)
        walk.push({ sql: `(started_at, id) ${older ? '<' : '>'} (?, ?)`, values: [from.at, from.id] });
      const order = older ? 'ORDER BY started_at DESC, id DESC' : 'ORDER BY started_at, id';
      const source = `FROM calls INDEXED BY ${index} WHERE`;

      // The last of the calls that are looked at, counted through the index alone.
      const looked = rest.length === 0 ? limit + 1 : LOOK;
      const edgeOf = `SELECT started_at, id ${source} ${sqlOf(walk)} ${order} LIMIT 1 OFFSET ?`;
      const [edge] = all(edgeOf, ...valuesOf(walk), looked - 1);
      if (edge)
        walk.push({ sql: `(started_at, id) ${older ? '>=' : '<='} (?, ?)`, values: edge as number[] });
      const where = [...walk, ...rest];
      const hitsOf = `SELECT ${callColumns}, id ${source} ${sqlOf(where)} ${order} LIMIT ?`;
      const rows = all(hitsOf, ...valuesOf(where), limit + 1); // one more: is there a next page?
      const place = (row: SQLOutputValue[] | undefined) =>
        row ? { at: row[STARTED_AT] as number, id: row.at(-1) as number } : null;
      const reached = edge ? { at: edge[0] as number, id: edge[1] as number } : null;
      return {
        calls: rows.slice(0, limit).map(callOf),
        first: place(rows[0]),
        next: rows.length > limit ? place(rows[limit - 1]) : reached,
      };
    },
  };
}

const STARTED_AT = callColumns.split(/,\s*/).indexOf('started_at');

type Condition = { readonly sql: string; readonly values: readonly SQLInputValue[] };

const sqlOf = (conditions: readonly Condition[]) => conditions.map(({ sql }) => sql).join(' AND ');
const valuesOf = (conditions: readonly Condition[]) => conditions.flatMap(({ values }) => values);

/** The index to walk along, what it is walked by, and what is looked at in each row. */
function conditions({ number, customer, extension, outcome, since, until }: CallFilter) {
  const found: { index: string; condition: Condition }[] = [];
  const rest: Condition[] = [];
  const by = (index: string, sql: string, ...values: SQLInputValue[]) =>
    found.push({ index, condition: { sql, values } });

  if (number && 'is' in number) by('calls_by_number', 'number = ?', number.is);
  if (customer && 'is' in customer) by('calls_by_customer', 'customer_reference = ?', customer.is);
  if (extension !== null) by('calls_by_extension', 'caller_id = ?', extension);
  if (outcome === 'open') by('calls_open', "status <> 'completed'");
  if (number && 'has' in number) rest.push({ sql: 'instr(number, ?) > 0', values: [number.has] });
  if (customer && 'has' in customer) {
    rest.push({ sql: 'instr(lower_case(customer_name), ?) > 0', values: [customer.has.toLowerCase()] });
  }
  if (outcome === 'answered') rest.push({ sql: '(answered_at IS NOT NULL OR missed = 0)', values: [] });
  if (outcome === 'missed') rest.push({ sql: 'missed = 1', values: [] });

  const [first, ...others] = found;
  const walk: Condition[] = first ? [first.condition] : [];
  if (since !== null) walk.push({ sql: 'started_at >= ?', values: [since] });
  if (until !== null) walk.push({ sql: 'started_at < ?', values: [until] });
  return {
    index: first?.index ?? 'calls_by_time',
    by: walk,
    rest: [...others.map(({ condition }) => condition), ...rest],
  };
}
