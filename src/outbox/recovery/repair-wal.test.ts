import assert from 'node:assert/strict';
import { cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { keepingLog, newEvent, opened, resultOf, temporaryFolder } from '../outbox.fixture.ts';
import { databasePath } from '../tables/database.ts';
import { frameSize, openedWhole } from './damage.fixture.ts';
import { pageSize } from './page.ts';

/** A folder whose WAL has transactions of 60 events each, and where in it each transaction ends. */
async function withBigTransactions(t: TestContext) {
  const directory = temporaryFolder(t);
  const outbox = await opened(t, { directory });
  const text = 'x'.repeat(2_500);
  for (let i = 0; i < 5; i++) {
    const many = Array.from({ length: 60 }, (_, k) => newEvent(`c${i}-${k}`, 'ringing', i, { text }));
    await outbox.append({ calls: [], trunks: [], events: many });
  }
  await outbox.record([resultOf(1, 'c0-0', { outcome: 'dead' })]);
  const [db, wal] = ['', '-wal'].map((suffix) => readFileSync(databasePath(directory) + suffix));
  await outbox.close();
  assert.ok(db && wal);
  const ends: number[] = [];
  for (let frame = 0; 32 + frame * frameSize < wal.length; frame++)
    if (wal.readUInt32BE(32 + frame * frameSize + 4) !== 0) ends.push(frame);
  return { db, wal, ends };
}

/** A folder with these files. */
function folderOf(t: TestContext, db: Buffer, wal: Buffer): string {
  const directory = temporaryFolder(t);
  writeFileSync(databasePath(directory), db);
  writeFileSync(`${databasePath(directory)}-wal`, wal);
  return directory;
}

test('repair: a wrong checksum in any frame of a transaction of many loses nothing of it', async (t) => {
  const { db, wal, ends } = await withBigTransactions(t);
  const [from = 0, to = 0] = [ends.at(-4), ends.at(-3)];
  assert.ok(to - from > 20);
  for (const frame of [from + 1, from + 2, (from + to) >> 1, to - 1, to]) {
    const damaged = Buffer.from(wal);
    damaged.fill(0xff, 32 + frame * frameSize + 16, 32 + frame * frameSize + 24);
    const outbox = await opened(t, { directory: folderOf(t, db, damaged) });
    const { queued, lost } = await outbox.counters();
    assert.deepEqual({ queued, lost }, { queued: 300, lost: 0 }, `frame ${frame} of ${from + 1} to ${to}`);
    await outbox.close();
  }
});

test('repair: a database that is empty or gone is made again from its WAL', async (t) => {
  const directory = temporaryFolder(t);
  const first = await opened(t, { directory });
  await first.append({
    calls: [],
    trunks: [],
    events: ['a', 'b'].map((id) => newEvent(id, 'ringing', 1)),
  });
  await first.record([resultOf(1, 'a')]);
  for (const damage of [truncateSync, rmSync]) {
    const copy = temporaryFolder(t);
    for (const suffix of ['', '-wal']) cpSync(databasePath(directory) + suffix, databasePath(copy) + suffix);
    damage(databasePath(copy));
    const { outbox, log } = await openedWhole(t, copy);
    const { queued, delivered, waiting } = await outbox.counters();
    assert.deepEqual([queued, delivered, waiting], [2, 1, 1], damage.name);
    assert.deepEqual(
      log.lines.map(({ code, fields }) => [code, fields.saved, fields.lost]),
      [['outbox.repaired', 2, 0]],
    );
  }
});

test('repair: an event whose newest state is lost with a frame is counted once, as delivered or as waiting', async (t) => {
  const directory = temporaryFolder(t);
  const first = await opened(t, { directory });
  const ids = Array.from({ length: 40 }, (_, i) => `c${i}`);
  await first.append({ calls: [], trunks: [], events: ids.map((id) => newEvent(id, 'ringing', 1)) });
  for (const [i, id] of ids.entries()) await first.record([resultOf(i + 1, id, { at: 9 })]);
  const [db, wal] = ['', '-wal'].map((suffix) => readFileSync(databasePath(directory) + suffix));
  assert.ok(db && wal);
  const frames = (wal.length - 32) / frameSize;
  let sentAgain = 0;
  for (let frame = frames - 9; frame < frames; frame++) {
    const damaged = Buffer.from(wal);
    damaged.fill(0xff, 32 + frame * frameSize + 24, 32 + (frame + 1) * frameSize);
    const log = keepingLog();
    const outbox = await opened(t, { directory: folderOf(t, db, damaged) }, log);
    const { queued, delivered, waiting } = await outbox.counters();
    assert.deepEqual([queued, delivered], [40, 40 - waiting], `frame ${frame} of ${frames}`);
    sentAgain += waiting;
    await outbox.close();
  }
  assert.equal(sentAgain, 0, 'its attempt says that it was delivered');
});

test('repair: what cannot be read from a damaged WAL is counted, and said', async (t) => {
  const { db, wal, ends } = await withBigTransactions(t);
  const [from = 0, to = 0] = [ends.at(-4), ends.at(-3)];
  const damaged = Buffer.from(wal);
  for (let frame = from + 1; frame <= to; frame++) {
    const at = 32 + frame * frameSize + 24;
    damaged.fill(0, at + 100, at + pageSize);
  }
  const log = keepingLog();
  const outbox = await opened(t, { directory: folderOf(t, db, damaged) }, log);
  const { queued, lost } = await outbox.counters();
  assert.equal(queued + lost, 300);
  assert.ok(lost > 40, `${lost} lost`);
  assert.deepEqual(
    log.lines.map(({ code, fields }) => [code, fields.saved, fields.lost]),
    [['outbox.repaired', queued, lost]],
  );
});
