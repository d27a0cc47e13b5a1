import assert from 'node:assert/strict';
import { test } from 'node:test';
import { amiEvent } from '../../../test/tools/fakes/ami-event.ts';
import { silentLog } from '../../shared/log/log.ts';
import { type Clock, systemClock } from '../../shared/process/clock.ts';
import { account, healthyAnswer, serveActions, startServer } from './link.fixture.ts';
import { createCounters } from './link-log.ts';
import { runSession } from './session.ts';

/** Runs a session to its end, and says which of its timers are left. */
async function run(port: number, handlers: Partial<Parameters<typeof runSession>[1]> = {}) {
  const timers = new Set<() => void>();
  const clock: Clock = {
    now: Date.now,
    setTimer(callback, ms) {
      const cancel = () => {
        timers.delete(cancel);
        stop();
      };
      const stop = systemClock.setTimer(() => {
        timers.delete(cancel);
        callback();
      }, ms);
      timers.add(cancel);
      return cancel;
    },
  };
  const counters = createCounters();
  const [connectDeadlineMs, answerDeadlineMs, deadlineMs, intervalMs] = [60_000, 60_000, 60_000, 60_000];
  const failure = await runSession(
    {
      ...account,
      host: '127.0.0.1',
      port,
      connectDeadlineMs,
      answerDeadlineMs,
      ping: { intervalMs, deadlineMs },
    },
    { onOpen() {}, onInput() {}, onUp() {}, onFacts() {}, onLinkedid() {}, onPong() {}, ...handlers },
    { clock, counters, log: silentLog, signal: new AbortController().signal },
  );
  const left = timers.size;
  for (const cancel of timers) cancel();
  return { failure, counters, left };
}

test('an attempt that fails after an event that was refused leaves no timer', async (t) => {
  const port = await startServer(t, (socket) =>
    serveActions(socket, (action, id) =>
      action === 'login'
        ? `Event: Hangup\r\nUniqueid: 1.1\r\n\r\nResponse: Error\r\nActionID: ${id}\r\n\r\n`
        : healthyAnswer(action, id),
    ),
  );
  const { failure, counters, left } = await run(port);
  assert.equal(failure.kind, 'login-refused');
  assert.equal(counters.bad, 1);
  assert.equal(left, 0);
});

test('a session that ends while held inputs are handed on does not come up', async (t) => {
  const held = 20_000;
  let hangUp = (): void => {};
  const port = await startServer(t, (socket) => {
    hangUp = () => socket.destroy();
    serveActions(socket, (action, id) => {
      if (action !== 'coreshowchannels') return healthyAnswer(action, id);
      const events = `${amiEvent('BridgeDestroy', { BridgeUniqueid: 'b' })}\r\n\r\n`.repeat(held);
      return events + healthyAnswer(action, id);
    });
  });
  const seen: string[] = [];
  const { failure } = await run(port, {
    onInput(input) {
      if (input.type === 'snapshot') hangUp();
      seen.push(input.type);
    },
    onUp: () => void seen.push('up'),
  });
  assert.equal(failure.kind, 'lost');
  assert.equal(seen[0], 'snapshot');
  assert.equal(seen.length, 1 + held, 'all that was held is handed on by then');
  for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
  assert.deepEqual(seen.slice(1 + held), []);
});
