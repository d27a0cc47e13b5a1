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
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { eventsOf, keepingLog, newEvent, opened, resultOf, temporaryFolder } from '../outbox.fixture.ts';
import { databasePath } from '../tables/database.ts';
import { repair } from './repair.ts';

const pageSize = 4_096;
const frameSize = pageSize + 24;
const events = 400;

type Files = { readonly db: Buffer; readonly wal: Buffer };

/** Half of the events in the database, half in the WAL, in eight transactions each; some are delivered, some dead. */
async function makeFiles(t: TestContext): Promise<Files> {
  const directory = temporaryFolder(t);
  const text = 'x'.repeat(500);
  for (const half of [0, 1]) {
    const outbox = await opened(t, { directory });
    for (let n = half * 8; n < half * 8 + 8; n++) {
      const ids = Array.from({ length: 25 }, (_, i) => `call-${n * 25 + i}`);
      await outbox.append({
        calls: ids.map((id) => ({ id, state: '{}' })),
        trunks: [{ endpoint: `PJSIP/${n}`, source: 'heard', state: '{}' }],
        events: ids.map((id) => newEvent(id, 'ringing', n, { text })),
        unreported: [{ id: `other-${n}`, at: n, why: 'withheld' }],
        cdrCheckpoint: JSON.stringify({ at: n }),
      });
      const [first, second] = [n * 25 + 1, n * 25 + 2];
      await outbox.record([
        resultOf(first, `call-${first - 1}`),
        resultOf(second, `call-${second - 1}`, { outcome: 'dead' }),
      ]);
    }
    // Read while it is open: closing empties the WAL.
    const path = databasePath(directory);
    if (half === 1) {
      const files = { db: readFileSync(path), wal: readFileSync(`${path}-wal`) };
      await outbox.close();
      return files;
    }
    await outbox.close();
  }
  throw new Error('unreachable');
}

function folderOf(t: TestContext, { db, wal }: Files): string {
  const directory = temporaryFolder(t);
  writeFileSync(databasePath(directory), db);
  if (wal.length > 0) writeFileSync(`${databasePath(directory)}-wal`, wal);
  return directory;
}

/** The pages of a table, its root first, in a file without a WAL. */
function pagesOf(t: TestContext, db: Buffer, table: string): number[] {
  const open = new DatabaseSync(databasePath(folderOf(t, { db, wal: Buffer.alloc(0) })), { readOnly: true });
  const pages = open.prepare('SELECT pageno FROM dbstat WHERE name = ? ORDER BY path').all(table);
  open.close();
  return pages.map(({ pageno }) => Number(pageno));
}

const without = (db: Buffer, page: number) => Buffer.from(db).fill(0, (page - 1) * pageSize, page * pageSize);
const noWal = Buffer.alloc(0);

type Judgement = {
  /** Of the events that were in the files: how many may be lost. */
  readonly lost: readonly [least: number, most: number];
  /** What the log says of it; `lost`: as many as are. */
  readonly says: 'lost' | 'an unknown number';
  readonly rows: RegExp;
};

const damages: readonly [name: string, damage: (whole: Files, t: TestContext) => Files, Judgement][] = [
  [
    'a page in the middle of the events',
    ({ db }, t) => {
      const leaves = pagesOf(t, db, 'event').slice(1);
      return { db: without(db, leaves[leaves.length >> 1] as number), wal: noWal };
    },
    {
      lost: [1, 20],
      says: 'lost',
      rows: /event 1\d\d \(unreadable after row 1?\d\d before row 1\d\d\), attempt/,
    },
  ],
  [
    'the root of the events',
    ({ db }, t) => ({ db: without(db, pagesOf(t, db, 'event')[0] as number), wal: noWal }),
    {
      lost: [200, 200],
      says: 'lost',
      rows: /^counters 1, event 0 \(unreadable\), attempt 16, open_call 200, trunk 8,/,
    },
  ],
  [
    'the counters',
    ({ db }, t) => ({ db: without(db, pagesOf(t, db, 'counters')[0] as number), wal: noWal }),
    { lost: [0, 0], says: 'an unknown number', rows: /^counters 0 \(unreadable\), event 200,/ },
  ],
  [
    'the header',
    ({ db }) => ({ db: Buffer.from(db).fill(0, 0, pageSize), wal: noWal }),
    { lost: [200, 200], says: 'an unknown number', rows: /^none, since nothing of it can be read/ },
  ],
  [
    'its end, which is cut off',
    ({ db }) => ({ db: db.subarray(0, Math.floor(db.length / pageSize / 2) * pageSize), wal: noWal }),
    { lost: [0, 200], says: 'lost', rows: /unreadable/ },
  ],
  [
    'everything: it is no database at all',
    () => ({ db: Buffer.from('nothing that ever was a database\n'.repeat(999)), wal: noWal }),
    { lost: [events, events], says: 'an unknown number', rows: /^none/ },
  ],
  [
    'the database, which is empty beside its WAL',
    ({ wal }) => ({ db: Buffer.alloc(0), wal }),
    { lost: [events, events], says: 'an unknown number', rows: /^none/ },
  ],
  [
    'a frame in the middle of the WAL',
    ({ db, wal }) => {
      const middle = 32 + Math.floor(wal.length / frameSize / 2) * frameSize;
      return { db, wal: Buffer.from(wal).fill(0xff, middle + 100, middle + 200) };
    },
    { lost: [25, 175], says: 'an unknown number', rows: /^counters 1, event (2|3)\d\d, attempt/ },
  ],
  [
    "the WAL's header",
    ({ db, wal }) => ({ db, wal: Buffer.from(wal).fill(0, 0, 32) }),
    { lost: [200, 200], says: 'an unknown number', rows: /^counters 1, event 200, attempt 16,/ },
  ],
];

for (const [
  name,
  damage,
  {
    lost: [least, most],
    says,
    rows,
  },
] of damages) {
  test(`repair: it starts, says what is lost, and works, after damage to ${name}`, async (t) => {
    const whole = await makeFiles(t);
    const damaged = damage(whole, t);
    const directory = folderOf(t, damaged);
    const log = keepingLog();
    const outbox = await opened(t, { directory }, log);
    const there = damaged.wal.length > 0 || damaged.db.length !== whole.db.length ? events : events / 2;
    const inFiles = /cut off/.test(name) ? events / 2 : there;
    const lost = inFiles - eventsOf(directory, {}).length;
    assert.ok(lost >= least && lost <= most, `${lost} lost`);
    const [line] = log.lines;
    assert.deepEqual(
      log.lines.map(({ code }) => code),
      ['outbox.repaired'],
    );
    assert.match(String(line?.fields.rows), rows);
    const counters = await outbox.counters();
    assert.equal(counters.queued, counters.delivered + counters.waiting + counters.dead);
    if (says === 'lost') assert.equal(line?.fields.lost, counters.lost);
    else assert.equal(line?.fields.lost, says);

    const path = databasePath(directory);
    const aside = String(line?.fields.aside);
    assert.match(aside, /outbox\.db\.damaged-\d{8}T\d{9}Z$/);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.ok(readFileSync(aside).length >= damaged.db.length);
    if (damaged.wal.length > 0) assert.deepEqual(readFileSync(`${aside}-wal`), damaged.wal);

    const { nextEvents } = await outbox.append({
      calls: [],
      trunks: [],
      events: [newEvent('new', 'ringing', 99)],
    });
    assert.equal(nextEvents.length, 1);
    await outbox.close();
    const again = keepingLog();
    await opened(t, { directory }, again);
    assert.deepEqual(again.lines, [], 'the damage is over');
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
  const log = keepingLog();
  const outbox = await opened(t, { directory }, log);
  const due = await outbox.due({ priority: 'backlog', now: 9, freshSince: 9, limit: 9, except: [] });
  assert.deepEqual(
    due.map(({ callId }) => callId),
    ['call-2'],
  );
  assert.equal(log.lines[0]?.fields.lost, 1);
  assert.match(String(log.lines[0]?.fields.rows), /event 1 \(1 that make no sense\)/);
  assert.deepEqual([...(await outbox.ledgerEntries(['call-3'])).keys()], ['call-3']);
  assert.equal((await outbox.load()).cdrCheckpoint, '{"at":1}');
});

test('repair: one that was killed before its last step is finished by the next start', async (t) => {
  const { db, wal } = await makeFiles(t);
  const directory = folderOf(t, { db: Buffer.from('nothing that ever was a database'), wal: noWal });
  const path = databasePath(directory);
  repair(path, 'EARLIER');
  // What the repair has made lies beside the damaged file, which has a WAL that must never meet it.
  renameSync(path, `${path}.new`);
  writeFileSync(path, db);
  writeFileSync(`${path}-wal`, wal);
  writeFileSync(`${path}.part`, 'of a repair that was killed even earlier');

  const log = keepingLog();
  await opened(t, { directory }, log);
  assert.deepEqual([eventsOf(directory, {}), log.lines], [[], []]);
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

  for (let seq = 1; seq <= 12_000; seq += 100)
    await outbox.record(Array.from({ length: 100 }, (_, i) => resultOf(seq + i, `c${seq + i - 1}`)));
  assert.deepEqual(
    log.lines.map(({ code }) => code),
    ['outbox.repaired'],
  );
  assert.deepEqual(outbox.storage(), { state: 'working' });
  const counters = await outbox.counters();
  assert.equal(counters.queued, counters.delivered + counters.waiting + counters.dead);
  assert.equal(counters.queued + counters.lost, before.queued + 1);
  assert.ok(counters.lost > 0 && counters.lost < 500, `${counters.lost} lost`);
  assert.equal(eventsOf(directory, { callId: 'last' }).length, 1);
});
