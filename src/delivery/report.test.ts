import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Log, LogFields } from '../log/log.ts';
import type { Flow } from './flow.ts';
import { createReport, duration } from './report.ts';

function reportAt(waiting: () => Promise<number> = async () => 214) {
  const lines: [string, LogFields][] = [];
  const log: Log = { say: (code, fields = {}) => lines.push([code, fields]), child: () => log };
  const clock = { at: 0 };
  return { lines, clock, report: createReport({ log, waiting, monotonic: () => clock.at }) };
}

const ok: Flow = { state: 'ok', since: 0, failures: 0, succeededAt: 0 };

function paused(nextTryAt: number, tries = 1): Flow {
  return { state: 'paused', since: 0, reason: '401', tries, nextTryAt, named: false, reachable: true };
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

test('what waits cannot be counted: the line comes all the same', async () => {
  const { lines, report } = reportAt(() => Promise.reject(new Error('no disk')));
  report.flow(ok, paused(1_000));
  await setImmediate();
  assert.equal(lines[0]?.[1].waiting, 'an unknown number');
});

test('what is left to sum up is logged at the end', () => {
  const { lines, report } = reportAt();
  const event = {
    seq: 1,
    callId: 'a',
    status: 'ringing',
    body: '{}',
    queuedAt: 0,
    attempts: 0,
    rejections: 0,
  } as const;
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

for (const [ms, text] of [
  [-5, '0.0 s'],
  [0, '0.0 s'],
  [400, '0.4 s'],
  [1_000, '1 s'],
  [30_400, '30 s'],
  [119_000, '119 s'],
  [120_000, '2 min'],
  [7_000_000, '117 min'],
  [7_200_000, '2 h'],
  [14 * 86_400_000, '14 days'],
] as const) {
  test(`${ms} ms is ${text}`, () => assert.equal(duration(ms), text));
}
