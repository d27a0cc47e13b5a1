import assert from 'node:assert/strict';
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import type { Answers, ThreadRequest } from '../../../shared/storage/thread-messages.ts';
import { WATCH_MS } from '../../../shared/storage/watch-file.ts';
import { atEnd, keepingLog, newEvent, resultOf, temporaryFolder } from '../outbox.fixture.ts';
import { databasePath } from '../tables/database.ts';
import { createKeeper } from './keeper.ts';
import type { Notice } from './store.ts';

/** A keeper in a folder of its own, and all that it said. */
function keep(t: TestContext, notified: (notice: Notice) => void = () => {}, directory = temporaryFolder(t)) {
  const log = keepingLog();
  const later: Answers[] = [];
  const main = { answer: (answers: Answers) => void later.push(answers), notify: notified };
  const keeper = createKeeper({ directory }, { main, log, now: () => 0 });
  atEnd(t, () => keeper.close());
  return { directory, log, later, keeper };
}

/** A new call's first event, as long as this. */
function append(id: number, length = 0): ThreadRequest {
  const none = { calls: [], trunks: [], journal: '', journalAt: 0, unreported: [], cdrCheckpoint: '' };
  const { callId, status, body } = newEvent(`call-${id}`, 'ringing', 0, { text: 'x'.repeat(length) });
  return { id, name: 'append', args: [{ ...none, events: [callId, status, body], queuedAt: [0] }] };
}

const counters = (id: number): ThreadRequest => ({ id, name: 'counters', args: [] });

/** Numbers of the requests that are answered, in order. */
const ids = ({ done, values, errors }: Answers) => [
  ...done,
  ...values.filter((_, n) => n % 2 === 0),
  ...errors.map(({ id }) => id),
];

/** `see` is called before SQLite does anything for `exec`. */
function onExec(t: TestContext, see: (db: DatabaseSync, sql: string) => void) {
  const { exec } = DatabaseSync.prototype;
  return t.mock.method(DatabaseSync.prototype, 'exec', function (this: DatabaseSync, sql: string) {
    see(this, sql);
    exec.call(this, sql);
  });
}

test('keeper: a file that is damaged is repaired, and one that is damaged again at once is given up', (t) => {
  let damages = 0;
  const { directory, log, keeper } = keep(t, (notice) => {
    const isRepaired = notice.type === 'storage' && notice.storage.state === 'working';
    if (isRepaired && damages-- > 0) damage();
  });
  /** Another writer's row with the next number: only a damaged file has one. */
  function damage() {
    const db = new DatabaseSync(databasePath(directory));
    db.exec(`INSERT INTO event (seq, call_id, status, body, queued_at, state, attempts)
      SELECT seq + 1, 'other-' || seq, 'ringing', body, 0, 1, 0 FROM event ORDER BY seq DESC LIMIT 1`);
    db.close();
  }
  keeper.run([append(1)]);
  damage();
  assert.deepEqual(keeper.run([append(2)]).errors, []);
  damage();
  damages = 1;
  assert.throws(() => keeper.run([append(3)]), /UNIQUE constraint failed: event.seq/);
  const repairs = log.lines.filter(({ code }) => code === 'outbox.repaired');
  assert.equal(repairs.length, 2);
});

const due = [{ priority: 'fresh', now: 9, freshSince: 0, limit: 9, except: [] }];
for (const [what, sql, name, args] of [
  ['more events than an outbox ever has', 'UPDATE counters SET last_seq = 1 << 49', 'counters', []],
  ['an event with such a number', 'UPDATE event SET seq = 1 << 49', 'due', due],
  ['an event that was delivered and is to be sent', 'UPDATE event SET state = 1', 'due', due],
] as const)
  test(`keeper: ${what}: that is damage`, (t) => {
    const { directory, log, keeper } = keep(t);
    keeper.run([append(1)]);
    const db = new DatabaseSync(databasePath(directory));
    db.exec(sql);
    db.close();
    assert.deepEqual(ids(keeper.run([{ id: 2, name, args }])), [2]);
    assert.deepEqual(
      log.lines.map(({ code }) => code),
      ['outbox.repaired'],
    );
  });

for (const database of ['empty', 'missing'])
  test(`keeper: a file that is ${database} beside a WAL is damage, however little is left of the WAL, and that is kept`, (t) => {
    const { directory, keeper } = keep(t);
    keeper.run([append(1)]);
    const wal = readFileSync(`${databasePath(directory)}-wal`).subarray(0, 100);
    const broken = temporaryFolder(t);
    if (database === 'empty') writeFileSync(databasePath(broken), '');
    writeFileSync(`${databasePath(broken)}-wal`, wal);
    const { log } = keep(t, () => {}, broken);
    const [{ code, fields } = assert.fail()] = log.lines;
    assert.equal(code, 'outbox.repaired');
    assert.deepEqual(readFileSync(`${fields.aside}-wal`), wal);
  });

for (const [state, errcode, again] of [
  ['full', 13, 500],
  ['failing', 10, 2_000],
] as const)
  test(`keeper: on a disk that is ${state} it waits from the start on until the database can be opened`, (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let refused = 0;
    const refusing = onExec(t, (_db, sql) => {
      if (!sql.includes('synchronous = FULL')) return;
      refused += 1;
      throw Object.assign(new Error('no'), { errcode });
    });
    const notices: Notice[] = [];
    const { log, later, keeper } = keep(t, (notice) => notices.push(notice));
    assert.deepEqual(ids(keeper.run([append(1), counters(2)])), []);
    t.mock.timers.tick(again);
    assert.equal(refused, 2);
    refusing.mock.restore();
    t.mock.timers.tick(again - 1);
    assert.equal(later.length, 0);
    t.mock.timers.tick(1);
    assert.deepEqual(
      later.map((answers) => [ids(answers), answers.commits]),
      [[[1, 2], 1]],
    );
    assert.deepEqual(notices, [
      { type: 'locked' },
      { type: 'storage', storage: { state, error: 'no' } },
      { type: 'storage', storage: { state: 'working' } },
    ]);
    assert.deepEqual(
      log.lines.map(({ code }) => code),
      [`outbox.${state}`, 'outbox.working'],
    );
  });

test('keeper: of what a full disk refuses, as much as fits is written twice a second: changes, then new events in order', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let db: DatabaseSync | undefined;
  onExec(t, (one) => {
    db = one;
  });
  const notices: Notice[] = [];
  const { log, later, keeper } = keep(t, (notice) => notices.push(notice));
  const record = (id: number, seq: number): ThreadRequest => {
    return { id, name: 'record', args: [[resultOf(seq, `call-${seq}`)]] };
  };
  /** What the next attempt answers, and how many transactions there were by then. */
  const next = () => {
    t.mock.timers.tick(500);
    return later.splice(0).map((answers) => [ids(answers), answers.commits]);
  };
  assert.deepEqual(ids(keeper.run([append(1), append(2)])), [1, 2]);
  // SQLite itself says that the disk is full: the file must not grow.
  db?.exec('PRAGMA max_page_count = 1');
  assert.deepEqual(ids(keeper.run([append(3), append(4, 100_000), counters(5), record(6, 1)])), [5]);
  assert.deepEqual(ids(keeper.run([append(7), counters(8)])), [8], 'what only reads is answered');
  const { commits } = keeper.run([]);
  assert.deepEqual([next(), next()], [[[[6, 3], commits + 2]], [[[], commits + 2]]]);
  assert.deepEqual(
    log.lines.map(({ code }) => code),
    ['outbox.full'],
  );
  // The events need the room that the WAL would take.
  assert.deepEqual({ ...db?.prepare('PRAGMA wal_autocheckpoint').get() }, { wal_autocheckpoint: 250 });
  db?.exec('PRAGMA max_page_count = 1000');
  assert.deepEqual([next(), next()], [[[[4, 7], commits + 3]], []]);
  assert.deepEqual(
    log.lines.map(({ code }) => code),
    ['outbox.full', 'outbox.working'],
  );
  const states = notices.flatMap((notice) => (notice.type === 'storage' ? [notice.storage.state] : []));
  assert.deepEqual(states, ['full', 'working']);
  assert.deepEqual(ids(keeper.run([append(9)])), [9]);
});

test('keeper: what a failing disk refuses waits, reads too, until the file can be opened again', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let db: DatabaseSync | undefined;
  onExec(t, (one) => {
    db = one;
  });
  const { log, later, keeper } = keep(t);
  assert.deepEqual(ids(keeper.run([append(1)])), [1]);
  // SQLite says the same of a file system that was remounted after errors.
  db?.exec('PRAGMA query_only = 1');
  assert.deepEqual([ids(keeper.run([append(2)])), ids(keeper.run([counters(3)]))], [[], []]);
  t.mock.timers.tick(2_000);
  assert.deepEqual(later.map(ids), [[2, 3]]);
  assert.deepEqual(
    log.lines.map(({ code }) => code),
    ['outbox.failing', 'outbox.working'],
  );
});

for (const suffix of ['', '-wal', '-shm'])
  test(`keeper: while outbox.db${suffix} is not in its place, requests wait; when it is back they are answered`, (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let now = 0;
    // Each look is a second after the one before.
    t.mock.method(process, 'hrtime', () => {
      now += 1;
      return [now, 0];
    });
    const notices: Notice[] = [];
    const { directory, log, later, keeper } = keep(t, (notice) => notices.push(notice));
    const file = `${databasePath(directory)}${suffix}`;
    assert.deepEqual(ids(keeper.run([append(1)])), [1]);
    renameSync(file, `${file}.aside`);
    assert.deepEqual([ids(keeper.run([append(2), counters(3)])), ids(keeper.run([append(4)]))], [[], []]);
    // Another file under the name does not count.
    if (suffix === '') copyFileSync(`${file}.aside`, file);
    for (let n = 0; n < 3; n += 1) t.mock.timers.tick(2_000);
    assert.deepEqual(later, []);
    const [, { storage } = assert.fail()] = notices as { storage: { state: string; error: string } }[];
    assert.equal(storage.state, 'moved');
    assert.match(storage.error, /outbox\.db\S* was moved away or deleted while the program runs$/);
    renameSync(`${file}.aside`, file);
    t.mock.timers.tick(2_000);
    assert.deepEqual(
      later.map((answers) => ids(answers).sort()),
      [[2, 3, 4]],
    );
    assert.deepEqual(
      log.lines.map(({ code }) => code),
      ['outbox.moved', 'outbox.working'],
    );
    assert.deepEqual(notices.at(-1), { type: 'storage', storage: { state: 'working' } });
    assert.deepEqual(ids(keeper.run([append(5)])), [5]);
  });

test('keeper: a file that is moved away gets what waited when the bridge stops, and is noticed without a request', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const [directory, log] = [temporaryFolder(t), keepingLog()];
  const main = { answer: () => {}, notify: () => {} };
  const keeper = createKeeper({ directory }, { main, log, now: () => 0 });
  const path = databasePath(directory);
  assert.deepEqual(ids(keeper.run([append(1)])), [1]);
  for (const name of readdirSync(directory).filter((it) => it.startsWith('outbox.db')))
    renameSync(join(directory, name), join(directory, `aside-${name}`));
  t.mock.timers.tick(WATCH_MS);
  assert.deepEqual(
    log.lines.map(({ code }) => code),
    ['outbox.moved'],
  );
  assert.deepEqual(ids(keeper.run([append(2)])), []);
  keeper.close();
  assert.equal(existsSync(path), false, 'nothing new is made under the name');
  for (const suffix of ['', '-wal'])
    if (existsSync(join(directory, `aside-outbox.db${suffix}`)))
      renameSync(join(directory, `aside-outbox.db${suffix}`), `${path}${suffix}`);
  using db = new DatabaseSync(path);
  assert.equal(db.prepare('SELECT count(*) AS count FROM event').get()?.count, 2);
});

test('keeper: a file that is replaced while the bridge runs is not given the log of the old one when it stops', (t) => {
  const directory = temporaryFolder(t);
  const main = { answer: () => {}, notify: () => {} };
  const start = () => createKeeper({ directory }, { main, log: keepingLog(), now: () => 0 });
  const keeper = start();
  const path = databasePath(directory);
  assert.deepEqual(ids(keeper.run([append(1)])), [1]);
  const copy = new DatabaseSync(path);
  copy.exec(`VACUUM INTO '${path}.copy'`);
  copy.close();
  assert.deepEqual(ids(keeper.run([append(2)])), [2]);
  rmSync(path);
  renameSync(`${path}.copy`, path);
  keeper.close();
  assert.ok(readdirSync(directory).some((name) => name.startsWith('outbox.db-wal.old-')));
  start().close();
  using db = new DatabaseSync(path);
  assert.equal(db.prepare('PRAGMA integrity_check').get()?.integrity_check, 'ok');
  assert.equal(db.prepare('SELECT count(*) AS count FROM event').get()?.count, 1);
});
