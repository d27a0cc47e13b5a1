/** One recorded request; the document names only `created_at`, what an entry holds, and `request` as searchable. */
export type HistoryEntry = {
  readonly id: number;
  /** The payload as received. */
  readonly request: string;
  readonly response: string;
  readonly status: number;
  /** ms */
  readonly duration: number;
  /** ISO 8601, UTC. */
  readonly created_at: string;
};

const defaultPage = 15;

/** Answers `GET /voice` (API part 4.3): a bare array of everything, or with `limit` a page in data, links and meta. */
export function queryHistory(
  entries: readonly HistoryEntry[],
  query: URLSearchParams,
  path: string,
): unknown {
  const term = query.get('search_term');
  const found =
    query.get('search') === 'request' && term !== null
      ? entries.filter((entry) => entry.request.includes(term))
      : entries;
  // They were made in this order.
  const newestFirst = query.get('sort') === '-created_at';
  const rows = (from: number, to: number) =>
    newestFirst
      ? found.slice(Math.max(0, found.length - to), Math.max(0, found.length - from)).reverse()
      : found.slice(from, to);
  if (!query.has('limit')) return rows(0, found.length);

  const perPage = Math.max(1, Number(query.get('limit')) || defaultPage);
  const page = Math.max(1, Number(query.get('page')) || 1);
  const lastPage = Math.max(1, Math.ceil(found.length / perPage));
  const start = (page - 1) * perPage;
  const data = rows(start, start + perPage);
  const link = (n: number) => `${path}?${new URLSearchParams([...query, ['page', String(n)]])}`;
  return {
    data,
    links: {
      first: link(1),
      last: link(lastPage),
      prev: page > 1 ? link(page - 1) : null,
      next: page < lastPage ? link(page + 1) : null,
    },
    meta: {
      current_page: page,
      from: data.length > 0 ? start + 1 : null,
      last_page: lastPage,
      path,
      per_page: perPage,
      to: data.length > 0 ? start + data.length : null,
      total: found.length,
    },
  };
}
