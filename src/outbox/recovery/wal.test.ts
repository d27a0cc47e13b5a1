import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { temporaryFolder } from '../outbox.fixture.ts';
import { pageSize } from './page.ts';
import { firstForgottenFrame, framesOf } from './wal.ts';

const frameSize = pageSize + 24;

/** A WAL of `commits` transactions. `earlier`: those of a former round of the same file. */
function walOf(t: TestContext, commits: number, earlier = 0): Buffer {
  const path = join(temporaryFolder(t), 'x.db');
  const db = new DatabaseSync(path);
  t.after(() => db.close());
  db.exec('PRAGMA journal_mode = WAL; CREATE TABLE x (a)');
  for (let i = 0; i < earlier; i++) db.exec(`INSERT INTO x VALUES (${i})`);
  db.exec(earlier > 0 ? 'PRAGMA wal_checkpoint(RESTART)' : 'PRAGMA wal_checkpoint(TRUNCATE)');
  for (let i = 0; i < commits; i++) db.exec(`INSERT INTO x VALUES (${i})`);
  return readFileSync(`${path}-wal`);
}

const flip = (wal: Buffer, at: number): Buffer => {
  const copy = Buffer.from(wal);
  copy[at] = (copy[at] as number) ^ 1;
  return copy;
};

const rows: readonly [name: string, wal: (t: TestContext) => Buffer, expected: number | undefined][] = [
  ['a sound one', (t) => walOf(t, 5), undefined],
  ['a sound one that has overwritten a longer one', (t) => walOf(t, 2, 9), undefined],
  ['none', () => Buffer.alloc(0), undefined],
  ['one cut off in the middle of its last frame', (t) => walOf(t, 5).subarray(0, -100), undefined],
  [
    'a flipped bit in the third of five transactions',
    (t) => flip(walOf(t, 5), 32 + 2 * frameSize + 2_000),
    2,
  ],
  ['a flipped bit in a frame header', (t) => flip(walOf(t, 5), 32 + frameSize + 1), 1],
  ['a flipped bit in the last transaction', (t) => flip(walOf(t, 5), 32 + 4 * frameSize + 2_000), 4],
  ['a flipped bit in the only transaction', (t) => flip(walOf(t, 1), 32 + 2_000), 0],
  ['a flipped bit in a checksum', (t) => flip(walOf(t, 5), 32 + 2 * frameSize + 17), 2],
  ['a flipped bit in the header', (t) => flip(walOf(t, 5), 17), 0],
  ['a zeroed header', (t) => walOf(t, 5).fill(0, 0, 32), 0],
];

for (const [name, wal, expected] of rows) {
  test(`WAL: what SQLite forgets of ${name}`, (t) => {
    assert.equal(firstForgottenFrame(wal(t)), expected);
  });
}

test('WAL: a flipped bit anywhere in a transaction of several frames has all of it forgotten', (t) => {
  const path = join(temporaryFolder(t), 'x.db');
  const db = new DatabaseSync(path);
  t.after(() => db.close());
  db.exec('PRAGMA journal_mode = WAL; CREATE TABLE x (a); PRAGMA wal_checkpoint(TRUNCATE)');
  for (let i = 0; i < 4; i++) db.exec('INSERT INTO x VALUES (randomblob(12000))');
  const wal = readFileSync(`${path}-wal`);
  const commits: number[] = [];
  for (let frame = 0; 32 + frame * frameSize < wal.length; frame++)
    if (wal.readUInt32BE(32 + frame * frameSize + 4) !== 0) commits.push(frame);
  const [, second = 0, third = 0] = commits;
  assert.ok(third - second >= 3, `${third - second} frames`);
  for (let frame = second + 1; frame <= third; frame++)
    assert.equal(firstForgottenFrame(flip(wal, 32 + frame * frameSize + 2_000)), second + 1, `${frame}`);
});

test('WAL: its frames are the page images, the oldest first', (t) => {
  const wal = walOf(t, 3);
  const numbers = [...framesOf(wal)].map(({ pageNumber }) => pageNumber);
  assert.deepEqual(numbers, [2, 2, 2]);
  // Of two rounds of the same file the later one counts.
  const rounds = framesOf(walOf(t, 2, 9)).map(({ page }) => page.readUInt16BE(3));
  assert.ok(rounds.length > 9);
  assert.deepEqual(rounds.slice(-2), [10, 11]);
  assert.ok([...framesOf(wal)].every(({ page }) => page.length === pageSize && page[0] === 0x0d));
});
