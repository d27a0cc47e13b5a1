import assert from 'node:assert/strict';
import { lstatSync, mkdtempSync, readdirSync, readlinkSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { RecordsRefused } from './cdr-source.ts';
import { createSqliteSource } from './sqlite-source.ts';

/** The columns of Asterisk's own sample, cdr_sqlite3_custom.conf: without src and dst. */
const sample =
  'calldate, clid, dcontext, channel, dstchannel, lastapp, lastdata, duration, billsec, disposition, uniqueid';

function databaseIn(t: TestContext, columns = sample) {
  const folder = mkdtempSync(join(tmpdir(), 'sqlite-source-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'master.db');
  const run = (sql: string) => {
    const db = new DatabaseSync(path);
    db.exec(sql);
    db.close();
  };
  return {
    path,
    source: createSqliteSource(path),
    run,
    make: () => run(`CREATE TABLE cdr (AcctId INTEGER PRIMARY KEY, ${columns})`),
    write: (nth: number) =>
      run(`INSERT INTO cdr (clid, dcontext, channel, dstchannel, disposition, uniqueid) VALUES
        ('"A" <0301234567>', 'from-trunk', 'PJSIP/trunk-1', '', 'NO ANSWER', '1800000000.${nth}')`),
    async read(from: { row: number; uniqueid: string }) {
      const { entries, next, restarted } = await createSqliteSource(path).read(from, { thorough: true });
      return {
        ids: entries.map(({ record }) => (typeof record === 'string' ? record : record.uniqueid)),
        next,
        restarted,
      };
    },
  };
}

test("a table of Asterisk's sample is read; the caller's number is in clid", async (t) => {
  const { source, run, make, write } = databaseIn(t);
  const mayCome = (error: unknown) => error instanceof RecordsRefused && error.mayCome;
  await assert.rejects(source.probe(), mayCome, 'no file');
  run('PRAGMA user_version = 1');
  await assert.rejects(source.probe(), mayCome, 'no table');
  make();
  const end = await source.end();
  write(1);
  const { entries } = await source.read(end, { thorough: true });
  assert.deepEqual(
    entries.map(({ record }) => typeof record === 'object' && record.src),
    ['0301234567'],
  );
  assert.equal(await source.probe(), 'can be read, 1 records so far');
});

test('an empty table is read later, under any name if it is the only one', async (t) => {
  const { source, run, write, make } = databaseIn(t);
  make();
  assert.equal(await source.probe(), 'can be read; it is empty');
  // ANALYZE makes a table of SQLite's own.
  run('ALTER TABLE cdr RENAME TO "my ""calls"; ANALYZE');
  const end = await source.end();
  run('CREATE TABLE other (a)');
  await assert.rejects(source.probe(), {
    message: 'it has 2 tables, and none is called cdr',
    mayCome: false,
  });
  run('DROP TABLE other; INSERT INTO "my ""calls" (uniqueid) VALUES (\'1800000000.1\')');
  assert.equal((await source.read(end, { thorough: true })).entries.length, 1);
  run('ALTER TABLE "my ""calls" RENAME TO cdr; CREATE TABLE other (a)');
  write(2);
  assert.equal((await source.read(end, { thorough: true })).entries.length, 2, 'the table cdr');
});

test('many rows are read in pages, each from where the last one ended', async (t) => {
  const { source, make, run, path } = databaseIn(t);
  make();
  run(`INSERT INTO cdr (uniqueid) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 750)
    SELECT '1800000000.' || i FROM n`);
  const first = await source.read({ row: 0, uniqueid: '' }, { thorough: true });
  const second = await source.read(first.next, { thorough: true });
  assert.deepEqual([first.entries.length, first.atEnd, first.restarted], [500, false, false]);
  assert.deepEqual([second.entries.length, second.atEnd, second.restarted], [250, true, false]);
  const { entries } = await source.read(first.entries[7]?.from ?? first.next, { thorough: true });
  assert.deepEqual(entries[0]?.record, first.entries[7]?.record);
  const files = readdirSync('/proc/self/fd').map((fd) => {
    const file = `/proc/self/fd/${fd}`;
    return lstatSync(file, { throwIfNoEntry: false }) ? readlinkSync(file) : '';
  });
  assert.ok(!files.includes(path), 'nothing stays open');
});

test('a column that is missing is named, with what to do', async (t) => {
  const { source, make } = databaseIn(t, sample.replace('dstchannel, ', '').replace(', uniqueid', ''));
  make();
  await assert.rejects(source.read({ row: 0, uniqueid: '' }, { thorough: true }), {
    message: 'table cdr has no column uniqueid, dstchannel',
  });
});

test('an emptied table, and another file in its place, are read from their beginning', async (t) => {
  const { path, make, run, write, read } = databaseIn(t);
  make();
  for (const nth of [1, 2, 3]) write(nth);
  const { next } = await read({ row: 0, uniqueid: '' });
  run('DELETE FROM cdr');
  write(4);
  const emptied = await read(next);
  assert.deepEqual([emptied.ids, emptied.restarted], [['1800000000.4'], true]);
  renameSync(path, `${path}.old`);
  make();
  for (const nth of [5, 6, 7]) write(nth);
  const replaced = await read(emptied.next);
  assert.deepEqual(
    [replaced.ids, replaced.restarted],
    [['5', '6', '7'].map((nth) => `1800000000.${nth}`), true],
  );
});

test('while Asterisk writes, the read is repeated, and Asterisk never waits longer than for one read', async (t) => {
  const { path, source, make, write } = databaseIn(t);
  make();
  write(1);
  const asterisk = new DatabaseSync(path);
  asterisk.exec('BEGIN EXCLUSIVE');
  const reading = source.read({ row: 0, uniqueid: '' }, { thorough: true });
  asterisk.exec(`INSERT INTO cdr (uniqueid) VALUES ('1800000000.2')`);
  await new Promise(setImmediate);
  asterisk.exec('COMMIT');
  const { entries } = await reading;
  assert.equal(entries.length, 2);
  asterisk.exec(`INSERT INTO cdr (uniqueid) VALUES ('1800000000.3')`);
  asterisk.exec('BEGIN EXCLUSIVE');
  await assert.rejects(source.probe(), /database is locked/);
  asterisk.close();
});
