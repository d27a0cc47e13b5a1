import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { watch } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  atEnd,
  batchOf,
  type KeepingLog,
  keepingLog,
  newEvent,
  opened,
  settled,
  temporaryFolder,
} from '../outbox.fixture.ts';
import type { Outbox } from '../outbox.ts';

const skip = process.getuid?.() === 0 ? false : 'needs root, to mount a small disk';
const ballastBytes = 256 << 10;

/** A disk of 4 MiB of its own. */
function smallDisk(t: TestContext): string {
  const folder = temporaryFolder(t);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'outbox-test', folder]);
  atEnd(t, () => execFileSync('umount', [folder]));
  return folder;
}

/** Takes all the room but `left` bytes, for a file that can be deleted. */
function fill(disk: string, left = 0): void {
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(join(disk, 'filler'), Buffer.alloc(bavail * bsize - left));
}

/** Resolves when there is a file of this name. */
async function watchFor(folder: string, name: string): Promise<void> {
  for await (const { filename } of watch(folder))
    if (filename === name && existsSync(join(folder, name))) return;
}

/** Takes events until the disk is full: gives the append that waits for room. */
async function fillUp(
  outbox: Outbox,
  log: KeepingLog,
): Promise<{ taken: number; waiting: Promise<unknown> }> {
  const full = log.seen('outbox.full').then(() => 'full');
  for (let taken = 0; ; taken++) {
    const text = 'x'.repeat(3_000);
    const one = outbox.append({
      calls: [],
      trunks: [],
      events: [newEvent(`c${taken}`, 'ringing', 1, { text })],
    });
    if ((await Promise.race([one, full])) === 'full') return { taken, waiting: one };
  }
}

test('disk full: nothing is taken, deliveries are marked, and all goes on when there is room', {
  skip,
}, async (t) => {
  const directory = smallDisk(t);
  const log = keepingLog();
  const outbox = await opened(t, { directory, ballastBytes }, log);
  const ballast = join(directory, 'outbox.ballast');
  await outbox.append(batchOf('a:ringing b:ringing c:ringing'));
  assert.ok(existsSync(ballast));
  fill(directory);

  const { taken, waiting } = await fillUp(outbox, log);
  assert.ok(!existsSync(ballast), 'the ballast gives its room');
  assert.equal(outbox.storage().state, 'full');
  assert.match(outbox.storage().error ?? '', /full/);
  assert.equal((await outbox.tally()).taken, taken + 3, 'what was not acknowledged is not counted');

  await outbox.settle([settled(1, 'a'), settled(2, 'b', { outcome: 'dead' })]);
  await outbox.settle([settled(3, 'c', { outcome: 'retry', nextAt: 5 })]);
  const { delivered, dead } = await outbox.tally();
  assert.deepEqual([delivered, dead], [1, 1]);

  rmSync(join(directory, 'filler'));
  await waiting;
  await log.seen('outbox.working');
  assert.deepEqual(outbox.storage(), { state: 'working' });
  assert.ok(existsSync(ballast), 'the ballast is back');
  const tally = await outbox.tally();
  assert.equal(tally.taken, taken + 4);
  assert.equal(tally.taken, tally.delivered + tally.waiting + tally.dead);
  assert.deepEqual(
    log.lines.map(({ code }) => code),
    ['outbox.full', 'outbox.working'],
  );
});

test('disk full: without ballast the intake waits too, and goes on when there is room', {
  skip,
}, async (t) => {
  const directory = smallDisk(t);
  const log = keepingLog();
  const outbox = await opened(t, { directory, ballastBytes: 0 }, log);
  fill(directory);
  const { taken, waiting } = await fillUp(outbox, log);
  rmSync(join(directory, 'filler'));
  await waiting;
  assert.equal((await outbox.tally()).taken, taken + 1);
});

test('disk full: a ballast that did not fit at the start is missed in the log, and nothing waits for it', {
  skip,
}, async (t) => {
  const directory = smallDisk(t);
  const log = keepingLog();
  const outbox = await opened(t, { directory, ballastBytes: 16 << 20 }, log);
  assert.deepEqual(log.lines, [{ code: 'outbox.no-ballast', fields: { directory, bytes: 16 << 20 } }]);
  await outbox.append(batchOf('a:ringing'));
  fill(directory);
  const { taken, waiting } = await fillUp(outbox, log);
  const marked = outbox.settle([settled(1, 'a')]);
  rmSync(join(directory, 'filler'));
  await Promise.all([waiting, marked]);
  await log.seen('outbox.working');
  const tally = await outbox.tally();
  assert.deepEqual([tally.taken, tally.delivered], [taken + 2, 1]);
});

test('disk full: a ballast that did not fit at the start is made when there is room', { skip }, async (t) => {
  const directory = smallDisk(t);
  fill(directory, ballastBytes);
  const log = keepingLog();
  const outbox = await opened(t, { directory, ballastBytes }, log);
  await log.seen('outbox.no-ballast');
  const made = watchFor(directory, 'outbox.ballast');
  rmSync(join(directory, 'filler'));
  await made;
  await outbox.append(batchOf('a:ringing'));
  assert.equal((await outbox.tally()).taken, 1);
});

test('disk full: what only looks is answered, and marks go in before the intake does', {
  skip,
}, async (t) => {
  const directory = smallDisk(t);
  const log = keepingLog();
  const outbox = await opened(t, { directory, ballastBytes }, log);
  await outbox.append(batchOf('a:ringing b:ringing'));
  fill(directory);
  const { waiting } = await fillUp(outbox, log);
  // Others take the ballast's room, until a mark does not fit either.
  const { bavail, bsize } = statfsSync(directory);
  writeFileSync(join(directory, 'others'), Buffer.alloc(bavail * bsize));
  let hangs: Promise<unknown> | undefined;
  for (let nextAt = 1; hangs === undefined; nextAt++) {
    const error = 'x'.repeat(400);
    const mark = outbox.settle([settled(1, 'a', { outcome: 'retry', nextAt, error })]).then(() => 'marked');
    // Asked in the same breath, and answered whatever becomes of the mark.
    const looked = outbox.due({ lane: 'fresh', now: 1, freshSince: 0, limit: 1, except: ['a'] });
    assert.deepEqual(
      (await looked).map(({ callId }) => callId),
      ['b'],
    );
    if ((await Promise.race([mark, outbox.tally()])) !== 'marked') hangs = mark;
  }
  // Not enough for the ballast, so that the intake waits on.
  rmSync(join(directory, 'others'));
  assert.equal(await hangs, 'marked');
  assert.equal(outbox.storage().state, 'full');
  rmSync(join(directory, 'filler'));
  await waiting;
});

test('disk full: a ballast that cannot be deleted ends nothing, and is one line in the log', {
  skip,
}, async (t) => {
  const directory = smallDisk(t);
  const log = keepingLog();
  const outbox = await opened(t, { directory, ballastBytes }, log);
  await outbox.append(batchOf('a:ringing'));
  const ballast = join(directory, 'outbox.ballast');
  execFileSync('mount', ['--bind', ballast, ballast]);
  atEnd(t, () => execFileSync('umount', [ballast]));
  fill(directory);
  const { taken, waiting } = await fillUp(outbox, log);
  rmSync(join(directory, 'filler'));
  await waiting;
  assert.equal((await outbox.tally()).taken, taken + 2);
  assert.deepEqual(
    log.lines.map(({ code }) => code).filter((code) => code !== 'outbox.full'),
    ['outbox.ballast-stuck', 'outbox.working'],
  );
});

test('disk full: a start waits for room, and says so', { skip }, async (t) => {
  const directory = smallDisk(t);
  const first = await opened(t, { directory, ballastBytes: 0 });
  await first.append(batchOf('a:ringing'));
  await first.close();
  fill(directory);
  const log = keepingLog();
  const outbox = await opened(t, { directory, ballastBytes: 0 }, log);
  const loaded = outbox.load();
  const taken = outbox.append(batchOf('b:ringing'));
  await Promise.race(['outbox.full', 'outbox.failing'].map((code) => log.seen(code)));
  rmSync(join(directory, 'filler'));
  await Promise.all([loaded, taken]);
  assert.equal((await outbox.tally()).taken, 2);
});

test('disk full: closing then refuses what is not stored', { skip }, async (t) => {
  const directory = smallDisk(t);
  const log = keepingLog();
  const outbox = await opened(t, { directory, ballastBytes: 0 }, log);
  fill(directory);
  const { waiting } = await fillUp(outbox, log);
  const refused = assert.rejects(waiting, /closed/);
  await outbox.close();
  await refused;
});
