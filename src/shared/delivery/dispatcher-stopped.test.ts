import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import {
  answer,
  createDeliveryLab,
  failure,
  ok,
  startDeliveryLab,
} from '../../../test/tools/fakes/delivery-lab.ts';
import { callStatuses } from '../api/contract/call-status.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

for (const status of [401, 403, 404, 405, 301, 302, 307]) {
  test(`${status}: everything stops but one probe at a time, until it works; no event is blamed`, async (t) => {
    const lab = createDeliveryLab(t);
    let most = 0;
    lab.reply(() => {
      most = Math.max(most, lab.inFlight());
      return { afterMs: 20, result: answer(status) };
    });
    lab.dispatcher.start();
    lab.offer('first', ...callStatuses);
    await lab.pass(10);
    for (let n = 0; n < 200; n++) lab.offer(`c-${n}`, ...callStatuses);
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

test('429 holds the whole queue for as long as Retry-After says, then tries with one', async (t) => {
  const lab = startDeliveryLab(t, () => answer(429, '{}', { retryAfter: '30' }));
  lab.offer('first', 'ringing');
  await lab.pass(10);
  for (let n = 0; n < 50; n++) lab.offer(`c-${n}`, 'ringing');
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
  const lab = startDeliveryLab(t, () => failure('refused'));
  for (let n = 0; n < 200; n++) lab.offer(`c-${n}`, ...callStatuses);
  await lab.pass(1_000);
  assert.equal(lab.dispatcher.status().state, 'outage');
  const before = lab.sent.length;
  await lab.pass(10 * minute, 50);
  assert.ok(lab.sent.length - before <= 16, `${lab.sent.length - before} requests in ten minutes`);
  const lines = lab.lines.filter(({ code }) => code === 'delivery.outage');
  assert.ok(lines.length >= 8 && lines.length <= 11, `${lines.length} lines`);

  lab.reply(() => ok);
  const back = lab.elapsed();
  lab.offer('new', 'ringing');
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
      const lab = startDeliveryLab(t, () => ({ afterMs, result: failure('timeout-connect') }));
      for (let n = 0; n < 3; n++) lab.offer(`first-${n}`, 'ringing');
      await lab.pass(5_100);
      const before = lab.sent.length;
      for (let n = 0; n < 600; n++) {
        lab.offer(`c-${n}`, 'ringing');
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
    lab.offer(`new-${n}`, 'ringing');
    await lab.pass(1_000, 100);
  }
  const later = lab.sent.slice(before).map(({ event }) => event.callId);
  assert.equal(later.filter((id) => id.startsWith('new-')).length, 20);
  assert.ok(later.length - 20 <= 8, `${later.length - 20} others`);

  lab.reply(() => ok);
  lab.offer('good', 'ringing');
  await lab.pass(2 * minute, 100);
  assert.equal(lab.book.counts.moved, 1_021);
});

test('503 with Retry-After: in an outage nothing is sent until then, new calls neither', async (t) => {
  const lab = startDeliveryLab(t, () => answer(503, '{}', { retryAfter: '30' }));
  for (let n = 0; n < 20; n++) lab.offer(`c-${n}`, 'ringing');
  await lab.pass(0);
  assert.equal(lab.dispatcher.status().state, 'outage');
  const before = lab.sent.length;
  for (let n = 0; n < 25; n++) {
    lab.offer(`new-${n}`, 'ringing');
    lab.dispatcher.retry();
    await lab.pass(1_000, 100);
  }
  assert.equal(lab.sent.length, before);
  await lab.pass(5_010);
  assert.equal(lab.sent.length, before + 1);
  lab.reply(() => ok);
  await lab.pass(minute, 100);
  assert.equal(lab.book.counts.moved, 45);
});

test('a setting that changes while nothing waits makes one look at the queue', async (t) => {
  const lab = startDeliveryLab(t, () => answer(401));
  lab.offer('a', 'ringing');
  await lab.pass(10);
  const looks: string[] = [];
  lab.queue.due = async ({ priority }) => {
    looks.push(priority);
    await setImmediate();
    return [];
  };
  lab.dispatcher.retry();
  await lab.pass(500);
  assert.deepEqual(looks, ['fresh', 'backlog', 'retry']);
});

test('a setting that changes while the only attempt is being recorded causes a probe right after', async (t) => {
  const lab = startDeliveryLab(t, () => answer(401));
  const { record } = lab.queue;
  const disk = Promise.withResolvers<void>();
  lab.queue.record = async (results) => {
    await disk.promise;
    return record(results);
  };
  lab.offer('a', 'ringing');
  await lab.pass(10);
  lab.dispatcher.retry();
  await lab.pass(10);
  assert.equal(lab.sent.length, 1);
  disk.resolve();
  await lab.pass(10);
  assert.equal(lab.sent.length, 2);
});

test('a probe leaves an event alone that is offered and sent while the probe looks for one', async (t) => {
  const lab = startDeliveryLab(t, ({ callId }) => (callId === 'x' ? 'hang' : answer(500)));
  for (let n = 0; n < 25; n++) lab.offer(`c-${n}`, 'ringing');
  await lab.pass(10);
  assert.equal(lab.dispatcher.status().state, 'outage');
  const events = lab.take('x', 'ringing');
  const { due } = lab.queue;
  let raced = false;
  lab.queue.due = async (query) => {
    const found = await due(query);
    if (query.limit === 1 && found[0]?.callId === 'x') {
      raced = true;
      lab.dispatcher.offer(events);
    }
    return found;
  };
  await lab.pass(2_000);
  assert.ok(raced);
  assert.equal(lab.sent.filter(({ event }) => event.callId === 'x').length, 1);
});
