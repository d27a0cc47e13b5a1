import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { RecordsRefused } from '../../src/bridge/cdr/cdr-source.ts';
import { createMysqlSource } from '../../src/bridge/cdr/mysql-source.ts';
import type { ScanPosition } from '../../src/bridge/cdr/table-scan.ts';
import { type Certificate, createCertificate } from '../tools/certificate.ts';
import { freepbxTable, type Mariadb, mariadbImpossible, startMariadb } from '../tools/servers/mariadb.ts';

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
      host: '127.0.0.1',
      port: server.port,
      user: 'reader',
      password: 'secret',
      database: 'asteriskcdrdb',
      table: 'cdr',
      ...more,
    });

  const folder = mkdtempSync(join(tmpdir(), 'pbx-bridge-mysql-'));
  let own: Certificate;

  before(async () => {
    own = await createCertificate(folder, 'localhost');
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
  async function begin(t: TestContext) {
    await query('TRUNCATE cdr');
    await write(epoch, 5, 'before');
    const source = open();
    t.after(source.close);
    return { source, position: (await readAll(source, await source.end())).position };
  }
  const entry = (seconds: number, other: string) => `${epoch + seconds}.1 PJSIP/${other}-00000001`;
  /** This number of calls, each a second after the one before or all of one second. */
  async function writeMany(count: number, apart: number) {
    const rows = Array.from({ length: count }, (_, nth) => [
      datetime(epoch + 3_660 + nth * apart),
      5,
      `${epoch + 60 + nth * apart}.${nth}`,
      'PJSIP/1-1',
    ]);
    await query('INSERT INTO cdr (calldate, duration, uniqueid, dstchannel) VALUES ?', [rows]);
  }

  test('of a call whose second row was not there yet, all rows are read then', async (t) => {
    const { source, position } = await begin(t);
    await write(epoch + 50, 5, '1001');
    const first = await readAll(source, position, false);
    await write(epoch + 50, 9, '1002');
    const second = await readAll(source, first.position, false);
    assert.deepEqual(
      [first.read, second.read],
      [[entry(50, '1001')], [entry(50, '1001'), entry(50, '1002')]],
    );
    assert.deepEqual((await readAll(source, second.position)).read, []);
  });

  test('a PBX that was set to another time zone: nothing is overlooked, nothing read again', async (t) => {
    const { source, ...start } = await begin(t);
    let { position } = start;
    for (const [seconds, ahead, thorough] of [
      [100, -8, true],
      [200, -8, false],
      [300, 11, false],
    ] as const) {
      await write(epoch + seconds, 5, '1001', ahead);
      const all = await readAll(source, position, thorough);
      assert.deepEqual(all.read, [entry(seconds, '1001')]);
      position = all.position;
    }
    assert.deepEqual((await readAll(source, position)).read, []);
  });

  test('a PBX whose clock was a day ahead, and was set', async (t) => {
    const { source, position } = await begin(t);
    const now = Math.floor(Date.now() / 1_000);
    await write(now + 86_400, 5, '1001');
    const ahead = await readAll(source, position);
    assert.equal(ahead.read.length, 1);
    await write(now - 10, 5, '1002');
    for (const at of [ahead.position.at, now + 86_400]) {
      const right = await readAll(source, { ...ahead.position, at }, false);
      assert.deepEqual(right.read, [`${now - 10}.1 PJSIP/1002-00000001`]);
    }
  });

  test('thousands of rows of one second are read, once', async (t) => {
    const { source, position } = await begin(t);
    await writeMany(5_000, 0);
    const { read } = await readAll(source, position);
    assert.deepEqual([read.length, new Set(read).size], [5_000, 5_000]);
  });

  test('a thorough read does not continue a quick one, and is completed by quick ones', async (t) => {
    const { source, position } = await begin(t);
    await writeMany(2_500, 1);
    const quick = await source.read(position, { thorough: false });
    const thorough = await source.read(quick.next, { thorough: true });
    const unfinished = [quick, thorough].map(({ next }) => next.unfinished?.thorough);
    assert.deepEqual(unfinished, [false, true]);
    const rest = await readAll(source, thorough.next, false);
    assert.equal(quick.entries.length + thorough.entries.length + rest.read.length, 2_500);
    assert.equal(rest.position.thoroughAt, rest.position.at);
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

  test('uniqueids that a long systemname makes too long for their column: read as far as they are there, and named where that is too little', async () => {
    await query('TRUNCATE cdr');
    await write(epoch, 5, 'short');
    const source = open();
    const end = await source.end();
    await query('SET SESSION sql_mode = ""');
    for (const [name, nth] of [
      ['cust-pbx01-berlin', 4721],
      ['cust-pbx01-berlin-west-1', 1],
    ] as const)
      await write(epoch + 60, 5, name, 1, `${name}-${epoch + 60}.${nth}`);
    const { entries } = await source.read(end, { thorough: false });
    const read = entries.map(({ record }) => (typeof record === 'string' ? record : record.uniqueid));
    assert.deepEqual(read, [`${epoch}.1`, `cust-pbx01-berlin-${epoch + 60}.472`, 'cut-uniqueid']);
    assert.equal(source.idWidth(), 32);
    await source.close();
  });

  test('records of one second are in the order of their sequence', async (t) => {
    const { source, position } = await begin(t);
    for (const sequence of [8, 7])
      await query('INSERT INTO cdr (calldate, duration, uniqueid, dstchannel, sequence) VALUES (?)', [
        [datetime(epoch + 3_650), 5, `${epoch + 50}.1`, `PJSIP/${sequence}-1`, sequence],
      ]);
    const { read } = await readAll(source, position);
    assert.deepEqual(
      read,
      [7, 8].map((sequence) => `${epoch + 50}.1 PJSIP/${sequence}-1`),
    );
  });

  test('a server that was restarted is asked again, from where reading stopped', async (t) => {
    const { source, position } = await begin(t);
    await write(epoch + 50, 5, '1001');
    await server.kill();
    await assert.rejects(source.read(position, { thorough: true }));
    const admin = await server.restart();
    query = (sql, values) => admin.query(sql, values);
    await query('USE asteriskcdrdb');
    assert.deepEqual((await readAll(source, position)).read, [entry(50, '1001')]);
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
    const like = 'CREATE TABLE other LIKE cdr; ALTER TABLE other';
    await refused('SELECT 1', /^there is no table other in asteriskcdrdb/);
    const few = 'CREATE TABLE other (calldate datetime, uniqueid text, channel text)';
    await refused(few, /no column dstchannel, /);
    await refused(`${like} DROP COLUMN duration`, /^table other has no column duration$/);
    const both = `${like} DROP COLUMN duration, DROP COLUMN calldate`;
    await refused(both, /^table other has no column calldate, duration$/);
    await refused(
      `${like} DROP INDEX uniqueid; INSERT INTO other (uniqueid) SELECT seq FROM seq_1_to_60000; ANALYZE TABLE other`,
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
    const foreign = await createCertificate(folder, 'elsewhere.example');
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
