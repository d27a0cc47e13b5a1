import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type BackfillProgress,
  backfillHindrance,
  counted,
  finished,
  ledgerSinceOf,
  progressOf,
  readProgress,
  totals,
} from './backfill-state.ts';

const DAY = 86_400_000;
const bounds = { source: 'Master.csv', bridgeSince: 100 * DAY, now: 120 * DAY };
const wish = { at: 1, since: 10 * DAY, isDry: false };
const begun = progressOf(wish, undefined, bounds);
const stopped: BackfillProgress = { ...begun, position: { offset: 7 } };

test('backfill: from a day until the bridge began, and what was done is not done again', () => {
  assert.deepEqual([begun.since, begun.until], [10 * DAY, 100 * DAY]);
  const done = finished({ ...begun, position: 1 });
  assert.deepEqual([done.state, done.position], ['done', undefined]);
  const before = progressOf({ ...wish, at: 2, since: 5 * DAY }, done, bounds);
  assert.deepEqual([before.since, before.until], [5 * DAY, 10 * DAY]);
  const both = finished(before);
  assert.deepEqual(both.covered, { since: 5 * DAY, until: 100 * DAY });
  const none = progressOf({ ...wish, at: 3, since: 7 * DAY }, both, bounds);
  assert.ok(none.since >= none.until);
  assert.deepEqual(finished(none).covered, both.covered);
});

test('backfill: the same wish goes on at its place, another one begins and forgets nothing', () => {
  const again = progressOf({ ...wish, at: 2 }, stopped, { ...bounds, now: 130 * DAY });
  assert.deepEqual([again.position, again.of, again.startedAt], [{ offset: 7 }, 2, 120 * DAY]);
  const other = progressOf({ ...wish, at: 2, since: 9 * DAY }, stopped, { ...bounds, now: 130 * DAY });
  assert.deepEqual([other.position, other.startedAt], [undefined, 120 * DAY]);
  const elsewhere = progressOf({ ...wish, at: 2 }, stopped, { ...bounds, source: 'master.db' });
  assert.equal(elsewhere.position, undefined);
  const dry = progressOf({ ...wish, at: 2, isDry: true }, stopped, bounds);
  assert.equal(dry.position, undefined);
});

test('backfill: what was done is done again if that is wanted, and stays done', () => {
  const done = finished(begun);
  const again = progressOf({ ...wish, at: 2, since: 20 * DAY, again: true }, done, bounds);
  assert.deepEqual([again.since, again.until, again.position], [20 * DAY, 100 * DAY, undefined]);
  assert.deepEqual(finished(again).covered, { since: 10 * DAY, until: 100 * DAY });
  // A stopped one of the days before is not that one.
  const earlier = { ...progressOf({ ...wish, at: 3, since: 5 * DAY }, done, bounds), position: 7 };
  const other = progressOf({ ...wish, at: 4, since: 5 * DAY, again: true }, earlier, bounds);
  assert.deepEqual([other.until, other.position], [100 * DAY, undefined]);
});

test('backfill: reported calls are kept until it is over, but not for ever', () => {
  assert.equal(ledgerSinceOf(undefined, 0), Number.POSITIVE_INFINITY);
  assert.equal(ledgerSinceOf(stopped, 130 * DAY), 120 * DAY);
  assert.equal(ledgerSinceOf(stopped, 300 * DAY), 210 * DAY);
  assert.equal(ledgerSinceOf(finished(stopped), 130 * DAY), Number.POSITIVE_INFINITY);
});

test('backfill: calls are counted by month, with why they are not reported', () => {
  const at = (month: number) => new Date(2025, month, 15).getTime();
  let progress = stopped;
  for (const call of [
    { began: at(0), is: 'answered' },
    { began: at(0), is: 'answered' },
    { began: at(0), is: 'known' },
    { began: at(1), is: 'missed' },
    { began: at(1), is: 'unreported', why: 'withheld' },
  ] as const)
    progress = counted(progress, call);
  assert.deepEqual(progress.months, {
    '2025-01': { answered: 2, missed: 0, known: 1, unreported: 0 },
    '2025-02': { answered: 0, missed: 1, known: 0, unreported: 1 },
  });
  assert.deepEqual(progress.problems, { withheld: 1 });
  assert.deepEqual(totals(progress), { calls: 5, answered: 2, missed: 1, known: 1, unreported: 1 });
  assert.deepEqual(readProgress(JSON.stringify(progress)), progress);
});

test('backfill: only to an API that takes calls of the past, while delivery works', () => {
  const ready = { sendsExtras: true, takesPast: true, delivery: 'ok' };
  assert.equal(backfillHindrance(ready), undefined);
  assert.match(backfillHindrance({ ...ready, sendsExtras: false }) ?? '', /API_EXTRAS/);
  assert.match(backfillHindrance({ ...ready, takesPast: undefined }) ?? '', /not said yet/);
  assert.match(backfillHindrance({ ...ready, takesPast: false }) ?? '', /does not take/);
  assert.match(backfillHindrance({ ...ready, delivery: 'held' }) ?? '', /has stopped/);
});
