import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  answer,
  createDeliveryLab,
  failure,
  ok,
  startDeliveryLab,
} from '../../../test/tools/fakes/delivery-lab.ts';
import { callStatuses } from '../api/contract/call-status.ts';

test('the API will not have an event: parked after three tries, later events of the call go on', async (t) => {
  for (const status of [400, 413, 415, 422]) {
    await t.test(String(status), async (t) => {
      const lab = startDeliveryLab(t, (event) => (event.status === 'answered' ? answer(status) : ok));
      lab.offer('a', ...callStatuses);
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
      assert.equal(lab.lines.filter(({ code }) => code === 'delivery.failed').length, 2);
    });
  }
});

test('tries that got no answer do not bring an event nearer to being parked', async (t) => {
  const lab = createDeliveryLab(t);
  let tries = 0;
  lab.reply(() => (tries++ < 2 ? failure('timeout-headers') : answer(422)));
  lab.dispatcher.start();
  lab.offer('a', 'ringing');
  await lab.pass(12_000);
  assert.equal(lab.sent.length, 4);
  assert.deepEqual(lab.queue.rows[0]?.state, 'waiting', 'rejected twice');
  await lab.pass(10_000);
  assert.equal(lab.sent.length, 5);
  assert.deepEqual(lab.queue.rows[0]?.state, 'dead', 'rejected three times');
});

for (const [name, reply] of [
  ['answered 500', answer(500)],
  ['never answered', { afterMs: 10_000, result: failure('timeout-headers') }],
] as const) {
  for (const count of [1, 1_000]) {
    test(`${count} poisoned calls, ${name}: the others leave as if they were not there`, async (t) => {
      const lab = startDeliveryLab(
        t,
        ({ callId }) => (callId.startsWith('bad') ? reply : { afterMs: 10, result: ok }),
        { random: () => 0.5 },
      );
      for (let n = 0; n < count; n++) lab.offer(`bad-${n}`, ...callStatuses);
      const queuedAt = new Map<string, number>();
      for (let n = 0; n < 2_000; n++) {
        queuedAt.set(`good-${n}`, lab.elapsed());
        lab.offer(`good-${n}`, ...callStatuses);
        await lab.pass(100, 50);
      }
      await lab.pass(1_000, 50);
      const waits = lab.sent
        .filter(({ event }) => event.callId.startsWith('good') && event.status === 'ringing')
        .map(({ event, at }) => at - (queuedAt.get(event.callId) ?? 0))
        .sort((a, b) => a - b);
      assert.equal(waits.length, 2_000);
      assert.equal(waits[Math.floor(2_000 * 0.99)], 0, `p99, worst ${waits.at(-1)} ms`);
      assert.equal([...lab.book.calls.values()].filter(({ state }) => state === 'completed').length, 2_000);
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
  for (let n = 0; n < 1_000; n++) lab.offer(`bad-${n}`, 'ringing');
  for (let n = 0; n < 1_200; n++) {
    lab.offer(`good-${n}`, 'ringing');
    await lab.pass(100, 50);
  }
  lab.offer('stumbles', 'ringing');
  await lab.pass(3_000);
  const times = lab.sent.filter(({ event }) => event.callId === 'stumbles').map(({ at }) => at);
  assert.equal(times.length, 2, 'the second try, due after half a second, came within three');
});
