import {
  appendFileSync,
  globSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { RecordSource } from '../../../src/bridge/cdr/cdr-source.ts';
import { createCsvSource } from '../../../src/bridge/cdr/csv-source.ts';
import { createMysqlSource } from '../../../src/bridge/cdr/mysql-source.ts';
import { createSqliteSource } from '../../../src/bridge/cdr/sqlite-source.ts';
import { freepbxTable, mariadbImpossible, startMariadb } from '../servers/mariadb.ts';

/** A record as Asterisk writes one, in whatever it writes it into. */
export type Written = {
  readonly uniqueid: string;
  readonly dstchannel: string;
  /** Unix s. */
  readonly began: number;
  readonly duration: number;
  readonly channel?: string;
  readonly src?: string;
  readonly dcontext?: string;
  readonly disposition?: string;
  readonly lastdata?: string;
};

/** One kind of call records, real. */
export type Book = {
  /** Removes all records. */
  begin(): Promise<void>;
  /** To read them by. */
  source(): RecordSource<unknown>;
  write(records: readonly Written[]): Promise<void>;
  /** What a site does now and then with the records that there are: rotation, a table that is emptied. */
  archive(): Promise<void>;
  /** All records since `begin` again, in a new file or table, as after a backup was restored. */
  restore(): Promise<void>;
  stop(): Promise<void>;
};

type Kind = {
  readonly name: string;
  impossible(): string | undefined;
  open(): Promise<Book>;
  /** How often a property may be tried in the time that there is. */
  readonly runs: number;
};

const berlinClock = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'Europe/Berlin',
  dateStyle: 'short',
  timeStyle: 'medium',
});

/** What the clock of a PBX in Berlin shows, as it is written down: an hour of autumn twice, and one of spring never. */
function berlin(seconds: number): string {
  return berlinClock.format(seconds * 1_000);
}

const filled = (record: Written) => ({
  channel: 'PJSIP/trunk-00000001',
  src: '04066969100',
  dcontext: 'from-trunk',
  disposition: 'ANSWERED',
  lastdata: '',
  ...record,
});

async function openCsv(): Promise<Book> {
  const folder = mkdtempSync(join(tmpdir(), 'book-'));
  let rotations = 0;
  let path = '';
  let begun = 0;
  let all: Written[] = [];
  const book: Book = {
    async begin() {
      all = [];
      const own = mkdtempSync(join(folder, `${begun++}-`));
      path = join(own, 'Master.csv');
      writeFileSync(path, '');
    },
    source: () => createCsvSource(path),
    async write(records) {
      all.push(...records);
      const lines = records.map(filled).map((it) => {
        const head = ['', it.src, '4930', it.dcontext, '', it.channel, it.dstchannel, 'Dial', it.lastdata];
        const times = [berlin(it.began), '', berlin(it.began + it.duration)];
        const rest = [it.disposition, 'DOCUMENTATION', it.uniqueid, ''];
        const quoted = (texts: string[]) => texts.map((text) => `"${text}"`).join();
        return `${quoted([...head, ...times])},${it.duration},${it.duration},${quoted(rest)}\n`;
      });
      appendFileSync(path, lines.join(''));
    },
    async archive() {
      if (statSync(path).size === 0) return;
      // Files of one moment have one time; here each has its own.
      rotations += 1;
      utimesSync(path, rotations, rotations);
      renameSync(path, `${path}.${String(rotations).padStart(6, '0')}`);
      writeFileSync(path, '');
    },
    async restore() {
      for (const file of globSync(`${path}*`)) rmSync(file);
      writeFileSync(path, '');
      await book.write(all.splice(0));
    },
    stop: async () => rmSync(folder, { recursive: true }),
  };
  return book;
}

const sqliteColumns =
  'calldate, clid, src, dst, dcontext, channel, dstchannel, lastapp, lastdata, duration, billsec, disposition, uniqueid';

async function openSqlite(): Promise<Book> {
  const folder = mkdtempSync(join(tmpdir(), 'book-'));
  let path = '';
  let begun = 0;
  let all: Written[] = [];
  const inDatabase = (work: (db: DatabaseSync) => void) => {
    const db = new DatabaseSync(path);
    db.exec('PRAGMA synchronous = OFF');
    work(db);
    db.close();
  };
  const book: Book = {
    async begin() {
      all = [];
      path = join(folder, `master-${begun++}.db`);
      // As cdr_sqlite3_custom.c makes it.
      const columns = sqliteColumns.split(', ').map((column) => `${column} TEXT`);
      inDatabase((db) => db.exec(`CREATE TABLE cdr (AcctId INTEGER PRIMARY KEY, ${columns.join()})`));
    },
    source: () => createSqliteSource(path),
    async write(records) {
      all.push(...records);
      inDatabase((db) => {
        const insert = db.prepare(
          `INSERT INTO cdr (${sqliteColumns}) VALUES (?, '', ?, '4930', ?, ?, ?, 'Dial', ?, ?, ?, ?, ?)`,
        );
        db.exec('BEGIN');
        for (const it of records.map(filled))
          insert.run(
            berlin(it.began),
            it.src,
            it.dcontext,
            it.channel,
            it.dstchannel,
            it.lastdata,
            it.duration,
            it.duration,
            it.disposition,
            it.uniqueid,
          );
        db.exec('COMMIT');
      });
    },
    // All but the last, so that the numbers go on.
    archive: async () =>
      inDatabase((db) => db.exec('DELETE FROM cdr WHERE AcctId < (SELECT max(AcctId) FROM cdr)')),
    async restore() {
      inDatabase((db) => db.exec('DELETE FROM cdr'));
      // One more, so that the numbers of the rows differ.
      const [first] = all;
      await book.write([...(first === undefined ? [] : [first]), ...all.splice(0)]);
    },
    stop: async () => rmSync(folder, { recursive: true }),
  };
  return book;
}

async function openMariadb(): Promise<Book> {
  const server = await startMariadb();
  const { admin, port } = server;
  await admin.query("CREATE USER reader@'127.0.0.1' IDENTIFIED BY 'secret'");
  let begun = 0;
  let database = '';
  let all: Written[] = [];
  const book: Book = {
    async begin() {
      all = [];
      if (database !== '') await admin.query(`DROP DATABASE ${database}`);
      database = `asteriskcdrdb_${begun++}`;
      await admin.query(`CREATE DATABASE ${database}; USE ${database}; ${freepbxTable}`);
      await admin.query(`GRANT SELECT ON ${database}.cdr TO reader@'127.0.0.1'`);
    },
    source() {
      const login = { user: 'reader', password: 'secret', host: '127.0.0.1', port };
      return createMysqlSource({ ...login, database, table: 'cdr' });
    },
    async write(records) {
      all.push(...records);
      const rows = records
        .map(filled)
        .map((it) => [
          berlin(it.began),
          it.src,
          it.dcontext,
          it.channel,
          it.dstchannel,
          it.lastdata,
          it.duration,
          it.disposition,
          it.uniqueid,
        ]);
      const columns =
        'calldate, src, dcontext, channel, dstchannel, lastdata, duration, disposition, uniqueid';
      await admin.query(`INSERT INTO cdr (${columns}) VALUES ?`, [rows]);
    },
    archive: async () => void (await admin.query('TRUNCATE cdr')),
    async restore() {
      await admin.query('TRUNCATE cdr');
      await book.write(all.splice(0));
    },
    stop: server.stop,
  };
  return book;
}

export const books: readonly Kind[] = [
  { name: 'cdr-csv/Master.csv', impossible: () => undefined, open: openCsv, runs: 100 },
  { name: 'a database of cdr_sqlite3_custom', impossible: () => undefined, open: openSqlite, runs: 60 },
  { name: "FreePBX's table in MariaDB", impossible: mariadbImpossible, open: openMariadb, runs: 40 },
];
