import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryFolder } from '../../../test/tools/program/program.ts';
import { emptyLog } from './empty-log.ts';

test('a reader keeps the log, and writers do not wait for it', async (t) => {
  const file = join(temporaryFolder(t), 'a.db');
  using writer = new DatabaseSync(file, { timeout: 0 });
  writer.exec('PRAGMA journal_mode = WAL; CREATE TABLE a (b); INSERT INTO a VALUES (1)');
  const reader = new DatabaseSync(file, { readOnly: true });
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM a').get();
  writer.exec('INSERT INTO a VALUES (2)');
  let isOver = false;
  const emptied = emptyLog(file).finally(() => {
    isOver = true;
  });
  let written = 0;
  for (; !isOver; await sleep(10))
    written += Number(writer.prepare('INSERT INTO a VALUES (3)').run().changes);
  assert.equal(await emptied, false);
  assert.ok(written > 1);
  reader.close();
  assert.equal(await emptyLog(file), true);
  assert.equal(statSync(`${file}-wal`).size, 0);
});
