import type { Statements, Value } from '../store/statements.ts';
import {
  type CallFilter,
  type Condition,
  callConditions,
  sqlOf,
  valuesOf,
  type Walk,
} from './call-conditions.ts';
import type { CallRecord } from './call-record.ts';
import { callColumns, callOf, whoCalls } from './call-rows.ts';

/** A place among an account's calls, which are in the order of their start, or of their last change (see CallFilter). */
export type CallCursor = { readonly at: number; readonly id: number };

export type CallSlice = {
  readonly account: number;
  readonly filter: CallFilter;
  /** Those of the customers whom the filter names; null if it names none, or they have too many. */
  readonly numbers: readonly string[] | null;
  readonly towards: 'older' | 'newer';
  readonly from: CallCursor | null;
  /** Most calls to return. */
  readonly limit: number;
};

/**
 * The matching calls among those read, in the direction of paging, and the place of the first of them. `next`: null when
 * no calls are left in that direction.
 */
export type CallHits = {
  readonly calls: CallRecord[];
  readonly first: CallCursor | null;
  readonly next: CallCursor | null;
};

type Row = Readonly<Record<string, unknown>>;

/** The matching calls along one index, and the last place up to which they are all. */
type Found = { readonly rows: readonly Row[]; readonly reached: CallCursor | null };

/** Pages of calls in slices that each read `most` calls at most: some milliseconds. */
export function createCallSlices(statements: Statements, most: number) {
  /** A statement with question marks, from which conditions are composed, instead of numbered values. */
  function ask<R = Row>(sql: string, ...values: Value[]): Promise<R[]> {
    let n = 0;
    return statements.read<R>(
      sql.replace(/\?/g, () => `$${++n}`),
      ...values,
    );
  }

  async function alongIndex(
    { account, from, towards, limit }: CallSlice,
    { index, ...walk }: Walk,
    { key, walks, range, rest }: ReturnType<typeof callConditions>,
  ): Promise<Found> {
    const older = towards === 'older';
    const order = older ? `ORDER BY ${key} DESC, c.id DESC` : `ORDER BY ${key}, c.id`;
    const source = `FROM calls c ${statements.along(index)}`;
    const begin: Condition[] = [{ sql: 'c.account_id = ?', values: [account] }, walk, ...range];
    if (from !== null)
      begin.push({ sql: `(${key}, c.id) ${older ? '<' : '>'} (?, ?)`, values: [from.at, from.id] });

    // The last call that this slice reads, counted through the index alone.
    const [reached = null] =
      rest.length === 0
        ? []
        : await ask<CallCursor>(
            `SELECT ${key} AS at, c.id ${source} WHERE ${sqlOf(begin)} ${order} LIMIT 1 OFFSET ?`,
            ...valuesOf(begin),
            Math.ceil(most / walks.length) - 1,
          );
    if (reached !== null)
      begin.push({
        sql: `(${key}, c.id) ${older ? '>=' : '<='} (?, ?)`,
        values: [reached.at, reached.id],
      });
    const all = [...begin, ...rest];
    const rows = await ask(
      `SELECT ${callColumns}, ${key} AS place_at, c.id AS place ${source} ${whoCalls} WHERE ${sqlOf(all)} ${order} LIMIT ?`,
      ...valuesOf(all),
      limit + 1, // one more: is there a next page?
    );
    return { rows, reached: rows.length > limit ? placeOf(rows[limit]) : reached };
  }

  return {
    async slice(slice: CallSlice): Promise<CallHits> {
      const conditions = callConditions(slice.filter, slice.numbers, statements);
      const found: Found[] = [];
      for (const walk of conditions.walks) found.push(await alongIndex(slice, walk, conditions));
      return merged(slice, found);
    },
  };
}

/** The calls that were found along several indexes as one list. */
function merged({ towards, limit }: CallSlice, found: readonly Found[]): CallHits {
  /** Whether a place comes later in this direction. */
  const isAfter = (a: CallCursor, b: CallCursor) =>
    (towards === 'older' ? 1 : -1) * (b.at - a.at || b.id - a.id) > 0;
  // All are known up to the place that the shortest of the walks has reached.
  const reached = found
    .flatMap((one) => one.reached ?? [])
    .reduce<CallCursor | null>((first, one) => (first && isAfter(one, first) ? first : one), null);
  const byPlace = new Map(
    found.flatMap(({ rows }) => rows.map((row) => [row.place, row] as const)), // one can be on several walks
  );
  const rows = [...byPlace.values()]
    .filter((row) => reached === null || !isAfter(placeOf(row) as CallCursor, reached))
    .sort((a, b) => (isAfter(placeOf(a) as CallCursor, placeOf(b) as CallCursor) ? 1 : -1));
  return {
    calls: rows.slice(0, limit).map(callOf),
    first: placeOf(rows[0]),
    next: rows.length > limit ? placeOf(rows[limit - 1]) : reached,
  };
}

function placeOf(row: Row | undefined): CallCursor | null {
  return row ? { at: row.place_at as number, id: row.place as number } : null;
}
