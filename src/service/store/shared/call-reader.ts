import type { CallRecord } from '../../calls/call-record.ts';
import type { CallCursor, CallFilter } from '../call-store.ts';
import { callColumns, callOf } from './call-rows.ts';
import type { CallHits, CallSlice } from './cursor-paging.ts';
import type { Statements, Value } from './statements.ts';

type Row = Readonly<Record<string, unknown>>;

/** Reads calls, and pages of them in slices that each read `most` calls at most: some milliseconds. */
export function callReader(statements: Statements, most: number) {
  const read = async (index: string, where: string, ...values: Value[]): Promise<CallRecord[]> => {
    const sql = `SELECT ${callColumns} FROM calls c ${statements.along(index)} WHERE ${where}`;
    return (await statements.read<Row>(sql, ...values)).map(callOf);
  };

  /** A statement with question marks, which conditions are put together from, in place of numbered values. */
  function ask<R = Row>(sql: string, ...values: Value[]): Promise<R[]> {
    let n = 0;
    return statements.read<R>(
      sql.replace(/\?/g, () => `$${++n}`),
      ...values,
    );
  }

  return {
    async get(account: number, id: string): Promise<CallRecord | undefined> {
      const sql = `SELECT ${callColumns} FROM calls c WHERE account_id = $1 AND call_id = $2`;
      return (await statements.lookup<Row>(sql, account, id)).map(callOf)[0];
    },

    async open(account: number, max: number): Promise<CallRecord[]> {
      const where = `account_id = $1 AND status <> 'completed' ORDER BY started_at DESC, id DESC LIMIT $2`;
      return (await read('calls_open', where, account, max)).toReversed();
    },

    async slice({ account, filter, towards, from, limit }: CallSlice): Promise<CallHits> {
      const { index, walk, rest } = conditions(filter, statements);
      const older = towards === 'older';
      const order = older ? 'ORDER BY started_at DESC, id DESC' : 'ORDER BY started_at, id';
      const source = `FROM calls c ${statements.along(index)} WHERE`;
      const begin: Condition[] = [{ sql: 'account_id = ?', values: [account] }, ...walk];
      if (from !== null)
        begin.push({ sql: `(started_at, id) ${older ? '<' : '>'} (?, ?)`, values: [from.at, from.id] });

      // The last call that this slice reads, counted through the index alone.
      const size = rest.length === 0 ? limit + 1 : most;
      const [reached = null] = await ask<CallCursor>(
        `SELECT started_at AS at, id ${source} ${sqlOf(begin)} ${order} LIMIT 1 OFFSET ?`,
        ...valuesOf(begin),
        size - 1,
      );
      if (reached !== null)
        begin.push({
          sql: `(started_at, id) ${older ? '>=' : '<='} (?, ?)`,
          values: [reached.at, reached.id],
        });
      const all = [...begin, ...rest];
      const rows = await ask(
        `SELECT ${callColumns}, c.id AS place ${source} ${sqlOf(all)} ${order} LIMIT ?`,
        ...valuesOf(all),
        limit + 1, // one more: is there a next page?
      );
      return {
        calls: rows.slice(0, limit).map(callOf),
        first: placeOf(rows[0]),
        next: rows.length > limit ? placeOf(rows[limit - 1]) : reached,
      };
    },
  };
}

function placeOf(row: Row | undefined): CallCursor | null {
  return row ? { at: row.started_at as number, id: row.place as number } : null;
}

type Condition = { readonly sql: string; readonly values: readonly Value[] };

const sqlOf = (conditions: readonly Condition[]) => conditions.map(({ sql }) => sql).join(' AND ');
const valuesOf = (conditions: readonly Condition[]) => conditions.flatMap(({ values }) => values);

/** The index to walk along, what it is walked by, and the conditions on each row (`rest`). */
function conditions(
  { number, customer, extension, outcome, since, until }: CallFilter,
  { contains, lower }: Statements,
) {
  const walks: (Condition & { index: string })[] = [];
  const rest: Condition[] = [];
  const by = (index: string, sql: string, ...values: Value[]) => walks.push({ index, sql, values });
  const filter = (sql: string, ...values: Value[]) => rest.push({ sql, values });

  if (number && 'is' in number) by('calls_by_number', 'number = ?', number.is);
  if (customer && 'is' in customer) by('calls_by_customer', 'customer_reference = ?', customer.is);
  if (extension !== null) by('calls_by_extension', 'caller_id = ?', extension);
  if (outcome === 'open') by('calls_open', "status <> 'completed'");
  if (number && 'has' in number) filter(contains('number', '?'), number.has);
  if (customer && 'has' in customer)
    filter(contains(lower('customer_name'), '?'), customer.has.toLowerCase());
  if (outcome === 'answered') filter('(answered_at IS NOT NULL OR NOT missed)');
  if (outcome === 'missed') filter('missed');

  const [first, ...others] = walks;
  const walk: Condition[] = first ? [first] : [];
  if (since !== null) walk.push({ sql: 'started_at >= ?', values: [since] });
  if (until !== null) walk.push({ sql: 'started_at < ?', values: [until] });
  return { index: first?.index ?? 'calls_by_time', walk, rest: [...others, ...rest] };
}
