import assert from 'node:assert/strict';
import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { seededRandom } from '../../ami/player/seeded-random.ts';
import { eventsOf, keepingLog, newEvent, opened, resultOf, temporaryFolder } from '../outbox.fixture.ts';
import { highestSeq } from '../tables/counters.ts';
import { databasePath } from '../tables/database.ts';
import {
  type Damage,
  drain,
  events,
  flipBits,
  makeTemplate,
  openedWhole,
  scribble,
  truncate,
  zeroPages,
} from './damage.fixture.ts';
import { pageSize } from './page.ts';
import { repair } from './repair.ts';
import { salvage } from './salvage.ts';

const kinds: readonly [string, Damage][] = [
  ['one bit of the database flipped', flipBits(1, 'db')],
  ['20 bits of the database flipped', flipBits(20, 'db')],
  ['one bit of the WAL flipped', flipBits(1, 'wal')],
  ['20 bits of the WAL flipped', flipBits(20, 'wal')],
  ['a page of the database zeroed', zeroPages(1, 'db')],
  ['five pages of the database zeroed', zeroPages(5, 'db')],
  ['five pages of the WAL zeroed', zeroPages(5, 'wal')],
  ['the database truncated', truncate('db')],
  ['the WAL truncated', truncate('wal')],
  ['garbage in the database', scribble('db')],
];

test('repair: whatever happens to the files, it starts, says so, and works', async (t) => {
  const template = await makeTemplate(t);
  const path = databasePath(template);
  const whole = { db: readFileSync(path), wal: readFileSync(`${path}-wal`) };
  for (let seed = 1; seed <= 50; seed++) {
    const [name, damage] = kinds[seed % kinds.length] as [string, Damage];
    await t.test(`seed ${seed}: ${name}`, async (inner) => {
      const directory = temporaryFolder(inner);
      const { db, wal } = { ...whole, ...damage(whole, randomOf(seed)) };
      writeFileSync(databasePath(directory), db);
      writeFileSync(`${databasePath(directory)}-wal`, wal);

      const first = await openedWhole(inner, directory);
      const codes = first.log.lines.map(({ code }) => code);
      const missing = events - first.events;
      // A WAL that just ends early cannot be distinguished from a last moment before a crash: nobody can know that.
      if (missing > 0 && !name.includes('WAL'))
        assert.deepEqual(codes, ['outbox.repaired'], `${missing} missing`);
      assert.ok(codes.length <= 1, codes.join());
      const { waiting } = await first.outbox.counters();
      assert.equal(await drain(first.outbox), waiting);
      await first.outbox.close();
      inner.diagnostic(`${missing} of ${events} events lost; ${codes.join() || 'nothing to say'}`);

      const second = await openedWhole(inner, directory);
      assert.deepEqual(second.log.lines, [], 'the damage must be over');
      assert.equal((await second.outbox.counters()).waiting, 0);
    });
  }
});

const losses: readonly [name: string, damage: Damage, lost: number][] = [
  [
    'the first page, with a WAL that is gone',
    ({ db }) => ({ db: Buffer.from(db).fill(0, 0, pageSize), wal: Buffer.alloc(0) }),
    events / 2,
  ],
  [
    'every page that is no leaf, with a WAL that is gone',
    ({ db }) => ({ db: withoutTrees(db), wal: Buffer.alloc(0) }),
    events / 2,
  ],
  // Of the first half, which the database had, only what the second has changed.
  ['all of the database, of which the WAL is left', () => ({ db: Buffer.alloc(0) }), 375],
  ["the WAL's header", ({ wal }) => ({ wal: Buffer.from(wal).fill(0, 0, 32) }), 0],
  [
    'a checksum in the middle of the WAL',
    ({ wal }) => {
      const copy = Buffer.from(wal);
      copy.fill(0xff, 32 + 50 * (pageSize + 24) + 16, 32 + 50 * (pageSize + 24) + 24);
      return { wal: copy };
    },
    0,
  ],
  [
    'everything: it is no database at all',
    () => ({ db: Buffer.from('nothing that ever was a database\n'.repeat(999)), wal: Buffer.alloc(0) }),
    events,
  ],
];

for (const [name, damage, lost] of losses) {
  test(`repair: ${lost === 0 ? 'nothing' : lost} of ${events} events lost after damage to ${name}`, async (t) => {
    const directory = await makeTemplate(t);
    const path = databasePath(directory);
    const whole = { db: readFileSync(path), wal: readFileSync(`${path}-wal`) };
    const { db, wal } = { ...whole, ...damage(whole, randomOf(1)) };
    writeFileSync(path, db);
    writeFileSync(`${path}-wal`, wal);
    const found = await openedWhole(t, directory);
    assert.equal(events - found.events, lost);
    assert.deepEqual(
      found.log.lines.map((line) => line.code),
      ['outbox.repaired'],
    );
    if (lost === events) assert.equal(found.log.lines[0]?.fields.lost, 'an unknown number of');
    const aside = String(found.log.lines[0]?.fields.aside);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.match(aside, /outbox\.db\.damaged-\d{8}T\d{9}Z$/);
    assert.ok(readdirSync(directory).some((file) => aside.endsWith(file)));
  });
}

test('repair: an event that a flipped bit gave to another call is not reported; it is counted as lost', async (t) => {
  const directory = temporaryFolder(t);
  const first = await opened(t, { directory });
  await first.append({
    calls: [],
    trunks: [],
    events: ['call-1', 'call-2'].map((id) => newEvent(id, 'ringing', 1, { long: 'x'.repeat(9_000) })),
    unreported: [{ id: 'call-3', at: 1, why: 'withheld' }],
    cdrCheckpoint: '{"at":1}',
  });
  await first.close();
  const path = databasePath(directory);
  const bytes = readFileSync(path);
  bytes.write('call-9', bytes.indexOf('{"id":"call-1"') + '{"id":"'.length);
  writeFileSync(path, bytes);
  const { outbox, log } = await openedWhole(t, directory);
  const due = await outbox.due({ priority: 'backlog', now: 9, freshSince: 9, limit: 9, except: [] });
  assert.deepEqual(
    due.map(({ callId }) => callId),
    ['call-2'],
  );
  assert.deepEqual(
    log.lines.map(({ code, fields }) => [code, fields.saved, fields.lost]),
    [['outbox.repaired', 1, 1]],
  );
  assert.deepEqual([...(await outbox.ledgerEntries(['call-3'])).keys()], ['call-3']);
  assert.equal((await outbox.load()).cdrCheckpoint, '{"at":1}');
});

test('repair: only rows that fit a table exactly are saved', (t) => {
  const path = join(temporaryFolder(t), 'rows.db');
  const body = JSON.stringify({ id: 'c', status: 'ringing' });
  const tooHigh = 2 ** 54;
  const rows: [fits: boolean, ...(string | number | null | Uint8Array)[]][] = [
    [true, null, 'c', 'ringing', body, 0, 2, 0, null, 1, null, 0],
    [false, null, 'c', 'ringing', body, 0, 3, 0, null, 1, null, 0],
    [false, null, 'c', 'ringing', body, 0, 2, 0, null, -1, null, 0],
    [false, null, 'c', 'held', '{"id":"c","status":"held"}', 0, 2, 0, null, 1, null, 0],
    [false, null, 'd', 'ringing', body, 0, 2, 0, null, 1, null, 0],
    [true, null, 0, 'delivered', 1, null, null, 0],
    [true, null, 0, 'retry', 0, 503, 'busy', 1.5],
    [false, tooHigh, 0, 'retry', 0, 503, 'busy', 1.5],
    [true, null, 0, 'dead', 0, 503, 'busy', 1.5],
    [false, null, 0, 'lost', 0, 503, 'busy', 1.5],
    [false, null, 0, 'retry', 2, 503, 'busy', 1.5],
    [false, null, 0, 'retry', 0, 503, '', 1.5],
    [false, null, 0, 'retry', 0, 503, 'busy', -1.5],
    [false, null, 0, 'retry', 0, 503, 'busy', 'x'],
    [true, null, 5, 1, 2, 1, 0, 5],
    [false, null, 5, 1, 2, 1, 0, -1],
    [false, null, 5, 1, 2, 1, 0, highestSeq + 1],
    [true, 'c', '{}'],
    [false, '', '{}'],
    [false, 'c', '{'],
    [false, 'c', 7],
    [false, 'c', Buffer.from('{} ')],
    [true, 'PJSIP/x', 'heard', '{}'],
    [true, 'c', 7, 'withheld'],
    [false, 'c', 7, ''],
    [true, null, '{}'],
    [false, 3, '{}'],
  ];
  const db = new DatabaseSync(path);
  db.exec(`PRAGMA page_size = ${pageSize}`);
  rows.forEach(([, ...values], n) => {
    const columns = values.map((value, i) =>
      i === 0 && (value === null || value === tooHigh) ? 'id INTEGER PRIMARY KEY' : `c${i}`,
    );
    db.exec(`CREATE TABLE t${n} (${columns})`);
    db.prepare(`INSERT INTO t${n} VALUES (${values.map(() => '?')})`).all(...values);
  });
  db.close();
  assert.deepEqual(
    [...salvage(path, Buffer.alloc(0))].map(({ values }) => values),
    rows.flatMap(([fits, ...values]) =>
      fits ? [values.map((value, i) => (i === 0 ? (value ?? 1) : value))] : [],
    ),
  );
});

test('repair: without the counters it is not known how many events are lost', async (t) => {
  const directory = temporaryFolder(t);
  const outbox = await opened(t, { directory });
  await outbox.append({ calls: [], trunks: [], events: [newEvent('call-1', 'ringing', 1)] });
  await outbox.close();
  const path = databasePath(directory);
  const db = new DatabaseSync(path);
  const { rootpage } = db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'counters'").get() ?? {};
  db.close();
  const bytes = readFileSync(path);
  const at = (Number(rootpage) - 1) * pageSize;
  writeFileSync(path, bytes.fill(0, at, at + pageSize));
  const { saved, waiting, lost } = repair(path, 'NOW');
  assert.deepEqual([saved, waiting, lost], [1, 1, undefined]);
});

test('repair: one that was killed before its last step is finished by the next start', async (t) => {
  const directory = await makeTemplate(t);
  const path = databasePath(directory);
  const whole = { db: readFileSync(path), wal: readFileSync(`${path}-wal`) };
  writeFileSync(path, 'nothing that ever was a database');
  repair(path, 'EARLIER', Buffer.alloc(0));
  // What the repair has made lies beside the damaged file, which has a WAL that must never meet it.
  renameSync(path, `${path}.new`);
  writeFileSync(path, whole.db);
  writeFileSync(`${path}-wal`, whole.wal);
  writeFileSync(`${path}.part`, 'of a repair that was killed even earlier');

  const found = await openedWhole(t, directory);
  assert.equal(found.events, 0);
  assert.deepEqual(found.log.lines, []);
  const files = readdirSync(directory);
  assert.equal(files.filter((file) => /^outbox\.db\.damaged-\d{8}T\d{9}Z(-wal)?$/.test(file)).length, 2);
  assert.ok(!files.includes('outbox.db.part'));
});

test('repair: damage that shows while it works is repaired on the spot, and the question answered', async (t) => {
  const directory = temporaryFolder(t);
  const log = keepingLog();
  const outbox = await opened(t, { directory }, log);
  // More than SQLite keeps in memory, so that it must read the damage.
  const text = 'x'.repeat(1_500);
  for (let from = 0; from < 12_000; from += 1_000) {
    const many = Array.from({ length: 1_000 }, (_, i) => newEvent(`c${from + i}`, 'ringing', from, { text }));
    await outbox.append({ calls: [], trunks: [], events: many });
  }
  const before = await outbox.counters();
  await outbox.append({ calls: [], trunks: [], events: [newEvent('last', 'ringing', 1)] });
  const fd = openSync(databasePath(directory), 'r+');
  for (let page = 200; page < 240; page++)
    writeSync(fd, Buffer.alloc(pageSize, 0x55), 0, pageSize, page * pageSize);
  closeSync(fd);

  let delivered = 0;
  for (let seq = 1; seq <= 12_000; seq += 100) {
    const batch = Array.from({ length: 100 }, (_, i) => resultOf(seq + i, `c${seq + i - 1}`));
    await outbox.record(batch);
    delivered += batch.length;
  }
  assert.deepEqual(
    log.lines.map(({ code }) => code),
    ['outbox.repaired'],
  );
  assert.deepEqual(outbox.storage(), { state: 'working' });
  const counters = await outbox.counters();
  assert.equal(counters.queued, counters.delivered + counters.waiting + counters.dead);
  assert.equal(counters.queued + counters.lost, before.queued + 1);
  assert.ok(counters.lost > 0 && counters.lost < 500, `${counters.lost} lost of ${delivered}`);
  assert.equal(eventsOf(directory, { callId: 'last' }).length, 1);
});

/** Only leaves of tables are left: no roots, no indexes. */
function withoutTrees(file: Buffer): Buffer {
  const copy = Buffer.from(file);
  for (let at = pageSize; at < copy.length; at += pageSize)
    if (copy[at] !== 0x0d) copy.fill(0, at, at + pageSize);
  return copy;
}

/** Numbers below a bound, the same for the same seed. */
function randomOf(seed: number): (below: number) => number {
  const random = seededRandom(seed);
  return (below) => Math.floor(random() * below);
}
