import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { version } from '../process/version.ts';
import { backUpBefore, readBackupInfo, restoreBackup, writeBackup } from './backup.ts';
import { lacks, migrate, type Schema, stepsIn } from './migrate.ts';

const first = { name: 'first', sql: 'CREATE TABLE one (a INTEGER) STRICT; INSERT INTO one VALUES (1)' };
const adds = { name: 'adds', sql: 'ALTER TABLE one ADD COLUMN b TEXT; CREATE INDEX one_b ON one (b)' };
const breaks = { name: 'breaks', sql: 'ALTER TABLE one RENAME COLUMN a TO c', breaks: true } as const;
const schema = (...steps: Schema['steps']): Schema => ({ steps, ifOlder: 'start anew' });

function opened(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'migrate-'));
  const path = join(folder, 'one.db');
  const db = new DatabaseSync(path);
  t.after(() => {
    db.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { folder, path, db };
}

const writers = (db: DatabaseSync) =>
  db
    .prepare('SELECT program, version, steps, needs FROM written_by ORDER BY at')
    .all()
    .map((row) => Object.values(row));

test('a new database names the program and version that made it; nothing is noted again', (t) => {
  const { db } = opened(t);
  for (const _ of [1, 2]) migrate(db, schema(first));
  assert.deepEqual(writers(db), [['pbx-bridge', version, 1, 0]]);
  assert.equal(stepsIn(db, schema(first)), 1);
});

test('a step that adds: a backup is made before it, and the version of before goes on', (t) => {
  const { db, path, folder } = opened(t);
  const old = schema(first);
  migrate(db, old);
  const before = () => backUpBefore(path, { program: 'pbx-bridge', files: [] });
  for (const _ of [1, 2]) migrate(db, schema(first, adds), before);
  const [name = ''] = readdirSync(join(folder, 'backups'));
  const backup = new DatabaseSync(join(folder, 'backups', name));
  t.after(() => backup.close());
  assert.equal(lacks(backup, schema(first, adds), 2), 'table one one b TEXT');
  assert.equal(readBackupInfo(join(folder, 'backups', name)).program, 'pbx-bridge');
  migrate(db, old, () => assert.fail('there is nothing to do'));
  assert.equal(lacks(db, old, 1), undefined);
  assert.deepEqual(writers(db).at(-1), ['pbx-bridge', version, 2, 0]);
});

test('after going back by a restore, the next upgrade makes its backup of what is there then', (t) => {
  const { db, path, folder } = opened(t);
  const old = schema(first);
  const before = () => backUpBefore(path, { program: 'pbx-bridge', files: [] });
  migrate(db, old);
  migrate(db, schema(first, adds), before);
  const [name = ''] = readdirSync(join(folder, 'backups'));
  const backup = join(folder, 'backups', name);
  db.close();
  restoreBackup(path, backup, { files: [], now: 0, check: (copy) => migrate(copy, old) });
  db.open();
  db.exec('INSERT INTO one (a) VALUES (2)');
  migrate(db, schema(first, adds), before);
  const kept = new DatabaseSync(backup);
  t.after(() => kept.close());
  assert.deepEqual(
    kept
      .prepare('SELECT a FROM one ORDER BY a')
      .all()
      .map(({ a }) => a),
    [1, 2],
  );
  assert.equal(lacks(kept, schema(first, adds), 2), 'table one one b TEXT');
  assert.equal(readBackupInfo(backup).version, version);
});

test('a step that breaks: the version of before refuses, and names what can read the database', (t) => {
  const { db, path } = opened(t);
  migrate(db, schema(first));
  migrate(db, schema(first, breaks));
  assert.throws(() => migrate(db, schema(first)), {
    name: 'StorageRefused',
    message: `${path} was written by pbx-bridge ${version}, and pbx-bridge ${version} cannot read it: install ${version} or newer, or restore a backup from before it`,
  });
});

test('a backup that this version cannot read is refused by its own name, and no file of the attempt is left', (t) => {
  const { db, path, folder } = opened(t);
  migrate(db, schema(first, breaks));
  const file = join(folder, 'newer.backup');
  writeBackup(path, file, { info: { program: 'pbx-bridge', madeAt: 0 }, files: [], overwrite: false });
  const target = join(folder, 'other.db');
  const check = (copy: DatabaseSync) => migrate(copy, schema(first));
  assert.throws(() => restoreBackup(target, file, { files: [], now: 0, check }), {
    name: 'StorageRefused',
    message: new RegExp(`^${file} was written by pbx-bridge`),
  });
  assert.deepEqual(readdirSync(folder).sort(), ['newer.backup', 'one.db']);
});

test('a backup that cannot be written: one line, and no step', (t) => {
  const { db, path, folder } = opened(t);
  migrate(db, schema(first));
  writeFileSync(join(folder, 'backups'), 'no folder');
  const before = () => backUpBefore(path, { program: 'pbx-bridge', files: [] });
  assert.throws(() => migrate(db, schema(first, adds), before), {
    name: 'StorageRefused',
    message:
      /cannot be backed up to .*backups\/before-.*: make room there and start again; nothing was changed$/,
  });
  assert.equal(lacks(db, schema(first, adds), 2), 'table one one b TEXT');
  rmSync(join(folder, 'backups'));
  mkdirSync(join(folder, 'backups'));
  migrate(db, schema(first, adds), before);
  assert.equal(lacks(db, schema(first, adds), 2), undefined);
});

test('killed in the middle of a step: the database is as before, and the step is done at the next start', (t) => {
  const { db, path } = opened(t);
  migrate(db, schema(first));
  const script = `
    import { DatabaseSync } from 'node:sqlite';
    import { migrate } from ${JSON.stringify(import.meta.resolve('./migrate.ts'))};
    const db = new DatabaseSync(${JSON.stringify(path)});
    db.function('die', () => process.kill(process.pid, 'SIGKILL'));
    const [first, { sql }] = ${JSON.stringify([first, adds])};
    migrate(db, { steps: [first, { sql: sql.replace(';', '; SELECT die();') }], ifOlder: '' });`;
  const { signal, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script]);
  assert.equal(signal, 'SIGKILL', `${stderr}`);
  assert.equal(lacks(db, schema(first, adds), 2), 'table one one b TEXT');
  assert.equal(stepsIn(db, schema(first)), 1);
  migrate(db, schema(first, adds));
  assert.equal(lacks(db, schema(first, adds), 2), undefined);
});

test('every statement that adds rows names its columns, so that it goes on beside a step that adds one', () => {
  const src = fileURLToPath(new URL('../..', import.meta.url));
  const found = globSync('**/*.ts', {
    cwd: src,
    exclude: (path) => /\.(test|fixture)\.ts$/.test(path),
  }).flatMap((path) =>
    [
      ...readFileSync(join(src, path), 'utf8').matchAll(
        /INSERT (?:OR [A-Z]+ )?INTO (\w+)(?: AS \w+)?\s+(.)/g,
      ),
    ].map(([, table, next]) => ({ name: `${path} ${table}`, next })),
  );
  assert.ok(found.length > 30, `${found.length} statements`);
  assert.deepEqual(
    // The counters' only row is added by the step that makes the table; a backup's table is in backups alone.
    found
      .filter(({ name, next }) => next !== '(' && !/ (counters|backup)$/.test(name))
      .map(({ name }) => name),
    [],
  );
});

test('a version that a file makes up is refused, and quoted short and without control characters', (t) => {
  for (const made of [
    '1.0.0; DROP TABLE accounts',
    '\x1b[2J',
    `1.0.0-${'x'.repeat(500_000)}`,
    '1.0',
    '1.0.0\n',
  ]) {
    const { db } = opened(t);
    migrate(db, schema(first));
    db.prepare('UPDATE written_by SET version = ?, needs = 9, steps = 9').run(made);
    assert.throws(
      () => migrate(db, schema(first)),
      ({ message }: Error) =>
        message.includes('makes no sense') && message.length < 200 && !/[\0-\x1f\x7f-\x9f]/.test(message),
      made.slice(0, 40),
    );
  }
  const { db } = opened(t);
  db.exec('CREATE TABLE written_by (version TEXT)');
  assert.throws(() => migrate(db, schema(first)), /the table written_by has no column at/);
});
