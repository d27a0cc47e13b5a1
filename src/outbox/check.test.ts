import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { assertDurable } from '../storage/open-database.ts';
import { databasePath } from './database.ts';
import { batchOf, keepingLog, opened, settled, temporaryFolder } from './outbox.fixture.ts';

/** What damage that SQLite itself cannot see would look like; each time the start must see it. */
const edits: Readonly<Record<string, string>> = {
  'a waiting event that no lane would ever find': 'UPDATE event SET newest_at = NULL WHERE seq = 1',
  'a later event of a call at its head': 'UPDATE event SET newest_at = 5 WHERE seq = 2',
  'a delivered event at the head of a call': 'UPDATE event SET newest_at = 5 WHERE seq = 3',
  'counters that do not add up': 'UPDATE tally SET taken = taken + 1',
  'counters that add up, but are not those of the events': 'UPDATE tally SET waiting = 3, delivered = 1',
  'a last number that is in use already': 'UPDATE tally SET last_seq = 2',
  'an open call that cannot be read': `INSERT INTO open_call VALUES ('x', '{"channels" []}')`,
  'a last number so high that attempts at the next could not be numbered': `UPDATE tally SET last_seq = ${2 ** 49}`,
  'no counters': 'DELETE FROM tally',
  'an index too few': 'DROP INDEX event_retry',
};

for (const [what, sql] of Object.entries(edits)) {
  test(`check: a start finds ${what}, and repairs it`, async (t) => {
    const directory = temporaryFolder(t);
    const first = await opened(t, { directory });
    await first.append(batchOf('a:ringing a:completed b:ringing c:ringing'));
    await first.settle([settled(3, 'b'), settled(4, 'c', { outcome: 'dead' })]);
    const before = await first.tally();
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
    assert.deepEqual(await second.tally(), before);
    const query = { lane: 'fresh', now: 0, freshSince: 0, limit: 9, except: [] } as const;
    assert.deepEqual(
      (await second.due(query)).map(({ seq }) => seq),
      [1],
    );
    await second.append(batchOf('d:ringing'));
    await second.close();
    const again = keepingLog();
    await opened(t, { directory }, again);
    assert.deepEqual(again.lines, []);
  });
}

test('check: an event with a number beyond all sense is lost alone: the others go on', async (t) => {
  const directory = temporaryFolder(t);
  const first = await opened(t, { directory });
  await first.append(batchOf('a:ringing b:ringing'));
  await first.close();
  const db = new DatabaseSync(databasePath(directory));
  db.exec(`UPDATE event SET seq = ${2 ** 50} WHERE seq = 2; UPDATE tally SET last_seq = ${2 ** 50}`);
  db.close();
  const log = keepingLog();
  const second = await opened(t, { directory }, log);
  const { heads } = await second.append(batchOf('c:ringing'));
  assert.deepEqual(
    heads.map(({ seq }) => seq),
    [2],
  );
  await second.settle([settled(1, 'a'), settled(2, 'c')]);
  const { delivered, waiting } = await second.tally();
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
