import type { Database } from '../store/postgres/database.ts';
import type { Statements } from '../store/statements.ts';

/** With the account's id: of changes that count its rows. */
const ACCOUNT_LOCK = 5_727_006;

export const postgresStatements = (database: Database): Statements => ({
  read: database.rows,
  lookup: database.prepared,
  write: database.rows,
  writeAlone: (account, sql, ...values) =>
    database.transaction(async ({ rows }) => {
      // A statement of its own: what others have committed before is seen by the one after it.
      await rows('SELECT pg_advisory_xact_lock($1::integer, $2::integer)', ACCOUNT_LOCK, account);
      return rows(sql, ...values);
    }),
  contains: (text, part) => `strpos(${text}, ${part}) > 0`,
  firstLine: (text) => `split_part(${text}, chr(10), 1)`,
  indexed: (text) => `substr(${text}, 1, 400)`,
  jsonRows: (columns, order) => `json_agg(json_build_array(${columns}) ORDER BY ${order})::text`,
  along: () => '', // it finds the index by itself
  lockingRows: 'FOR UPDATE',
});
