import { type CallRecord, FORGOTTEN } from '../../calls/call-record.ts';
import { SHORT_SECONDS } from '../../reports/service-level.ts';
import type { CallCursor, CallFilter, CallSearch } from '../call-store.ts';
import { callColumns, callOf } from './call-rows.ts';
import type { CallHits, CallSlice } from './cursor-paging.ts';
import type { Statements, Value } from './statements.ts';

/** Calls that are changed in one statement. */
const CHUNK = 500;

/** Repeats a change until no row is left to change; returns the number of changed rows. */
async function inSteps(change: () => Promise<unknown[]>): Promise<number> {
  let changed = 0;
  for (let rows = CHUNK; rows === CHUNK; changed += rows) rows = (await change()).length;
  return changed;
}

type Row = Readonly<Record<string, unknown>>;

/** Reads calls, and pages of them in slices that each read `most` calls at most: some milliseconds. */
export function callReader(statements: Statements, most: number) {
  const read = async (index: string, where: string, ...values: Value[]): Promise<CallRecord[]> => {
    const sql = `SELECT ${callColumns} FROM calls c ${statements.along(index)} WHERE ${where}`;
    return (await statements.read<Row>(sql, ...values)).map(callOf);
  };

  /** A statement with question marks, from which conditions are composed, instead of numbered values. */
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

    async *ofNumber(account: number, number: string): AsyncGenerator<CallRecord[]> {
      for (let after = 0, rows: Row[] = []; ; after = rows.at(-1)?.place as number) {
        rows = await statements.read<Row>(
          `SELECT ${callColumns}, id AS place FROM calls WHERE account_id = $1 AND number = $2 AND id > $3
           ORDER BY id LIMIT $4`,
          ...[account, number, after, CHUNK],
        );
        if (rows.length > 0) yield rows.map(callOf);
        if (rows.length < CHUNK) return;
      }
    },

    async distinct(account: number, what: 'extensions' | 'numbers called', max: number): Promise<string[]> {
      const [column, index] =
        what === 'extensions'
          ? ['caller_id', 'calls_by_extension']
          : ['number_called', 'calls_by_number_called'];
      // From one to the next in the index: calls are not read.
      const next = (after: string) =>
        `(SELECT min(${column}) FROM calls ${statements.along(index as string)}
          WHERE account_id = $1 AND ${column} IS NOT NULL ${after})`;
      const rows = await statements.read<{ one: string }>(
        `WITH RECURSIVE found(one, n) AS (
           SELECT ${next('')}, 1
           UNION ALL SELECT ${next(`AND ${column} > found.one`)}, n + 1 FROM found WHERE one IS NOT NULL AND n < $2
         ) SELECT one FROM found WHERE one IS NOT NULL`,
        ...[account, max],
      );
      return rows.map(({ one }) => one);
    },

    async forget(account: number, number: string): Promise<number> {
      const sql = `UPDATE calls SET from_number = $3, number = $3, customer_reference = NULL, customer_name = NULL
        WHERE id IN (SELECT id FROM calls WHERE account_id = $1 AND number = $2 LIMIT ${CHUNK}) RETURNING id`;
      return inSteps(() => statements.write(sql, account, number, FORGOTTEN));
    },

    async trim(before: number): Promise<number> {
      const accounts = await statements.read<{ id: number }>('SELECT id FROM accounts');
      let deleted = 0;
      for (const { id } of accounts) {
        const sql = `DELETE FROM calls WHERE id IN
          (SELECT id FROM calls WHERE account_id = $1 AND started_at < $2 ORDER BY started_at LIMIT ${CHUNK}) RETURNING id`;
        const calls = await inSteps(() => statements.write(sql, id, before));
        const figures = 'DELETE FROM kept_figures WHERE account_id = $1 AND since < $2';
        if (calls > 0) await statements.write(figures, id, before);
        await statements.write('DELETE FROM caller_actions WHERE account_id = $1 AND at < $2', id, before);
        deleted += calls;
      }
      return deleted;
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

function searchCondition(
  { digits, words, extensions }: CallSearch,
  { contains, folded }: Statements,
): Condition {
  const name = words.map(() => contains(folded('customer_name'), '?')).join(' AND ');
  const any = [
    digits !== null && contains('number', '?'),
    name,
    // As one value, so that the statement's text does not depend on their number.
    extensions.length > 0 && contains('?', "'\n' || caller_id || '\n'"),
  ].filter(Boolean);
  return {
    sql: any.length === 0 ? '1 = 0' : `(${any.join(' OR ')})`,
    values: [
      ...(digits === null ? [] : [digits]),
      ...words,
      ...(extensions.length > 0 ? [`\n${extensions.join('\n')}\n`] : []),
    ],
  };
}

/** The index to read in order, its condition, and the conditions on each row (`rest`). */
function conditions(
  { number, customer, extensions, segment, integration, search, ...further }: CallFilter,
  statements: Statements,
) {
  const { numberCalled, place, outcome, since, until } = further;
  const walks: (Condition & { index: string })[] = [];
  const rest: Condition[] = [];
  const by = (index: string, sql: string, ...values: Value[]) => walks.push({ index, sql, values });
  const filter = (sql: string, ...values: Value[]) => rest.push({ sql, values });

  if (number) by('calls_by_number', 'number = ?', number.is);
  if (customer) by('calls_by_customer', 'customer_reference = ?', customer.is);
  if (extensions?.length === 1) by('calls_by_extension', 'caller_id = ?', extensions[0] as string);
  // Of several, the newest are not at one place of the index.
  else if (extensions !== null)
    rest.push(searchCondition({ digits: null, words: [], extensions }, statements));
  if (numberCalled !== null) by('calls_by_number_called', 'number_called = ?', numberCalled);
  if (outcome === 'open') by('calls_open', "status <> 'completed'");
  if (segment !== null) filter('segment = ?', segment);
  if (integration !== null) filter('integration_id = ?', integration);
  if (search) rest.push(searchCondition(search, statements));
  if (outcome === 'answered') filter('(answered_at IS NOT NULL OR NOT missed)');
  if (outcome === 'missed' || outcome === 'short') filter('missed');
  if (outcome === 'short')
    filter(`coalesce(missed_after * 1000, completed_at - ringing_at) < ${(SHORT_SECONDS + 1) * 1000}`);
  if (place !== null) filter('missed_where = ?', place);

  const [first, ...others] = walks;
  const walk: Condition[] = first ? [first] : [];
  if (since !== null) walk.push({ sql: 'started_at >= ?', values: [since] });
  if (until !== null) walk.push({ sql: 'started_at < ?', values: [until] });
  return { index: first?.index ?? 'calls_by_time', walk, rest: [...others, ...rest] };
}
