export type Value = string | number | boolean | null;

/** Statements that SQLite and PostgreSQL both take, with `$1`, `$2`, … for their values. Booleans come back from SQLite as 0 and 1. */
export type Statements = {
  /** The rows of a question. */
  read<Row>(sql: string, ...values: Value[]): Promise<Row[]>;
  /** The same for a frequent statement that finds its rows by an index: a server keeps its plan. */
  lookup<Row>(sql: string, ...values: Value[]): Promise<Row[]>;
  /** One change, as a transaction of its own, with the rows that it returns. */
  write<Row>(sql: string, ...values: Value[]): Promise<Row[]>;
  /** The same for a change that counts or compares rows of an account: one at a time in each account. */
  writeAlone<Row>(account: number, sql: string, ...values: Value[]): Promise<Row[]>;
  /** As SQL: whether a text has another in it. */
  contains(text: string, part: string): string;
  /** As SQL: the first line of a text. */
  firstLine(text: string): string;
  /** As SQL: as much of a customer's search text as the index holds. On SQLite that is all of it. */
  indexed(text: string): string;
  /** As SQL: has the table before it read by this index. */
  along(index: string): string;
  /** As SQL: the rows of a group as the JSON text of an array of arrays, in the order of a column. */
  jsonRows(columns: string, order: string): string;
  /** As SQL, at the end of a subquery: locks its rows until the end of the change, after other changes of them. */
  readonly lockingRows: string;
};

/**
 * The rows that version 1.0.0 has left of removed accounts: of requests that ended after the removal. The second step of
 * both schemas deletes them.
 */
export const rowsOfRemovedAccounts = {
  what: 'rows of accounts that were removed before',
  count: `SELECT ${['calls', 'history', 'kept_figures', 'audit', 'customer_numbers']
    .map(
      (table) =>
        `(SELECT count(*) FROM ${table} WHERE account_id <> 0 AND account_id NOT IN (SELECT id FROM accounts))`,
    )
    .join(' + ')} AS rows`,
};

/** Repeats a step until it changes nothing more; returns how much it has changed. */
export async function untilNone(step: () => Promise<number>): Promise<number> {
  for (let changed = 0; ; ) {
    const count = await step();
    if (count === 0) return changed;
    changed += count;
  }
}

/**
 * Repeats a change of `rows` rows until fewer are left. Returns the number of changed rows. No event waits for all rows of an
 * account, and no change takes longer than a statement may.
 */
export async function inSteps(rows: number, change: () => Promise<unknown[]>): Promise<number> {
  for (let changed = 0; ; ) {
    const { length } = await change();
    changed += length;
    if (length < rows) return changed;
  }
}

/**
 * The same for rows that are found first: `find` is the ids of at most `rows`, `change` changes those of them that are
 * still to be changed. Of one statement for both, PostgreSQL makes a scan of the table.
 */
export async function inStepsById(
  rows: number,
  find: () => Promise<readonly { readonly id: number }[]>,
  change: (ids: string) => Promise<unknown[]>,
): Promise<number> {
  for (let changed = 0; ; ) {
    const found = await find();
    if (found.length === 0) return changed;
    changed += (await change(keysOf(found.map(({ id }) => id)))).length;
    if (found.length < rows) return changed;
  }
}

/** As SQL: whether `id` is one of `keysOf` in this value. */
export const hasId = (value: number) => `id IN (SELECT CAST(m.key AS bigint) FROM json_each($${value}) m)`;

/** The values of `CASE WHEN $1 THEN $2 ELSE column END`, which keeps what a change does not name. */
export const given = (value: Value | undefined): [boolean, Value] => [value !== undefined, value ?? null];

/** Rows that are looked at, and deleted, in one go. */
const STEP = 1000;

/**
 * Deletes the rows of a table whose `at` is before a time; returns how many. The oldest have the lowest ids, so no index by
 * time is needed. Usually there is nothing to delete, and then nothing is written.
 */
export async function trimOldest(
  { read, write }: Pick<Statements, 'read' | 'write'>,
  table: 'audit' | 'webhook_deliveries' | 'person_events',
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

/**
 * Rewrites a text of an account's rows, to null to remove it: `own` is their condition, as SQL, the account being $1. Returns how many have
 * changed.
 */
export async function rewriteTexts(
  { read, write }: Pick<Statements, 'read' | 'write'>,
  table: 'audit' | 'caller_actions' | 'webhook_deliveries',
  column: string,
  own: string,
  account: number,
  rewritten: (text: string) => string | null,
): Promise<number> {
  const sql = `SELECT id, ${column} AS text FROM ${table}
    WHERE ${own} AND id > $2 AND ${column} IS NOT NULL ORDER BY id LIMIT ${STEP}`;
  let changed = 0;
  for (let after = 0, rows = STEP; rows === STEP; ) {
    const texts = await read<{ id: number; text: string }>(sql, account, after);
    for (const { id, text } of texts) {
      const now = rewritten(text);
      if (now === text) continue;
      await write(`UPDATE ${table} SET ${column} = $2 WHERE id = $1`, id, now);
      changed += 1;
    }
    rows = texts.length;
    after = texts.at(-1)?.id ?? 0;
  }
  return changed;
}

export type Serialise = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Texts or ids as a value of a statement. The one function that makes rows of a value on both databases is json_each: its
 * `key` is each of them.
 */
export const keysOf = (keys: readonly (string | number)[]): string =>
  JSON.stringify(Object.fromEntries(keys.map((key) => [key, 0])));

/** Runs one job at a time: even with many readers of the history, a lookup waits for one of their reads at most. */
export function createSerialise(): Serialise {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work);
    last = mine.catch(() => {});
    return mine;
  };
}

/** Runs one read at a time. Callers with the key of a read that has not begun yet share its result. */
export function createSharedReads<Key, Result>(read: (key: Key) => Promise<Result>) {
  const inTurn = createSerialise();
  const waiting = new Map<Key, Promise<Result>>();
  return (key: Key): Promise<Result> => {
    const shared = waiting.get(key);
    if (shared !== undefined) return shared;
    const own = inTurn(() => {
      waiting.delete(key);
      return read(key);
    });
    waiting.set(key, own);
    return own;
  };
}

/**
 * Whether a write was refused because what it belongs to is not there (any more), such as its account: by a foreign key, as
 * each engine says it.
 */
export const isOwnerGone = (error: unknown): boolean =>
  (error as { code?: unknown }).code === '23503' ||
  (error as Error).message === 'FOREIGN KEY constraint failed';

/** What an operator must know of the storage under the service. */
export type StoreAbout = {
  /** Such as `PostgreSQL 15.18`. */
  readonly engine: string;
  /** What an acknowledged event survives, as the end of a sentence that begins with "an acknowledged event is". */
  readonly survives: string;
  /** False if an acknowledged event can be lost without the loss of a disk. */
  readonly safe: boolean;
};
