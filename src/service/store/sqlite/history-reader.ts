import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { HistoryCursor, HistoryOrder, HistorySearch, StoredRequest } from '../request-store.ts';
import {
  CHUNK_SIZE,
  type HistoryFilter,
  type HistoryHits,
  type HistorySlice,
} from '../shared/history-pages.ts';

const columns =
  'id, integration_id AS integration, created_at, method, path, request, status, response, duration';

/** Reads the history in slices, each short enough that a lookup behind it does not wait. */
export function historyReader(db: DatabaseSync) {
  const prepared = new Map<string, ReturnType<typeof db.prepare>>();
  const all = (sql: string, ...values: SQLInputValue[]) => {
    const statement = prepared.get(sql) ?? db.prepare(sql);
    prepared.set(sql, statement);
    return statement.all(...values) as { id: number; created_at: number }[];
  };
  const one = (sql: string, ...values: SQLInputValue[]) =>
    Object.values(all(sql, ...values)[0] ?? {})[0] as number;
  const byId = db.prepare(`SELECT ${columns} FROM history WHERE id = ?`);

  function filterFor(account: number, search: HistorySearch | null): HistoryFilter {
    if (search === null) return { by: 'all' };
    if (search.in === 'call') return { by: 'call', id: search.term };
    const event = 'SELECT id FROM history WHERE account_id = ? AND call_id = ? LIMIT 1';
    const known = search.in === 'request' && all(event, account, search.term).length > 0;
    return known ? { by: 'call', id: search.term } : { by: 'text', search };
  }

  /** The place of the last of the slice's rows; null if there are not so many. Counted through the index alone. */
  function skip(slice: HistorySlice): HistoryCursor | null {
    const { where, values } = conditions(slice);
    const edge = `SELECT id, created_at FROM history WHERE ${where} ${orderBy(slice.order)} LIMIT 1 OFFSET ?`;
    const last = all(edge, ...values, slice.rows - 1)[0];
    return last ? cursorOf(last) : null;
  }

  return {
    /** How a search is answered, the newest entry that belongs to the answer, and how many there are, unless by text. */
    historyStart(account: number, search: HistorySearch | null) {
      const lastId = one('SELECT coalesce(max(id), 0) FROM history');
      const filter = filterFor(account, search);
      const total =
        filter.by === 'call'
          ? one('SELECT count(*) FROM history WHERE account_id = ? AND call_id = ?', account, filter.id)
          : (one('SELECT entries FROM history_counts WHERE account_id = ?', account) ?? 0);
      return { lastId, filter, total };
    },

    historySkip: skip,

    historySlice(slice: HistorySlice): HistoryHits<number> {
      const { where, values } = conditions(slice);
      const order = orderBy(slice.order);
      if (slice.filter.by !== 'text') {
        const rows = all(
          `SELECT id, created_at FROM history WHERE ${where} ${order} LIMIT ?`,
          ...values,
          slice.rows,
        );
        const last = rows[slice.rows - 1];
        return { ids: rows.map((row) => row.id), rows: rows.length, next: last ? cursorOf(last) : null };
      }
      const next = skip(slice);
      const until = next ? `AND (created_at, id) ${slice.order === 'newest' ? '>=' : '<='} (?, ?)` : '';
      const { search } = slice.filter;
      const hits = all(
        `SELECT id, created_at FROM history WHERE ${where} ${until}
           AND (instr(${search.in}, ?) > 0 OR instr(${search.in}, ?) > 0) ${order}`,
        ...values,
        ...(next ? [next.at, next.id] : []),
        search.term,
        encodeURIComponent(search.term),
      );
      return { ids: hits.map((row) => row.id), rows: slice.rows, next };
    },

    /** The first of these entries that make a chunk, and how many of the ids that took. */
    historyEntries(ids: readonly number[]): { entries: StoredRequest[]; taken: number } {
      const entries: StoredRequest[] = [];
      let taken = 0;
      for (let size = 0; taken < ids.length && size < CHUNK_SIZE; taken += 1) {
        const row = byId.get(ids[taken] as number);
        if (row === undefined) continue; // deleted by the retention since it was found
        const { created_at, ...rest } = row;
        const entry = { ...rest, at: created_at } as StoredRequest;
        size += entry.request.length + (entry.response?.length ?? 0);
        entries.push(entry);
      }
      return { entries, taken };
    },
  };
}

function conditions({ account, filter, order, after, lastId }: HistorySlice) {
  const where = ['account_id = ?', 'id <= ?'];
  const values: SQLInputValue[] = [account, lastId];
  if (filter.by === 'call') {
    where.push('call_id = ?');
    values.push(filter.id);
  }
  if (after !== null) {
    where.push(`(created_at, id) ${order === 'newest' ? '<' : '>'} (?, ?)`);
    values.push(after.at, after.id);
  }
  return { where: where.join(' AND '), values };
}

function orderBy(order: HistoryOrder): string {
  return order === 'newest' ? 'ORDER BY created_at DESC, id DESC' : 'ORDER BY created_at, id';
}

function cursorOf(row: { id: number; created_at: number }): HistoryCursor {
  return { at: row.created_at, id: row.id };
}
