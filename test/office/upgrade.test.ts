import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { createKeys, serverSecret } from '../../src/service/accounts/keys.ts';
import { copySite } from '../../src/service/database/copy-site.ts';
import { secretMarkOf } from '../../src/service/database/open-store.ts';
import { openPostgresStore } from '../../src/service/database/postgres-store.ts';
import { openSqliteStore } from '../../src/service/database/sqlite-store.ts';
import type { Store } from '../../src/service/database/store.ts';
import { steps } from '../../src/service/store/postgres/migrations.ts';
import { serviceSchema } from '../../src/service/store/sqlite/open.ts';
import { backUpBefore } from '../../src/shared/storage/backup.ts';
import { migrate } from '../../src/shared/storage/migrate.ts';
import { StoreUnavailable } from '../../src/shared/storage/storage-error.ts';
import { openThirdYear } from '../tools/office/third-year.ts';
import { MAIN } from '../tools/office/years.ts';
import { postgresImpossible, startCluster } from '../tools/servers/cluster.ts';
import { recorded } from '../tools/service/recorded-request.ts';
import { until } from '../tools/until.ts';

/** What a next version could add to the table that most is read and written of. */
const next = {
  name: 'later',
  sql: "ALTER TABLE calls ADD COLUMN later text NOT NULL DEFAULT ''; CREATE INDEX calls_later ON calls (account_id, later)",
};

async function thirdYear(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'third-year-'));
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  const { now } = await openThirdYear(folder);
  return { folder, now, file: join(folder, 'service.db') };
}

const record = (store: Store, id: string, at: number) =>
  store.requests.record(recorded({ account: MAIN, id, at }));

test('an office of three years goes to the next version with SQLite, and back', async (t) => {
  const { folder, file, now } = await thirdYear(t);
  const count = (path: string) => {
    const db = new DatabaseSync(path, { readOnly: true });
    const rows = ['calls', 'history', 'customers', 'caller_actions', 'webhook_deliveries'].map(
      (table) => db.prepare(`SELECT count(*) AS rows FROM ${table}`).get()?.rows as number,
    );
    db.close();
    return rows;
  };
  const before = count(file);
  assert.ok((before[0] ?? 0) > 300_000, `${before[0]} calls`);
  const db = new DatabaseSync(file);
  const backup = () => backUpBefore(file, { program: 'service', files: [] });
  migrate(db, { ...serviceSchema, steps: [...serviceSchema.steps, next] }, backup);
  db.close();
  const [made = ''] = readdirSync(join(folder, 'backups'));
  assert.deepEqual([count(file), count(join(folder, 'backups', made))], [before, before]);

  const old = await openSqliteStore(file);
  await record(old, 'after', now);
  assert.equal((await old.calls.get(MAIN, 'after'))?.status, 'ringing');
  await old.close();
  assert.equal(count(file)[0], (before[0] ?? 0) + 1);
});

const skip = (await postgresImpossible()) ?? false;

test('with PostgreSQL the next version adds while a process of the one before writes', {
  skip,
}, async (t) => {
  const { folder, file, now } = await thirdYear(t);
  const cluster = await startCluster();
  t.after(() => cluster.remove());
  const url = await cluster.database();
  const name = new URL(url).pathname.slice(1);
  const settings = { keptMs: undefined, secretMark: secretMarkOf(createKeys(serverSecret(folder))) };
  await copySite(file, url, settings);
  const old = await openPostgresStore({ url, ...settings });
  let written = 0;
  let stopped = false;
  const writing = (async () => {
    // As a bridge does it: again, until it is acknowledged.
    while (!stopped)
      await record(old, `beside-${written}`, now).then(
        () => {
          written += 1;
        },
        (error) => assert.ok(error instanceof StoreUnavailable, `${error}`),
      );
  })();
  const more = async () => {
    const before = written;
    await until('more events to be written', async () => written > before + 20, {
      state: async () => written,
    });
  };
  await more();
  const newer = await openPostgresStore({ url, ...settings }, [...steps, next]);
  await more();
  const again = await openPostgresStore({ url, ...settings });
  await record(newer, 'newer', now);
  await record(again, 'again', now);
  stopped = true;
  await writing;
  const [found] = await cluster.sql(
    `SELECT count(*) FILTER (WHERE call_id LIKE 'beside-%')::int AS beside,
       count(*) FILTER (WHERE call_id IN ('newer', 'again') AND later = '')::int AS others FROM calls`,
    name,
  );
  assert.deepEqual(found, { beside: written, others: 2 });
  await Promise.all([old, newer, again].map((store) => store.close()));
});
