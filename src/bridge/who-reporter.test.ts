import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bridgeCallsSchema } from '../shared/api/contract/bridge-calls.ts';
import type { ApiResult } from '../shared/api/result.ts';
import { createTestClock } from '../shared/process/test-clock.fixture.ts';
import { createWhoReporter } from './who-reporter.ts';

const answer = (status: number): ApiResult => ({
  kind: 'answer',
  status,
  contentType: 'application/json',
  body: '{}',
  truncated: false,
  durationMs: 1,
});

/** A reporter whose requests are answered with `status()`, when `hold` is not set. */
function start(status: (body: string) => number = () => 200) {
  const clock = createTestClock();
  const sent: string[] = [];
  let hold: Promise<void> | undefined;
  const reporter = createWhoReporter(async (body) => {
    const { calls } = bridgeCallsSchema.parse(JSON.parse(body));
    sent.push(calls.map(({ id, rings, talks }) => `${id}: ${rings} | ${talks}`).join('; '));
    await hold;
    return answer(status(body));
  }, clock);
  const change = (id: string, rings: string[], talks: string[] = []) =>
    reporter.changed({ type: 'who', id, rings, talks });
  const advance = async (ms: number) => {
    clock.advance(ms);
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  };
  return {
    ...{ reporter, change, advance, sent, clock },
    hold(until: Promise<void> | undefined) {
      hold = until;
    },
  };
}

test('the newest state of all calls that changed is told in one request', async () => {
  const { change, advance, sent } = start();
  change('a', ['101']);
  change('a', ['101', '102']);
  change('b', ['103']);
  await advance(249);
  assert.deepEqual(sent, []);
  await advance(1);
  assert.deepEqual(sent, ['a: 101,102 | ; b: 103 | ']);
  change('a', ['102']);
  await advance(250);
  assert.deepEqual(sent.slice(1), ['a: 102 | ']);
});

test('what an event says is not told: of a plain call, who rings, once', async () => {
  const { change, advance, sent, reporter } = start();
  change('a', ['101']);
  await advance(300);
  change('a', []);
  reporter.reported({ id: 'a', status: 'answered', callerId: '101' });
  change('a', [], ['101']);
  await advance(1_000);
  assert.deepEqual(sent, ['a: 101 | ']);
  change('a', [], []);
  await advance(300);
  change('a', [], ['102']);
  await advance(300);
  assert.deepEqual(sent.slice(1), ['a:  | ', 'a:  | 102']);
  change('a', [], []);
  reporter.reported({ id: 'a', status: 'completed' });
  await advance(1_000);
  assert.equal(sent.length, 3, 'the call is over');
});

test('of a call that began before a restart, that nobody rings is told, too', async () => {
  const { change, advance, sent, reporter } = start();
  change('a', []);
  reporter.reported({ id: 'b', status: 'ringing' });
  change('b', []);
  await advance(1_000);
  assert.deepEqual(sent, ['a:  | '], 'the ringing event of b has said it');
});

test('a state that an event has overtaken on its way is corrected', async () => {
  const { change, advance, sent, reporter, hold } = start();
  const slow = Promise.withResolvers<void>();
  hold(slow.promise);
  change('a', ['101']);
  await advance(250);
  reporter.reported({ id: 'a', status: 'answered', callerId: '101' });
  change('a', [], ['101']);
  hold(undefined);
  await advance(1_000);
  assert.equal(sent.length, 1, 'never two requests at a time');
  slow.resolve();
  await advance(0);
  await advance(250);
  assert.deepEqual(sent, ['a: 101 | ', 'a:  | 101']);
});

test('what an answer that was delivered late has overtaken is told again', async () => {
  const { change, advance, sent, reporter, hold } = start();
  const answer = { id: 'a', callId: 'a', status: 'answered', callerId: '101' } as const;
  change('a', ['101']);
  await advance(250);
  reporter.reported(answer);
  change('a', [], ['101']);
  change('a', [], ['102']);
  await advance(250);
  assert.deepEqual(sent, ['a: 101 | ', 'a:  | 102']);
  reporter.delivered({ ...answer, status: 'ringing' });
  await advance(1_000);
  assert.equal(sent.length, 2, 'it says nothing of who has the caller');
  reporter.delivered(answer);
  await advance(250);
  assert.deepEqual(sent.slice(2), ['a:  | 102']);
  const slow = Promise.withResolvers<void>();
  hold(slow.promise);
  change('a', [], ['103']);
  await advance(250);
  reporter.delivered(answer);
  slow.resolve();
  hold(undefined);
  await advance(0);
  await advance(250);
  assert.deepEqual(sent.slice(3), ['a:  | 103', 'a:  | 103'], 'the report may have come first');
});

test('an answer that is delivered at once costs no report', async () => {
  const { change, advance, sent, reporter } = start();
  change('a', ['101']);
  await advance(250);
  reporter.reported({ id: 'a', status: 'answered', callerId: '101' });
  change('a', [], ['101']);
  reporter.delivered({ callId: 'a', status: 'answered' });
  reporter.delivered({ callId: 'of-records', status: 'answered' });
  await advance(10_000);
  assert.deepEqual(sent, ['a: 101 | ']);
});

test('a service that has taken reports is not unknown when a proxy answers for it', async () => {
  let status = 200;
  const { change, advance, sent } = start(() => status);
  change('a', ['101']);
  await advance(250);
  status = 404;
  change('a', ['102']);
  await advance(250);
  status = 200;
  await advance(5_000);
  assert.deepEqual(sent, ['a: 101 | ', 'a: 102 | ', 'a: 102 | ']);
});

test('what is not taken is told again, as it is then; a service that does not know it is asked after an hour', async () => {
  let status = 503;
  const { change, advance, sent } = start(() => status);
  change('a', ['101']);
  await advance(250);
  change('a', ['102']);
  await advance(4_999);
  assert.equal(sent.length, 1);
  status = 404;
  await advance(1);
  assert.deepEqual(sent, ['a: 101 | ', 'a: 102 | ']);
  change('b', ['103']);
  await advance(3_599_999);
  assert.equal(sent.length, 2);
  await advance(1);
  assert.equal(sent.length, 3);
});

test('at most 100 calls in a request, and none after it is stopped', async () => {
  const { change, advance, sent, reporter, clock } = start();
  for (let n = 0; n < 150; n += 1) change(`${n}`, ['101']);
  await advance(250);
  await advance(250);
  assert.deepEqual(
    sent.map((text) => text.split(';').length),
    [100, 50],
  );
  change('a', ['101']);
  reporter.stop();
  await advance(1_000);
  change('b', ['101']);
  assert.deepEqual([sent.length, clock.timers()], [2, 0]);
});

test('a call that the service refuses keeps no other from being told', async () => {
  const { change, advance, sent } = start((body) => (body.includes('"bad"') ? 422 : 200));
  const ids = Array.from({ length: 40 }, (_, n) => (n === 20 ? 'bad' : `call-${n}`));
  for (const id of ids) change(id, ['101']);
  for (let n = 0; n < 20; n += 1) await advance(250);
  const taken = sent.filter((text) => !text.includes('bad')).flatMap((text) => text.split('; '));
  assert.equal(new Set(taken).size, 39);
  const before = sent.length;
  await advance(20_000);
  assert.equal(sent.length, before, 'nor is it told again before it changes');
  change('bad', ['102']);
  await advance(250);
  assert.equal(sent.at(-1), 'bad: 102 | ');
});

test('what the service holds in memory is told again, while the call is open', async () => {
  const { change, advance, sent, reporter, clock } = start();
  change('a', ['101']);
  change('b', ['102']);
  await advance(250);
  reporter.reported({ id: 'b', status: 'answered', callerId: '102' });
  await advance(30_000);
  await advance(250);
  assert.deepEqual(sent, ['a: 101 | ; b: 102 | ', 'a: 101 | '], 'of b, its event says it');
  reporter.reported({ id: 'a', status: 'completed' });
  await advance(30_000);
  await advance(250);
  assert.deepEqual([sent.length, clock.timers()], [2, 0]);
});
