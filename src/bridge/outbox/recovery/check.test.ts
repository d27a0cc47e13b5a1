import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { assertDurable } from '../../../shared/storage/open-database.ts';
import { batchOf, keepingLog, opened, resultOf, temporaryFolder } from '../outbox.fixture.ts';
import { databasePath } from '../tables/database.ts';

const fresh = { priority: 'fresh', now: 0, freshSince: 0, limit: 9, except: [] } as const;

/** What damage that SQLite itself cannot see would look like; each time the start must see it. */
const edits: Readonly<Record<string, string>> = {
  'a waiting event that no priority would ever find': 'UPDATE event SET newest_at = NULL WHERE seq = 1',
  'a later event of a call as its next': 'UPDATE event SET newest_at = 5 WHERE seq = 2',
  'a delivered event as the next of a call': 'UPDATE event SET newest_at = 5 WHERE seq = 3',
  'counters that do not add up': 'UPDATE counters SET queued = queued + 1',
  'counters that add up, but are not those of the events': 'UPDATE counters SET waiting = 1, delivered = 2',
  'a last number that is in use already': 'UPDATE counters SET last_seq = 2',
  'an open call that cannot be read': `INSERT INTO open_call VALUES ('x', '{"channels" []}')`,
  'a last number so high that attempts at the next could not be numbered': `UPDATE counters SET last_seq = ${2 ** 49}`,
  'no counters': 'DELETE FROM counters',
  'an index too few': 'DROP INDEX event_retry',
};

for (const [what, sql] of Object.entries(edits)) {
  test(`check: a start finds ${what}, and repairs it`, async (t) => {
    const directory = temporaryFolder(t);
    const first = await opened(t, { directory });
    await first.append(batchOf([{ a: 'ringing' }, { a: 'completed', b: 'ringing', c: 'ringing' }]));
    await first.record([resultOf(3, 'b'), resultOf(4, 'c', { outcome: 'dead' })]);
    const before = await first.counters();
    await first.close();
    const db = new DatabaseSync(databasePath(directory));
    db.exec(sql);
    db.close();

    const log = keepingLog();
    const second = await opened(t, { directory }, log);
    assert.deepEqual(
      log.lines.map(({ code }) => code),
      ['outbox.repaired'],
    );
    assert.deepEqual(await second.counters(), before);
    assert.deepEqual(
      (await second.due(fresh)).map(({ seq }) => seq),
      [1],
    );
    await second.append(batchOf({ d: 'ringing' }));
    await second.close();
    const again = keepingLog();
    await opened(t, { directory }, again);
    assert.deepEqual(again.lines, []);
  });
}

for (const sql of ['DROP INDEX event_retry', 'UPDATE counters SET waiting = 0, delivered = 2']) {
  test(`check: what was delivered and is forgotten counts after a repair, too: ${sql}`, async (t) => {
    const directory = temporaryFolder(t);
    const first = await opened(t, { directory });
    await first.append(batchOf({ a: 'ringing', b: 'ringing' }));
    await first.record([resultOf(1, 'a')]);
    assert.equal(await first.prune(1), 1);
    const before = await first.counters();
    await first.close();
    const db = new DatabaseSync(databasePath(directory));
    db.exec(sql);
    db.close();
    assert.deepEqual(await (await opened(t, { directory })).counters(), before);
  });
}

for (const [what, sql, due] of [
  ['says something else than its call', `body = replace(body, 'a', 'x')`, [3, 2]],
  ['was delivered', 'state = 1', [3, 2]],
  ['has a number beyond all sense', `seq = ${2 ** 50}`, [3, 2]],
  ['no priority would ever find', 'newest_at = NULL', [2, 1]],
] as const) {
  test(`check: an outbox at work notices that the next event of a call ${what}, and repairs it`, async (t) => {
    const directory = temporaryFolder(t);
    const log = keepingLog();
    const outbox = await opened(t, { directory }, log);
    await outbox.append(batchOf({ a: 'ringing', b: 'ringing' }));
    const db = new DatabaseSync(databasePath(directory));
    db.exec(`UPDATE event SET ${sql} WHERE seq = 1`);
    db.close();
    await outbox.append(batchOf({ a: 'answered' }));
    const found = await outbox.due(fresh);
    assert.deepEqual(
      [found.map(({ seq }) => seq), log.lines.map(({ code }) => code)],
      [due, ['outbox.repaired']],
    );
  });
}

test('check: an event with a number beyond all sense is lost alone: the others go on', async (t) => {
  const directory = temporaryFolder(t);
  const first = await opened(t, { directory });
  await first.append(batchOf({ a: 'ringing', b: 'ringing' }));
  await first.close();
  const db = new DatabaseSync(databasePath(directory));
  db.exec(`UPDATE event SET seq = ${2 ** 50} WHERE seq = 2; UPDATE counters SET last_seq = ${2 ** 50}`);
  db.close();
  const log = keepingLog();
  const second = await opened(t, { directory }, log);
  const { nextEvents } = await second.append(batchOf({ c: 'ringing' }));
  assert.deepEqual(
    nextEvents.map(({ seq }) => seq),
    [2],
  );
  await second.record([resultOf(1, 'a'), resultOf(2, 'c')]);
  const { delivered, waiting } = await second.counters();
  assert.deepEqual([delivered, waiting], [2, 0]);
  assert.deepEqual(
    log.lines.map(({ code }) => code),
    ['outbox.repaired'],
  );
});

for (const [pragma, wrong] of [
  ['synchronous = NORMAL', /synchronous is 1/],
  ['synchronous = OFF', /synchronous is 0/],
  ['journal_mode = DELETE', /journal_mode delete/],
] as const) {
  test(`check: a database with ${pragma} is refused`, (t) => {
    const db = new DatabaseSync(join(temporaryFolder(t), 'x.db'));
    t.after(() => db.close());
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    assert.doesNotThrow(() => assertDurable(db, 'x.db'));
    db.exec(`PRAGMA ${pragma}`);
    assert.throws(() => assertDurable(db, 'x.db'), { name: 'StorageRefused', message: wrong });
  });
}

/** A file that is too big to be read through at the start, with `events`. */
async function bigOutbox(t: TestContext, events: Parameters<typeof batchOf>[0]): Promise<string> {
  const directory = temporaryFolder(t);
  const outbox = await opened(t, { directory });
  const lines = 'x'.repeat(1_000_000);
  await outbox.append(batchOf(events));
  for (let n = 0; n < 18; n += 1)
    await outbox.append({ calls: [], trunks: [], events: [], journal: { lines, at: n } });
  await outbox.close();
  return directory;
}

const hidden: Readonly<Record<string, string>> = {
  'a waiting event that no priority would ever find':
    edits['a waiting event that no priority would ever find'] ?? '',
  'an event that says something else than its call': `UPDATE event SET body = replace(body, 'a', 'x') WHERE seq = 1`,
  'an event that its index does not lead to': `
    PRAGMA writable_schema = ON;
    UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_open_call_1')
      WHERE name = 'sqlite_autoindex_event_1'`,
};
for (const [what, sql] of Object.entries(hidden)) {
  test(`check: in a big file, ${what} is found by the daily check, and repaired`, async (t) => {
    const directory = await bigOutbox(t, [{ a: 'ringing' }, { a: 'completed', b: 'ringing' }]);
    const db = new DatabaseSync(databasePath(directory));
    db.enableDefensive(false);
    db.exec(sql);
    db.close();
    const log = keepingLog();
    const outbox = await opened(t, { directory }, log);
    assert.deepEqual(log.lines, [], 'a start does not wait for that');
    await outbox.check();
    assert.deepEqual(
      log.lines.map(({ code }) => code),
      ['outbox.repaired'],
    );
    assert.ok((await outbox.due(fresh)).some(({ seq }) => seq === 3));
    assert.equal(typeof (await outbox.append(batchOf({ d: 'ringing' }))).nextEvents[0]?.seq, 'number');
  });
}

test('check: damage to a page of a big file that is never read is found by the daily check', async (t) => {
  const directory = await bigOutbox(t, { a: 'ringing' });
  const path = databasePath(directory);
  const bytes = readFileSync(path);
  // In the middle of the journal's texts, so that a chain of pages leads nowhere.
  const middle = Math.floor(bytes.length / 2 / 4096) * 4096;
  writeFileSync(path, bytes.fill(0xff, middle, middle + 4096));
  const log = keepingLog();
  const outbox = await opened(t, { directory }, log);
  await outbox.check();
  assert.deepEqual(
    log.lines.map(({ code }) => code),
    ['outbox.repaired'],
  );
  assert.equal((await outbox.counters()).waiting, 1);
});

test('check: in a big file that is whole nothing is found', async (t) => {
  const log = keepingLog();
  const directory = await bigOutbox(t, [{ a: 'ringing', b: 'ringing' }, { b: 'completed' }]);
  const outbox = await opened(t, { directory }, log);
  await outbox.check();
  assert.deepEqual(log.lines, []);
});
