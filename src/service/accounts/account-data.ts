import type { Statements, Value } from '../store/statements.ts';

type AccountTable = {
  readonly table: string;
  /** The column that says whose rows they are: the account's, or of one of its `through`; `account_id` when absent. */
  readonly by?: string;
  readonly through?: 'users' | 'integrations' | 'webhooks';
  /** Only these of them, as SQL. */
  readonly where?: string;
  /**
   * What its rows are read and deleted along, in steps: a column after `account_id` in an index. When absent they are few
   * enough for one.
   */
  readonly along?: string;
  /** What of it is a secret, and is not exported; `all`: nothing of it is worth exporting. */
  readonly secret?: readonly string[] | 'all';
};

const ofUser = { by: 'user_id', through: 'users' } as const;
const ofIntegration = { by: 'integration_id', through: 'integrations' } as const;

/**
 * Every table with rows of accounts, in the order in which an account is removed: each before those that it refers to, and
 * calls before numbers, whose removal looks for their calls.
 */
export const accountTables: readonly AccountTable[] = [
  { table: 'sessions', ...ofUser, secret: 'all' },
  { table: 'weekly_reports', ...ofUser },
  { table: 'missed_notices', ...ofUser, secret: 'all' },
  { table: 'notifications', ...ofUser },
  { table: 'push_devices', ...ofUser, secret: 'all' },
  { table: 'extensions' },
  { table: 'users', secret: ['password', 'second_factor', 'recovery_codes'] },
  // Those of an event go with its call, in its step.
  {
    table: 'webhook_deliveries',
    by: 'webhook_id',
    through: 'webhooks',
    where: 'call_row IS NULL',
    secret: 'all',
  },
  { table: 'event_feeds', secret: 'all' },
  { table: 'call_events', along: 'id', secret: 'all' },
  { table: 'calls', along: 'started_at', secret: ['changed'] },
  { table: 'webhooks', secret: ['headers'] },
  // When nobody wants them any more, none are added.
  { table: 'person_events', along: 'about', secret: 'all' },
  { table: 'history', along: 'created_at' },
  { table: 'history_counts', secret: 'all' },
  { table: 'kept_figures', secret: 'all' },
  { table: 'caller_actions', along: 'at' },
  { table: 'audit', along: 'at' },
  { table: 'customer_numbers', along: 'number' },
  { table: 'customers', along: 'reference' },
  { table: 'segments' },
  { table: 'integration_use', ...ofIntegration },
  { table: 'old_token_uses', ...ofIntegration },
  { table: 'bridge_health', ...ofIntegration },
  { table: 'certificates', ...ofIntegration },
  { table: 'integrations' },
  { table: 'accounts', by: 'id' },
];

/** Rows of a step. */
const STEP = 500;

/** No account has this id: two removals wait for each other, whichever accounts they are of. */
const ANY_ACCOUNT = 0;

export type AccountData = ReturnType<typeof accountData>;

/** All that is stored of an account: to be exported, or removed. */
export function accountData({ read, write, writeAlone }: Pick<Statements, 'read' | 'write' | 'writeAlone'>) {
  const { owners, nextEnd, rowsOf } = accountRows(read);

  async function removeFrom(one: AccountTable, account: number, gone: (rows: number) => void): Promise<void> {
    const remove = async (where: string, ...values: Value[]) =>
      gone((await write(`DELETE FROM ${one.table} WHERE ${where} RETURNING 1 AS gone`, ...values)).length);
    if (one.along === undefined)
      for (const owner of await owners(one, account)) await remove(ownOf(one), owner);
    else
      for (;;) {
        const last = await nextEnd(one, account, null);
        if (last === null) return;
        await remove(`${ownOf(one)} AND ${one.along} <= $2`, account, last);
      }
  }

  return {
    /**
     * Deletes all of an account, in steps, and the account itself last, with what was added meanwhile. What is interrupted
     * is ended by the next call. Its integrations should be switched off, so that little is added. `done` gets the number of
     * rows deleted so far, after each step. False if the account itself is left: it is the only one by then.
     */
    async remove(account: number, done: (rows: number) => void = () => {}): Promise<boolean> {
      let removed = 0;
      const gone = (rows: number) => {
        removed += rows;
        done(removed);
      };
      for (const one of accountTables) if (one.table !== 'accounts') await removeFrom(one, account, gone);
      // Counted as it is deleted: the only other account may be in removal, too.
      const sql =
        'DELETE FROM accounts WHERE id = $1 AND EXISTS (SELECT 1 FROM accounts WHERE id <> $1) RETURNING id';
      gone((await writeAlone(ANY_ACCOUNT, sql, account)).length);
      return (await read('SELECT id FROM accounts WHERE id = $1', account)).length === 0;
    },
    /** All rows of an account, in no order, without secrets; bytes are base64. */
    async *export(account: number): AsyncGenerator<{ table: string; row: Record<string, unknown> }> {
      for (const one of accountTables.toReversed()) {
        const { table, secret = [] } = one;
        if (secret === 'all') continue;
        for await (const rows of rowsOf(one, account))
          for (const row of rows) yield { table, row: shown(row, secret) };
      }
    },
  };
}

const ownOf = ({ by = 'account_id', where }: AccountTable) => `${by} = $1${where ? ` AND ${where}` : ''}`;

/** The rows of an account in each table, in steps. */
function accountRows(read: Statements['read']) {
  /** Whose rows of a table they are: the account's, or those of each of its users, integrations or webhooks. */
  async function owners({ through }: AccountTable, account: number): Promise<number[]> {
    if (through === undefined) return [account];
    const rows = await read<{ id: number }>(`SELECT id FROM ${through} WHERE account_id = $1`, account);
    return rows.map(({ id }) => id);
  }

  /** The last value of the next step after `after` (null: from the beginning); null if no row is left. */
  async function nextEnd({ table, along }: AccountTable, account: number, after: Value): Promise<Value> {
    const rest = after === null ? '' : `AND ${along} > $2`;
    const [row] = await read<{ last: Value }>(
      `SELECT max(${along}) AS last FROM (SELECT ${along} FROM ${table}
         WHERE account_id = $1 ${rest} ORDER BY ${along} LIMIT ${STEP}) step`,
      ...(after === null ? [account] : [account, after]),
    );
    return row?.last ?? null;
  }

  /** The rows of a table, some together. */
  async function* rowsOf(one: AccountTable, account: number): AsyncGenerator<Record<string, unknown>[]> {
    const all = `SELECT * FROM ${one.table} WHERE ${ownOf(one)}`;
    if (one.along === undefined) {
      for (const owner of await owners(one, account)) yield await read(all, owner);
      return;
    }
    for (let after: Value = null; ; ) {
      const last: Value = await nextEnd(one, account, after);
      if (last === null) return;
      yield after === null
        ? await read(`${all} AND ${one.along} <= $2`, account, last)
        : await read(`${all} AND ${one.along} <= $2 AND ${one.along} > $3`, account, last, after);
      after = last;
    }
  }

  return { owners, nextEnd, rowsOf };
}

/** Without what is empty or secret; bytes are base64. */
function shown(row: Record<string, unknown>, secret: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row)
      .filter(([name, value]) => !secret.includes(name) && value !== null)
      .map(([name, value]) => [
        name,
        value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value,
      ]),
  );
}

/** That export as lines of JSON, some together. */
export async function* exportLines(
  { accountData }: { readonly accountData: Pick<AccountData, 'export'> },
  account: number,
  progress: (rows: number) => void = () => {},
): AsyncGenerator<string> {
  let text = '';
  let rows = 0;
  for await (const row of accountData.export(account)) {
    text += `${JSON.stringify(row)}\n`;
    rows += 1;
    if (text.length < 65_536) continue;
    progress(rows);
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}
