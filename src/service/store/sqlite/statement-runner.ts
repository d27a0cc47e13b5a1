import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { Value } from '../statements.ts';
import { openForReading } from './open.ts';

/** Runs a statement of shared/statements.ts, and returns its rows. There are few texts: all stay prepared. */
export function statementRunner(db: DatabaseSync) {
  const prepared = new Map<string, ReturnType<typeof db.prepare>>();
  return (sql: string, values: readonly Value[]): unknown[] => {
    const statement = prepared.get(sql) ?? db.prepare(sql.replace(/\$(?=\d)/g, '?'));
    prepared.set(sql, statement);
    return statement.all(
      ...values.map((value) => (typeof value === 'boolean' ? Number(value) : value) as SQLInputValue),
    );
  };
}

/**
 * Reads of a row or two by an index, on the service's own thread. They take microseconds; the way to a thread and back,
 * behind other queries, would cost more. Those of one turn of the event loop see one state of the database, since
 * beginning and ending a read takes as long as a lookup.
 */
export function openLookups(file: string) {
  // Every commit empties the cache: a large one would only hold memory.
  const db = openForReading(file, 4_096);
  const run = statementRunner(db);
  const [begin, end] = [db.prepare('BEGIN'), db.prepare('COMMIT')];

  function endRead(): void {
    if (db.isOpen && db.isTransaction) end.run();
  }
  return {
    rows(sql: string, values: readonly Value[]): unknown[] {
      if (!db.isTransaction) {
        begin.run();
        setImmediate(endRead);
      }
      return run(sql, values);
    },
    /** What is read from now on is as it is now. */
    endRead,
    close(): void {
      endRead();
      db.close();
    },
  };
}
