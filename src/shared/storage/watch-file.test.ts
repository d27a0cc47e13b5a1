import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
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
    if (db.isOpen) db.close();
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

const logs = (folder: string) => readdirSync(folder).filter((name) => /-(wal|shm)/.test(name));

test('the log of a file that was replaced is set aside with the close, and belongs to the old file', (t) => {
  const { folder, path, db } = scene(t);
  const file = watchFile(path);
  db.exec(`VACUUM INTO '${path}.copy'; INSERT INTO a VALUES (2)`);
  renameSync(path, join(folder, 'old.db'));
  renameSync(`${path}.copy`, path);
  file.closeBy(() => db.close());
  assert.deepEqual(
    logs(folder).map((name) => name.replace(/\d{8}T\d{9}Z$/, 'TIME')),
    ['one.db-shm.old-TIME', 'one.db-wal.old-TIME'],
  );
  const count = (name: string) => {
    using one = openDurable(name, { cacheKiB: 100, checkpointPages: 100 });
    return one.prepare('SELECT count(*) AS count FROM a').get()?.count;
  };
  assert.equal(count(path), 1);
  const log = logs(folder).find((name) => name.includes('-wal.old-')) ?? assert.fail();
  renameSync(join(folder, log), join(folder, 'old.db-wal'));
  assert.equal(count(join(folder, 'old.db')), 2);
});

test('with the close no log is renamed that is in its place, waits for its file, or came with the new one', (t) => {
  const [inPlace, waits, replaced] = [scene(t), scene(t), scene(t)];
  const close = ({ path, db }: typeof inPlace, change: () => void) => {
    const file = watchFile(path);
    change();
    file.closeBy(() => db.close());
  };
  close(inPlace, () => {});
  assert.deepEqual(logs(inPlace.folder), []);
  close(waits, () => renameSync(waits.path, join(waits.root, 'aside')));
  assert.deepEqual(logs(waits.folder), ['one.db-shm', 'one.db-wal']);
  close(replaced, () => {
    for (const name of readdirSync(replaced.folder)) {
      renameSync(join(replaced.folder, name), join(replaced.root, name));
      copyFileSync(join(replaced.root, name), join(replaced.folder, name));
    }
  });
  assert.deepEqual(logs(replaced.folder), ['one.db-shm', 'one.db-wal']);
});
