import { existsSync, readFileSync, rmSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { parseJson } from '../../../shared/process/parse-json.ts';
import { migrate } from '../../../shared/storage/migrate.ts';
import { makeFile } from '../../../shared/storage/open-database.ts';
import { partOf, replaceDatabase } from '../../../shared/storage/replace.ts';
import { storageErrorKind } from '../../../shared/storage/storage-error.ts';
import { highestSeq } from '../tables/counters.ts';
import { isBodyOf } from '../tables/intake.ts';
import { outboxSchema } from '../tables/migrations.ts';
import { deadState } from '../tables/outcomes.ts';
import { damagedName } from './damaged-file.ts';

const highest = BigInt(Number.MAX_SAFE_INTEGER);

/** What is saved. The journal is not: nothing is reported from it, and it is by far the biggest table. */
const tables = [
  'counters',
  'event',
  'attempt',
  'open_call',
  'trunk',
  'unreported',
  'cdr_checkpoint',
  'backfill',
] as const;

type Repair = {
  /** Where the damaged file is now. */
  readonly aside: string;
  /** How many rows of each table were saved, and where they could not be read, in words. */
  readonly rows: string;
  readonly waiting: number;
  /** Events that are known to be missing, of those that were waiting or dead letters; undefined: not known. */
  readonly lost: number | undefined;
};

/**
 * Sets a damaged, closed database aside (`stamp` goes into its name) and replaces it by a new one with what SQLite still
 * reads of each table, from its beginning and from its end. If it is killed, `finishReplacement` or the next repair
 * completes it.
 */
export function repair(path: string, stamp: string): Repair {
  makeFile(path);
  const target = partOf(path);
  for (const suffix of ['', '-journal', '-wal']) rmSync(target + suffix, { force: true });
  makeFile(target);
  const db = new DatabaseSync(target);
  try {
    // On disk when it takes the place of the damaged one, not before.
    db.exec('PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF');
    migrate(db, outboxSchema);
    db.exec('BEGIN');
    const rows = copyAll(path, db);
    chooseNextEvents(db);
    const counted = countAll(db);
    db.exec('COMMIT');
    db.close();
    const aside = damagedName(path, stamp);
    replaceDatabase(path, aside);
    return { aside, rows, ...counted };
  } finally {
    if (db.isOpen) db.close();
  }
}

/** The bytes of a database's WAL. */
export function readWal(path: string): Buffer {
  return existsSync(`${path}-wal`) ? readFileSync(`${path}-wal`) : Buffer.alloc(0);
}

/** What was saved of each table, in words. */
function copyAll(path: string, to: DatabaseSync): string {
  const from = new DatabaseSync(path, { readOnly: true });
  try {
    // Else SQLite reads nothing at all of a file that was cut off.
    from.enableDefensive(false);
    from.exec('PRAGMA writable_schema = ON');
    const copies = tables.map((table) => copyTable(from, to, table));
    return copies.some(({ saved }) => saved > 0)
      ? copies.map(({ text }) => text).join(', ')
      : 'none, since nothing of it can be read: the new one is empty';
  } finally {
    from.close();
  }
}

type Table = (typeof tables)[number];
type Row = Record<string, SQLOutputValue>;

/** Copies what can be read of a table: how many rows, and between which ones nothing could be read. */
function copyTable(from: DatabaseSync, to: DatabaseSync, table: Table): { saved: number; text: string } {
  const columns = to
    .prepare(`PRAGMA table_info(${table})`)
    .all()
    .map(({ name }) => String(name));
  const names = columns.join(', ');
  const select = `SELECT rowid AS "row", ${names} FROM ${table} NOT INDEXED ORDER BY rowid`;
  const insert = to.prepare(
    `INSERT OR REPLACE INTO ${table} (${names}) VALUES (${columns.map(() => '?').join(', ')})`,
  );
  let saved = 0;
  let refused = 0;
  const save = (row: Row) => {
    const fits =
      isSensible(table, row) &&
      ran(
        insert,
        columns.map((name) => row[name] ?? null),
      );
    if (fits) saved += 1;
    else refused += 1;
  };
  const up = readUntilDamage(from, select, save, (row, before) => row > before);
  const down = up.whole
    ? up
    : readUntilDamage(from, `${select} DESC`, save, (row, before) => row < before && row > (up.last ?? -1n));
  const notes = [
    up.whole ? [] : ['unreadable'],
    up.whole || up.last === undefined ? [] : [`after row ${up.last}`],
    up.whole || down.last === undefined ? [] : [`before row ${down.last}`],
    refused === 0 ? [] : [`${refused} that make no sense`],
  ].flat();
  return { saved, text: `${table} ${saved}${notes.length > 0 ? ` (${notes.join(' ')})` : ''}` };
}

/**
 * Gives rows to `save` until SQLite cannot read on, or one is out of order. The number of the last one, and whether the
 * table ended there.
 */
function readUntilDamage(
  from: DatabaseSync,
  select: string,
  save: (row: Row) => void,
  follows: (row: bigint, before: bigint) => boolean,
): { last: bigint | undefined; whole: boolean } {
  let last: bigint | undefined;
  try {
    const statement = from.prepare(select);
    // A damaged number may be too big for a number.
    statement.setReadBigInts(true);
    for (const row of statement.iterate()) {
      const number = row.row as bigint;
      if (last !== undefined && !follows(number, last)) return { last, whole: false };
      save(row);
      last = number;
    }
    return { last, whole: true };
  } catch (error) {
    const kind = storageErrorKind(error);
    // A disk that is full or fails is no damage: the repair is tried again.
    if (kind !== 'corrupt' && kind !== 'other') throw error;
    return { last, whole: false };
  }
}

function isSensible(table: Table, row: Row): boolean {
  if (!Object.values(row).every((value) => typeof value !== 'bigint' || (value >= 0 && value <= highest)))
    return false;
  if (table === 'open_call' || table === 'trunk') return parseJson(String(row.state)) !== undefined;
  if (table === 'cdr_checkpoint') return parseJson(String(row.checkpoint)) !== undefined;
  if (table === 'counters')
    return (
      Number(row.last_seq) <= highestSeq &&
      Number(row.queued) === Number(row.delivered) + Number(row.waiting) + Number(row.dead)
    );
  if (table !== 'event') return true;
  // A flipped bit must not report a call as another one.
  const ours = isBodyOf(String(row.body), String(row.call_id), String(row.status));
  return ours && Number(row.seq) <= highestSeq && Number(row.state) <= deadState;
}

/** False if a value is not one of its column. */
function ran(insert: StatementSync, values: SQLInputValue[]): boolean {
  try {
    insert.run(...values);
    return true;
  } catch (error) {
    const constraint = 19;
    if ((Number((error as { errcode?: number }).errcode) & 0xff) === constraint) return false;
    throw error;
  }
}

/** Chooses the next event of each call. */
function chooseNextEvents(db: DatabaseSync): void {
  db.exec(`
    UPDATE event SET newest_at = NULL, next_at = NULL;
    UPDATE event SET next_at = 0,
      newest_at = (SELECT max(queued_at) FROM event AS other WHERE other.call_id = event.call_id)
      WHERE seq IN (SELECT min(seq) FROM event WHERE state = 0 GROUP BY call_id)`);
}

/** Makes the counters those of the events that were saved. */
function countAll(db: DatabaseSync): { waiting: number; lost: number | undefined } {
  const before = db.prepare('SELECT * FROM counters').get() as Record<string, number>;
  const [waiting = 0, delivered = 0, dead = 0] = [0, 1, 2].map(
    (state) => db.prepare('SELECT count(*) AS n FROM event WHERE state = ?').get(state)?.n as number,
  );
  const lastSeq = (db.prepare('SELECT max(seq) AS n FROM event').get()?.n as number | null) ?? 0;
  // 0: no counters were found.
  const known = before.last_seq !== 0;
  const left = waiting + dead - (before.waiting as number) - (before.dead as number);
  const lost = Math.max(0, -left);
  // Counters that were wrong may count as delivered what waits. Delivered events that are forgotten count all the same.
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
  return { waiting, lost: known ? lost : undefined };
}
