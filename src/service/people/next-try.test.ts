import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextTry, type When } from './next-try.ts';

const timeZone = 'Europe/Berlin';
const at = (local: string) => Temporal.PlainDateTime.from(local).toZonedDateTime(timeZone).epochMilliseconds;
/** Open from 8 to 17 on weekdays. */
const hours = {
  week: [1, 2, 3, 4, 5, 6, 7].map((day): [number, number] | null => (day < 6 ? [480, 1020] : null)),
  closed: ['2026-12-25'],
};
const friday = '2026-11-27T18:52';

// biome-ignore format: one case a line
const cases: [name: string, now: string, when: When, time: string, expected: string | null, hours?: null][] = [
  ['in a quarter of an hour', friday, '15', '', '2026-11-27T19:07'],
  ['in an hour', friday, '60', '', '2026-11-27T19:52'],
  ['in an hour, over the change of clocks', '2026-10-25T01:30', '60', '', '2026-10-25T02:30'],
  ['the morning after a Friday is Monday', friday, 'morning', '', '2026-11-30T08:00'],
  ['not on a closed day', '2026-12-24T10:00', 'morning', '', '2026-12-28T08:00'],
  ['early in the morning, too, it is the next day', '2026-12-01T05:00', 'morning', '', '2026-12-02T08:00'],
  ['without opening hours', friday, 'morning', '', '2026-11-28T09:00', null],
  ['later today', friday, 'time', '19:00', '2026-11-27T19:00'],
  ['a time that has passed is tomorrow’s', friday, 'time', '15:00', '2026-11-28T15:00'],
  ['this very minute has passed', friday, 'time', '18:52', '2026-11-28T18:52'],
  ['as people type it', friday, 'time', ' 9.30 ', '2026-11-28T09:30'],
  ['without a point', friday, 'time', '930', '2026-11-28T09:30'],
  ['an hour alone', friday, 'time', '20', '2026-11-27T20:00'],
  ['a time that the change of clocks leaves out', '2026-03-28T10:00', 'time', '02:30', '2026-03-29T03:30'],
  ['nothing typed', friday, 'time', '', null],
  ['no time of a day', friday, 'time', '24:00', null],
  ['no minute', friday, 'time', '12:60', null],
];
for (const [name, now, when, time, expected, office = hours] of cases)
  test(name, () => {
    const found = nextTry(when, time, at(now), { timeZone, hours: office });
    assert.equal(found, expected === null ? null : at(expected));
  });
