import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync, statfsSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import {
  atEnd,
  batchOf,
  due,
  type KeepingLog,
  keepingLog,
  newEvent,
  opened,
  resultOf,
  temporaryFolder,
} from '../outbox.fixture.ts';
import type { Outbox } from '../outbox.ts';

const skip = process.getuid?.() === 0 ? false : 'needs root, to mount a small disk';

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

/** Takes events until the disk is full: gives the append that waits for room. */
async function fillUp(
  outbox: Outbox,
  log: KeepingLog,
): Promise<{ queued: number; waiting: Promise<unknown> }> {
  const full = log.seen('outbox.full').then(() => 'full');
  for (let queued = 0; ; queued++) {
    const text = 'x'.repeat(3_000);
    const one = outbox.append({
      calls: [],
      trunks: [],
      events: [newEvent(`c${queued}`, 'ringing', 1, { text })],
    });
    if ((await Promise.race([one, full])) === 'full') return { queued, waiting: one };
  }
}

test('disk full: what is new and what was delivered waits, reads are answered, and all goes on when there is room', {
  skip,
}, async (t) => {
  const directory = smallDisk(t);
  const log = keepingLog();
  const outbox = await opened(t, { directory }, log);
  await outbox.append(batchOf({ a: 'ringing', b: 'ringing', c: 'ringing' }));
  fill(directory);

  const { queued, waiting } = await fillUp(outbox, log);
  assert.equal(outbox.storage().state, 'full');
  assert.match(outbox.storage().error ?? '', /full/);
  assert.equal((await outbox.counters()).queued, queued + 3, 'what was not acknowledged is not counted');
  const marked = [
    outbox.record([resultOf(1, 'a'), resultOf(2, 'b', { outcome: 'dead' })]),
    outbox.record([resultOf(3, 'c', { outcome: 'retry', nextAt: 5 })]),
  ];
  assert.deepEqual(await due(outbox, { limit: 1 }), [queued + 3]);

  rmSync(join(directory, 'filler'));
  await Promise.all([waiting, ...marked]);
  await log.seen('outbox.working');
  assert.deepEqual(outbox.storage(), { state: 'working' });
  const counters = await outbox.counters();
  assert.deepEqual(counters, { queued: queued + 4, delivered: 1, waiting: queued + 2, dead: 1, lost: 0 });
  assert.deepEqual(
    log.lines.map(({ code }) => code),
    ['outbox.full', 'outbox.working'],
  );
});

test('disk full: what waits is written as far as it fits, in order, and the rest when there is more room', {
  skip,
}, async (t) => {
  const directory = smallDisk(t);
  const log = keepingLog();
  const outbox = await opened(t, { directory }, log);
  fill(directory);
  const { queued, waiting } = await fillUp(outbox, log);
  // Far more than will fit at first.
  const text = 'x'.repeat(30_000);
  let written = 0;
  const more: Promise<void>[] = [];
  for (let n = 0; n < 100; n++) {
    const one = outbox.append({
      calls: [],
      trunks: [],
      events: [newEvent(`more${n}`, 'ringing', 1, { text })],
    });
    more.push(
      one.then(() => {
        assert.equal(n, written, 'in order');
        written++;
      }),
    );
    // What comes before the thread has answered would go together.
    await outbox.counters();
  }
  truncateSync(join(directory, 'filler'), statSync(join(directory, 'filler')).size - (1 << 20));
  await Promise.all([waiting, ...more.slice(0, 5)]);
  await new Promise(setImmediate);
  assert.ok(written < more.length, 'there is no room for all');
  assert.equal(outbox.storage().state, 'full');
  assert.equal((await outbox.counters()).queued, queued + 1 + written);
  rmSync(join(directory, 'filler'));
  execFileSync('mount', ['-o', 'remount,size=16m', directory]);
  await Promise.all(more);
  await log.seen('outbox.working');
  assert.equal((await outbox.counters()).queued, queued + 1 + more.length);
});

test('disk full: what is small does not overtake what does not fit', { skip }, async (t) => {
  const directory = smallDisk(t);
  const log = keepingLog();
  const outbox = await opened(t, { directory }, log);
  await outbox.append(batchOf({ a: 'ringing' }));
  fill(directory, 200_000);
  const written: string[] = [];
  const append = async (status: 'ringing' | 'answered', text: string) => {
    await outbox.append({ calls: [], trunks: [], events: [newEvent('b', status, 1, { text })] });
    written.push(status);
  };
  const big = append('ringing', 'x'.repeat(1_000_000));
  await outbox.counters();
  const small = append('answered', '');
  await log.seen('outbox.full');
  // Longer than it waits before it tries again.
  await setTimeout(600);
  assert.deepEqual([written, log.lines.map(({ code }) => code)], [[], ['outbox.full']]);
  rmSync(join(directory, 'filler'));
  await Promise.all([big, small]);
  assert.deepEqual(written, ['ringing', 'answered']);
});

test('disk full: a start waits for room, and says so', { skip }, async (t) => {
  const directory = smallDisk(t);
  const first = await opened(t, { directory });
  await first.append(batchOf({ a: 'ringing' }));
  await first.close();
  fill(directory);
  const log = keepingLog();
  const outbox = await opened(t, { directory }, log);
  const loaded = outbox.load();
  const queued = outbox.append(batchOf({ b: 'ringing' }));
  await log.seen('outbox.full');
  // Longer than it waits before it tries again.
  await setTimeout(1_100);
  rmSync(join(directory, 'filler'));
  await Promise.all([loaded, queued, log.seen('outbox.working')]);
  assert.deepEqual(
    log.lines.map(({ code }) => code),
    ['outbox.full', 'outbox.working'],
  );
  assert.equal((await outbox.counters()).queued, 2);
});

test('disk full: closing then refuses what is not stored', { skip }, async (t) => {
  const directory = smallDisk(t);
  const log = keepingLog();
  const outbox = await opened(t, { directory }, log);
  fill(directory);
  const { waiting } = await fillUp(outbox, log);
  const refused = assert.rejects(waiting, /closed/);
  await outbox.close();
  await refused;
});

test('disk full: closing tries once more, and stores what fits by then', { skip }, async (t) => {
  const directory = smallDisk(t);
  const log = keepingLog();
  const outbox = await opened(t, { directory }, log);
  fill(directory);
  const { queued, waiting } = await fillUp(outbox, log);
  rmSync(join(directory, 'filler'));
  await outbox.close();
  await waiting;
  const again = await opened(t, { directory });
  assert.equal((await again.counters()).queued, queued + 1);
});
