import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { answerTogether } from './answer.ts';
import { openDurable } from './open-database.ts';
import { createTransact } from './transact.ts';

function table(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'answer-'));
  const path = join(folder, 'x.db');
  const db = openDurable(path, { cacheKiB: 1_024, checkpointPages: 1_000 });
  t.after(() => {
    db.close();
    rmSync(folder, { recursive: true });
  });
  db.exec('CREATE TABLE x (n INTEGER UNIQUE)');
  const insert = db.prepare('INSERT INTO x VALUES (?)');
  const methods = {
    put: (n: number) => void insert.run(n),
    count: () => db.prepare('SELECT count(*) AS n FROM x').get()?.n,
  };
  const requests = (...numbers: number[]) =>
    numbers.map((n, i) => ({ id: i + 1, name: n < 0 ? 'count' : 'put', args: [n] }));
  return { db, path, requests, run: answerTogether(methods, createTransact(db)) };
}

test('group commit: what comes together is one transaction', (t) => {
  const { run, requests } = table(t);
  assert.deepEqual(run(requests(1, 2, -1)), { done: [1, 2], values: [3, 2], errors: [], commits: 1 });
});

test('group commit: one that cannot be done is refused alone, and the others are done once', (t) => {
  const { run, requests } = table(t);
  const { done, errors } = run(requests(1, 2, 1, 3));
  assert.deepEqual(
    [done, errors],
    [
      [1, 2, 4],
      [3, 'UNIQUE constraint failed: x.n'],
    ],
  );
  assert.deepEqual(run(requests(-1)).values, [1, 3]);
});

test('group commit: while another process writes, all are refused at once and not one after the other', (t) => {
  const { db, path, run, requests } = table(t);
  db.exec('PRAGMA busy_timeout = 1');
  const other = new DatabaseSync(path);
  t.after(() => other.close());
  other.exec('BEGIN IMMEDIATE');
  assert.deepEqual(run(requests(1, 2)).errors, [1, 'database is locked', 2, 'database is locked']);
  other.exec('ROLLBACK');
  assert.deepEqual(run(requests(1, 2)).done, [1, 2]);
});
