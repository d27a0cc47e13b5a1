import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { accountTables } from '../../src/service/accounts/account-data.ts';
import type { Store } from '../../src/service/database/store.ts';
import { isOwnerGone } from '../../src/service/store/statements.ts';
import { recorded } from '../tools/service/recorded-request.ts';

/** A database with the tables of version 1.0.0. */
type Database = {
  sql(text: string): Promise<readonly Record<string, unknown>[]>;
  /** Opens it with this version, which brings it up to date. */
  open(): Promise<Store>;
  /** What 1.0.0 does with it when it starts again: throws if it cannot live with it. */
  goBack(): Promise<void>;
};

/** Account 1 with a call, and what requests of accounts 5 and 6, which are gone, have left. */
const madeBy100 = `
  INSERT INTO accounts (id, uid, name) VALUES (1, 'a', 'A');
  INSERT INTO integrations (id, uid, account_id, name, created_at) VALUES (1, 'i', 1, 'PBX', 0);
  INSERT INTO customers (id, account_id, reference, name, search) VALUES (1, 1, 'r', 'Ann', 'ann');
  INSERT INTO customer_numbers (account_id, number, customer_id) VALUES (1, '110', 1);
  INSERT INTO calls (id, account_id, integration_id, call_id, status, from_number, number, started_at)
    SELECT a, a, a, 'c', 'ringing', '110', '110', 1 FROM (SELECT 1 AS a UNION ALL SELECT 5 UNION ALL SELECT 6) accounts;
  INSERT INTO history_counts SELECT * FROM (SELECT %counts%) counts;
  INSERT INTO kept_figures (account_id, since, until, mark) VALUES (1, 0, 1, 1), (6, 0, 1, 1);
  INSERT INTO audit (account_id, at, what, who, source, target) VALUES (0, 1, 'sign-in-failed', '', '::1', ''),
    (1, 2, 'settings', 'Ann', '::1', 'x'), (6, 3, 'import', 'Bea', '::1', '3 imported');`;

const rowsOf = 'account_id, at, what';

/** How many rows belong to no account that is there, by table. */
export async function orphans(sql: Database['sql']): Promise<Record<string, number>> {
  const left: Record<string, number> = {};
  for (const { table, by = 'account_id', through = 'accounts' } of accountTables.slice(0, -1)) {
    const [row] = await sql(
      `SELECT count(*) AS n FROM ${table} WHERE ${by} NOT IN (SELECT id FROM ${through})`,
    );
    if (Number(row?.n) > 0) left[table] = Number(row?.n);
  }
  return left;
}

/** What every engine must make of it. `said`: what was printed meanwhile. */
export function upgradeTests(
  engine: string,
  make: (t: TestContext, firstStep: (counts: string) => string) => Promise<Database>,
): void {
  test(`${engine}: a database of 1.0.0 loses what removed accounts left, says so, and 1.0.0 can go on with it`, async (t) => {
    const { sql, open, goBack } = await make(t, (counts) => madeBy100.replace('%counts%', counts));
    const printed: string[] = [];
    t.mock.method(process.stderr, 'write', (text: string) => void printed.push(text));
    const store = await open();
    t.after(() => store.close().catch(() => {}));
    t.mock.restoreAll();
    assert.match(printed.join(''), /: deleted 4 rows of accounts that were removed before\n/);

    assert.deepEqual(await orphans(sql), {});
    const audit = async () =>
      (await sql(`SELECT ${rowsOf} FROM audit ORDER BY id`)).map((row) => Object.values(row));
    const entries = [
      [null, '1', 'sign-in-failed'],
      ['1', '2', 'settings'],
    ];
    const texts = (rows: unknown[][]) =>
      rows.map((row) => row.map((value) => (value === null ? null : `${value}`)));
    assert.deepEqual(texts(await audit()), entries);
    assert.equal((await store.calls.get(1, 'c'))?.customer?.name, 'Ann');
    const late = store.requests.record({ ...recorded({ account: 6, id: 'late' }), integration: 6 });
    await assert.rejects(late, (error) => isOwnerGone(error));
    const made = await store.directory.addAccount({ uid: 'n', name: 'N', country: null });
    await store.close();

    await goBack();
    const entry =
      "INSERT INTO audit (account_id, at, what, who, source, target) VALUES (0, 4, 'sign-in-failed', '', '', '')";
    await sql(entry);
    assert.deepEqual(texts(await audit()), [...entries, [null, '4', 'sign-in-failed']], 'as 1.0.0 writes it');
    await assert.rejects(sql(entry.replace('(0, 4', '(6, 4')), (error) => isOwnerGone(error));
    await sql(`DELETE FROM accounts WHERE id = ${made.id}`);
    const again = await open();
    t.after(() => again.close());
    assert.ok((await again.directory.addAccount({ uid: 'o', name: 'O', country: null })).id > made.id);
  });
}
