import assert from 'node:assert/strict';
import { batchOf, due, eventsOf, newEvent, playRows, resend, resultOf, seqs } from './outbox.fixture.ts';

/** What becomes of an event that is tried: dead letters, expiry, and the log of its attempts. */
playRows([
  [
    'a dead letter is kept and listed with its attempts; later events of its call go on',
    async (outbox, directory) => {
      await outbox.append(batchOf([{ a: 'ringing' }, { a: 'completed' }], 7));
      const bad = {
        outcome: 'dead',
        at: 9,
        httpStatus: 422,
        error: 'from: not a number',
        durationMs: 3,
      } as const;
      assert.deepEqual(seqs(await outbox.record([resultOf(1, 'a', bad)])), [2]);
      const [letter, ...others] = eventsOf(directory, { state: 'dead' });
      const { error, httpStatus, durationMs } = bad;
      assert.deepEqual(letter, {
        seq: 1,
        ...newEvent('a', 'ringing', 7),
        attempts: 1,
        rejections: 0,
        state: 'dead',
        finishedAt: 9,
        attemptLog: [{ outcome: 'dead', at: 9, counted: true, httpStatus, error, durationMs }],
      });
      assert.deepEqual(others, []);
      assert.deepEqual(await outbox.counters(), { queued: 2, delivered: 0, waiting: 1, dead: 1, lost: 0 });
    },
  ],
  [
    'a dead letter that is sent again is the next of its call, untried, and keeps its attempts',
    async (outbox, directory) => {
      await outbox.append(batchOf([{ a: 'ringing' }, { a: 'completed' }]));
      await outbox.record([resultOf(1, 'a', { outcome: 'dead' })]);
      await outbox.record([resultOf(2, 'a', { outcome: 'retry', nextAt: 50 })]);
      assert.equal(resend(directory, [1, 2, 99]), 1);
      assert.deepEqual(await due(outbox, { priority: 'fresh' }), [1]);
      assert.deepEqual(await due(outbox, { priority: 'retry' }), []);
      assert.deepEqual(seqs(await outbox.record([resultOf(1, 'a')])), [2]);
      assert.deepEqual(await due(outbox, { priority: 'retry' }), [2]);
      const [ringing] = eventsOf(directory, { callId: 'a' });
      assert.deepEqual(
        ringing?.attemptLog.map(({ outcome }) => outcome),
        ['dead', 'delivered'],
      );
    },
  ],
  [
    'a dead letter behind the next event of its call waits for its turn when it is sent again',
    async (outbox, directory) => {
      await outbox.append(batchOf([{ a: 'ringing' }, { a: 'answered' }, { a: 'completed' }]));
      await outbox.record([resultOf(1, 'a', { outcome: 'dead' })]);
      await outbox.record([resultOf(2, 'a', { outcome: 'dead' })]);
      assert.equal(resend(directory, [1]), 1);
      assert.equal(resend(directory, [2]), 1);
      assert.deepEqual(await due(outbox, {}), [1]);
      assert.deepEqual(seqs(await outbox.record([resultOf(1, 'a')])), [2]);
    },
  ],
  [
    'how often an event was rejected is kept apart from how often it was tried, until it is sent again',
    async (outbox, directory) => {
      const sent = () =>
        eventsOf(directory, { callId: 'a' }).map(({ attempts, rejections }) => [attempts, rejections]);
      await outbox.append(batchOf([{ a: 'ringing' }, { a: 'completed' }]));
      await outbox.record([resultOf(1, 'a', { outcome: 'retry', nextAt: 5 })]);
      await outbox.record([resultOf(1, 'a', { outcome: 'retry', nextAt: 5, rejected: true })]);
      const query = { priority: 'retry', now: 5, freshSince: 0, limit: 1, except: [] } as const;
      assert.equal((await outbox.due(query))[0]?.rejections, 1);
      await outbox.record([resultOf(1, 'a', { outcome: 'dead', rejected: true })]);
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
      await outbox.append(batchOf([{ a: 'ringing' }, { a: 'answered', b: 'ringing' }], 10));
      await outbox.append(batchOf({ a: 'completed', c: 'ringing' }, 20));
      assert.equal(await outbox.expire(10, 99), 0);
      assert.equal(await outbox.expire(20, 99), 3);
      assert.deepEqual(await due(outbox, {}), [5, 4]);
      const dead = eventsOf(directory, { state: 'dead' });
      assert.deepEqual(seqs(dead), [1, 2, 3]);
      const { error = '', ...attempt } = dead[0]?.attemptLog[0] ?? {};
      assert.match(error, /longest time that events are tried/);
      assert.deepEqual(attempt, { outcome: 'dead', at: 99, counted: false, durationMs: 0 });
      assert.deepEqual(await outbox.counters(), { queued: 5, delivered: 0, waiting: 2, dead: 3, lost: 0 });
    },
  ],
  [
    'a dead letter that is sent again is as young as a new one, and expires when it is old again',
    async (outbox, directory) => {
      await outbox.append(batchOf([{ a: 'ringing' }, { a: 'answered' }], 10));
      assert.equal(await outbox.expire(20, 30), 2);
      assert.equal(resend(directory, [1, 2], 40), 2);
      assert.equal(eventsOf(directory, { callId: 'a' })[0]?.finishedAt, undefined);
      assert.equal(await outbox.expire(40, 50), 0);
      assert.equal(await outbox.expire(41, 50), 2);
    },
  ],
  [
    'an event from a day when the clock was wrong keeps none behind it from being forgotten or parked',
    async (outbox) => {
      const ids = Array.from({ length: 1_200 }, (_, i) => `c${i}`);
      await outbox.append(batchOf({ z: 'ringing' }, 9_999));
      const events = ids.flatMap((id) => [{ [id]: 'ringing' }, { [id]: 'completed' }] as const);
      await outbox.append(batchOf(events, 10));
      assert.equal(await outbox.expire(20, 30), 2_400);
      await outbox.append(batchOf({ y: 'ringing' }, 10));
      await outbox.record([resultOf(1, 'z', { at: 9_999 }), resultOf(2_402, 'y', { at: 30 })]);
      assert.equal(await outbox.prune(50), 1);
    },
  ],
  [
    'a late word about an event changes nothing, unless it was delivered after all',
    async (outbox, directory) => {
      await outbox.append(batchOf({ a: 'ringing', b: 'ringing' }));
      await outbox.record([resultOf(1, 'a'), resultOf(2, 'b', { outcome: 'dead' })]);
      const before = eventsOf(directory, {});
      for (const outcome of ['retry', 'dead'] as const) {
        await outbox.record([
          resultOf(1, 'a', { outcome }),
          resultOf(2, 'b', { outcome }),
          resultOf(77, 'x'),
        ]);
      }
      assert.deepEqual(eventsOf(directory, {}), before);
      assert.deepEqual(await outbox.counters(), { queued: 2, delivered: 1, waiting: 0, dead: 1, lost: 0 });
      await outbox.record([resultOf(2, 'b')]);
      assert.deepEqual(await outbox.counters(), { queued: 2, delivered: 2, waiting: 0, dead: 0, lost: 0 });
    },
  ],
  [
    'of an event that was tried for ever the first fifteen attempts are kept, and the last',
    async (outbox, directory) => {
      await outbox.append(batchOf({ a: 'ringing' }));
      for (let at = 1; at <= 40; at++)
        await outbox.record([resultOf(1, 'a', { outcome: 'retry', at, nextAt: at })]);
      const [event] = eventsOf(directory, { callId: 'a' });
      assert.deepEqual(
        event?.attemptLog.map(({ at }) => at),
        [...Array.from({ length: 15 }, (_, i) => i + 1), 40],
      );
      assert.equal(event?.attempts, 40);
    },
  ],
]);
