import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Log, LogFields } from '../log/log.ts';
import type { Flow } from './flow.ts';
import { event } from './queue.fixture.ts';
import { createReport, duration } from './report.ts';

function reportAt(waiting: () => Promise<number> = async () => 214) {
  const lines: [string, LogFields][] = [];
  const log: Log = { say: (code, fields = {}) => lines.push([code, fields]), child: () => log };
  const clock = { at: 0 };
  return { lines, clock, report: createReport({ log, waiting, monotonic: () => clock.at }) };
}

const ok: Flow = { state: 'ok', since: 0, failures: 0, succeededAt: 0 };

function paused(nextTryAt: number, attempts = 1): Flow {
  return { state: 'paused', since: 0, reason: '401', attempts, nextTryAt, named: false, reachable: true };
}

test('a pause is logged with what waits and when it is tried again, then once a minute, then its end', async () => {
  const { lines, clock, report } = reportAt();
  let flow: Flow = ok;
  for (let second = 0; second < 130; second++) {
    clock.at = second * 1000;
    const next = paused(clock.at + 30_000, second);
    report.flow(flow, next);
    flow = next;
  }
  report.flow(flow, { ...ok, since: 130_000 });
  await setImmediate();
  assert.deepEqual(lines, [
    ...Array(3).fill(['delivery.paused', { reason: '401', waiting: 214, wait: '30 s' }]),
    ['delivery.resumed', { lasted: '2 min', waiting: 214 }],
  ]);
});

test('a pause that comes back again and again is logged once a minute, its end too', async () => {
  const { lines, clock, report } = reportAt();
  for (let n = 0; n < 100; n++) {
    clock.at = n * 100;
    report.flow(ok, paused(clock.at + 50));
    report.flow(paused(clock.at + 50), { ...ok, since: clock.at + 60 });
  }
  await setImmediate();
  assert.deepEqual(
    lines.map(([code]) => code),
    ['delivery.paused', 'delivery.resumed'],
  );
});

test('each delivery is logged, with the answer and how long it took', () => {
  const { lines, report } = reportAt();
  const answer = { kind: 'answer', status: 201, contentType: '', body: '', truncated: false } as const;
  report.delivered(event, { ...answer, durationMs: 11.6 });
  report.delivered(event, { kind: 'failed', error: 'refused', detail: '', durationMs: 2 });
  const of = { status: 'ringing', call: 'a' };
  assert.deepEqual(lines, [
    ['delivery.delivered', { ...of, httpStatus: 201, took: '12 ms' }],
    ['delivery.delivered', { ...of, httpStatus: undefined, took: '2 ms' }],
  ]);
});

test('a queue that fails, or does not record, is logged once a minute', () => {
  const { lines, clock, report } = reportAt();
  for (; clock.at <= 60_000; clock.at += 1_000) {
    report.queueFailed(new Error('disk full'));
    report.notRecorded(new Error('disk full'), 7, 1_000);
  }
  const failed = ['delivery.queue-failed', { error: 'disk full' }];
  const refused = ['delivery.not-recorded', { error: 'disk full', count: 7, wait: '1 s' }];
  assert.deepEqual(lines, [failed, refused, failed, refused]);
});

test('what is left to sum up is logged at the end', () => {
  const { lines, report } = reportAt();
  for (let n = 0; n < 25; n++) report.failed(event, '500', 1_000);
  report.end();
  report.end();
  assert.equal(lines.filter(([code]) => code === 'delivery.failed').length, 10);
  assert.deepEqual(lines.at(-1), [
    'delivery.failures',
    { count: 15, window: '60 s', status: 'ringing', call: 'a', reason: '500' },
  ]);
  assert.equal(lines.length, 11);
});

test('what is left to sum up is logged when its minute is over', () => {
  const { lines, clock, report } = reportAt();
  for (let n = 0; n < 12; n++) report.failed(event, '500', 1_000);
  clock.at = 59_999;
  report.tick();
  assert.equal(lines.length, 10);
  clock.at = 60_000;
  report.failed(event, '500', 1_000);
  assert.deepEqual(
    lines.slice(10).map(([code, { count }]) => [code, count]),
    [
      ['delivery.failures', 2],
      ['delivery.failed', undefined],
    ],
  );
});

test('a span of time is said as roughly as people would', () => {
  const spans = [-1, 949, 950, 119_400, 119_500, 7_169_000, 7_170_000, 172_000_000, 173_000_000];
  assert.deepEqual(spans.map(duration), [
    '0.0 s',
    '0.9 s',
    '1 s',
    '119 s',
    '2 min',
    '119 min',
    '2 h',
    '2 days',
    '2 days',
  ]);
});
