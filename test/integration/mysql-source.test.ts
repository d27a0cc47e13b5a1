import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { RecordsRefused } from '../../src/cdr/cdr-source.ts';
import { createMysqlSource } from '../../src/cdr/mysql-source.ts';
import type { ScanPosition } from '../../src/cdr/table-scan.ts';
import { type Certificate, makeCertificate } from '../certificate.ts';
import { freepbxTable, type Mariadb, mariadbImpossible, startMariadb } from '../mariadb.ts';

const epoch = Date.parse('2026-11-02T10:00:00Z') / 1_000;
/** As a table has it. */
const datetime = (seconds: number) => new Date(seconds * 1_000).toISOString().slice(0, 19).replace('T', ' ');

/** Reads on until there is nothing more; gives uniqueids and other ends. */
async function readAll(source: ReturnType<typeof createMysqlSource>, from: ScanPosition, thorough = true) {
  const read: string[] = [];
  for (let position = from; ; ) {
    const { entries, next, atEnd } = await source.read(position, { thorough });
    for (const { record } of entries)
      read.push(typeof record === 'string' ? record : `${record.uniqueid} ${record.dstchannel}`);
    position = next;
    if (atEnd) return { read, position };
  }
}

describe('call records in MariaDB', { skip: mariadbImpossible() ?? false }, () => {
  let server: Mariadb;
  let query: (sql: string, values?: unknown[]) => Promise<unknown>;
  const open = (more: object = {}) =>
    createMysqlSource({
      ...{ host: '127.0.0.1', port: server.port, user: 'reader', password: 'secret' },
      ...{ database: 'asteriskcdrdb', table: 'cdr' },
      ...more,
    });

  const folder = mkdtempSync(join(tmpdir(), 'pbx-bridge-mysql-'));
  let own: Certificate;

  before(async () => {
    own = await makeCertificate(folder, 'localhost');
    server = await startMariadb({ tls: own });
    query = (sql, values) => server.admin.query(sql, values);
    await query("CREATE USER reader@'%' IDENTIFIED BY 'secret'; CREATE DATABASE asteriskcdrdb");
    await query(`USE asteriskcdrdb; ${freepbxTable}; GRANT SELECT ON asteriskcdrdb.* TO reader@'%'`);
  });
  after(async () => {
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  /** A row; `ahead`: by how many hours the PBX's clock is ahead of UTC. */
  async function write(began: number, duration: number, other: string, ahead = 1, uniqueid = `${began}.1`) {
    const values = [datetime(began + ahead * 3_600), duration, uniqueid, `PJSIP/${other}-00000001`];
    await query('INSERT INTO cdr (calldate, duration, uniqueid, dstchannel) VALUES (?)', [values]);
  }
  async function begin() {
    await query('TRUNCATE cdr');
    await write(epoch, 5, 'before');
    const source = open();
    return { source, position: (await readAll(source, await source.end())).position };
  }

  test('of a call whose second row was not there yet, all rows are read then', async () => {
    const { source, position } = await begin();
    await write(epoch + 50, 5, '1001');
    const first = await readAll(source, position, false);
    await write(epoch + 50, 9, '1002');
    const second = await readAll(source, first.position, false);
    assert.deepEqual(first.read, [`${epoch + 50}.1 PJSIP/1001-00000001`]);
    assert.deepEqual(
      second.read,
      ['1001', '1002'].map((other) => `${epoch + 50}.1 PJSIP/${other}-00000001`),
    );
    assert.deepEqual((await readAll(source, second.position)).read, []);
    await source.close();
  });

  test('a PBX that was set to another time zone: nothing is overlooked, nothing read again', async () => {
    const { source, position } = await begin();
    await write(epoch + 100, 5, '1001', -8);
    const there = await readAll(source, position);
    assert.deepEqual(there.read, [`${epoch + 100}.1 PJSIP/1001-00000001`]);
    await write(epoch + 200, 5, '1002', -8);
    const quick = await readAll(source, there.position, false);
    assert.deepEqual(quick.read, [`${epoch + 200}.1 PJSIP/1002-00000001`]);
    await write(epoch + 300, 5, '1003', 11);
    const back = await readAll(source, quick.position, false);
    assert.deepEqual(back.read, [`${epoch + 300}.1 PJSIP/1003-00000001`]);
    assert.deepEqual((await readAll(source, back.position)).read, []);
    await source.close();
  });

  test('a PBX whose clock was a day ahead, and was set', async () => {
    const { source, position } = await begin();
    const now = Math.floor(Date.now() / 1_000);
    await write(now + 86_400, 5, '1001');
    const ahead = await readAll(source, position);
    assert.equal(ahead.read.length, 1);
    await write(now - 10, 5, '1002');
    for (const at of [ahead.position.at, now + 86_400]) {
      const right = await readAll(source, { ...ahead.position, at }, false);
      assert.deepEqual(right.read, [`${now - 10}.1 PJSIP/1002-00000001`]);
    }
    await source.close();
  });

  test('thousands of rows of one second are read, once', async () => {
    const { source, position } = await begin();
    const calldate = '2026-11-02 11:01:00';
    const rows = Array.from({ length: 5_000 }, (_, nth) => [
      calldate,
      5,
      `${epoch + 60}.${nth}`,
      'PJSIP/1-1',
    ]);
    await query('INSERT INTO cdr (calldate, duration, uniqueid, dstchannel) VALUES ?', [rows]);
    const { read } = await readAll(source, position);
    assert.equal(read.length, 5_000);
    assert.equal(new Set(read).size, 5_000);
    await source.close();
  });

  test('a thorough read does not continue a quick one, and is completed by quick ones', async () => {
    const { source, position } = await begin();
    const rows = Array.from({ length: 2_500 }, (_, nth) => [
      datetime(epoch + 3_660 + nth),
      5,
      `${epoch + 60 + nth}.${nth}`,
      'PJSIP/1-1',
    ]);
    await query('INSERT INTO cdr (calldate, duration, uniqueid, dstchannel) VALUES ?', [rows]);
    const quick = await source.read(position, { thorough: false });
    const thorough = await source.read(quick.next, { thorough: true });
    assert.deepEqual(
      [quick, thorough].map(({ next }) => next.unfinished?.thorough),
      [false, true],
    );
    const rest = await readAll(source, thorough.next, false);
    assert.equal(quick.entries.length + thorough.entries.length + rest.read.length, 2_500);
    assert.equal(rest.position.thoroughAt, rest.position.at);
    await source.close();
  });

  test('of what was there at the start only the last two days are read, and rows without a uniqueid are noted', async () => {
    await query('TRUNCATE cdr');
    await write(epoch - 3 * 86_400, 5, 'old');
    await write(epoch, 5, 'new');
    await write(epoch, 5, 'nameless', 1, '');
    const source = open();
    const { read } = await readAll(source, await source.end());
    assert.deepEqual(read, [`${epoch}.1 PJSIP/new-00000001`, 'no-uniqueid']);
    assert.equal(await source.probe(), `can be read; the last call began ${datetime(epoch + 3_600)}`);
    await source.close();
  });

  test('records of one second are in the order of their sequence', async () => {
    const { source, position } = await begin();
    for (const sequence of [8, 7])
      await query('INSERT INTO cdr (calldate, duration, uniqueid, dstchannel, sequence) VALUES (?)', [
        [datetime(epoch + 3_650), 5, `${epoch + 50}.1`, `PJSIP/${sequence}-1`, sequence],
      ]);
    const { read } = await readAll(source, position);
    assert.deepEqual(
      read,
      [7, 8].map((sequence) => `${epoch + 50}.1 PJSIP/${sequence}-1`),
    );
    await source.close();
  });

  test('a server that was restarted is asked again, from where reading stopped', async () => {
    const { source, position } = await begin();
    await write(epoch + 50, 5, '1001');
    await server.kill();
    await assert.rejects(source.read(position, { thorough: true }));
    const admin = await server.restart();
    query = (sql, values) => admin.query(sql, values);
    await query('USE asteriskcdrdb');
    assert.deepEqual((await readAll(source, position)).read, [`${epoch + 50}.1 PJSIP/1001-00000001`]);
    await source.close();
  });

  test('what is wrong with a table is said, and what to do', async () => {
    const refused = async (sql: string, expected: RegExp) => {
      await query(`DROP TABLE IF EXISTS other; ${sql}`);
      const source = open({ table: 'other' });
      await assert.rejects(source.probe(), (error) => {
        assert.ok(error instanceof RecordsRefused && error.todo !== '', String(error));
        assert.match(error.message, expected);
        return true;
      });
      await source.close();
    };
    await refused('SELECT 1', /^there is no table other in asteriskcdrdb/);
    await refused(
      'CREATE TABLE other (calldate datetime, uniqueid text, channel text)',
      /no column dstchannel, /,
    );
    await refused(
      'CREATE TABLE other LIKE cdr; ALTER TABLE other DROP COLUMN duration',
      /^table other has no column duration$/,
    );
    await refused(
      'CREATE TABLE other LIKE cdr; ALTER TABLE other DROP COLUMN duration, DROP COLUMN calldate',
      /^table other has no column calldate, duration$/,
    );
    await refused(
      `CREATE TABLE other LIKE cdr; ALTER TABLE other DROP INDEX uniqueid;
       INSERT INTO other (uniqueid) SELECT seq FROM seq_1_to_60000; ANALYZE TABLE other`,
      /^table other has \d+ rows and no index on uniqueid/,
    );
    await query('CREATE INDEX uniqueid ON other (uniqueid)');
    const source = open({ table: 'other' });
    assert.match(await source.probe(), /^can be read/, 'of any size with its indexes');
    await source.close();
  });

  test('a table of cdr_adaptive_odbc without an alias and without much else is read', async () => {
    await query(`DROP TABLE IF EXISTS other; CREATE TABLE other (
      start timestamp NULL, clid text, dcontext text, channel text, dstchannel text, disposition text,
      duration int, uniqueid varchar(64))`);
    const source = open({ table: 'other' });
    assert.equal(await source.probe(), 'can be read; it is empty');
    // Of a table that was empty, the past before the last day is not read.
    const started = Math.floor(Date.now() / 1_000);
    const end = await source.end();
    assert.ok(end.at >= started - 86_400 && end.at <= Date.now() / 1_000 - 86_400);
    assert.equal(end.thoroughAt, end.at);
    const began = started - 3_600;
    await query(`INSERT INTO other VALUES ('${datetime(began)}', '"A <B>" <04066969100>', 'from-trunk',
      'PJSIP/trunk-00000001', '', 'NO ANSWER', 3, 'sys-${began}.7')`);
    const { entries } = await source.read(end, { thorough: true });
    const [record] = entries.map((entry) => entry.record);
    assert.ok(typeof record === 'object');
    assert.deepEqual([record.uniqueid, record.src, record.did], [`sys-${began}.7`, '04066969100', '']);
    await source.close();
  });

  test('TLS: for the name and by the authority that are asked for, or not at all', async () => {
    const foreign = await makeCertificate(folder, 'elsewhere.example');
    const probe = async (tls: { ca?: string }) => {
      const source = open({ host: 'localhost', tls });
      return source.probe().finally(source.close);
    };
    await query("DROP USER reader@'%'; CREATE USER reader@'%' IDENTIFIED BY 'secret' REQUIRE SSL");
    await query("GRANT SELECT ON asteriskcdrdb.* TO reader@'%'");
    assert.match(await probe({ ca: readFileSync(own.cert, 'utf8') }), /^can be read/);
    const refused = (what: RegExp) => (error: unknown) => {
      assert.ok(error instanceof RecordsRefused && /certificate must be/.test(error.todo), String(error));
      assert.match(error.message, what);
      return true;
    };
    const stranger = refused(/^TLS: self-signed certificate$/);
    await assert.rejects(probe({ ca: readFileSync(foreign.cert, 'utf8') }), stranger);
    await assert.rejects(probe({}), stranger);

    copyFileSync(foreign.cert, own.cert);
    copyFileSync(foreign.key, own.key);
    await query('FLUSH SSL');
    await assert.rejects(
      probe({ ca: readFileSync(foreign.cert, 'utf8') }),
      refused(/^TLS: .*altnames.*elsewhere\.example/),
    );
    await query("ALTER USER reader@'%' REQUIRE NONE");
  });

  test('a wrong password is said, and never repeated', async () => {
    const source = open({ password: 'hunter2' });
    await assert.rejects(source.probe(), (error) => {
      assert.match(String(error), /Access denied for user 'reader'/);
      assert.doesNotMatch(String(error), /hunter2/);
      return true;
    });
    await source.close();
  });
});
