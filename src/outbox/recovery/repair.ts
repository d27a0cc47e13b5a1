import { existsSync, readFileSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { migrate } from '../../storage/migrate.ts';
import { makeFile } from '../../storage/open-database.ts';
import { partOf, replaceDatabase } from '../../storage/replace.ts';
import { migrations } from '../tables/migrations.ts';
import { deliveredState, slots } from '../tables/outcomes.ts';
import { type SavedRow, salvage } from './salvage.ts';

type Repair = {
  /** Where the damaged file is now. */
  readonly aside: string;
  /** Events that were saved, whatever their state. */
  readonly saved: number;
  readonly waiting: number;
  /** Events that are known to be missing, of those that were waiting or dead letters; undefined: not known. */
  readonly lost: number | undefined;
};

/**
 * Sets a damaged database aside (`stamp` goes into its name) and replaces it by a new one with every row that can still
 * be read. `wal`: the bytes of its WAL, which may be deleted by now. If it is killed, `finishReplacement` or the next
 * repair completes it.
 */
export function repair(path: string, stamp: string, wal = readWal(path)): Repair {
  makeFile(path);
  const counted = fillNew(partOf(path), (db) => {
    copyRows(db, salvage(path, wal));
    finishDelivered(db);
    chooseNextEvents(db);
    return countAll(db);
  });
  const aside = damagedName(path, stamp);
  replaceDatabase(path, aside);
  return { aside, ...counted };
}

/**
 * Makes a new database at `target`, where an earlier attempt may have left one. It is not on disk when this returns.
 */
function fillNew<T>(target: string, fill: (db: DatabaseSync) => T): T {
  for (const suffix of ['', '-journal', '-wal']) rmSync(target + suffix, { force: true });
  makeFile(target);
  const db = new DatabaseSync(target);
  try {
    db.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF');
    migrate(db, migrations);
    db.exec('BEGIN');
    const result = fill(db);
    db.exec('COMMIT');
    return result;
  } finally {
    db.close();
  }
}

/** What a damaged database is called when it has been set aside. */
export function damagedName(path: string, stamp: string): string {
  return `${path}.damaged-${stamp}`;
}

/** The bytes of a database's WAL. */
export function readWal(path: string): Buffer {
  return existsSync(`${path}-wal`) ? readFileSync(`${path}-wal`) : Buffer.alloc(0);
}

function copyRows(db: DatabaseSync, rows: Iterable<SavedRow>): void {
  const put = {
    // The most advanced of several copies of an event counts: it must not be sent again at every repair.
    event: db.prepare(
      `INSERT INTO event (seq, call_id, status, body, queued_at, state, attempts, newest_at, next_at,
         finished_at, rejections)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (seq) DO UPDATE SET
         state = excluded.state, attempts = excluded.attempts, finished_at = excluded.finished_at,
         rejections = excluded.rejections
         WHERE excluded.state = 1 OR (event.state = 0 AND excluded.state = 2)
       ON CONFLICT (call_id, status) DO NOTHING`,
    ),
    attempt: db.prepare('INSERT OR REPLACE INTO attempt VALUES (?, ?, ?, ?, ?, ?, ?)'),
    open_call: db.prepare(
      'INSERT INTO open_call (id, state) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET state = excluded.state',
    ),
    trunk: db.prepare('INSERT OR REPLACE INTO trunk VALUES (?, ?, ?)'),
    unreported: db.prepare('INSERT OR REPLACE INTO unreported (call_id, at, why) VALUES (?, ?, ?)'),
    cdr_checkpoint: db.prepare('INSERT OR REPLACE INTO cdr_checkpoint SELECT 1, ?2 WHERE ?1 = 1'),
    // The newest copy that adds up.
    counters: db.prepare(
      `UPDATE counters SET queued = ?2, delivered = ?3, waiting = ?4, dead = ?5, lost = ?6, last_seq = ?7
       WHERE id = ?1 AND ?7 >= last_seq AND ?2 = ?3 + ?4 + ?5`,
    ),
  };
  for (const { table, values } of rows) put[table].run(...values);
}

/**
 * Of some events only an old, waiting copy is left, although an attempt shows that they were delivered. (One with a
 * later `finished_at` was sent again since.)
 */
function finishDelivered(db: DatabaseSync): void {
  db.exec(`
    UPDATE event SET state = ${deliveredState}, finished_at = attempt.at FROM attempt
    WHERE state = 0 AND attempt.id >= seq * ${slots} AND attempt.id < (seq + 1) * ${slots}
      AND outcome = 'delivered' AND attempt.at > coalesce(finished_at, -1)`);
}

/** Chooses the next event of each call, and forgets calls that are over. */
function chooseNextEvents(db: DatabaseSync): void {
  db.exec(`
    UPDATE event SET newest_at = NULL, next_at = NULL;
    UPDATE event SET next_at = 0,
      newest_at = (SELECT max(queued_at) FROM event AS other WHERE other.call_id = event.call_id)
      WHERE seq IN (SELECT min(seq) FROM event WHERE state = 0 GROUP BY call_id);
    DELETE FROM open_call WHERE id IN (SELECT call_id FROM event WHERE status = 'completed')`);
}

/** Counts the rows that were saved. */
function countAll(db: DatabaseSync): { saved: number; waiting: number; lost: number | undefined } {
  const before = db.prepare('SELECT * FROM counters').get() as Record<string, number>;
  const [waiting = 0, delivered = 0, dead = 0] = [0, 1, 2].map(
    (state) => db.prepare('SELECT count(*) AS n FROM event WHERE state = ?').get(state)?.n as number,
  );
  const lastSeq = (db.prepare('SELECT max(seq) AS n FROM event').get()?.n as number | null) ?? 0;
  // 0: no counters were found.
  const known = before.last_seq !== 0;
  const left = waiting + dead - (before.waiting as number) - (before.dead as number);
  const lost = Math.max(0, -left);
  // Waiting events in excess had been delivered, which the rows no longer show: they are sent again, and counted then.
  const everDelivered = Math.max((before.delivered as number) - Math.max(0, left), delivered);
  db.prepare(
    'UPDATE counters SET queued = ?, delivered = ?, waiting = ?, dead = ?, lost = lost + ?, last_seq = ?',
  ).run(
    everDelivered + waiting + dead,
    everDelivered,
    waiting,
    dead,
    lost,
    Math.max(lastSeq, before.last_seq as number),
  );
  return { saved: waiting + delivered + dead, waiting, lost: known ? lost : undefined };
}
