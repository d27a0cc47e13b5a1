import type { CallRecord } from '../../calls/call-record.ts';
import type { CallCursor, CallFilter } from '../call-store.ts';
import type { CallHits, CallSlice } from '../shared/cursor-paging.ts';
import { callColumns, callOf } from './call-rows.ts';
import type { Database, Row, Value } from './database.ts';

/** Calls that a slice looks at. */
const LOOK = 5_000;

/** Reads calls; pages of them in slices that each take some milliseconds, however many calls there are. */
export function callReader(database: Database) {
  const read = async (where: string, ...values: Value[]): Promise<CallRecord[]> =>
    (await database.rows(`SELECT ${callColumns} FROM calls c WHERE ${where}`, ...values)).map(callOf);

  return {
    get: async (account: number, id: string): Promise<CallRecord | undefined> =>
      (await read('account_id = $1 AND call_id = $2', account, id))[0],

    open: async (account: number, max: number): Promise<CallRecord[]> =>
      (
        await read(
          `account_id = $1 AND status <> 'completed' ORDER BY started_at DESC, id DESC LIMIT $2`,
          account,
          max,
        )
      ).toReversed(),

    missed: async (account: number, since: number, max: number): Promise<CallRecord[]> =>
      (
        await read(
          `account_id = $1 AND missed AND completed_at >= $2 ORDER BY completed_at DESC, id DESC LIMIT $3`,
          account,
          since,
          max,
        )
      ).toReversed(),

    async slice({ account, filter, towards, from, limit }: CallSlice): Promise<CallHits> {
      const { walk, rest } = conditions(filter);
      const older = towards === 'older';
      const order = older ? 'ORDER BY started_at DESC, id DESC' : 'ORDER BY started_at, id';
      const begin: Condition[] = [{ sql: 'account_id = ?', values: [account] }, ...walk];
      if (from !== null)
        begin.push({ sql: `(started_at, id) ${older ? '<' : '>'} (?, ?)`, values: [from.at, from.id] });

      // The last of the calls that are looked at, counted through the index alone.
      const looked = rest.length === 0 ? limit + 1 : LOOK;
      const edge = await ask<CallCursor>(
        `SELECT started_at AS at, id FROM calls c WHERE ${sqlOf(begin)} ${order} LIMIT 1 OFFSET ?`,
        ...valuesOf(begin),
        looked - 1,
      );
      const reached = edge[0] ?? null;
      if (reached !== null)
        begin.push({
          sql: `(started_at, id) ${older ? '>=' : '<='} (?, ?)`,
          values: [reached.at, reached.id],
        });
      const all = [...begin, ...rest];
      const rows = await ask(
        `SELECT ${callColumns}, c.id AS place FROM calls c WHERE ${sqlOf(all)} ${order} LIMIT ?`,
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

  /** A statement with question marks, which conditions are put together from, in place of numbered parameters. */
  function ask<R = Row>(sql: string, ...values: Value[]): Promise<R[]> {
    let n = 0;
    return database.rows<R>(
      sql.replace(/\?/g, () => `$${++n}`),
      ...values,
    );
  }
}

function placeOf(row: Row | undefined): CallCursor | null {
  return row ? { at: row.started_at as number, id: row.place as number } : null;
}

type Condition = { readonly sql: string; readonly values: readonly Value[] };

const sqlOf = (conditions: readonly Condition[]) => conditions.map(({ sql }) => sql).join(' AND ');
const valuesOf = (conditions: readonly Condition[]) => conditions.flatMap(({ values }) => values);

/** What an index is walked by, and what is looked at in each row. */
function conditions({ number, customer, extension, outcome, since, until }: CallFilter) {
  const walks: Condition[] = [];
  const rest: Condition[] = [];
  const by = (sql: string, ...values: Value[]) => walks.push({ sql, values });
  const look = (sql: string, ...values: Value[]) => rest.push({ sql, values });

  if (number && 'is' in number) by('number = ?', number.is);
  if (customer && 'is' in customer) by('customer_reference = ?', customer.is);
  if (extension !== null) by('caller_id = ?', extension);
  if (outcome === 'open') by("status <> 'completed'");
  if (number && 'has' in number) look('strpos(number, ?) > 0', number.has);
  // Upper and lower case by Unicode, whatever the database's own locale.
  if (customer && 'has' in customer)
    look('strpos(lower(customer_name COLLATE "und-x-icu"), ?) > 0', customer.has.toLowerCase());
  if (outcome === 'answered') look('(answered_at IS NOT NULL OR missed = false)');
  if (outcome === 'missed') look('missed');

  const [first, ...others] = walks;
  const walk = first ? [first] : [];
  if (since !== null) walk.push({ sql: 'started_at >= ?', values: [since] });
  if (until !== null) walk.push({ sql: 'started_at < ?', values: [until] });
  return { walk, rest: [...others, ...rest] };
}
