import { basePath, historyPath } from '../../shared/api/contract/paths.ts';
import { quarterOf } from '../kit/calendar.ts';
import type { Statements, Value } from '../store/statements.ts';
import {
  type HistoryCursor,
  type HistoryFilter,
  type HistoryOrder,
  type HistorySearch,
  type IntegrationUse,
  MAX_FORMS,
  type RequestStore,
  type StoredRequest,
  type TextSearch,
} from './request-store.ts';

export type HistorySlice = {
  readonly account: number;
  readonly search: HistorySearch | null;
  /** Null: none. */
  readonly filter?: HistoryFilter | null | undefined;
  readonly order: HistoryOrder;
  readonly after: HistoryCursor | null;
  /** Entries recorded later than this one are left out. */
  readonly lastId: number;
  /** Rows to read. */
  readonly rows: number;
};

/** An entry that matches; `named`: it names the term as its call or as its caller's number. */
export type HistoryHit = HistoryCursor & { readonly named?: boolean };

/** The matches among the rows read, and the last of those rows; null if none follow it. */
export type HistoryHits = { readonly hits: HistoryHit[]; readonly next: HistoryCursor | null };

/** Reads the first of these entries that make a chunk of CHUNK_SIZE, and how many of the places that took. */
export type ReadEntries = (
  account: number,
  places: readonly HistoryCursor[],
) => Promise<{ entries: StoredRequest[]; taken: number }>;

export const isText = (search: HistorySearch | null): search is TextSearch =>
  search?.in === 'request' || search?.in === 'response';

export type HistoryReader = ReturnType<typeof historyReader>;

/** A list of the history, as SQL. It holds every text that was searched for, whether a call had it or not. */
const isHistoryRequest = `method IN ('GET', 'HEAD') AND path IN ('${basePath}${historyPath}', '${basePath}${historyPath}/')`;

/** Reads the history in slices. What differs by engine, as SQL: the id of the newest entry; a text in the payload. */
export function historyReader(
  { read, contains }: Statements,
  engine: { lastId: string; inPayload(term: string): string; entries: ReadEntries },
) {
  const number = async (sql: string, ...values: Value[]) =>
    (await read<{ n: number }>(sql, ...values))[0]?.n ?? 0;

  /** The first of the slice's entries from `offset` on, by the index alone. */
  function entriesAt(slice: HistorySlice, limit: number, offset: number): Promise<HistoryCursor[]> {
    const { where, values } = conditions(slice);
    return read(
      `SELECT created_at AS at, id FROM history WHERE ${where} ${orderBy(slice)}
       LIMIT $${values.push(limit)} OFFSET $${values.push(offset)}`,
      ...values,
    );
  }
  const skip = async (slice: HistorySlice) => (await entriesAt(slice, 1, slice.rows - 1))[0] ?? null;

  return {
    /** The id of the newest entry. */
    lastId: (): Promise<number> => number(`SELECT ${engine.lastId} AS n`),
    total: (account: number): Promise<number> =>
      number(
        'SELECT CAST(coalesce(sum(entries), 0) AS bigint) AS n FROM history_counts WHERE account_id = $1',
        account,
      ),
    /** The last of the slice's rows; null if there are fewer. */
    skip,
    async slice(slice: HistorySlice): Promise<HistoryHits> {
      const { search, filter, rows } = slice;
      if (!isText(search) && !filter) {
        const hits = await entriesAt(slice, rows, 0);
        return { hits, next: hits[rows - 1] ?? null };
      }
      const next = await skip(slice);
      const { where, values } = conditions(slice);
      const until = next === null ? '' : `AND ${range(slice, next, values, '=')}`;
      const filtered = filter ? `AND ${filterSql(filter, values)}` : '';
      if (!isText(search)) {
        const hits = await read<HistoryCursor>(
          `SELECT created_at AS at, id FROM history WHERE ${where} ${until} ${filtered} ${orderBy(slice)}`,
          ...values,
        );
        return { hits, next };
      }
      const { named, found } = textSql(search, values, contains, engine.inPayload);
      const hits = await read<HistoryCursor & { named: unknown }>(
        `SELECT created_at AS at, id, ${search.in === 'request' ? named : 'false'} AS named FROM history
         WHERE ${where} ${until} ${filtered} AND NOT (${isHistoryRequest}) AND (${found}) ${orderBy(slice)}`,
        ...values,
      );
      return { hits: hits.map(({ at, id, named }) => ({ at, id, named: Boolean(named) })), next };
    },
    /** The first of these entries that make a chunk of CHUNK_SIZE, and how many of the places that took. */
    entries: engine.entries,
  };
}

function conditions(slice: HistorySlice) {
  const { account, search, after, lastId } = slice;
  const values: Value[] = [account, lastId];
  const where = ['account_id = $1', 'id <= $2'];
  if (search?.in === 'call') where.push(`call_id = $${values.push(search.term)}`);
  if (search?.in === 'number') {
    const { term, forms } = search;
    // As many placeholders for every number, so that the statement's text does not depend on it.
    const places = Array.from(
      { length: forms ? MAX_FORMS + 1 : 1 },
      (_, at) => `$${values.push(forms?.[at - 1] ?? term)}`,
    );
    where.push(forms ? `from_number IN (${places.join(', ')})` : `from_number = ${places[0]}`);
  }
  if (after !== null) where.push(range(slice, after, values, ''));
  return { where: where.join(' AND '), values };
}

function filterSql({ integration, outcome }: HistoryFilter, values: Value[]): string {
  const outcomes = { accepted: 'status < 400', refused: 'status >= 400', discarded: "effect = 'discarded'" };
  return [
    'true',
    ...(integration === null ? [] : [`integration_id = $${values.push(integration)}`]),
    ...(outcome === null ? [] : [outcomes[outcome]]),
  ].join(' AND ');
}

/** As SQL: whether an entry names the term of a search, and whether it has it anywhere. */
function textSql(
  search: TextSearch,
  values: Value[],
  contains: Statements['contains'],
  inPayload: (term: string) => string,
) {
  const [term, encoded] = [search.term, encodeURIComponent(search.term)].map(
    (text) => `$${values.push(text)}`,
  ) as [string, string];
  const named = `(coalesce(call_id = ${term}, false) OR coalesce(from_number = ${term}, false))`;
  const found =
    search.in === 'request'
      ? `${named} OR ${inPayload(term)} OR ${inPayload(encoded)}`
      : `${contains('response', term)} OR ${contains('response', encoded)}`;
  return { named, found };
}

/** The entries after a place; with `=`, those up to and with it. */
function range({ order }: HistorySlice, { at, id }: HistoryCursor, values: Value[], equal: '' | '='): string {
  const compare = (order === 'newest') === (equal === '') ? '<' : '>';
  const [a, b] = [`$${values.push(at)}`, `$${values.push(id)}`];
  // The first is for PostgreSQL's partitions: a comparison of rows leaves none of them out.
  return `created_at ${compare}= ${a} AND (created_at, id) ${compare}${equal} (${a}, ${b})`;
}

const orderBy = ({ order }: HistorySlice) =>
  order === 'newest' ? 'ORDER BY created_at DESC, id DESC' : 'ORDER BY created_at, id';

/** Replaces the texts of an entry. `also`: what else the engine keeps of a payload. */
export function maskedEntry({ write }: Statements, also: string): RequestStore['mask'] {
  return async (account, { at, id }, { path, request, response }) => {
    await write(
      `UPDATE history SET path = $6, request = $4, ${also}response = $5, from_number = NULL
       WHERE account_id = $1 AND created_at = $2 AND id = $3`,
      ...[account, at, id, request, response, path],
    );
  };
}

/** How each of an account's integrations is used. */
export const integrationUse = ({ read, lookup }: Statements): Pick<RequestStore, 'use' | 'usedIn'> => ({
  async use(account, since) {
    // The newest quarter alone has the last request: years of quarters are not read.
    const rows = await read<IntegrationUse>(
      `SELECT i.id AS integration,
         (SELECT max(u.last_at) FROM integration_use u WHERE u.integration_id = i.id AND u.quarter =
           (SELECT max(n.quarter) FROM integration_use n WHERE n.integration_id = i.id)) AS "lastAt",
         (SELECT CAST(coalesce(sum(u.requests), 0) AS bigint) FROM integration_use u
           WHERE u.integration_id = i.id AND u.quarter >= $2) AS requests
       FROM integrations i WHERE i.account_id = $1 ORDER BY i.id`,
      account,
      quarterOf(since),
    );
    return rows.filter(({ lastAt }) => lastAt !== null);
  },
  usedIn: (integration, spans) =>
    Promise.all(
      spans.map(async ({ since, until }) => {
        const [row] = await lookup<{ requests: number }>(
          `SELECT CAST(coalesce(sum(requests), 0) AS bigint) AS requests FROM integration_use
           WHERE integration_id = $1 AND quarter >= $2 AND quarter < $3`,
          ...[integration, quarterOf(since), quarterOf(until)],
        );
        return row?.requests ?? 0;
      }),
    ),
});
