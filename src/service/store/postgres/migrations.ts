import { readFileSync } from 'node:fs';
import type { Database } from './database.ts';

/**
 * A step from one version of the schema to the next. Steps only add (a table, an index, a column with a default), so
 * that processes of the version before go on beside those of the new one; a step that they could not live with says so
 * in `breaks`, and then they refuse to start.
 */
export type Migration = { readonly sql: string; readonly breaks?: true };

/** The first is the schema of the first release. */
export const migrations: readonly Migration[] = [
  { sql: readFileSync(new URL('./schema.sql', import.meta.url), 'utf8') },
];

/** What keeps two processes from migrating at once; any number that is not used otherwise. */
const LOCK = 5_727_001;

/**
 * Brings the schema up to date, in one transaction. Processes that start at the same time wait for each other; those
 * that run already go on. Throws if the database is of a version that this program cannot live with.
 */
export async function migrate(database: Database, steps: readonly Migration[] = migrations): Promise<void> {
  await database.transaction(
    async ({ rows }) => {
      await rows('SELECT pg_advisory_xact_lock($1)', LOCK);
      const [known] = await rows<{ found: string | null }>(
        "SELECT to_regclass('schema_steps')::text AS found",
      );
      if (known?.found == null)
        await rows('CREATE TABLE schema_steps (step integer PRIMARY KEY, breaks boolean NOT NULL)');
      const [{ done, breaking } = { done: 0, breaking: 0 }] = await rows<{ done: number; breaking: number }>(
        'SELECT count(*)::int AS done, coalesce(max(step) FILTER (WHERE breaks), 0) AS breaking FROM schema_steps',
      );
      if (breaking > steps.length)
        throw new Error(
          `the database is of a newer version: its schema needs step ${breaking}, this program knows ${steps.length}`,
        );
      for (const [index, { sql, breaks }] of steps.entries()) {
        if (index < done) continue;
        await rows(sql);
        await rows('INSERT INTO schema_steps VALUES ($1, $2)', index + 1, breaks ?? false);
      }
    },
    // A step that must wait for a busy table gives up before others queue behind it; the start is tried again.
    { statement: 10 * 60_000, lock: 5_000, idle: 60_000 },
  );
}
