import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callQueryIn, filterOf } from '../activity/call-filter.ts';
import { hoursOf } from '../kit/calendar.ts';
import { callsOf, hourOf } from './report-names.ts';

const timeZone = 'Europe/Berlin';

test('each hour of a report leads to its calls, also of those that the clocks show twice', async () => {
  const asked = { account: { id: 1, country: 'DE' }, extensions: new Map(), formats: { timeZone } };
  for (const [day, hours] of [
    ['2026-03-29', 23],
    ['2026-06-01', 24],
    ['2026-10-25', 25],
  ] as const) {
    const date = Temporal.PlainDate.from(day);
    const [since, until] = [date, date.add({ days: 1 })].map(
      (one) => one.toZonedDateTime(timeZone).epochMilliseconds,
    ) as [number, number];
    const all = hoursOf({ since, until }, timeZone);
    assert.equal(all.length, hours);
    for (const { hour, offset, ...span } of all) {
      const address = new URL(callsOf(null, hourOf(date, hour, offset)), 'http://here.invalid');
      const query = callQueryIn(address.searchParams);
      const filter = await filterOf(query, asked as never, { calls: {} as never }, []);
      assert.deepEqual([filter.since, filter.until], [span.since, span.until], `${day} ${hour}`);
    }
  }
});
