import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openDurable } from './open-database.ts';
import { watchFile } from './watch-file.ts';

/** An open database in a folder of its own, with its log and the log's index. */
function scene(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), 'watch-file-'));
  const folder = join(root, 'state');
  mkdirSync(folder);
  const path = join(folder, 'one.db');
  const db = openDurable(path, { cacheKiB: 100, checkpointPages: 100 });
  db.exec('CREATE TABLE a (b); INSERT INTO a VALUES (1)');
  t.after(() => {
    db.close();
    rmSync(root, { recursive: true });
  });
  return { root, folder, path, db };
}

test('a file in use stays the same, whatever is written and however its log is emptied', (t) => {
  const { path, db } = scene(t);
  const file = watchFile(path);
  for (const sql of ['INSERT INTO a VALUES (2)', 'PRAGMA wal_checkpoint(TRUNCATE)', 'VACUUM']) {
    db.exec(sql);
    const other = openDurable(path, { cacheKiB: 100, checkpointPages: 100 });
    other.exec('INSERT INTO a VALUES (3)');
    other.close();
    assert.equal(file.look(), undefined, sql);
  }
});

for (const suffix of ['', '-wal', '-shm']) {
  const name = `the ${suffix === '' ? 'database' : `file ending in ${suffix}`}`;
  test(`${name} is missed when it is moved away or replaced, and is there when it is put back`, (t) => {
    const { path } = scene(t);
    const file = watchFile(path);
    renameSync(`${path}${suffix}`, `${path}.aside`);
    const missing = `${path}${suffix} was moved away or deleted while the program runs`;
    assert.deepEqual([file.look(), file.look()], [missing, missing]);
    copyFileSync(`${path}.aside`, `${path}${suffix}`);
    assert.equal(file.look(), `${path}${suffix} was replaced by another file while the program runs`);
    renameSync(`${path}.aside`, `${path}${suffix}`);
    assert.equal(file.look(), undefined);
  });
}

test('a folder that was moved away, or lies behind a link to another, is missed too', (t) => {
  const { root, folder, path } = scene(t);
  const file = watchFile(path);
  renameSync(folder, join(root, 'aside'));
  assert.match(file.look() ?? '', /one\.db was moved away or deleted/);
  const other = mkdtempSync(join(root, 'other-'));
  copyFileSync(join(root, 'aside/one.db'), join(other, 'one.db'));
  symlinkSync(other, folder);
  assert.match(file.look() ?? '', /one\.db was replaced by another file/);
  rmSync(folder);
  renameSync(join(root, 'aside'), folder);
  assert.equal(file.look(), undefined);
});

test('once it is closed, only the database itself is watched; a write needs a look once a second', (t) => {
  const { path } = scene(t);
  let now = 5_000;
  const file = watchFile(path, () => now);
  now += 999;
  assert.equal(file.isDue(), false);
  now += 1;
  assert.equal(file.isDue(), true);
  file.look();
  assert.equal(file.isDue(), false);
  renameSync(`${path}-wal`, `${path}.aside`);
  file.closed();
  assert.equal(file.look(), undefined);
  renameSync(`${path}.aside`, `${path}-wal`);
});
