import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { DeliveryQueue } from '../delivery/queue.ts';
import {
  batchOf,
  eventsOf,
  keepingLog,
  newEvent,
  opened,
  resend,
  settled,
  temporaryFolder,
} from './outbox.fixture.ts';
import { type Outbox, openOutbox } from './outbox.ts';

type Query = Parameters<DeliveryQueue['due']>[0];

/** Numbers of the heads that a lane gives; everything is fresh, and due, unless told otherwise. */
async function due(outbox: Outbox, query: Partial<Query>): Promise<number[]> {
  const all: Query = { lane: 'fresh', now: 1_000_000, freshSince: 0, limit: 100, except: [] };
  return (await outbox.due({ ...all, ...query })).map(({ seq }) => seq);
}

const seqs = (events: readonly { seq: number }[]): number[] => events.map(({ seq }) => seq);

/** What an outbox does: each row is played on an empty one. */
const rows: readonly [name: string, play: (outbox: Outbox, directory: string) => Promise<void>][] = [
  [
    'events are numbered as they are taken, and the oldest of a call is its head',
    async (outbox) => {
      const { heads, repeated } = await outbox.append(batchOf('a:ringing b:ringing a:answered', 5));
      assert.deepEqual(heads, [
        { seq: 1, ...newEvent('a', 'ringing', 5), attempts: 0, rejections: 0 },
        { seq: 2, ...newEvent('b', 'ringing', 5), attempts: 0, rejections: 0 },
      ]);
      assert.deepEqual(repeated, []);
    },
  ],
  [
    'the same status of a call is taken once, and said to be a repeat, in one batch and in another',
    async (outbox) => {
      const first = await outbox.append(batchOf('a:ringing a:ringing'));
      const second = await outbox.append(batchOf('a:ringing b:ringing'));
      assert.deepEqual(seqs(first.heads), [1]);
      assert.deepEqual(first.repeated, [newEvent('a', 'ringing')]);
      assert.deepEqual(second.repeated, [newEvent('a', 'ringing')]);
      assert.deepEqual(seqs(second.heads), [2]);
      assert.equal((await outbox.tally()).taken, 2);
    },
  ],
  [
    'an event behind a waiting one is no head; after it was delivered it is',
    async (outbox) => {
      await outbox.append(batchOf('a:ringing'));
      assert.deepEqual((await outbox.append(batchOf('a:answered'))).heads, []);
      assert.deepEqual(await due(outbox, {}), [1]);
      assert.deepEqual(seqs(await outbox.settle([settled(1, 'a')])), [2]);
      assert.deepEqual(await due(outbox, {}), [2]);
    },
  ],
  [
    'an event of a call whose events are all delivered is a head at once',
    async (outbox) => {
      await outbox.append(batchOf('a:ringing'));
      assert.deepEqual(await outbox.settle([settled(1, 'a')]), []);
      assert.deepEqual(seqs((await outbox.append(batchOf('a:completed'))).heads), [2]);
    },
  ],
  [
    'calls are saved, changed and forgotten; trunks are learnt once',
    async (outbox) => {
      const calls = (id: string, state: string | null) => ({ calls: [{ id, state }], events: [] });
      await outbox.append({ ...calls('a', '{"x":1}'), trunks: ['PJSIP/one'] });
      await outbox.append({ ...calls('b', '{}'), trunks: ['PJSIP/one', 'PJSIP/two'] });
      await outbox.append({ ...calls('a', '{"x":2}'), trunks: [] });
      const before = await outbox.load();
      assert.deepEqual(before.calls, [
        { id: 'a', state: '{"x":2}' },
        { id: 'b', state: '{}' },
      ]);
      assert.deepEqual(before.trunks, ['PJSIP/one', 'PJSIP/two']);
      await outbox.append({ ...calls('a', null), trunks: [] });
      assert.deepEqual((await outbox.load()).calls, [{ id: 'b', state: '{}' }]);
    },
  ],
  [
    'fresh: calls with a new event, newest first; backlog: the others, oldest first',
    async (outbox) => {
      for (const [id, at] of Object.entries({ a: 10, b: 20, c: 30, d: 40 })) {
        await outbox.append(batchOf(`${id}:ringing`, at));
      }
      await outbox.append(batchOf('a:answered', 50));
      assert.deepEqual(await due(outbox, { lane: 'fresh', freshSince: 40 }), [1, 4]);
      assert.deepEqual(await due(outbox, { lane: 'backlog', freshSince: 40 }), [2, 3]);
      assert.deepEqual(await due(outbox, { lane: 'backlog', freshSince: 100 }), [2, 3, 4, 1]);
      assert.deepEqual(await due(outbox, { lane: 'backlog', freshSince: 100, limit: 2 }), [2, 3]);
      assert.deepEqual(
        await due(outbox, { lane: 'backlog', freshSince: 100, limit: 2, except: ['b', 'd'] }),
        [3, 1],
      );
      assert.deepEqual(await due(outbox, { limit: 0 }), []);
    },
  ],
  [
    'retry: fewest attempts first, then the earliest; never before its time',
    async (outbox) => {
      await outbox.append(batchOf('a:ringing b:ringing c:ringing d:ringing'));
      const again = (seq: number, callId: string, nextAt: number) =>
        settled(seq, callId, { outcome: 'retry', nextAt });
      await outbox.settle([again(1, 'a', 100), again(1, 'a', 100)]);
      await outbox.settle([again(2, 'b', 300), again(3, 'c', 200)]);
      assert.deepEqual(await due(outbox, { lane: 'fresh' }), [4]);
      assert.deepEqual(await due(outbox, { lane: 'retry', now: 99 }), []);
      assert.deepEqual(await due(outbox, { lane: 'retry', now: 100 }), [1]);
      assert.deepEqual(await due(outbox, { lane: 'retry', now: 300 }), [3, 2, 1]);
      assert.deepEqual(await Promise.all([99, 100, 200, 300].map((now) => outbox.nextDue(now))), [
        100,
        200,
        300,
        undefined,
      ]);
    },
  ],
  [
    'a wait that looks longer than the longest one has come: the clock was set back',
    async (outbox) => {
      await outbox.append(batchOf('a:ringing'));
      await outbox.settle([settled(1, 'a', { outcome: 'retry', nextAt: 100_000 })]);
      assert.deepEqual(await due(outbox, { lane: 'retry', now: 39_999 }), [1]);
      assert.equal(await outbox.nextDue(39_999), undefined);
      assert.deepEqual(await due(outbox, { lane: 'retry', now: 40_000 }), []);
      assert.equal(await outbox.nextDue(40_000), 100_000);
    },
  ],
  [
    'an attempt that does not count leaves the event as untried as it was',
    async (outbox) => {
      await outbox.append(batchOf('a:ringing b:ringing'));
      await outbox.settle([settled(1, 'a', { outcome: 'retry', counted: false, nextAt: 500 })]);
      await outbox.settle([settled(2, 'b', { outcome: 'retry', nextAt: 500 })]);
      await outbox.settle([settled(2, 'b', { outcome: 'retry', counted: false, nextAt: 600 })]);
      assert.deepEqual(await due(outbox, { lane: 'fresh', now: 1 }), [1]);
      const [event] = await outbox.due({ lane: 'retry', now: 600, freshSince: 0, limit: 1, except: [] });
      assert.equal(event?.attempts, 1);
    },
  ],
  [
    'a dead letter is kept and listed with its tale; later events of its call go on',
    async (outbox, directory) => {
      await outbox.append(batchOf('a:ringing a:completed', 7));
      const bad = {
        outcome: 'dead',
        at: 9,
        httpStatus: 422,
        error: 'from: not a number',
        durationMs: 3,
      } as const;
      assert.deepEqual(seqs(await outbox.settle([settled(1, 'a', bad)])), [2]);
      const [letter, ...others] = eventsOf(directory, { state: 'dead' });
      const { error, httpStatus, durationMs } = bad;
      assert.deepEqual(letter, {
        ...{
          seq: 1,
          ...newEvent('a', 'ringing', 7),
          attempts: 1,
          rejections: 0,
          state: 'dead',
          settledAt: 9,
        },
        tale: [{ outcome: 'dead', at: 9, counted: true, httpStatus, error, durationMs }],
      });
      assert.deepEqual(others, []);
      assert.deepEqual(await outbox.tally(), { taken: 2, delivered: 0, waiting: 1, dead: 1, lost: 0 });
    },
  ],
  [
    'a dead letter that is sent again is the head of its call, untried, and keeps its tale',
    async (outbox, directory) => {
      await outbox.append(batchOf('a:ringing a:completed'));
      await outbox.settle([settled(1, 'a', { outcome: 'dead' })]);
      await outbox.settle([settled(2, 'a', { outcome: 'retry', nextAt: 50 })]);
      assert.equal(resend(directory, [1, 2, 99]), 1);
      assert.deepEqual(await due(outbox, { lane: 'fresh' }), [1]);
      assert.deepEqual(await due(outbox, { lane: 'retry' }), []);
      assert.deepEqual(seqs(await outbox.settle([settled(1, 'a')])), [2]);
      assert.deepEqual(await due(outbox, { lane: 'retry' }), [2]);
      const [ringing] = eventsOf(directory, { callId: 'a' });
      assert.deepEqual(
        ringing?.tale.map(({ outcome }) => outcome),
        ['dead', 'delivered'],
      );
    },
  ],
  [
    'a dead letter behind the head of its call waits for its turn when it is sent again',
    async (outbox, directory) => {
      await outbox.append(batchOf('a:ringing a:answered a:completed'));
      await outbox.settle([settled(1, 'a', { outcome: 'dead' })]);
      await outbox.settle([settled(2, 'a', { outcome: 'dead' })]);
      assert.equal(resend(directory, [1]), 1);
      assert.equal(resend(directory, [2]), 1);
      assert.deepEqual(await due(outbox, {}), [1]);
      assert.deepEqual(seqs(await outbox.settle([settled(1, 'a')])), [2]);
    },
  ],
  [
    'how often an event was rejected is kept apart from how often it was tried, until it is sent again',
    async (outbox, directory) => {
      const sent = () =>
        eventsOf(directory, { callId: 'a' }).map(({ attempts, rejections }) => [attempts, rejections]);
      await outbox.append(batchOf('a:ringing a:completed'));
      await outbox.settle([settled(1, 'a', { outcome: 'retry', nextAt: 5 })]);
      await outbox.settle([settled(1, 'a', { outcome: 'retry', nextAt: 5, rejected: true })]);
      const query = { lane: 'retry', now: 5, freshSince: 0, limit: 1, except: [] } as const;
      assert.equal((await outbox.due(query))[0]?.rejections, 1);
      await outbox.settle([settled(1, 'a', { outcome: 'dead', rejected: true })]);
      assert.deepEqual(sent(), [
        [3, 2],
        [0, 0],
      ]);
      assert.equal(resend(directory, [1]), 1);
      assert.deepEqual(sent()[0], [0, 0]);
    },
  ],
  [
    'events that are too old become dead letters, whatever call they belong to',
    async (outbox, directory) => {
      await outbox.append(batchOf('a:ringing a:answered b:ringing', 10));
      await outbox.append(batchOf('a:completed c:ringing', 20));
      assert.equal(await outbox.expire(10, 99), 0);
      assert.equal(await outbox.expire(20, 99), 3);
      assert.deepEqual(await due(outbox, {}), [5, 4]);
      assert.deepEqual(seqs(eventsOf(directory, { state: 'dead' })), [1, 2, 3]);
      assert.deepEqual(await outbox.tally(), { taken: 5, delivered: 0, waiting: 2, dead: 3, lost: 0 });
    },
  ],
  [
    'a dead letter that is sent again is as young as a new one, and expires when it is old again',
    async (outbox, directory) => {
      await outbox.append(batchOf('a:ringing a:answered', 10));
      assert.equal(await outbox.expire(20, 30), 2);
      assert.equal(resend(directory, [1, 2], 40), 2);
      assert.equal(eventsOf(directory, { callId: 'a' })[0]?.settledAt, undefined);
      assert.equal(await outbox.expire(40, 50), 0);
      assert.equal(await outbox.expire(41, 50), 2);
    },
  ],
  [
    'an event from a day when the clock was wrong keeps none behind it from being forgotten or parked',
    async (outbox) => {
      const ids = Array.from({ length: 1_200 }, (_, i) => `c${i}`);
      await outbox.append(batchOf('z:ringing', 9_999));
      await outbox.append(batchOf(ids.map((id) => `${id}:ringing ${id}:completed`).join(' '), 10));
      assert.equal(await outbox.expire(20, 30), 2_400);
      await outbox.append(batchOf('y:ringing', 10));
      await outbox.settle([settled(1, 'z', { at: 9_999 }), settled(2_402, 'y', { at: 30 })]);
      assert.equal(await outbox.prune(50), 1);
    },
  ],
  [
    'a late word about an event changes nothing, unless it was delivered after all',
    async (outbox) => {
      await outbox.append(batchOf('a:ringing b:ringing'));
      await outbox.settle([settled(1, 'a'), settled(2, 'b', { outcome: 'dead' })]);
      for (const outcome of ['retry', 'dead'] as const) {
        await outbox.settle([settled(1, 'a', { outcome }), settled(2, 'b', { outcome }), settled(77, 'x')]);
      }
      assert.deepEqual(await outbox.tally(), { taken: 2, delivered: 1, waiting: 0, dead: 1, lost: 0 });
      await outbox.settle([settled(2, 'b')]);
      assert.deepEqual(await outbox.tally(), { taken: 2, delivered: 2, waiting: 0, dead: 0, lost: 0 });
    },
  ],
  [
    'of an event that was tried for ever the first fifteen attempts are told, and the last',
    async (outbox, directory) => {
      await outbox.append(batchOf('a:ringing'));
      for (let at = 1; at <= 40; at++)
        await outbox.settle([settled(1, 'a', { outcome: 'retry', at, nextAt: at })]);
      const [event] = eventsOf(directory, { callId: 'a' });
      assert.deepEqual(
        event?.tale.map(({ at }) => at),
        [...Array.from({ length: 15 }, (_, i) => i + 1), 40],
      );
      assert.equal(event?.attempts, 40);
    },
  ],
  [
    'what was delivered long ago is forgotten, what waits or is dead is not; numbers are never used again',
    async (outbox, directory) => {
      await outbox.append(batchOf('a:ringing b:ringing c:ringing d:ringing', 10));
      await outbox.settle([settled(1, 'a', { at: 20 }), settled(4, 'd', { at: 90 })]);
      await outbox.settle([settled(2, 'b', { outcome: 'dead', at: 20 })]);
      assert.equal(await outbox.prune(50), 1);
      assert.deepEqual(eventsOf(directory, { callId: 'a' }), []);
      assert.equal(await outbox.prune(100), 1);
      assert.deepEqual(await outbox.tally(), { taken: 4, delivered: 2, waiting: 1, dead: 1, lost: 0 });
      assert.deepEqual(seqs((await outbox.append(batchOf('e:ringing'))).heads), [5]);
    },
  ],
  [
    'the age of the oldest waiting event is known',
    async (outbox) => {
      assert.equal(await outbox.oldestWaiting(), undefined);
      await outbox.append(batchOf('a:ringing', 10));
      await outbox.append(batchOf('b:ringing', 20));
      assert.equal(await outbox.oldestWaiting(), 10);
      await outbox.settle([settled(1, 'a')]);
      assert.equal(await outbox.oldestWaiting(), 20);
      assert.equal(await outbox.waiting(), 1);
    },
  ],
  [
    'one bad batch or question is refused alone, whatever is written together with it',
    async (outbox, directory) => {
      const bad = { ...newEvent('b', 'ringing'), takenAt: Number.NaN };
      const all = await Promise.allSettled([
        outbox.append(batchOf('a:ringing')),
        outbox.append({ calls: [], trunks: [], events: [newEvent('x', 'ringing'), bad] }),
        outbox.settle([settled(1, 'a', { at: Number.NaN })]),
        outbox.append(batchOf('c:ringing')),
        outbox.settle([settled(2, 'c')]),
      ]);
      assert.deepEqual(
        all.map(({ status }) => status),
        ['fulfilled', 'rejected', 'rejected', 'fulfilled', 'fulfilled'],
      );
      assert.deepEqual(await outbox.tally(), { taken: 2, delivered: 1, waiting: 1, dead: 0, lost: 0 });
      assert.deepEqual(eventsOf(directory, { callId: 'x' }), []);
      assert.deepEqual(eventsOf(directory, { callId: 'a' })[0]?.tale, []);
    },
  ],
  [
    'what is appended together is answered each for itself, and written in far fewer transactions',
    async (outbox) => {
      const ids = Array.from({ length: 500 }, (_, i) => `c${i - (i % 5)}`);
      const appends = ids.map((id) => outbox.append(batchOf(`${id}:ringing ${id}:completed`)));
      const [taken, last] = await Promise.all([outbox.tally(), outbox.append(batchOf('z:ringing'))]);
      assert.equal(taken.taken, 200);
      assert.deepEqual(seqs(last.heads), [201]);
      const answers = await Promise.all(appends);
      assert.deepEqual(
        answers.map(({ heads, repeated }) => [heads[0]?.callId, heads[0]?.seq, repeated.length]),
        ids.map((id, i) => (i % 5 === 0 ? [id, (i / 5) * 2 + 1, 0] : [undefined, undefined, 2])),
      );
      assert.ok(outbox.commits() <= 5, `${outbox.commits()} transactions for 501 appends`);
    },
  ],
];

for (const [name, play] of rows) {
  test(`outbox: ${name}`, async (t) => {
    const directory = temporaryFolder(t);
    await play(await opened(t, { directory }), directory);
  });
}

test('outbox: everything is there again after a restart', async (t) => {
  const directory = temporaryFolder(t);
  const first = await opened(t, { directory });
  await first.append({
    calls: [{ id: 'a', state: '{}' }],
    trunks: ['PJSIP/t'],
    events: [newEvent('a', 'ringing', 5), newEvent('b', 'ringing', 6)],
  });
  await first.settle([settled(2, 'b', { outcome: 'retry', nextAt: 70 })]);
  const before = [await first.load(), await first.tally(), eventsOf(directory, { callId: 'b' })];
  await first.close();
  const second = await opened(t, { directory });
  assert.deepEqual([await second.load(), await second.tally(), eventsOf(directory, { callId: 'b' })], before);
  assert.deepEqual(await due(second, { lane: 'retry', now: 70 }), [2]);
  assert.deepEqual(seqs((await second.append(batchOf('c:ringing'))).heads), [3]);
});

test('outbox: nobody else can read the folder and its files', async (t) => {
  const directory = join(temporaryFolder(t), 'made', 'here');
  const outbox = await opened(t, { directory, ballastBytes: 4096 });
  await outbox.append(batchOf('a:ringing'));
  const modes = Object.fromEntries(
    ['', '/outbox.db', '/outbox.db-wal', '/outbox.ballast', '/outbox.lock', '/outbox.pid'].map((name) => [
      name,
      (statSync(directory + name).mode & 0o777).toString(8),
    ]),
  );
  assert.deepEqual(modes, {
    '': '700',
    '/outbox.db': '600',
    '/outbox.db-wal': '600',
    '/outbox.ballast': '600',
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
  assert.equal((await Promise.all(appends)).flatMap(({ heads }) => heads).length, 50_000);
  await assert.rejects(outbox.append(batchOf('z:ringing')), /closed/);
  await outbox.close();
});

test('outbox: a folder that cannot be made ends the start with its name', async (t) => {
  const file = join(temporaryFolder(t), 'file');
  await (await openOutbox({ directory: file, ballastBytes: 0 }, { log: keepingLog() })).close();
  await assert.rejects(
    openOutbox({ directory: join(file, 'outbox.db') }, { log: keepingLog() }),
    /outbox\.db/,
  );
});
