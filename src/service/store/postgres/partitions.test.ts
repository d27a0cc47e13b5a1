import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DAY_MS, nameOf, type Range, rangeFor, widthFor } from './partitions.ts';

const at = (text: string) => Date.parse(text);
const range = (from: string, to: string): Range => ({ from: at(from), to: at(to) });

test('a partition holds a calendar month, or a day where entries are kept for a short time', () => {
  assert.equal(widthFor(undefined), 'month');
  assert.equal(widthFor(400 * DAY_MS), 'month');
  assert.equal(widthFor(30 * DAY_MS), 'day');
  const moment = at('2026-12-31T23:59:59.999Z');
  assert.deepEqual(rangeFor(moment, 'month', []), range('2026-12-01', '2027-01-01'));
  assert.deepEqual(rangeFor(moment, 'day', []), range('2026-12-31', '2027-01-01'));
  assert.equal(nameOf(rangeFor(moment, 'month', [])), 'history_20261201_20270101');
});

test('a new width begins where what exists ends', () => {
  const month = range('2026-11-01', '2026-12-01');
  assert.deepEqual(rangeFor(at('2026-12-01'), 'day', [month]), range('2026-12-01', '2026-12-02'));
  const days = [range('2026-11-03', '2026-11-04'), range('2026-11-20', '2026-11-21')];
  assert.deepEqual(rangeFor(at('2026-11-10'), 'month', days), range('2026-11-04', '2026-11-20'));
  assert.deepEqual(rangeFor(at('2026-11-25'), 'month', days), range('2026-11-21', '2026-12-01'));
});

test('whatever times come in whatever order and width, partitions hold them and never overlap', () => {
  const moments = fc.array(
    fc.tuple(fc.integer({ min: 0, max: 120 * DAY_MS }), fc.constantFrom('day', 'month')),
  );
  fc.assert(
    fc.property(moments, (asked) => {
      const made: Range[] = [];
      for (const [moment, width] of asked) {
        if (made.some(({ from, to }) => from <= moment && moment < to)) continue;
        const one = rangeFor(moment, width as 'day', made);
        assert.ok(one.from <= moment && moment < one.to);
        assert.ok(one.from % DAY_MS === 0 && one.to % DAY_MS === 0);
        for (const other of made) assert.ok(one.to <= other.from || other.to <= one.from);
        made.push(one);
      }
    }),
  );
});
