import { createHash } from 'node:crypto';
import {
  constants,
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { createKeys, serverSecret } from '../../../src/service/accounts/keys.ts';
import { callRows } from '../../../src/service/calls/call-rows-sqlite.ts';
import { openSqliteStore } from '../../../src/service/database/sqlite-store.ts';
import type { Store } from '../../../src/service/database/store.ts';
import { openForWriting } from '../../../src/service/store/sqlite/open.ts';
import { createPasswords } from '../../../src/service/users/password.ts';
import { addUser } from '../../../src/service/users/users.ts';
import { callEvents } from '../../../src/service/webhooks/webhook.ts';
import { cache } from '../debian-tree.ts';
import { password } from '../service/people.ts';
import {
  actionsOf,
  callsOf,
  colleagues,
  customersOf,
  DAY_MS,
  extensionOf,
  lateCalls,
  MAIN,
  type OfficeCall,
  office,
  recordOf,
  requestsOf,
  type Scale,
  SECOND,
  segments,
  waitingNumber,
} from './years.ts';

/** Days of which the API log has the requests (SERVICE_HISTORY_MAX_AGE), and of which the audit log has entries. */
export const [LOGGED, AUDITED] = [100, 365];
/** The days that every copy adds by itself: so long ago is the end of what is kept. */
const LAST_DAYS = 8;
const KEPT_FOR = 14;

/** Beginnings of names of 16 hexadecimal digits; the webhook that fails has all of its. */
const uids = {
  account: 'acc000000000000',
  integration: '1d000000000000',
  works: '3eb000000000000',
  fails: '3eb0000000000fff',
};

/** A state folder of the service with the whole office until `now`, and what is known of it. */
export type ThirdYear = {
  readonly stateDir: string;
  readonly now: number;
  readonly scale: Scale;
  /** Of the integrations: two of the property manager, and that of the telephone shop. */
  readonly tokens: readonly string[];
  /** For `/admin`, of each account. */
  readonly administration: readonly string[];
  /** Sign in by these names and people.ts's `password`: the administrator, and somebody else. */
  readonly administrator: string;
  readonly agent: string;
  /** The administrator of the second account. */
  readonly other: string;
  /** The calls, in order. */
  calls(): Generator<OfficeCall>;
  /** The numbers of those who wait to be called back, of the property manager. */
  readonly toCallBack: ReadonlySet<string>;
  /** The time of the oldest entry of the audit log. */
  readonly auditedSince: number;
  /** The time of the oldest delivery. */
  readonly deliveredSince: number;
};

/** Makes one in an empty folder. The first time takes half a minute; what was made is kept, and copied. */
export async function openThirdYear(
  stateDir: string,
  { scale = 1, now = Date.now() }: { scale?: Scale; now?: number } = {},
): Promise<ThirdYear> {
  const today = Math.floor(now / DAY_MS);
  const end = Math.floor((today - LAST_DAYS) / KEPT_FOR) * KEPT_FOR;
  const begin = end - office.days * scale;
  const kept = await keptYears(scale, begin, end);
  mkdirSync(stateDir, { recursive: true });
  for (const file of ['service-secret', 'service.db'])
    copyFileSync(join(kept, file), join(stateDir, file), constants.COPYFILE_FICLONE);
  function* calls(from = begin) {
    for (let day = from; day <= today; day += 1)
      yield* callsOf(day, scale).filter(({ steps }) => (steps.at(-1)?.at ?? 0) < now - 60_000);
    yield* lateCalls(now, scale);
  }
  const db = openForWriting(join(stateDir, 'service.db'));
  db.exec('PRAGMA synchronous = OFF');
  write(db, [...calls(end)], { now, logged: true });
  writeAudit(db, end, today);
  writeDeliveries(db, now, scale);
  writeSums(db);
  const deliveredSince = db.prepare('SELECT min(at) AS at FROM webhook_deliveries').get()?.at as number;
  db.close();

  const keys = createKeys(serverSecret(stateDir));
  const { directory } = await withStore(stateDir, async (store) => {
    const read = await store.directory.read(0);
    if (read === undefined) throw new Error('no directory');
    return read;
  });
  return {
    stateDir,
    now,
    scale,
    calls,
    deliveredSince,
    auditedSince: Math.floor(end - AUDITED * scale) * DAY_MS,
    tokens: directory.integrations.map((one) => keys.integrationToken(one)),
    administration: directory.accounts.map((one) => keys.adminToken(one)),
    administrator: colleagues[0] as string,
    agent: colleagues[1] as string,
    other: 'Olga',
    toCallBack: new Set(Array.from({ length: office.toCallBack * scale }, (_, n) => waitingNumber(n))),
  };
}

async function withStore<T>(stateDir: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openSqliteStore(join(stateDir, 'service.db'));
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** The folder with everything but the last days, by what it is made from. */
async function keptYears(scale: Scale, begin: number, end: number): Promise<string> {
  const sources = ['years.ts', 'third-year.ts'].map((file) => new URL(file, import.meta.url));
  for (const file of [
    'store/sqlite/schema.sql',
    'store/sqlite/open.ts',
    '../shared/storage/migrate.ts',
    '../shared/storage/written-by.ts',
    'calls/call-rows-sqlite.ts',
    'kit/search-text.ts',
    'people/customer-fields.ts',
    'calls/call-rows.ts',
  ])
    sources.push(new URL(`../../../src/service/${file}`, import.meta.url));
  const hash = createHash('sha256').update(`${process.version} ${begin} ${end}`);
  for (const source of sources) hash.update(readFileSync(source));
  const folder = join(cache, `office-${scale}-${hash.digest('hex').slice(0, 12)}`);
  if (existsSync(folder)) return folder;
  // The service makes its folder for itself alone, and so the folders above it; an Asterisk must enter this one.
  mkdirSync(cache, { recursive: true });
  const building = `${folder}.building-${process.pid}`;
  rmSync(building, { recursive: true, force: true });
  await build(building, scale, begin, end);
  for (const old of globSync(join(cache, `office-${scale}-*`)))
    if (statSync(old).mtimeMs < Date.now() - KEPT_FOR * DAY_MS) rmSync(old, { recursive: true, force: true });
  try {
    renameSync(building, folder);
  } catch (error) {
    // Somebody else was first: theirs is as good.
    rmSync(building, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

async function build(stateDir: string, scale: Scale, begin: number, end: number): Promise<void> {
  serverSecret(stateDir);
  const at = begin * DAY_MS;
  await withStore(stateDir, async (store) => {
    const { directory, customers, users, webhooks } = store;
    for (const [account, name, names] of [
      [MAIN, 'Hansa Hausverwaltung', colleagues],
      [SECOND, 'Телефонный магазин', ['Olga']],
    ] as const) {
      await directory.addAccount({ uid: uids.account + account, name, country: 'DE' });
      const week = Array.from({ length: 7 }, (_, day): [number, number] | null =>
        day < 5 ? [480, 1080] : null,
      );
      await directory.changeAccount(account, {
        timeZone: 'Europe/Berlin',
        openingHours: JSON.stringify({ week, closed: [] }),
      });
      for (const [n, integration] of (account === MAIN ? ['Zentrale', 'Werkstatt'] : ['Shop']).entries())
        await directory.addIntegration({
          uid: `${uids.integration}${account}${n}`,
          account,
          name: integration,
          createdAt: at,
        });
      for (const segment of segments) await customers.putSegment(account, segment);
      const all = [...customersOf(account, scale)];
      for (let from = 0; from < all.length; from += 500)
        await customers.put(account, all.slice(from, from + 500));
      const hash = await createPasswords().hash(password);
      for (const [n, person] of names.entries()) {
        const user = await addUser(store, {
          account: { id: account, mostUsers: null },
          name: person,
          role: n === 0 ? 'administrator' : 'agent',
          now: at,
        });
        if (user === undefined) throw new Error(`two users are called ${person}`);
        await users.change(user.id, { password: hash });
        await directory.putExtension(account, { extension: extensionOf(n), name: '', user: user.id });
      }
      await webhooks.add({
        uid: uids.works + account,
        account,
        url: 'https://crm.example/hook',
        events: callEvents,
        since: at,
      });
    }
    await webhooks.add({
      uid: uids.fails,
      account: MAIN,
      url: 'https://desk.example/hook',
      events: callEvents,
      since: at,
    });
  });
  const db = openForWriting(join(stateDir, 'service.db'));
  db.exec('PRAGMA synchronous = OFF');
  // Made afterwards, sorted, they take a fraction of the time.
  const indexes = db
    .prepare(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name IN ('calls', 'history') AND sql IS NOT NULL",
    )
    .all();
  for (const { name } of indexes) db.exec(`DROP INDEX ${name}`);
  for (let day = begin; day < end; day += 1)
    write(db, callsOf(day, scale), { now: end * DAY_MS, logged: day >= end - LOGGED * scale });
  for (const { sql } of indexes) db.exec(`${sql}`);
  writeAudit(db, Math.floor(end - AUDITED * scale), end - 1);
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
}

/** Calls, what colleagues did about them, and the requests that reported them; as the store leaves them. */
function write(
  db: DatabaseSync,
  calls: readonly OfficeCall[],
  { now, logged }: { now: number; logged: boolean },
): void {
  const rows = callRows(db);
  const action = db.prepare(
    'INSERT INTO caller_actions (account_id, number, at, user_name, kind, text) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const entry = db.prepare(
    `INSERT INTO history (account_id, integration_id, created_at, method, path, call_id, from_number, request, status,
       response, duration, effect) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1.5, 'moved')`,
  );
  db.exec('BEGIN');
  for (const one of calls) {
    const call = recordOf(one);
    rows.add(one.account, call);
    if (one.steps[0]?.event.id.startsWith('pbx'))
      for (const { account, number, at, user, kind } of actionsOf(one, now))
        action.run(
          account,
          number,
          at,
          user,
          kind,
          kind === 'note' ? `Ruft wegen ${call.id} zurück: Schlüssel, ключ, 鍵` : null,
        );
  }
  if (logged)
    for (const {
      account,
      integration,
      at,
      method,
      path,
      callId,
      fromNumber,
      request,
      status,
      response,
    } of calls.flatMap(requestsOf).sort((a, b) => a.at - b.at))
      entry.run(account, integration, at, method, path, callId, fromNumber, request, status, response);
  db.exec('COMMIT');
}

/** Thirty entries a day, an import among them. */
function writeAudit(db: DatabaseSync, from: number, until: number): void {
  const insert = db.prepare(
    'INSERT INTO audit (account_id, at, what, who, source, target) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const kinds = ['sign-in', 'sign-out', 'export', 'settings', 'removal', 'sign-in-failed'];
  db.exec('BEGIN');
  for (let day = from; day <= until; day += 1)
    for (let n = 0; n < 30; n += 1) {
      const what = n === 7 ? 'import' : (kinds[n % kinds.length] as string);
      const account = n % 10 === 9 ? SECOND : MAIN;
      const at = day * DAY_MS + n * 2_000_000;
      insert.run(
        account,
        at,
        what,
        colleagues[n] as string,
        '192.0.2.7',
        what === 'import' ? '12 customers' : '',
      );
    }
  db.exec('COMMIT');
}

/** The newest events: delivered to one webhook, and waiting or given up for one that has been failing for two days. */
function writeDeliveries(db: DatabaseSync, now: number, scale: Scale): void {
  const [all, failing, waiting] = [office.deliveries, office.deliveries / 4, office.deliveries / 6].map(
    (n) => n * scale,
  );
  const newest = (webhook: string, count: number | undefined, state: string) =>
    db.exec(`INSERT INTO webhook_deliveries (webhook_id, call_row, event, at, queued_at, state, tries, attempts, tried_at, http_status, answer)
      SELECT (SELECT id FROM webhooks WHERE uid = '${webhook}'), call_row, event, at, at, ${state}, tried, tried, at + 900, 
        CASE WHEN tried = 0 THEN NULL ELSE ${webhook === uids.fails ? 500 : 200} END, CASE WHEN tried = 0 THEN NULL ELSE 'answered' END
      FROM (SELECT *, CASE WHEN n > ${waiting} OR n % 40 = 0 OR '${webhook}' <> '${uids.fails}' THEN 1 ELSE 0 END AS tried FROM (
        SELECT c.id AS call_row, 'call.' || e.name AS event,
          CASE e.name WHEN 'ringing' THEN ringing_at WHEN 'answered' THEN answered_at ELSE completed_at END AS at,
          row_number() OVER (ORDER BY c.started_at DESC, c.id DESC, e.step DESC) AS n
        FROM calls c INDEXED BY calls_by_time
        JOIN (SELECT 'ringing' AS name, 0 AS step UNION ALL SELECT 'answered', 1 UNION ALL SELECT 'ended', 2 UNION ALL SELECT 'missed', 2) e
          ON CASE e.name WHEN 'answered' THEN answered_at IS NOT NULL WHEN 'ended' THEN NOT missed WHEN 'missed' THEN missed ELSE TRUE END
        WHERE c.account_id = ${MAIN} AND c.started_at > ${now - 40 * scale * DAY_MS}
        ORDER BY n LIMIT ${count})) ORDER BY n DESC`);
  newest(`${uids.works}${MAIN}`, (all ?? 0) - (failing ?? 0), "'delivered'");
  newest(
    uids.fails,
    failing,
    `CASE WHEN n > ${waiting} THEN 'failed' WHEN tried = 1 THEN 'retry' ELSE 'new' END`,
  );
  db.prepare('UPDATE webhooks SET failing_since = ? WHERE uid = ?').run(now - 2 * DAY_MS, uids.fails);
  // A program that has just begun to read events, too: of the account whose customers are not imported by the ten thousand.
  db.prepare('INSERT INTO event_feeds (account_id, since, read_at) VALUES (?, ?, ?)').run(SECOND, now, now);
}

/** What the store sums up as requests come in. */
function writeSums(db: DatabaseSync): void {
  db.exec(`INSERT INTO history_counts SELECT account_id, count(*) FROM history GROUP BY account_id;
    INSERT INTO integration_use SELECT integration_id, started_at / 900000, 3 * count(*), max(started_at) FROM calls GROUP BY 1, 2`);
}
