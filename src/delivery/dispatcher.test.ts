import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answer, createDeliveryLab, failure, ok } from '../../test/fakes/delivery-lab.ts';
import type { CallStatus } from '../api/contract/call-event.ts';
import type { DeliveryLimits } from './limits.ts';

const all: CallStatus[] = ['ringing', 'answered', 'completed'];
const minute = 60_000;
const day = 24 * 60 * minute;
const lane = { concurrency: 2, patienceMs: Number.POSITIVE_INFINITY, buffer: 4, newestFirst: false };
const small: Partial<DeliveryLimits> = {
  lanes: { fresh: lane, backlog: lane, retry: { ...lane, buffer: 0 } },
};

test('the events of a call go one at a time, in order, each after the answer to the one before', async (t) => {
  const lab = createDeliveryLab(t);
  lab.reply(() => ({ afterMs: 100, result: ok }));
  lab.dispatcher.start();
  lab.tell('a', ...all);
  await lab.pass(1_000);
  assert.deepEqual(
    lab.sent.map(({ event, at }) => [event.status, at]),
    [
      ['ringing', 0],
      ['answered', 100],
      ['completed', 200],
    ],
  );
  assert.deepEqual(lab.book.calls.get('a')?.received, all);
});

test('calls do not wait for each other', async (t) => {
  const lab = createDeliveryLab(t);
  lab.reply((event) => (event.callId === 'slow' ? { afterMs: 9_000, result: ok } : ok));
  lab.dispatcher.start();
  lab.tell('slow', 'ringing');
  lab.tell('quick', ...all);
  await lab.pass(10);
  assert.deepEqual(lab.book.calls.get('quick')?.received, all);
});

test('a fresh event is sent at once, without a query', async (t) => {
  const lab = createDeliveryLab(t);
  lab.dispatcher.start();
  await lab.pass(10);
  const before = lab.queue.asked.due;
  lab.tell('a', ...all);
  await lab.pass(0);
  assert.equal(lab.sent.length, 3);
  assert.equal(lab.queue.asked.due, before);
});

test('what is never offered is found on disk', async (t) => {
  const lab = createDeliveryLab(t);
  lab.dispatcher.start();
  await lab.pass(10);
  lab.take('a', ...all);
  await lab.pass(5_000, 100);
  assert.equal(lab.book.calls.get('a')?.state, 'completed');
});

test('more than memory holds: the rest is left on disk and found there', async (t) => {
  const lab = createDeliveryLab(t, { limits: small });
  lab.reply(() => ({ afterMs: 10, result: ok }));
  lab.dispatcher.start();
  for (let n = 0; n < 100; n++) lab.tell(`c-${n}`, ...all);
  await lab.pass(2_000);
  assert.equal(lab.book.counts.moved, 300);
  assert.equal(lab.book.counts.inverted + lab.book.counts.repeated, 0);
});

test('a head that is offered before its predecessor is recorded is not lost', async (t) => {
  const lab = createDeliveryLab(t);
  lab.dispatcher.start();
  await lab.pass(10);
  const [ringing] = lab.take('a', 'ringing');
  assert.ok(ringing);
  const settle = lab.queue.settle;
  lab.queue.settle = async (batch) => {
    const heads = await settle(batch);
    // The next event is taken and offered while the record of the first is on its way back.
    if (batch.some(({ seq }) => seq === ringing.seq)) lab.tell('a', 'answered');
    return heads;
  };
  lab.dispatcher.offer([ringing]);
  await lab.pass(10);
  assert.deepEqual(lab.book.calls.get('a')?.received, ['ringing', 'answered']);
});

test('among fresh calls that wait, the newest goes first', async (t) => {
  const lab = createDeliveryLab(t, {
    limits: { lanes: { fresh: { ...lane, buffer: 100, newestFirst: true }, backlog: lane, retry: lane } },
  });
  lab.reply(() => ({ afterMs: 100, result: ok }));
  lab.dispatcher.start();
  for (let n = 0; n < 50; n++) lab.tell(`c-${n}`, 'ringing');
  await lab.pass(150);
  assert.deepEqual(
    lab.sent.map(({ event }) => event.callId),
    ['c-0', 'c-1', 'c-49', 'c-48'],
  );
});

test('fresh calls go ahead of an old backlog; the backlog goes oldest first', async (t) => {
  const lab = createDeliveryLab(t);
  lab.reply(() => ({ afterMs: 1_000, result: ok }));
  for (let n = 0; n < 500; n++) lab.take(`old-${n}`, 'ringing');
  lab.jump(day);
  lab.dispatcher.start();
  await lab.pass(10);
  lab.tell('new', 'ringing');
  await lab.pass(10);
  const calls = lab.sent.map(({ event }) => event.callId);
  const ahead = calls.indexOf('new');
  assert.ok(ahead > 0 && ahead < 40, `behind ${ahead} of 500`);
  await lab.pass(30_000, 500);
  const old = lab.sent.map(({ event }) => event.callId).filter((id) => id.startsWith('old-'));
  assert.deepEqual(
    old,
    Array.from({ length: 500 }, (_, n) => `old-${n}`),
  );
});

for (const status of [401, 403, 404, 405, 301, 302, 307]) {
  test(`${status}: everything stops but one probe at a time, until it works; no event is blamed`, async (t) => {
    const lab = createDeliveryLab(t);
    let most = 0;
    lab.reply(() => {
      most = Math.max(most, lab.inFlight());
      return { afterMs: 20, result: answer(status) };
    });
    lab.dispatcher.start();
    lab.tell('first', ...all);
    await lab.pass(10);
    for (let n = 0; n < 200; n++) lab.tell(`c-${n}`, ...all);
    await lab.pass(100);
    most = 0;
    const before = lab.sent.length;
    await lab.pass(10 * minute, 50);
    const probes = lab.sent.slice(before);
    assert.equal(most, 1, 'one at a time');
    // With the longest waits: 1, 2, 4 ... 32 s, then every minute.
    assert.ok(probes.length >= 12 && probes.length <= 16, `${probes.length} probes`);
    assert.equal(lab.dispatcher.status().state, 'paused');
    assert.match(lab.dispatcher.status().reason ?? '', new RegExp(`^${status}`));
    const paused = lab.lines.filter(({ code }) => code === 'delivery.paused');
    assert.ok(paused.length >= 8 && paused.length <= 11, `${paused.length} lines in 10 minutes`);
    assert.equal(paused.at(-1)?.fields.waiting, 603);
    assert.ok(lab.queue.rows.every((row) => row.attempts === 0));

    lab.reply(() => ok);
    await lab.pass(minute + 1_000, 50);
    assert.equal(lab.book.counts.moved, 603);
    assert.equal(lab.dispatcher.status().state, 'ok');
    assert.equal(lab.lines.filter(({ code }) => code === 'delivery.resumed').length, 1);
  });
}

test('what was under way when the queue stopped says nothing about the stop', async (t) => {
  const lab = createDeliveryLab(t);
  lab.reply(({ callId }) => (callId === 'late' ? { afterMs: 500, result: ok } : answer(401)));
  lab.dispatcher.start();
  lab.tell('late', 'ringing');
  lab.tell('refused', 'ringing');
  await lab.pass(600);
  assert.equal(lab.book.calls.get('late')?.state, 'ringing');
  assert.equal(lab.dispatcher.status().state, 'paused');
});

test('a probe that fails for a reason of its own does not block the next', async (t) => {
  const lab = createDeliveryLab(t);
  lab.reply(() => answer(401));
  lab.dispatcher.start();
  lab.tell('good', 'ringing');
  await lab.pass(1);
  lab.tell('bad', 'ringing');
  lab.reply(({ callId }) => (callId === 'bad' ? answer(500) : ok));
  await lab.pass(10_000);
  assert.equal(lab.book.calls.get('good')?.state, 'ringing');
  assert.equal(lab.dispatcher.status().state, 'ok');
});

test('429 holds the whole queue for as long as Retry-After says, then tries with one', async (t) => {
  const lab = createDeliveryLab(t);
  lab.reply(() => answer(429, '{}', { retryAfter: '30' }));
  lab.dispatcher.start();
  lab.tell('first', 'ringing');
  await lab.pass(10);
  for (let n = 0; n < 50; n++) lab.tell(`c-${n}`, 'ringing');
  lab.reply(() => ({ afterMs: 100, result: ok }));
  await lab.pass(29_980);
  assert.equal(lab.sent.length, 1);
  assert.equal(lab.dispatcher.status().state, 'held');
  await lab.pass(60);
  assert.equal(lab.sent.length, 2);
  await lab.pass(1_000);
  assert.equal(lab.book.counts.moved, 51);
  assert.ok(
    lab.queue.rows.every((row) => row.attempts === 1),
    'the 429 does not count',
  );
});

test('API gone: few probes, one line a minute, and all goes out as soon as it is back', async (t) => {
  const lab = createDeliveryLab(t);
  lab.reply(() => failure('refused'));
  lab.dispatcher.start();
  for (let n = 0; n < 200; n++) lab.tell(`c-${n}`, ...all);
  await lab.pass(1_000);
  assert.equal(lab.dispatcher.status().state, 'outage');
  const before = lab.sent.length;
  await lab.pass(10 * minute, 50);
  assert.ok(lab.sent.length - before <= 16, `${lab.sent.length - before} requests in ten minutes`);
  const told = lab.lines.filter(({ code }) => code === 'delivery.outage');
  assert.ok(told.length >= 8 && told.length <= 11, `${told.length} lines`);

  lab.reply(() => ok);
  const back = lab.elapsed();
  lab.tell('new', 'ringing');
  await lab.pass(1_000);
  assert.equal(lab.book.calls.get('new')?.state, 'ringing', 'a new call brings the next try forward');
  assert.equal(lab.book.counts.moved, 601);
  assert.equal(lab.book.counts.inverted, 0);
  assert.ok(lab.elapsed() - back <= 1_000);
});

test('API gone: a stream of new calls does not become a hammer', async (t) => {
  for (const [name, afterMs, most] of [
    ['refused at once', 0, 65],
    ['no connection after five seconds', 5_000, 13],
  ] as const) {
    await t.test(name, async (t) => {
      const lab = createDeliveryLab(t);
      lab.reply(() => ({ afterMs, result: failure('timeout-connect') }));
      lab.dispatcher.start();
      for (let n = 0; n < 3; n++) lab.tell(`first-${n}`, 'ringing');
      await lab.pass(5_100);
      const before = lab.sent.length;
      for (let n = 0; n < 600; n++) {
        lab.tell(`c-${n}`, 'ringing');
        await lab.pass(100, 100);
        assert.ok(lab.inFlight() <= 1);
      }
      const tries = lab.sent.length - before;
      assert.ok(tries > 0 && tries <= most, `${tries} in a minute`);
    });
  }
});

test('API answers nothing but 500: new calls are tried once, the backlog and the retries are not', async (t) => {
  const lab = createDeliveryLab(t);
  for (let n = 0; n < 1_000; n++) lab.take(`old-${n}`, 'ringing');
  lab.jump(day);
  lab.reply(() => ({ afterMs: 5, result: answer(500) }));
  lab.dispatcher.start();
  await lab.pass(1_000);
  assert.equal(lab.dispatcher.status().state, 'outage');
  const before = lab.sent.length;
  assert.ok(before < 100, `${before} of the backlog were tried`);
  for (let n = 0; n < 20; n++) {
    lab.tell(`new-${n}`, 'ringing');
    await lab.pass(1_000, 100);
  }
  const later = lab.sent.slice(before).map(({ event }) => event.callId);
  assert.equal(later.filter((id) => id.startsWith('new-')).length, 20);
  assert.ok(later.length - 20 <= 8, `${later.length - 20} others`);

  lab.reply(() => ok);
  lab.tell('good', 'ringing');
  await lab.pass(2 * minute, 100);
  assert.equal(lab.book.counts.moved, 1_021);
});

test('API gone, then there but with faults: new calls are tried again', async (t) => {
  const lab = createDeliveryLab(t);
  lab.reply(() => failure('refused'));
  lab.dispatcher.start();
  for (let n = 0; n < 5; n++) lab.tell(`first-${n}`, 'ringing');
  await lab.pass(100);
  for (let n = 0; n < 20; n++) lab.take(`c-${n}`, 'ringing');
  lab.reply(() => answer(500));
  const before = lab.sent.length;
  await lab.pass(1_000);
  assert.equal(lab.dispatcher.status().state, 'outage');
  const tried = new Set(lab.sent.slice(before).map(({ event }) => event.callId));
  assert.equal([...tried].filter((id) => id.startsWith('c-')).length, 20);
});

test('the API will not have an event: parked after three tries, later events of the call go on', async (t) => {
  for (const status of [400, 413, 415, 422]) {
    await t.test(String(status), async (t) => {
      const lab = createDeliveryLab(t);
      lab.reply((event) => (event.status === 'answered' ? answer(status) : ok));
      lab.dispatcher.start();
      lab.tell('a', ...all);
      await lab.pass(10_000);
      assert.deepEqual(
        lab.sent.map(({ event }) => event.status),
        ['ringing', 'answered', 'answered', 'answered', 'completed'],
      );
      assert.deepEqual(
        lab.queue.rows.map(({ state }) => state),
        ['delivered', 'dead', 'delivered'],
      );
      const dead = lab.lines.filter(({ code }) => code === 'delivery.dead-letter');
      assert.deepEqual(
        dead.map(({ fields }) => [fields.call, fields.status, fields.tries]),
        [['a', 'answered', 3]],
      );
      assert.equal(lab.dispatcher.status().deadLetters, 1);
    });
  }
});

for (const [name, reply] of [
  ['answered 500', answer(500)],
  ['never answered', { afterMs: 10_000, result: failure('timeout-headers') }],
] as const) {
  for (const count of [1, 1_000]) {
    test(`${count} poisoned calls, ${name}: the others leave as if they were not there`, async (t) => {
      const lab = createDeliveryLab(t, { random: () => 0.5 });
      lab.reply(({ callId }) => (callId.startsWith('bad') ? reply : { afterMs: 10, result: ok }));
      lab.dispatcher.start();
      for (let n = 0; n < count; n++) lab.tell(`bad-${n}`, ...all);
      const takenAt = new Map<string, number>();
      for (let n = 0; n < 6_000; n++) {
        takenAt.set(`good-${n}`, lab.elapsed());
        lab.tell(`good-${n}`, ...all);
        await lab.pass(100, 50);
      }
      await lab.pass(1_000, 50);
      const waits = lab.sent
        .filter(({ event }) => event.callId.startsWith('good') && event.status === 'ringing')
        .map(({ event, at }) => at - (takenAt.get(event.callId) ?? 0))
        .sort((a, b) => a - b);
      assert.equal(waits.length, 6_000);
      assert.equal(waits[Math.floor(6_000 * 0.99)], 0, `p99, worst ${waits.at(-1)} ms`);
      assert.equal([...lab.book.calls.values()].filter(({ state }) => state === 'completed').length, 6_000);
    });
  }
}

test('one stumble of a good call does not wait behind a thousand poisoned ones', async (t) => {
  const lab = createDeliveryLab(t, { random: () => 0.5 });
  let stumbled = false;
  lab.reply(({ callId }) => {
    if (callId.startsWith('bad')) return { afterMs: 10_000, result: failure('timeout-headers') };
    if (callId !== 'stumbles' || stumbled) return ok;
    stumbled = true;
    return answer(503);
  });
  lab.dispatcher.start();
  for (let n = 0; n < 1_000; n++) lab.tell(`bad-${n}`, 'ringing');
  for (let n = 0; n < 1_200; n++) {
    lab.tell(`good-${n}`, 'ringing');
    await lab.pass(100, 50);
  }
  lab.tell('stumbles', 'ringing');
  await lab.pass(3_000);
  const times = lab.sent.filter(({ event }) => event.callId === 'stumbles').map(({ at }) => at);
  assert.equal(times.length, 2, 'the second try, due after half a second, came within three');
});

for (const [name, ms] of [
  ['an hour forward', 60 * minute],
  ['an hour back', -60 * minute],
  ['a day forward', day],
  ['a day back', -day],
  ['back to 1970', -Date.UTC(2026, 10, 20)],
] as const) {
  test(`the clock is set ${name}: nothing is sent early, nothing waits over a minute, the order stays`, async (t) => {
    const lab = createDeliveryLab(t);
    const failing = new Set<string>();
    for (let n = 0; n < 60; n++) failing.add(`c-${n}`);
    lab.reply(({ callId }) => (failing.has(callId) ? answer(500) : ok));
    lab.dispatcher.start();
    for (let n = 0; n < 60; n++) {
      lab.tell(`c-${n}`, ...all);
      // A good call now and then: no outage.
      if (n % 10 === 0) lab.tell(`good-${n}`, 'ringing');
    }
    await lab.pass(20_000, 100);
    const quiet = lab.sent.length;
    lab.jump(ms);
    // Tried after 1, 3, 7 and 15 s; next after 31 s.
    await lab.pass(8_000, 100);
    assert.equal(lab.sent.length, quiet, 'no flood');
    lab.tell('new', 'ringing');
    await lab.pass(10);
    assert.equal(lab.book.calls.get('new')?.state, 'ringing');
    failing.clear();
    await lab.pass(minute + 1_000, 100);
    assert.equal(lab.queue.rows.filter(({ state }) => state === 'waiting').length, 0);
    assert.equal(lab.book.counts.inverted, 0);
    const gaps = [...lab.book.calls.keys()].map((id) => {
      const times = lab.sent.filter(({ event }) => event.callId === id).map(({ at }) => at);
      return Math.max(...times.map((at, n) => at - (times[n - 1] ?? at)));
    });
    assert.ok(Math.max(...gaps) <= minute + 1_000, `${Math.max(...gaps)} ms`);
  });
}

test('a wait on disk that a wrong clock made long is cut to a minute', async (t) => {
  const lab = createDeliveryLab(t);
  lab.take('a', 'ringing');
  await lab.queue.settle([
    {
      seq: 1,
      callId: 'a',
      outcome: 'retry',
      at: 0,
      nextAt: Date.now() + 300 * day,
      counted: true,
      durationMs: 1,
    },
  ]);
  lab.dispatcher.start();
  await lab.pass(minute, 100);
  assert.equal(lab.book.calls.get('a')?.state, 'ringing');
});

test('events over the age limit are parked, but not because the clock was set', async (t) => {
  const lab = createDeliveryLab(t);
  lab.reply(() => answer(401));
  lab.take('old', 'ringing');
  lab.jump(10 * day);
  lab.dispatcher.start();
  lab.tell('young', 'ringing');
  lab.jump(300 * day);
  await lab.pass(11 * minute, 1_000);
  assert.deepEqual(
    lab.queue.rows.map(({ state }) => state),
    ['waiting', 'waiting'],
  );
  lab.jump(-300 * day);
  await lab.pass(5 * day, minute);
  assert.deepEqual(
    lab.queue.rows.map(({ state }) => state),
    ['dead', 'waiting'],
  );
  assert.deepEqual(
    lab.lines
      .filter(({ code }) => code === 'delivery.expired')
      .map(({ fields }) => [fields.count, fields.age]),
    [[1, '14 days']],
  );
});

test('outcomes that cannot be recorded are kept and recorded later; nothing is sent twice', async (t) => {
  const lab = createDeliveryLab(t);
  lab.dispatcher.start();
  lab.queue.failSettlements(5);
  for (let n = 0; n < 10; n++) lab.tell(`c-${n}`, ...all);
  await lab.pass(4_000);
  assert.equal(lab.sent.length, 10);
  assert.equal(lab.dispatcher.status().unrecorded, 10);
  await lab.pass(7_000);
  assert.equal(lab.sent.length, 30);
  assert.equal(lab.dispatcher.status().unrecorded, 0);
  assert.equal(lab.book.counts.repeated, 0);
  assert.equal(lab.lines.filter(({ code }) => code === 'delivery.not-recorded').length, 1);
});

test('too many outcomes unrecorded: nothing more is sent until they are', async (t) => {
  const lab = createDeliveryLab(t, { limits: { unrecorded: 50 } });
  lab.dispatcher.start();
  lab.queue.failSettlements(3);
  for (let n = 0; n < 50; n++) lab.tell(`c-${n}`, 'ringing');
  await lab.pass(10);
  for (let n = 50; n < 100; n++) lab.tell(`c-${n}`, 'ringing');
  await lab.pass(100);
  assert.equal(lab.sent.length, 50);
  await lab.pass(10_000);
  assert.equal(lab.book.counts.moved, 100);
});

test('a queue that cannot be read is told once a minute, and read again', async (t) => {
  const lab = createDeliveryLab(t);
  const { due } = lab.queue;
  lab.queue.due = () => Promise.reject(new Error('the disk is gone'));
  lab.take('a', 'ringing');
  lab.dispatcher.start();
  await lab.pass(30_000, 100);
  assert.equal(lab.lines.filter(({ code }) => code === 'delivery.queue-failed').length, 1);
  lab.queue.due = due;
  await lab.pass(5_000, 100);
  assert.equal(lab.book.calls.get('a')?.state, 'ringing');
});

test('failed tries: ten lines a minute, the rest summed up', async (t) => {
  const lab = createDeliveryLab(t);
  lab.reply(({ callId }) => (callId.startsWith('bad') ? answer(500) : ok));
  lab.dispatcher.start();
  for (let n = 0; n < 100; n++) {
    lab.tell(`bad-${n}`, 'ringing');
    lab.tell(`good-${n}`, 'ringing');
  }
  await lab.pass(61_000, 100);
  const told = lab.lines.filter(({ code, at }) => code === 'delivery.failed' && at < minute);
  assert.equal(told.length, 10);
  assert.deepEqual(told[0]?.fields, {
    status: 'ringing',
    call: 'bad-0',
    reason: '500: the API has a fault',
    tries: 1,
    wait: '1 s',
  });
  const [sum] = lab.lines.filter(({ code }) => code === 'delivery.failures');
  assert.ok(Number(sum?.fields.count) > 100);
});

test('stop lets running requests end and records them; the rest stays on disk; a second stop is harmless', async (t) => {
  const lab = createDeliveryLab(t, { limits: small });
  lab.reply(() => ({ afterMs: 300, result: ok }));
  lab.dispatcher.start();
  for (let n = 0; n < 20; n++) lab.tell(`c-${n}`, ...all);
  await lab.pass(100);
  let done = 0;
  const count = () => done++;
  void lab.dispatcher.stop().then(count);
  void lab.dispatcher.stop().then(count);
  await lab.pass(100);
  assert.equal(done, 0);
  await lab.pass(200);
  assert.equal(done, 2);
  assert.equal(lab.sent.length, 2);
  assert.equal(lab.queue.rows.filter(({ state }) => state === 'delivered').length, 2);
  lab.tell('late', 'ringing');
  lab.dispatcher.poke();
  await lab.pass(minute, 1_000);
  assert.equal(lab.sent.length, 2);
});

test('stop does not wait for a request that hangs, and does not record what it never saw', async (t) => {
  const lab = createDeliveryLab(t);
  lab.reply(() => ({ afterMs: 20_000, result: ok }));
  lab.dispatcher.start();
  lab.tell('a', 'ringing');
  await lab.pass(10);
  let done = false;
  void lab.dispatcher.stop(1_000).then(() => {
    done = true;
  });
  await lab.pass(990);
  assert.equal(done, false);
  await lab.pass(20);
  assert.equal(done, true);
  await lab.pass(30_000, 1_000);
  assert.equal(lab.queue.settlements.length, 0);
  assert.equal(lab.dispatcher.status().delivered, 0);
  assert.deepEqual(lab.lines, []);
});

test('a send that throws is a failed try like any other', async (t) => {
  const lab = createDeliveryLab(t);
  let calls = 0;
  lab.reply(() => {
    if (calls++ === 0) throw new Error('a fault of our own');
    return ok;
  });
  lab.dispatcher.start();
  lab.tell('a', 'ringing');
  await lab.pass(2_000);
  assert.equal(lab.book.calls.get('a')?.state, 'ringing');
  assert.match(String(lab.lines[0]?.fields.reason), /a fault of our own/);
});

test('status: what it does, since when, and when it tries again', async (t) => {
  const lab = createDeliveryLab(t);
  lab.dispatcher.start();
  lab.tell('a', 'ringing');
  await lab.pass(1_000);
  const start = Date.now() - 1_000;
  assert.deepEqual(lab.dispatcher.status(), {
    state: 'ok',
    since: start,
    inFlight: 0,
    unrecorded: 0,
    delivered: 1,
    failedAttempts: 0,
    deadLetters: 0,
    lastDeliveredAt: start,
  });
  lab.reply(() => answer(403));
  lab.tell('b', 'ringing');
  await lab.pass(0);
  const { state, reason, since, nextTryAt } = lab.dispatcher.status();
  assert.deepEqual(
    { state, reason, since, nextTryAt },
    {
      state: 'paused',
      reason: '403: the token may not do this',
      since: Date.now(),
      nextTryAt: Date.now() + 1_000,
    },
  );
});
