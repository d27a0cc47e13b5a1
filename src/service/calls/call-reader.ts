import type { Statements, Value } from '../store/statements.ts';
import { answeredSql, missedSql, shortSql } from './call-meaning.ts';
import type { CallRecord, MissedPlace } from './call-record.ts';
import { callColumns, callOf, whoCalls } from './call-rows.ts';

/** Which calls; null: any. Times are of the call's start: from `since` until before `until`, Unix ms. */
export type CallFilter = {
  /** As numbers are compared. */
  readonly number: { readonly is: string } | null;
  /** By reference. */
  readonly customer: { readonly is: string } | null;
  /** Answered at one of these. */
  readonly extensions: readonly string[] | null;
  readonly segment: string | null;
  readonly integration: number | null;
  readonly search: CallSearch | null;
  /** As it is kept (see CallExtras). */
  readonly numberCalled: string | null;
  /** Where a missed call ended. */
  readonly place: MissedPlace | null;
  /**
   * `open`: not over yet, answered or not; `answered` and `missed` as reports count them; `short`: missed within
   * SHORT_SECONDS.
   */
  readonly outcome: 'open' | 'answered' | 'missed' | 'short' | null;
  readonly since: number | null;
  readonly until: number | null;
};

/**
 * Matches a call if its number has the digits, if its customer's name has all of the words (none: names are not
 * searched; as `folded` makes them), or if one of the extensions answered it.
 */
type CallSearch = {
  readonly digits: string | null;
  readonly words: readonly string[];
  readonly extensions: readonly string[];
};

/** A place among an account's calls, which are in the order of their start. */
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

/** Calls of a number that are read in one go. */
const CHUNK = 500;

type Row = Readonly<Record<string, unknown>>;

/** Reads calls, and pages of them in slices that each read `most` calls at most: some milliseconds. */
export function callReader(statements: Statements, most: number) {
  const read = async (index: string, where: string, ...values: Value[]): Promise<CallRecord[]> => {
    const sql = `SELECT ${callColumns} FROM calls c ${statements.along(index)} ${whoCalls} WHERE ${where}`;
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
      const sql = `SELECT ${callColumns} FROM calls c ${whoCalls} WHERE c.account_id = $1 AND c.call_id = $2`;
      return (await statements.lookup<Row>(sql, account, id)).map(callOf)[0];
    },

    /** All calls of a number, in chunks. */
    async *ofNumber(account: number, number: string): AsyncGenerator<CallRecord[]> {
      for (let after = 0, rows: Row[] = []; ; after = rows.at(-1)?.place as number) {
        rows = await statements.read<Row>(
          `SELECT ${callColumns}, c.id AS place FROM calls c ${whoCalls}
           WHERE c.account_id = $1 AND c.number = $2 AND c.id > $3 ORDER BY c.id LIMIT $4`,
          ...[account, number, after, CHUNK],
        );
        if (rows.length > 0) yield rows.map(callOf);
        if (rows.length < CHUNK) return;
      }
    },

    /** The different extensions that answered, or numbers that were called, in order: at most `max`. */
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

    async open(account: number, max: number): Promise<CallRecord[]> {
      const where = `c.account_id = $1 AND c.status <> 'completed' ORDER BY c.started_at DESC, c.id DESC LIMIT $2`;
      return (await read('calls_open', where, account, max)).toReversed();
    },

    /** The oldest open calls, at most `max`, that ring since before `ringing` or talk since before `answered`, Unix ms. */
    stale(
      account: number,
      { ringing, answered }: { readonly ringing: number; readonly answered: number },
      max: number,
    ): Promise<CallRecord[]> {
      const where = `c.account_id = $1 AND c.status <> 'completed' AND c.started_at < $2 AND
        (c.status = 'ringing' AND c.started_at < $3 OR c.status = 'answered' AND c.answered_at < $4)
        ORDER BY c.started_at, c.id LIMIT $5`;
      return read('calls_open', where, account, Math.max(ringing, answered), ringing, answered, max);
    },

    async slice({ account, filter, numbers, towards, from, limit }: CallSlice): Promise<CallHits> {
      const { walks, range, rest } = conditions(filter, numbers, statements);
      const older = towards === 'older';
      const order = older ? 'ORDER BY c.started_at DESC, c.id DESC' : 'ORDER BY c.started_at, c.id';

      /** The matching calls along one index, and the last place up to which they are all. */
      async function along({ index, ...walk }: Walk): Promise<{ rows: Row[]; reached: CallCursor | null }> {
        const source = `FROM calls c ${statements.along(index)}`;
        const begin: Condition[] = [{ sql: 'c.account_id = ?', values: [account] }, walk, ...range];
        if (from !== null)
          begin.push({ sql: `(c.started_at, c.id) ${older ? '<' : '>'} (?, ?)`, values: [from.at, from.id] });

        // The last call that this slice reads, counted through the index alone.
        const [reached = null] =
          rest.length === 0
            ? []
            : await ask<CallCursor>(
                `SELECT c.started_at AS at, c.id ${source} WHERE ${sqlOf(begin)} ${order} LIMIT 1 OFFSET ?`,
                ...valuesOf(begin),
                Math.ceil(most / walks.length) - 1,
              );
        if (reached !== null)
          begin.push({
            sql: `(c.started_at, c.id) ${older ? '>=' : '<='} (?, ?)`,
            values: [reached.at, reached.id],
          });
        const all = [...begin, ...rest];
        const rows = await ask(
          `SELECT ${callColumns}, c.id AS place ${source} ${whoCalls} WHERE ${sqlOf(all)} ${order} LIMIT ?`,
          ...valuesOf(all),
          limit + 1, // one more: is there a next page?
        );
        return { rows, reached: rows.length > limit ? placeOf(rows[limit]) : reached };
      }

      const found: Awaited<ReturnType<typeof along>>[] = [];
      for (const walk of walks) found.push(await along(walk));
      /** Whether a place comes later in this direction. */
      const isAfter = (a: CallCursor, b: CallCursor) => (older ? 1 : -1) * (b.at - a.at || b.id - a.id) > 0;
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
    },
  };
}

function placeOf(row: Row | undefined): CallCursor | null {
  return row ? { at: row.started_at as number, id: row.place as number } : null;
}

type Condition = { readonly sql: string; readonly values: readonly Value[] };

const sqlOf = (conditions: readonly Condition[]) => conditions.map(({ sql }) => sql).join(' AND ');
const valuesOf = (conditions: readonly Condition[]) => conditions.flatMap(({ values }) => values);

/** An index to read in order, and its condition. */
type Walk = Condition & { readonly index: string };

function searchCondition(
  { digits, words, extensions }: CallSearch,
  { contains, firstLine }: Statements,
): Condition {
  // The first line of a customer's search text is the name.
  const name = words.map(() => contains(firstLine("coalesce(k.search, '')"), '?')).join(' AND ');
  const any = [
    digits !== null && contains('c.number', '?'),
    name,
    // As one value, so that the statement's text does not depend on their number.
    extensions.length > 0 && contains('?', "'\n' || c.caller_id || '\n'"),
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

/** The indexes to read in order, the calls' times, and the conditions on each call (`rest`). */
function conditions(
  { number, customer, extensions, segment, integration, search, ...further }: CallFilter,
  numbers: readonly string[] | null,
  statements: Statements,
) {
  const { numberCalled, place, outcome, since, until } = further;
  /** Ways to find the calls by index, the first of which is taken; of the others only the condition is used. */
  const ways: { readonly walks: readonly Walk[]; readonly condition: Condition }[] = [];
  const rest: Condition[] = [];
  const walk = (index: string, sql: string, value: Value): Walk => ({ index, sql, values: [value] });
  const byNumber = (one: string) => walk('calls_by_number', 'c.number = ?', one);
  const byExtension = (one: string) => walk('calls_by_extension', 'c.caller_id = ?', one);
  const by = (one: Walk) => ways.push({ walks: [one], condition: one });
  const filter = (sql: string, ...values: Value[]) => rest.push({ sql, values });
  const either = (condition: Condition, walks: readonly Walk[] | undefined) =>
    walks ? ways.push({ walks, condition }) : rest.push(condition);

  if (number) by(byNumber(number.is));
  if (customer)
    either({ sql: "coalesce(k.reference, '') = ?", values: [customer.is] }, numbers?.map(byNumber));
  if (extensions?.length === 1) by(byExtension(extensions[0] as string));
  // Of several, the newest are not at one place of the index.
  else if (extensions !== null)
    rest.push(searchCondition({ digits: null, words: [], extensions }, statements));
  if (numberCalled !== null) by(walk('calls_by_number_called', 'c.number_called = ?', numberCalled));
  if (outcome === 'open') by({ index: 'calls_open', sql: "c.status <> 'completed'", values: [] });
  if (search)
    either(
      searchCondition(search, statements),
      customer || search.digits !== null
        ? undefined
        : numbers?.map(byNumber).concat(search.extensions.map(byExtension)),
    );
  if (segment !== null) filter("coalesce(s.name, '') = ?", segment);
  if (integration !== null) filter('c.integration_id = ?', integration);
  if (outcome === 'answered') filter(answeredSql('c'));
  if (outcome === 'missed' || outcome === 'short') filter(missedSql('c'));
  if (outcome === 'short') filter(shortSql('c'));
  if (place !== null) filter('c.missed_where = ?', place);

  const [first, ...others] = ways;
  const range: Condition[] = [];
  if (since !== null) range.push({ sql: 'c.started_at >= ?', values: [since] });
  if (until !== null) range.push({ sql: 'c.started_at < ?', values: [until] });
  return {
    walks: first?.walks ?? [{ index: 'calls_by_time', sql: '1 = 1', values: [] }],
    range,
    rest: [...others.map(({ condition }) => condition), ...rest],
  };
}
