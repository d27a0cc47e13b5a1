import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { Value } from '../statements.ts';

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
