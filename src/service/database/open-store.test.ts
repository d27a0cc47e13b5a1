import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileIn, holdStateDir } from './open-store.ts';

test('a restore that was interrupted is completed before the database is opened, and by one service alone', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'state-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = fileIn(folder);
  writeFileSync(file, 'before');
  writeFileSync(`${file}.new`, 'restored');
  t.after(holdStateDir(folder));
  assert.equal(readFileSync(file, 'utf8'), 'restored');
  assert.throws(() => holdStateDir(folder), /another service/);
});
