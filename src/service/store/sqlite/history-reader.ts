import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { HistoryCursor, HistoryOrder, StoredRequest } from '../request-store.ts';
import { CHUNK_SIZE, type HistoryHits, type HistorySlice } from '../shared/history-paging.ts';

const columns =
  'id, integration_id AS integration, created_at, method, path, request, status, response, duration';

/** Reads the history in slices, each short enough that a lookup behind it does not wait. */
export function historyReader(db: DatabaseSync) {
  const prepared = new Map<string, ReturnType<typeof db.prepare>>();
  const all = (sql: string, ...values: SQLInputValue[]) => {
    const statement = prepared.get(sql) ?? db.prepare(sql);
    prepared.set(sql, statement);
    return statement.all(...values) as { at: number; id: number; named: number | null }[];
  };
  const newest = db.prepare('SELECT coalesce(max(id), 0) AS id FROM history');
  const total = db.prepare('SELECT entries FROM history_counts WHERE account_id = ?');
  const byId = db.prepare(`SELECT ${columns} FROM history WHERE id = ?`);

  /** The last of the slice's rows; null if there are not so many. Counted through the index alone. */
  function skip(slice: HistorySlice): HistoryCursor | null {
    const { where, values } = conditions(slice);
    const edge = `SELECT created_at AS at, id FROM history WHERE ${where} ${orderBy(slice.order)} LIMIT 1 OFFSET ?`;
    const [last] = all(edge, ...values, slice.rows - 1);
    return last ? { at: last.at, id: last.id } : null;
  }

  return {
    historyLastId: () => newest.get()?.id as number,
    historyTotal: (account: number) => (total.get(account)?.entries as number | undefined) ?? 0,
    historySkip: skip,

    historySlice(slice: HistorySlice): HistoryHits {
      const { search, rows } = slice;
      const { where, values } = conditions(slice);
      const order = orderBy(slice.order);
      if (search?.in !== 'request' && search?.in !== 'response') {
        const found = `SELECT created_at AS at, id FROM history WHERE ${where} ${order} LIMIT ?`;
        const hits = all(found, ...values, rows).map(({ at, id }) => ({ at, id }));
        return { hits, next: hits[rows - 1] ?? null };
      }
      const next = skip(slice);
      const until = next ? `AND (created_at, id) ${slice.order === 'newest' ? '>=' : '<='} (?, ?)` : '';
      const { term } = search;
      const names = search.in === 'request' ? [term, term] : [];
      const named = search.in === 'request' ? '(call_id = ? OR from_number = ?)' : '0';
      const hits = all(
        `SELECT created_at AS at, id, ${named} AS named FROM history WHERE ${where} ${until}
           AND (named OR instr(${search.in}, ?) > 0 OR instr(${search.in}, ?) > 0) ${order}`,
        ...[...names, ...values, ...(next ? [next.at, next.id] : []), term, encodeURIComponent(term)],
      );
      return { hits: hits.map(({ at, id, named }) => ({ at, id, named: named === 1 })), next };
    },

    /** The first of these entries that make a chunk, and how many of the places that took. */
    historyEntries(places: readonly HistoryCursor[]): { entries: StoredRequest[]; taken: number } {
      const entries: StoredRequest[] = [];
      let taken = 0;
      for (let size = 0; taken < places.length && size < CHUNK_SIZE; taken += 1) {
        const row = byId.get((places[taken] as HistoryCursor).id);
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

function conditions({ account, search, order, after, lastId }: HistorySlice) {
  const where = ['account_id = ?', 'id <= ?'];
  const values: SQLInputValue[] = [account, lastId];
  if (search?.in === 'call' || search?.in === 'number') {
    where.push(`${search.in === 'call' ? 'call_id' : 'from_number'} = ?`);
    values.push(search.term);
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
