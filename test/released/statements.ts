/** A statement of a connection, as record-statements.ts writes it. */
export type Recorded = readonly [connection: string, sql: string, values: readonly unknown[]];

/** Recorded as a statement: the connection is closed. */
export const CLOSE = 'CLOSE';

/** A value that JSON has no form of. */
type Special = { readonly bigint: string } | { readonly bytes: string };

export const valueToJson = (value: unknown): unknown =>
  typeof value === 'bigint'
    ? ({ bigint: `${value}` } satisfies Special)
    : value instanceof Uint8Array
      ? ({ bytes: Buffer.from(value).toString('base64') } satisfies Special)
      : value;

export function valueFromJson(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const special = value as Special;
  return 'bigint' in special ? BigInt(special.bigint) : Buffer.from(special.bytes, 'base64');
}

export const statementsIn = (text: string): Recorded[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

/**
 * What was recorded after the tables had been made: the connection that made them notes who has written the database
 * (`written_by`), and commits.
 */
export function afterMigration(recorded: readonly Recorded[]): Recorded[] {
  const noted = recorded.findIndex(([, sql]) => sql.startsWith('INSERT INTO written_by'));
  const [migrating] = recorded[noted] ?? [];
  const committed = recorded.findIndex(
    ([connection, sql], at) => at > noted && connection === migrating && sql === 'COMMIT',
  );
  if (noted < 0 || committed < 0) throw new Error('the recording does not begin with a new database');
  // Before it, the connection was opened: its settings go on.
  return [
    ...recorded
      .slice(0, committed)
      .filter(([, sql]) => /^\s*PRAGMA\b/.test(sql) && !/user_version/.test(sql)),
    ...recorded.slice(committed + 1),
  ];
}
