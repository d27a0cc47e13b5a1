import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plannedCalls } from '../tools/office/live-calls.ts';

/** The first calls, with the ms at which each begins and ends. */
function planned(count: number) {
  let at = 0;
  return plannedCalls(() => 0)
    .take(count)
    .map(({ from, phone, scenario, gapMs, frames }) => {
      const began = at;
      at += gapMs;
      return { from, phone, scenario, began, ended: began + (frames.at(-1)?.ms ?? 0) };
    })
    .toArray();
}

test('in the demo one call of nine is missed, whenever one looks, and its caller gets through within three minutes', () => {
  const calls = planned(900);
  const missed = calls.filter(({ scenario }) => scenario === 'missed');
  assert.equal(missed.length, 100);
  for (let from = 0; from + 45 <= calls.length; from += 1)
    assert.equal(calls.slice(from, from + 45).filter(({ scenario }) => scenario === 'missed').length, 5);
  for (const { from, ended } of missed) {
    const next = calls.find((call) => call.from === from && call.began > ended);
    if (next === undefined) continue;
    assert.notEqual(next.scenario, 'missed');
    assert.ok(next.began - ended < 180_000, `${(next.began - ended) / 1000} s`);
  }
});

test('no one is in two of its calls at once', () => {
  const calls = planned(900);
  for (const [index, one] of calls.entries())
    for (const other of calls.slice(index + 1, index + 10))
      if (other.phone === one.phone || other.from === one.from)
        assert.ok(
          other.began > one.ended,
          `${one.from} at ${one.phone}, then ${other.from} at ${other.phone}`,
        );
});
