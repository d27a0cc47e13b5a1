import assert from 'node:assert/strict';
import {
  closeSync,
  cpSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { databasePath } from './database.ts';
import { openStore } from './open-store.ts';
import { eventsOf, keepingLog, newEvent, opened, settled, temporaryFolder } from './outbox.fixture.ts';
import type { Outbox } from './outbox.ts';
import { pageSize } from './page.ts';
import { repair } from './repair.ts';

const frameSize = pageSize + 24;
const calls = 400;
const callIds = Array.from({ length: calls }, (_, i) => `call-${String(i).padStart(4, '0')}`);
const events = calls * 2;

/** What a call's events are in the template: every fifth is a dead letter, every third delivered. */
const fate = (i: number) => (i % 5 === 0 ? 'dead' : i % 3 === 0 ? 'delivered' : 'waiting');

/** An outbox with some of everything, half of it in the database and half in the WAL. */
async function makeTemplate(t: TestContext): Promise<string> {
  const directory = temporaryFolder(t);
  for (const half of [0, 1]) {
    const outbox = await opened(t, { directory });
    for (let i = half * (calls / 2); i < (calls / 2) * (half + 1); i++) {
      const id = callIds[i] as string;
      const state = JSON.stringify({ id, long: i === 7 ? 'x'.repeat(9_000) : '' });
      const two = [newEvent(id, 'ringing', i), newEvent(id, 'completed', i)];
      const { heads } = await outbox.append({
        calls: [{ id, state }],
        trunks: [`PJSIP/${i % 4}`],
        events: two,
      });
      const [head] = heads;
      assert.ok(head);
      const outcome = fate(i);
      if (outcome === 'waiting') continue;
      const [next] = await outbox.settle([settled(head.seq, id, { outcome })]);
      assert.ok(next);
      await outbox.settle([settled(next.seq, id, { outcome })]);
    }
    // Copied while it is open: closing would empty the WAL.
    if (half === 1) {
      const copy = temporaryFolder(t);
      for (const suffix of ['', '-wal'])
        cpSync(databasePath(directory) + suffix, databasePath(copy) + suffix);
      await outbox.close();
      return copy;
    }
    await outbox.close();
  }
  throw new Error('unreachable');
}

type Found = {
  readonly outbox: Outbox;
  readonly log: ReturnType<typeof keepingLog>;
  readonly events: number;
};

/** Opens what is left in a folder, and checks that it is an outbox that works. */
async function openedWhole(t: TestContext, directory: string, quickFrom?: number): Promise<Found> {
  const log = keepingLog();
  const outbox = await opened(t, quickFrom === undefined ? { directory } : { directory, quickFrom }, log);
  if (log.lines.some(({ code }) => code === 'outbox.set-aside')) await log.seen('outbox.rescued');
  const tally = await outbox.tally();
  assert.equal(tally.taken, tally.delivered + tally.waiting + tally.dead);
  for (const { state } of (await outbox.load()).calls) JSON.parse(state);
  const found = eventsOf(directory, {}).filter(({ callId }) => callIds.includes(callId));
  return { outbox, log, events: found.length };
}

/** Delivers everything that waits, in the order of each call; gives how many. */
async function drain(outbox: Outbox): Promise<number> {
  let total = 0;
  for (const lane of ['backlog', 'retry'] as const) {
    for (;;) {
      const query = { lane, now: 1e12, freshSince: 1e12, limit: 100, except: [] };
      const heads = await outbox.due(query);
      if (heads.length === 0) break;
      for (const { callId } of heads) assert.equal(typeof callId, 'string');
      await outbox.settle(heads.map(({ seq, callId }) => settled(seq, callId)));
      total += heads.length;
    }
  }
  return total;
}

type Damage = (file: { db: Buffer; wal: Buffer }, random: (below: number) => number) => Partial<typeof file>;

const flipBits =
  (count: number, which: 'db' | 'wal'): Damage =>
  (file, random) => {
    const bytes = Buffer.from(file[which]);
    for (let i = 0; i < count; i++) {
      const at = random(bytes.length);
      bytes[at] = (bytes[at] as number) ^ (1 << random(8));
    }
    return { [which]: bytes };
  };

const zeroPages =
  (count: number, which: 'db' | 'wal'): Damage =>
  (file, random) => {
    const bytes = Buffer.from(file[which]);
    for (let i = 0; i < count; i++) {
      const at = random(Math.floor(bytes.length / pageSize)) * pageSize;
      bytes.fill(0, at, at + pageSize);
    }
    return { [which]: bytes };
  };

const truncate =
  (which: 'db' | 'wal'): Damage =>
  (file, random) => ({ [which]: file[which].subarray(0, random(file[which].length)) });

const scribble =
  (which: 'db' | 'wal'): Damage =>
  (file, random) => {
    const bytes = Buffer.from(file[which]);
    const from = random(bytes.length);
    for (let at = from; at < Math.min(bytes.length, from + 5_000); at++) bytes[at] = random(256);
    return { [which]: bytes };
  };

const kinds: readonly [string, Damage][] = [
  ['one bit of the database flipped', flipBits(1, 'db')],
  ['20 bits of the database flipped', flipBits(20, 'db')],
  ['one bit of the WAL flipped', flipBits(1, 'wal')],
  ['20 bits of the WAL flipped', flipBits(20, 'wal')],
  ['a page of the database zeroed', zeroPages(1, 'db')],
  ['five pages of the database zeroed', zeroPages(5, 'db')],
  ['five pages of the WAL zeroed', zeroPages(5, 'wal')],
  ['the database truncated', truncate('db')],
  ['the WAL truncated', truncate('wal')],
  ['garbage in the database', scribble('db')],
];

/** How a damaged file is repaired: while everybody waits, or only what is needed at once and the rest later. */
const ways = [
  { way: 'at once', mutations: 50, says: ['outbox.repaired'] },
  { way: 'in the background', quickFrom: 0, mutations: 20, says: ['outbox.set-aside', 'outbox.rescued'] },
] as const;

for (const { way, mutations, says, ...options } of ways) {
  test(`repair ${way}: whatever happens to the files, it starts, says so, and works`, async (t) => {
    const quickFrom = 'quickFrom' in options ? options.quickFrom : undefined;
    const template = await makeTemplate(t);
    const path = databasePath(template);
    const whole = { db: readFileSync(path), wal: readFileSync(`${path}-wal`) };
    for (let seed = 1; seed <= mutations; seed++) {
      const [name, damage] = kinds[seed % kinds.length] as [string, Damage];
      await t.test(`seed ${seed}: ${name}`, async (inner) => {
        const directory = temporaryFolder(inner);
        const { db, wal } = { ...whole, ...damage(whole, randomOf(seed)) };
        writeFileSync(databasePath(directory), db);
        writeFileSync(`${databasePath(directory)}-wal`, wal);

        const first = await openedWhole(inner, directory, quickFrom);
        const codes = first.log.lines.map(({ code }) => code);
        const missing = events - first.events;
        // A WAL that just ends early cannot be told from a last moment before a crash: nobody can know that.
        if (missing > 0 && !name.includes('WAL')) assert.deepEqual(codes, says, `${missing} missing`);
        assert.ok(codes.length <= 2, codes.join());
        const { waiting } = await first.outbox.tally();
        assert.equal(await drain(first.outbox), waiting);
        await first.outbox.close();
        inner.diagnostic(`${missing} of ${events} events lost; ${codes.join() || 'nothing to say'}`);

        const second = await openedWhole(inner, directory, quickFrom);
        assert.deepEqual(second.log.lines, [], 'the damage must be over');
        assert.equal((await second.outbox.tally()).waiting, 0);
        if (codes.includes('outbox.set-aside')) assert.deepEqual(leftIn(directory), []);
      });
    }
  });
}

/** What a rescue leaves only if it was cut off. */
function leftIn(directory: string): string[] {
  return readdirSync(directory).filter((name) => /unsaved|saved|part|new/.test(name));
}

const losses: readonly [name: string, damage: Damage, lost: number, code: string][] = [
  [
    'the first page, with a WAL that is gone',
    ({ db }) => ({ db: Buffer.from(db).fill(0, 0, pageSize), wal: Buffer.alloc(0) }),
    events / 2,
    'outbox.repaired',
  ],
  [
    'every page that is no leaf, with a WAL that is gone',
    ({ db }) => ({ db: withoutTrees(db), wal: Buffer.alloc(0) }),
    events / 2,
    'outbox.repaired',
  ],
  ["the WAL's header", ({ wal }) => ({ wal: Buffer.from(wal).fill(0, 0, 32) }), 0, 'outbox.wal-repaired'],
  [
    'a checksum in the middle of the WAL',
    ({ wal }) => {
      const copy = Buffer.from(wal);
      copy.fill(0xff, 32 + 50 * (pageSize + 24) + 16, 32 + 50 * (pageSize + 24) + 24);
      return { wal: copy };
    },
    0,
    'outbox.wal-repaired',
  ],
  [
    'everything: it is no database at all',
    () => ({ db: Buffer.from('nothing that ever was a database\n'.repeat(999)), wal: Buffer.alloc(0) }),
    events,
    'outbox.repaired',
  ],
];

for (const [name, damage, lost, code] of losses) {
  test(`repair: ${lost === 0 ? 'nothing' : lost} of ${events} events lost after damage to ${name}`, async (t) => {
    const directory = await makeTemplate(t);
    const path = databasePath(directory);
    const whole = { db: readFileSync(path), wal: readFileSync(`${path}-wal`) };
    const { db, wal } = { ...whole, ...damage(whole, randomOf(1)) };
    writeFileSync(path, db);
    writeFileSync(`${path}-wal`, wal);
    const found = await openedWhole(t, directory);
    assert.equal(events - found.events, lost);
    assert.deepEqual(
      found.log.lines.map((line) => line.code),
      [code],
    );
    const aside = String(found.log.lines[0]?.fields.aside);
    assert.match(aside, /outbox\.db(-wal)?\.damaged-\d{8}T\d{9}Z$/);
    assert.ok(readdirSync(directory).some((file) => aside.endsWith(file)));
  });
}

/** A folder whose WAL has transactions of 60 events each, and where in it each transaction ends. */
async function withBigTransactions(t: TestContext) {
  const directory = temporaryFolder(t);
  const outbox = await opened(t, { directory });
  const text = 'x'.repeat(2_500);
  for (let i = 0; i < 5; i++) {
    const many = Array.from({ length: 60 }, (_, k) => newEvent(`c${i}-${k}`, 'ringing', i, { text }));
    await outbox.append({ calls: [], trunks: [], events: many });
  }
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
    const { taken, lost } = await outbox.tally();
    assert.deepEqual({ taken, lost }, { taken: 300, lost: 0 }, `frame ${frame} of ${from + 1} to ${to}`);
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
  await first.settle([settled(1, 'a')]);
  for (const damage of [truncateSync, rmSync]) {
    const copy = temporaryFolder(t);
    for (const suffix of ['', '-wal']) cpSync(databasePath(directory) + suffix, databasePath(copy) + suffix);
    damage(databasePath(copy));
    const { outbox, log } = await openedWhole(t, copy);
    const { taken, delivered, waiting } = await outbox.tally();
    assert.deepEqual([taken, delivered, waiting], [2, 1, 1], damage.name);
    assert.deepEqual(
      log.lines.map(({ code, fields }) => [code, fields.saved, fields.lost]),
      [['outbox.repaired', 2, 0]],
    );
  }
});

test('repair: an event that a flipped bit gave to another call is not told; it is counted as lost', async (t) => {
  const directory = temporaryFolder(t);
  const first = await opened(t, { directory });
  await first.append({
    calls: [],
    trunks: [],
    events: ['call-1', 'call-2'].map((id) => newEvent(id, 'ringing', 1)),
  });
  await first.close();
  const path = databasePath(directory);
  const bytes = readFileSync(path);
  bytes.write('call-9', bytes.indexOf('{"id":"call-2"') + '{"id":"'.length);
  writeFileSync(path, bytes);
  const { outbox, log } = await openedWhole(t, directory);
  const due = await outbox.due({ lane: 'backlog', now: 9, freshSince: 9, limit: 9, except: [] });
  assert.deepEqual(
    due.map(({ callId }) => callId),
    ['call-1'],
  );
  assert.deepEqual(
    log.lines.map(({ code, fields }) => [code, fields.saved, fields.lost]),
    [['outbox.repaired', 1, 1]],
  );
});

test('repair: a start that fails lets go of the file, and the next one takes what SQLite has forgotten', async (t) => {
  const { db, wal, ends } = await withBigTransactions(t);
  const damaged = Buffer.from(wal);
  const checksum = 32 + ((ends.at(-4) ?? 0) + 1) * frameSize + 16;
  damaged.fill(0xff, checksum, checksum + 8);
  const directory = folderOf(t, db, damaged);
  const path = databasePath(directory);
  const other = new DatabaseSync(path);
  other.exec('BEGIN IMMEDIATE');
  assert.throws(() => openStore(path, 1, keepingLog()), /locked/);
  other.exec('ROLLBACK');
  other.close();
  assert.ok(!existsSync(`${path}-wal`), 'whoever closes last removes the WAL');

  const log = keepingLog();
  const outbox = await opened(t, { directory }, log);
  assert.deepEqual(await outbox.tally(), { taken: 300, delivered: 0, waiting: 300, dead: 0, lost: 0 });
  assert.deepEqual(
    log.lines.map(({ code, fields }) => [code, fields.saved]),
    [['outbox.wal-repaired', 180]],
  );
  const aside = String(log.lines[0]?.fields.aside);
  assert.equal(readFileSync(aside).length, wal.length);
  assert.ok(!readdirSync(directory).some((file) => file.includes('forgotten')));
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
  const { taken, lost } = await outbox.tally();
  assert.equal(taken + lost, 300);
  assert.ok(lost > 40, `${lost} lost`);
  assert.deepEqual(
    log.lines.map(({ code, fields }) => [code, fields.lost]),
    [['outbox.wal-repaired', lost]],
  );
});

test('repair: one that was killed before its last step is finished by the next start', async (t) => {
  const directory = await makeTemplate(t);
  const path = databasePath(directory);
  const whole = { db: readFileSync(path), wal: readFileSync(`${path}-wal`) };
  writeFileSync(path, 'nothing that ever was a database');
  repair(path, 'EARLIER', Buffer.alloc(0));
  // What the repair has made lies beside the damaged file, which has a WAL that must never meet it.
  renameSync(path, `${path}.new`);
  writeFileSync(path, whole.db);
  writeFileSync(`${path}-wal`, whole.wal);
  writeFileSync(`${path}.part`, 'of a repair that was killed even earlier');

  const found = await openedWhole(t, directory);
  assert.equal(found.events, 0);
  assert.deepEqual(found.log.lines, []);
  const files = readdirSync(directory);
  assert.equal(files.filter((file) => /^outbox\.db\.damaged-\d{8}T\d{9}Z(-wal)?$/.test(file)).length, 2);
  assert.ok(!files.includes('outbox.db.part'));
});

test('repair: damage that shows while it works is repaired on the spot, and the question answered', async (t) => {
  const directory = temporaryFolder(t);
  const log = keepingLog();
  const outbox = await opened(t, { directory }, log);
  // More than SQLite keeps in memory, so that it must read the damage.
  const text = 'x'.repeat(1_500);
  for (let from = 0; from < 12_000; from += 1_000) {
    const many = Array.from({ length: 1_000 }, (_, i) => newEvent(`c${from + i}`, 'ringing', from, { text }));
    await outbox.append({ calls: [], trunks: [], events: many });
  }
  const before = await outbox.tally();
  await outbox.append({ calls: [], trunks: [], events: [newEvent('last', 'ringing', 1)] });
  const fd = openSync(databasePath(directory), 'r+');
  for (let page = 200; page < 240; page++)
    writeSync(fd, Buffer.alloc(pageSize, 0x55), 0, pageSize, page * pageSize);
  closeSync(fd);

  let delivered = 0;
  for (let seq = 1; seq <= 12_000; seq += 100) {
    const batch = Array.from({ length: 100 }, (_, i) => settled(seq + i, `c${seq + i - 1}`));
    await outbox.settle(batch);
    delivered += batch.length;
  }
  assert.deepEqual(
    log.lines.map(({ code }) => code),
    ['outbox.repaired'],
  );
  const tally = await outbox.tally();
  assert.equal(tally.taken, tally.delivered + tally.waiting + tally.dead);
  assert.equal(tally.taken + tally.lost, before.taken + 1);
  assert.ok(tally.lost > 0 && tally.lost < 500, `${tally.lost} lost of ${delivered}`);
  assert.equal(eventsOf(directory, { callId: 'last' }).length, 1);
});

/** Only leaves of tables are left: no roots, no indexes. */
function withoutTrees(file: Buffer): Buffer {
  const copy = Buffer.from(file);
  for (let at = pageSize; at < copy.length; at += pageSize)
    if (copy[at] !== 0x0d) copy.fill(0, at, at + pageSize);
  return copy;
}

/** Mulberry32: numbers below a bound, the same for the same seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed * 0x9e3779b9;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
