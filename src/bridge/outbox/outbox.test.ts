import assert from 'node:assert/strict';
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  attempted,
  batchOf,
  due,
  eventsOf,
  keepingLog,
  newEvent,
  opened,
  playRows,
  resultOf,
  seqs,
  temporaryFolder,
  trunk,
} from './outbox.fixture.ts';
import { type NewEvent, openOutbox } from './outbox.ts';
import { openReader } from './reader.ts';

/** What an outbox does: each row is played on an empty one. */
playRows([
  [
    'events are numbered as they are taken, and the oldest of a call is its next',
    async (outbox) => {
      const { nextEvents, repeated } = await outbox.append(
        batchOf([{ a: 'ringing', b: 'ringing' }, { a: 'answered' }], 5),
      );
      assert.deepEqual(nextEvents, [
        { seq: 1, ...newEvent('a', 'ringing', 5), attempts: 0, rejections: 0 },
        { seq: 2, ...newEvent('b', 'ringing', 5), attempts: 0, rejections: 0 },
      ]);
      assert.deepEqual(repeated, []);
      await outbox.counters();
      assert.equal(outbox.commits(), 1, 'a question is no transaction');
    },
  ],
  [
    'the same status of a call is taken once, and said to be a repeat, in one batch and in another',
    async (outbox) => {
      const first = await outbox.append(batchOf([{ a: 'ringing' }, { a: 'ringing' }]));
      const second = await outbox.append(batchOf({ a: 'ringing', b: 'ringing' }));
      assert.deepEqual(seqs(first.nextEvents), [1]);
      assert.deepEqual(first.repeated, [newEvent('a', 'ringing')]);
      assert.deepEqual(second.repeated, [newEvent('a', 'ringing')]);
      assert.deepEqual(seqs(second.nextEvents), [2]);
      assert.equal((await outbox.counters()).queued, 2);
    },
  ],
  [
    'an event behind a waiting one is not next; after that was delivered it is',
    async (outbox) => {
      await outbox.append(batchOf({ a: 'ringing' }));
      assert.deepEqual((await outbox.append(batchOf({ a: 'answered' }))).nextEvents, []);
      assert.deepEqual(await due(outbox, {}), [1]);
      assert.deepEqual(seqs(await outbox.record([resultOf(1, 'a')])), [2]);
      assert.deepEqual(await due(outbox, {}), [2]);
    },
  ],
  [
    'calls and trunks are saved, changed and forgotten',
    async (outbox) => {
      const calls = (id: string, state: string | null) => ({ calls: [{ id, state }], events: [] });
      await outbox.append({ ...calls('a', '{"x":1}'), trunks: [trunk('PJSIP/one')] });
      await outbox.append({ ...calls('b', '{}'), trunks: [trunk('PJSIP/one'), trunk('PJSIP/two')] });
      await outbox.append({ ...calls('a', '{"x":2}'), trunks: [] });
      const before = await outbox.load();
      assert.deepEqual(before.calls, [
        { id: 'a', state: '{"x":2}' },
        { id: 'b', state: '{}' },
      ]);
      assert.deepEqual(before.trunks, [trunk('PJSIP/one'), trunk('PJSIP/two')]);
      const gone = { ...trunk('PJSIP/one'), state: null };
      await outbox.append({ ...calls('a', null), trunks: [gone] });
      assert.deepEqual(await outbox.trunks(), [trunk('PJSIP/two')]);
      assert.deepEqual((await outbox.load()).calls, [{ id: 'b', state: '{}' }]);
    },
  ],
  [
    'the ledger has the decisions on calls, the newest reason counts, and prune deletes the old ones',
    async (outbox) => {
      const unreported = (id: string, at: number, why: string) => ({ id, at, why });
      const nothing = { calls: [], trunks: [], events: [] };
      await Promise.all([
        outbox.append({
          ...nothing,
          unreported: [unreported('b', 1, 'no number'), unreported('c', 5, 'left')],
        }),
        outbox.append({ ...batchOf([{ a: 'ringing' }, { a: 'completed' }]), cdrCheckpoint: 'first' }),
        outbox.append({ ...nothing, unreported: [unreported('b', 2, 'withheld')], cdrCheckpoint: 'second' }),
        outbox.append(nothing),
      ]);
      const a = ['a', { reported: ['completed', 'ringing'] }] as const;
      const c = ['c', { reported: [], unreported: 'left' }] as const;
      const b = ['b', { reported: [], unreported: 'withheld' }] as const;
      await outbox.append(nothing);
      assert.deepEqual([...(await outbox.ledgerEntries(['a', 'b', 'c', 'd']))].sort(), [a, b, c]);
      const { unreported: recent, cdrCheckpoint } = await outbox.load();
      assert.deepEqual([recent, cdrCheckpoint], [['b', 'c'], 'second']);
      assert.equal(await outbox.prune(5), 0);
      assert.deepEqual([...(await outbox.ledgerEntries(['a', 'b', 'c']))].sort(), [a, c]);
    },
  ],
  [
    'fresh: calls with a new event, newest first; backlog: the others, oldest first',
    async (outbox) => {
      for (const [id, at] of Object.entries({ a: 10, b: 20, c: 30, d: 40 })) {
        await outbox.append(batchOf({ [id]: 'ringing' }, at));
      }
      await outbox.append(batchOf({ a: 'answered' }, 35));
      await outbox.record([resultOf(1, 'a')]);
      await outbox.append(batchOf({ a: 'completed' }, 50));
      assert.deepEqual(await due(outbox, { priority: 'fresh', freshSince: 40 }), [5, 4]);
      assert.deepEqual(await due(outbox, { priority: 'backlog', freshSince: 40 }), [2, 3]);
      assert.deepEqual(await due(outbox, { priority: 'backlog', freshSince: 100 }), [2, 3, 4, 5]);
      assert.deepEqual(await due(outbox, { priority: 'backlog', freshSince: 100, limit: 2 }), [2, 3]);
      assert.deepEqual(
        await due(outbox, { priority: 'backlog', freshSince: 100, limit: 2, except: ['b', 'd'] }),
        [3, 5],
      );
      assert.deepEqual(await due(outbox, { limit: 0 }), []);
    },
  ],
  [
    'retry: fewest attempts first, then the earliest; never before its time',
    async (outbox) => {
      await outbox.append(batchOf({ a: 'ringing', b: 'ringing', c: 'ringing', d: 'ringing' }));
      const again = (seq: number, callId: string, nextAt: number) =>
        resultOf(seq, callId, { outcome: 'retry', nextAt });
      await outbox.record([again(1, 'a', 100), again(1, 'a', 100)]);
      await outbox.record([again(2, 'b', 300), again(3, 'c', 200)]);
      assert.deepEqual(await due(outbox, { priority: 'fresh' }), [4]);
      assert.deepEqual(await due(outbox, { priority: 'retry', now: 99 }), []);
      assert.deepEqual(await due(outbox, { priority: 'retry', now: 100 }), [1]);
      assert.deepEqual(await due(outbox, { priority: 'retry', now: 300 }), [3, 2, 1]);
      assert.deepEqual(await Promise.all([99, 100, 200, 300].map((now) => outbox.nextDue(now))), [
        100,
        200,
        300,
        undefined,
      ]);
      await outbox.record([again(1, 'a', 400)]);
      assert.equal(await outbox.nextDue(99), 200);
    },
  ],
  [
    'a wait that looks longer than the longest one has come: the clock was set back',
    async (outbox) => {
      await outbox.append(batchOf({ a: 'ringing' }));
      await outbox.record([resultOf(1, 'a', { outcome: 'retry', nextAt: 100_000 })]);
      assert.deepEqual(await due(outbox, { priority: 'retry', now: 39_999 }), [1]);
      assert.equal(await outbox.nextDue(39_999), undefined);
      assert.deepEqual(await due(outbox, { priority: 'retry', now: 40_000 }), []);
      assert.equal(await outbox.nextDue(40_000), 100_000);
    },
  ],
  [
    'an attempt that does not count leaves the event as untried as it was',
    async (outbox, directory) => {
      await outbox.append(batchOf({ a: 'ringing', b: 'ringing' }));
      await outbox.record([resultOf(1, 'a', { outcome: 'retry', counted: false, nextAt: 500 })]);
      assert.equal(eventsOf(directory, { callId: 'a' })[0]?.attemptLog[0]?.counted, false);
      await outbox.record([resultOf(2, 'b', { outcome: 'retry', nextAt: 500 })]);
      await outbox.record([resultOf(2, 'b', { outcome: 'retry', counted: false, nextAt: 600 })]);
      assert.deepEqual(await due(outbox, { priority: 'fresh', now: 1 }), [1]);
      const [event] = await outbox.due({ priority: 'retry', now: 600, freshSince: 0, limit: 1, except: [] });
      assert.equal(event?.attempts, 1);
    },
  ],
  [
    'what was delivered long ago is forgotten, what waits or is dead is not; numbers are never used again',
    async (outbox, directory) => {
      await outbox.append(batchOf({ a: 'ringing', b: 'ringing', c: 'ringing', d: 'ringing' }, 10));
      await outbox.record([resultOf(1, 'a', { at: 20 }), resultOf(4, 'd', { at: 90 })]);
      await outbox.record([resultOf(2, 'b', { outcome: 'dead', at: 20 })]);
      assert.deepEqual(await outbox.lastDelivered(90, 9), [
        { seq: 4, callId: 'd', status: 'ringing', at: 90 },
      ]);
      assert.deepEqual(seqs(eventsOf(directory, { state: 'delivered', since: 30 })), [4]);
      assert.deepEqual(eventsOf(directory, { state: 'dead', before: 20 }), []);
      assert.deepEqual(eventsOf(directory, { since: 20 }), []);
      assert.equal(await outbox.prune(20), 0);
      assert.equal(await outbox.prune(50), 1);
      assert.deepEqual(eventsOf(directory, { callId: 'a' }), []);
      assert.equal(await outbox.prune(100), 1);
      assert.deepEqual(attempted(directory), [2], 'the attempts go, too');
      assert.deepEqual(await outbox.counters(), { queued: 4, delivered: 2, waiting: 1, dead: 1, lost: 0 });
      assert.deepEqual(seqs((await outbox.append(batchOf({ e: 'ringing' }))).nextEvents), [5]);
    },
  ],
  [
    'the age of the oldest waiting event is known',
    async (outbox) => {
      assert.equal(await outbox.oldestWaiting(), undefined);
      await outbox.append(batchOf({ a: 'ringing' }, 10));
      await outbox.append(batchOf({ b: 'ringing' }, 20));
      assert.equal(await outbox.oldestWaiting(), 10);
      await outbox.record([resultOf(1, 'a')]);
      assert.equal(await outbox.oldestWaiting(), 20);
      assert.equal(await outbox.waiting(), 1);
    },
  ],
  [
    'one bad batch or question is refused alone, whatever is written together with it',
    async (outbox, directory) => {
      const bad = { ...newEvent('b', 'ringing'), queuedAt: Number.NaN };
      const tooMany = Array<NewEvent>(200_001).fill(newEvent('x', 'ringing'));
      const all = await Promise.allSettled([
        outbox.append({ calls: [], trunks: [], events: tooMany }),
        outbox.append(batchOf({ a: 'ringing' })),
        outbox.append({ calls: [], trunks: [], events: [newEvent('x', 'ringing'), bad] }),
        outbox.record([resultOf(1, 'a', { at: Number.NaN })]),
        outbox.append(batchOf({ c: 'ringing' })),
        outbox.record([resultOf(2, 'c')]),
      ]);
      assert.deepEqual(
        all.map(({ status }) => status),
        ['rejected', 'fulfilled', 'rejected', 'rejected', 'fulfilled', 'fulfilled'],
      );
      assert.deepEqual(await outbox.counters(), { queued: 2, delivered: 1, waiting: 1, dead: 0, lost: 0 });
      assert.deepEqual(eventsOf(directory, { callId: 'x' }), []);
      assert.deepEqual(eventsOf(directory, { callId: 'a' })[0]?.attemptLog, []);
    },
  ],
  [
    'what is appended together is answered each for itself, and written in far fewer transactions',
    async (outbox, directory) => {
      const ids = Array.from({ length: 500 }, (_, i) => `c${i - (i % 5)}`);
      const appends = ids.map((id) => outbox.append(batchOf([{ [id]: 'ringing' }, { [id]: 'completed' }])));
      const [all, last] = await Promise.all([outbox.counters(), outbox.append(batchOf({ z: 'ringing' }))]);
      assert.equal(all.queued, 200);
      assert.deepEqual(seqs(last.nextEvents), [201]);
      const answers = await Promise.all(appends);
      assert.deepEqual(
        answers.map(({ nextEvents, repeated }) => [
          nextEvents[0]?.callId,
          nextEvents[0]?.seq,
          repeated.length,
        ]),
        ids.map((id, i) => (i % 5 === 0 ? [id, (i / 5) * 2 + 1, 0] : [undefined, undefined, 2])),
      );
      const reader = openReader(directory);
      assert.equal(reader?.counters().queued, 201, 'on disk');
      reader?.close();
      assert.ok(outbox.commits() <= 5, `${outbox.commits()} transactions for 501 appends`);
    },
  ],
]);

test('outbox: everything is there again after a restart', async (t) => {
  const directory = temporaryFolder(t);
  const first = await opened(t, { directory });
  await first.append({
    calls: [{ id: 'a', state: '{}' }],
    trunks: [trunk('PJSIP/t')],
    events: [newEvent('a', 'ringing', 5), newEvent('b', 'ringing', 6)],
  });
  await first.record([resultOf(2, 'b', { outcome: 'retry', nextAt: 70 })]);
  const before = [await first.load(), await first.counters(), eventsOf(directory, { callId: 'b' })];
  await first.close();
  const second = await opened(t, { directory });
  assert.deepEqual(
    [await second.load(), await second.counters(), eventsOf(directory, { callId: 'b' })],
    before,
  );
  assert.deepEqual(await due(second, { priority: 'retry', now: 70 }), [2]);
  assert.deepEqual(seqs((await second.append(batchOf({ c: 'ringing' }))).nextEvents), [3]);
});

test('outbox: nobody else can read the folder and its files', async (t) => {
  const directory = join(temporaryFolder(t), 'made', 'here');
  const outbox = await opened(t, { directory });
  await outbox.append(batchOf({ a: 'ringing' }));
  const modes = Object.fromEntries(
    ['', '/outbox.db', '/outbox.db-wal', '/outbox.lock', '/outbox.pid'].map((name) => [
      name,
      (statSync(directory + name).mode & 0o777).toString(8),
    ]),
  );
  assert.deepEqual(modes, {
    '': '700',
    '/outbox.db': '600',
    '/outbox.db-wal': '600',
    '/outbox.lock': '600',
    '/outbox.pid': '600',
  });
});

test('outbox: closing writes all that was asked before, and refuses what comes after', async (t) => {
  const directory = temporaryFolder(t);
  const outbox = await opened(t, { directory });
  // More than is under way at once.
  const appends = Array.from({ length: 50 }, (_, i) =>
    outbox.append({
      calls: [],
      trunks: [],
      events: Array.from({ length: 1_000 }, (_, j) => newEvent(`c${i * 1_000 + j}`, 'ringing')),
    }),
  );
  await outbox.close();
  assert.equal((await Promise.all(appends)).flatMap(({ nextEvents }) => nextEvents).length, 50_000);
  await assert.rejects(outbox.append(batchOf({ z: 'ringing' })), /closed/);
  await outbox.close();
});

test('outbox: a folder or a file that cannot be made ends the start with its name', async (t) => {
  const file = join(temporaryFolder(t), 'file');
  const locked = Promise.withResolvers<void>();
  await (await openOutbox({ directory: file }, { log: keepingLog(), onLocked: locked.resolve })).close();
  await locked.promise;
  await assert.rejects(
    openOutbox({ directory: join(file, 'outbox.db') }, { log: keepingLog() }),
    /outbox\.db/,
  );
  const wrong = temporaryFolder(t);
  mkdirSync(join(wrong, 'outbox.db'));
  await assert.rejects(openOutbox({ directory: wrong }, { log: keepingLog() }), /EISDIR/);
});

test('outbox: a start and a stop without trouble log nothing', async (t) => {
  const log = keepingLog();
  const outbox = await openOutbox({ directory: temporaryFolder(t) }, { log });
  await outbox.append(batchOf({ a: 'ringing' }));
  await outbox.close();
  assert.deepEqual(log.lines, []);
});
