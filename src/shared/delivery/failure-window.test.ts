import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Failure,
  type FailureInput,
  type FailureWindow,
  nextFailureWindow,
  noFailures,
} from './failure-window.ts';
import { event } from './queue.fixture.ts';

const failure = (reason: string): Failure => ({ event, reason, waitMs: 1_000 });
const failed = (at: number, reason = '500'): FailureInput => ({
  type: 'failed',
  at,
  failure: failure(reason),
});

/** A window that began at 0, after this number of failures. */
function after(count: number): FailureWindow {
  let window = noFailures;
  for (let nth = 0; nth < count; nth++) window = nextFailureWindow(window, failed(0)).window;
  return window;
}

test('ten failures of a minute are logged, and the others are counted', () => {
  assert.deepEqual(nextFailureWindow(after(9), failed(1)).failure, failure('500'));
  const next = nextFailureWindow(after(11), failed(59_999, 'late'));
  assert.equal(next.failure, undefined);
  assert.deepEqual(next.window.summed, { count: 2, last: failure('late') });
});

test('the sum comes when the minute is over: with the next failure, by time, or at the end', () => {
  const sum = { count: 3, last: failure('500') };
  const byFailure = nextFailureWindow(after(13), failed(60_000, 'next'));
  assert.deepEqual(byFailure, {
    window: { endsAt: 120_000, linesLeft: 9 },
    failure: failure('next'),
    sum,
  });
  const byTime = nextFailureWindow(after(13), { type: 'time', at: 60_000 });
  assert.deepEqual(byTime, { window: { endsAt: 120_000, linesLeft: 10 }, sum });
  const atEnd = nextFailureWindow(after(13), { type: 'end' });
  assert.deepEqual(atEnd, { window: { endsAt: 60_000, linesLeft: 0 }, sum });
});

test('time within a minute changes nothing', () => {
  const window = after(12);
  assert.deepEqual(nextFailureWindow(window, { type: 'time', at: 59_999 }), { window });
});
