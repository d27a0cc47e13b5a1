import type { Statements } from './statements.ts';

/** Rows that are looked at, and deleted, in one go. */
const STEP = 1000;

/**
 * Deletes the rows of a table whose `at` is before a time; returns how many. The oldest have the lowest ids, so no index by
 * time is needed. Usually there is nothing to delete, and then nothing is written.
 */
export async function trimOldest(
  { read, write }: Pick<Statements, 'read' | 'write'>,
  table: 'audit' | 'webhook_deliveries',
  before: number,
): Promise<number> {
  const last = `SELECT max(id) AS id FROM (SELECT id, at FROM ${table} ORDER BY id LIMIT ${STEP}) oldest WHERE at < $1`;
  for (let deleted = 0; ; ) {
    const [{ id } = { id: null }] = await read<{ id: number | null }>(last, before);
    if (id === null) return deleted;
    // Its own statement, so that PostgreSQL sees how few these are and does not scan the table.
    const sql = `DELETE FROM ${table} WHERE id <= $1 AND at < $2 RETURNING id`;
    deleted += (await write(sql, id, before)).length;
  }
}
