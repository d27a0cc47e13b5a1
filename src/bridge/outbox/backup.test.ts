import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { backUp, readBackup, restore } from './backup.ts';
import {
  batchOf,
  byNewer,
  eventsOf,
  keepingLog,
  opened,
  resultOf,
  temporaryFolder,
  trunk,
} from './outbox.fixture.ts';
import { openOutbox } from './outbox.ts';
import { databasePath } from './tables/database.ts';

const monday = Date.UTC(2026, 10, 16, 9);
const note = { version: '1', of: 'pbx', madeAt: monday, overwrite: false };
const here = { of: 'pbx', now: monday, replace: false, pid: process.pid };

/** A state with an open call, one event delivered and one that waits, and its backup in another folder. */
async function backedUp(t: TestContext) {
  const folder = temporaryFolder(t);
  const directory = join(folder, 'state');
  const outbox = await opened(t, { directory });
  const { nextEvents } = await outbox.append({
    ...batchOf([{ a: 'ringing' }, { a: 'answered' }], monday),
    calls: [{ id: 'a', state: '{"id":"a"}' }],
    trunks: [trunk('PJSIP/one')],
    cdrCheckpoint: '{"offset":7}',
    unreported: [{ id: 'b', at: monday, why: 'withheld' }],
  });
  await outbox.record([resultOf(nextEvents[0]?.seq as number, 'a')]);
  const file = join(folder, 'backup.db');
  const backup = await backUp(directory, file, note);
  return { folder, directory, outbox, file, backup };
}

test('backup: everything that is committed, in one file for its owner alone, while the outbox is at work', async (t) => {
  const { folder, file, backup, outbox } = await backedUp(t);
  assert.deepEqual(backup, {
    program: 'pbx-bridge',
    version: '1',
    of: 'pbx',
    madeAt: monday,
    openCalls: 1,
    waiting: 1,
    dead: 0,
    newestAt: monday,
  });
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(folder).sort(), ['backup.db', 'state']);
  await outbox.append(batchOf({ b: 'ringing' }));
  assert.deepEqual(readBackup(file), backup);
});

test('backup: an existing file is kept without --overwrite; without a state there is no backup', async (t) => {
  const { folder, directory, file } = await backedUp(t);
  const before = readFileSync(file);
  await assert.rejects(backUp(directory, file, note), {
    name: 'StorageRefused',
    message: `${file} exists: choose another file, or add --overwrite`,
  });
  assert.deepEqual(readFileSync(file), before);
  assert.equal(
    (await backUp(directory, file, { ...note, madeAt: monday + 1, overwrite: true }))?.madeAt,
    monday + 1,
  );
  mkdirSync(join(folder, 'a-folder'));
  await assert.rejects(
    backUp(directory, join(folder, 'a-folder'), { ...note, overwrite: true }),
    /exists: choose/,
  );
  assert.equal(await backUp(join(folder, 'nowhere'), join(folder, 'none.db'), note), undefined);
  await assert.rejects(backUp(directory, join(folder, 'nowhere', 'x.db'), note), /ENOENT/);
});

test('backup: an unreadable state is refused with a message', async (t) => {
  const { folder, directory, outbox } = await backedUp(t);
  await outbox.append(batchOf(Array.from({ length: 200 }, (_, i) => ({ [`x${i}`]: 'ringing' }))));
  await outbox.close();
  const path = databasePath(directory);
  const bytes = readFileSync(path);
  bytes.fill(0x55, 4_096, bytes.length);
  writeFileSync(path, bytes);
  await assert.rejects(backUp(directory, join(folder, 'bad.db'), note), {
    name: 'StorageRefused',
    message: /outbox.db is damaged: /,
  });
  assert.deepEqual(readdirSync(folder).sort(), ['backup.db', 'state']);
});

test('restore: elsewhere, it goes on where the backup was made', async (t) => {
  const { folder, file, directory } = await backedUp(t);
  const elsewhere = join(folder, 'elsewhere');
  const { aside } = restore(elsewhere, file, here);
  assert.deepEqual(aside, []);
  const log = keepingLog();
  const outbox = await opened(t, { directory: elsewhere }, log);
  assert.deepEqual(log.lines, []);
  assert.deepEqual(await outbox.load(), {
    calls: [{ id: 'a', state: '{"id":"a"}' }],
    trunks: [trunk('PJSIP/one')],
    unreported: ['b'],
    cdrCheckpoint: '{"offset":7}',
  });
  assert.deepEqual(
    await outbox.ledgerEntries(['a', 'b', 'c']),
    new Map([
      ['b', { reported: [], unreported: 'withheld' }],
      ['a', { reported: ['answered', 'ringing'] }],
    ]),
  );
  assert.deepEqual(await outbox.counters(), { queued: 2, delivered: 1, waiting: 1, dead: 0, lost: 0 });
  assert.deepEqual(eventsOf(elsewhere, {}), eventsOf(directory, {}));
  const db = new DatabaseSync(databasePath(elsewhere), { readOnly: true });
  t.after(() => db.close());
  assert.equal(db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'backup'").get(), undefined);
  for (const name of readdirSync(elsewhere))
    assert.equal(statSync(join(elsewhere, name)).mode & 0o077, 0, `${name} is for its owner alone`);
});

test('restore: not while a bridge works there', async (t) => {
  const { directory, file } = await backedUp(t);
  assert.throws(() => restore(directory, file, { ...here, replace: true }), {
    name: 'StorageRefused',
    message: /another pbx-bridge \(process \d+\) already uses/,
  });
});

test('restore: not over a state unless --replace is given, and then that is kept aside', async (t) => {
  const { directory, file, outbox } = await backedUp(t);
  await outbox.append({ ...batchOf({ b: 'ringing' }, monday + 60_000), calls: [{ id: 'a', state: null }] });
  await outbox.close();
  const before = readFileSync(databasePath(directory));
  assert.throws(() => restore(directory, file, here), {
    name: 'StorageRefused',
    message: `there is a state in ${directory} already: waiting events: 2, dead letters: 0, open calls: 0, the newest event of 2026-11-16T09:01:00.000Z. What the backup does not have of it would never be reported; --replace sets it aside all the same`,
  });
  assert.deepEqual(readFileSync(databasePath(directory)), before);

  const { aside } = restore(directory, file, { ...here, replace: true });
  const [old = ''] = aside;
  assert.deepEqual(aside, [`${databasePath(directory)}.replaced-20261116T090000000Z`]);
  assert.deepEqual(readFileSync(old), before);
  assert.deepEqual(eventsOf(directory, { callId: 'b' }), []);
});

test('restore: an empty state, as a first start leaves it, is replaced', async (t) => {
  const { folder, file } = await backedUp(t);
  const fresh = join(folder, 'fresh');
  await (await openOutbox({ directory: fresh }, { log: keepingLog() })).close();
  assert.equal(restore(fresh, file, here).aside.length, 1);
  assert.equal(eventsOf(fresh, {}).length, 2);
});

test('restore: a state that cannot be read is for the bridge to repair, unless --replace is given', async (t) => {
  const { folder, file } = await backedUp(t);
  const broken = join(folder, 'broken');
  mkdirSync(broken);
  writeFileSync(databasePath(broken), 'no database at all');
  assert.throws(() => restore(broken, file, here), /cannot be read .*the bridge repairs it when it starts/);
  restore(broken, file, { ...here, replace: true });
  assert.equal(eventsOf(broken, {}).length, 2);
  const newer = new DatabaseSync(databasePath(broken));
  newer.exec(byNewer);
  newer.close();
  assert.throws(() => restore(broken, file, here), /cannot be read .*was written by pbx-bridge 9\.0\.0/);
});

test('restore: the WAL of what was there never meets the backup', async (t) => {
  const { folder, file } = await backedUp(t);
  const other = join(folder, 'other');
  const outbox = await openOutbox({ directory: other }, { log: keepingLog() });
  await outbox.append(batchOf({ z: 'ringing' }));
  const wal = readFileSync(`${databasePath(other)}-wal`);
  await outbox.close();
  // As a kill leaves it.
  writeFileSync(`${databasePath(other)}-wal`, wal);
  restore(other, file, { ...here, replace: true });
  const log = keepingLog();
  const restored = await opened(t, { directory: other }, log);
  assert.deepEqual(log.lines, []);
  assert.deepEqual(await restored.eventsOf('z'), []);
});

test('restore: killed before the files changed places, the next start ends it', async (t) => {
  const { folder, file } = await backedUp(t);
  const [done, killed] = [join(folder, 'done'), join(folder, 'killed')];
  restore(done, file, here);
  await (await openOutbox({ directory: killed }, { log: keepingLog() })).close();
  renameSync(databasePath(done), `${databasePath(killed)}.new`);
  const outbox = await opened(t, { directory: killed });
  assert.equal((await outbox.counters()).queued, 2);
});

test('restore: what is no backup, is damaged, or of another PBX or a newer version, is refused and nothing is touched', async (t) => {
  const { folder, directory, file, outbox } = await backedUp(t);
  await outbox.close();
  const target = join(folder, 'target');
  const refused = (what: string, message: RegExp, of = 'pbx') => {
    assert.throws(() => restore(target, what, { ...here, of }), { name: 'StorageRefused', message });
    assert.equal(existsSync(databasePath(target)), false);
    assert.deepEqual(existsSync(target) ? readdirSync(target).filter((name) => !/lock/.test(name)) : [], []);
  };
  refused(join(folder, 'nothing.db'), /does not exist/);
  refused(databasePath(directory), /is not a backup of pbx-bridge/);
  refused(file, /is of PBX_ID=pbx, and PBX_ID is other here/, 'other');

  const changed = (name: string, change: (bytes: Buffer) => void) => {
    const path = join(folder, name);
    const bytes = readFileSync(file);
    change(bytes);
    writeFileSync(path, bytes);
    return path;
  };
  refused(
    changed('flipped.db', (bytes) => bytes.fill(0, bytes.lastIndexOf('"status":"answered"') - 200)),
    /is damaged/,
  );
  refused(
    changed('no-database.db', (bytes) => bytes.fill(0x55)),
    /is damaged: file is not a database/,
  );
  for (const [sql, message] of [
    [byNewer, /was written by pbx-bridge 9\.0\.0, .*: install 9\.0\.0/],
    ['UPDATE counters SET waiting = 0', /is damaged: the counters do not fit the events/],
    [`UPDATE backup SET note = '{"program":"service"}'`, /is a backup of the service/],
  ] as const) {
    const other = changed('other.db', () => {});
    const db = new DatabaseSync(other);
    db.exec(sql);
    db.close();
    refused(other, message);
  }
});
