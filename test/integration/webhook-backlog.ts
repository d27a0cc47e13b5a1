import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';
import { Client } from 'pg';
import type { DatabaseSettings } from '../../src/service/database/open-store.ts';
import { webhookEvents } from '../../src/service/webhooks/webhook.ts';
import type { WebhookStore } from '../../src/service/webhooks/webhook-store.ts';
import { freePort } from '../tools/free-port.ts';
import { runProgram } from '../tools/program/program.ts';
import { callers, prepare, stateFolder } from '../tools/service/harness.ts';
import { withStore } from '../tools/service/people.ts';
import { startReceiver } from '../tools/service/webhook-receiver.ts';

const HOUR_MS = 3_600_000;
/** Ten webhooks of one account; the first three fail. */
const WEBHOOKS = 10;
const FAILING = 3;

/**
 * A receiver that is down for three days, at 100 calls an hour and three events each, has 21,600 of them. Here three of
 * ten webhooks have 25,000, and the others have delivered theirs. `urlOf`: where the nth webhook
 * posts to, from 0.
 */
async function fillBacklog(
  webhooks: WebhookStore,
  run: (sql: string) => unknown,
  now: number,
  urlOf: (nth: number) => string,
): Promise<void> {
  const since = now - 72 * HOUR_MS;
  for (let nth = 0; nth < WEBHOOKS; nth += 1)
    await webhooks.add({ uid: `w${nth}`, account: 1, url: urlOf(nth), events: webhookEvents, since });
  const ids = (await webhooks.list(1)).map(({ id }) => id);
  const failing = ids.slice(0, FAILING);
  for (const id of failing) await webhooks.change(id, { failingSince: since });
  await run(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 8334)
    INSERT INTO calls (account_id, integration_id, call_id, status, from_number, number, started_at, ringing_at,
      answered_at, completed_at, missed)
    SELECT 1, 1, 'backlog-' || i, 'completed', '+4930' || i, '+4930' || i, ${since} + i * 31000,
      ${since} + i * 31000, ${since} + i * 31000 + 5000, ${since} + i * 31000 + 20000, FALSE FROM n`);
  // Of every second call the first event was tried.
  await run(`WITH happened AS (
      SELECT c.id AS call_row, c.id % 2 AS odd, step, event, CASE step WHEN 0 THEN ringing_at WHEN 1 THEN answered_at ELSE completed_at END AS at
      FROM calls c CROSS JOIN (SELECT 0 AS step, 'call.ringing' AS event UNION ALL SELECT 1, 'call.answered' UNION ALL SELECT 2, 'call.ended') e
      WHERE call_id LIKE 'backlog-%')
    INSERT INTO webhook_deliveries (webhook_id, call_row, event, at, queued_at, state, tries, attempts)
    SELECT w.id, call_row, event, at, at,
      CASE WHEN w.failing_since IS NULL THEN 'delivered' WHEN step = 0 AND odd = 1 THEN 'retry' ELSE 'new' END,
      CASE WHEN w.failing_since IS NULL THEN 1 WHEN step = 0 THEN odd ELSE 0 END,
      CASE WHEN w.failing_since IS NOT NULL AND step = 0 THEN odd ELSE 0 END
    FROM happened CROSS JOIN webhooks w ORDER BY at, call_row, step, w.id`);
}

/** Runs statements that no store offers. */
async function openRaw(stateDir: string, database: DatabaseSettings) {
  if (database === null) {
    const db = new DatabaseSync(join(stateDir, 'service.db'));
    return { run: (sql: string) => db.exec(sql), close: () => db.close() };
  }
  const client = new Client({ connectionString: database.url });
  await client.connect();
  return { run: (sql: string) => client.query(sql), close: () => client.end() };
}

/**
 * The program `service` with such a backlog of account Alpha; three webhooks post to `failing`, seven to `healthy`.
 */
export async function startWithBacklog(t: TestContext, database: DatabaseSettings) {
  const stateDir = stateFolder(t);
  const accounts = await prepare(stateDir, database);
  const [failing, healthy] = [await startReceiver(t), await startReceiver(t)];
  failing.answer((_, response) => response.writeHead(500).end());
  await withStore({ stateDir, database }, async ({ webhooks }) => {
    const db = await openRaw(stateDir, database);
    await fillBacklog(webhooks, db.run, Date.now(), (nth) => (nth < FAILING ? failing.url : healthy.url));
    await db.close();
  });
  const port = await freePort();
  const env = {
    SERVICE_STATE_DIR: stateDir,
    SERVICE_LISTEN: `127.0.0.1:${port}`,
    SERVICE_WEBHOOK_NETWORKS: '127.0.0.1',
    ...(database !== null && { DATABASE_URL: database.url }),
  };
  const program = runProgram(['service'], { env, cwd: stateDir });
  t.after(() => program.end('SIGKILL'));
  await program.says(new RegExp(`127.0.0.1:${port}`));
  return { program, failing, healthy, accounts, stateDir, database, ...callers(`http://127.0.0.1:${port}`) };
}
