import assert from 'node:assert/strict';
import { test } from 'node:test';
import { daysBetween } from './calendar.ts';
import { openingHoursIn, openingHoursOf, partsOf, savedHoursOf } from './opening-hours.ts';

const zone = 'Europe/Berlin';
const office = (closed: string[] = []) => ({
  week: [[540, 1020], [540, 1020], [540, 1020], [540, 1020], [0, 1440], null, [1200, 1440]] as (
    | [number, number]
    | null
  )[],
  closed,
});

test('a day is open or closed as its day of the week is, in the account’s time zone', () => {
  const parts = (date: string, part: 'in' | 'out', closed: string[] = []) => {
    const day = Temporal.PlainDate.from(date);
    return daysBetween(day, day, zone).flatMap((one) =>
      partsOf(one, office(closed), part, zone).map(({ since, until }) =>
        [since, until].map((at) => new Date(at).toISOString().slice(5, 16)).join(' '),
      ),
    );
  };
  assert.deepEqual(parts('2026-11-16', 'in'), ['11-16T08:00 11-16T16:00']); // a Monday
  assert.deepEqual(parts('2026-11-16', 'out'), ['11-15T23:00 11-16T08:00', '11-16T16:00 11-16T23:00']);
  assert.deepEqual(parts('2026-11-16', 'in', ['2026-11-16']), []);
  assert.deepEqual(parts('2026-11-16', 'out', ['2026-11-16']), ['11-15T23:00 11-16T23:00']);
  assert.deepEqual(parts('2026-11-20', 'in'), ['11-19T23:00 11-20T23:00']); // all day
  assert.deepEqual(parts('2026-11-20', 'out'), []);
  assert.deepEqual(parts('2026-11-21', 'in'), []);
  assert.deepEqual(parts('2026-10-25', 'in'), ['10-25T19:00 10-25T23:00']); // the clock went back that night
  assert.deepEqual(parts('2026-10-25', 'out'), ['10-24T22:00 10-25T19:00']);
});

test('of a day that goes on, no part is longer than the day', () => {
  const date = Temporal.PlainDate.from('2026-11-16');
  const until = Date.parse('2026-11-16T10:00Z');
  const [day] = daysBetween(date, date, zone).map((one) => ({ ...one, until }));
  assert.ok(day);
  assert.equal(partsOf(day, office(), 'in', zone)[0]?.until, until);
  assert.equal(partsOf(day, office(), 'out', zone).length, 1);
});

test('closed days without hours of a week are no opening hours for reports, and are there to be edited', () => {
  const closed = { week: [null, null, null, null, null, null, null], closed: ['2026-12-25'] };
  const account = { openingHours: JSON.stringify(closed) };
  assert.equal(openingHoursOf(account), null);
  assert.deepEqual(savedHoursOf(account), closed);
});

test('a form is read, and says which fields are wrong', () => {
  const read = (fields: Record<string, string>) =>
    openingHoursIn(new URLSearchParams(fields), { monthFirst: false });
  assert.deepEqual(read({}), { hours: null });
  const never = [null, null, null, null, null, null, null];
  assert.deepEqual(
    read({ closed: '2026-12-25' }),
    { hours: { week: never, closed: ['2026-12-25'] } },
    'closed days are kept, though no hours are entered yet',
  );
  assert.deepEqual(read({ 'from-1': '09:00', 'to-1': '17:30', 'from-7': '20:00', 'to-7': '00:00' }), {
    hours: { week: [[540, 1050], null, null, null, null, null, [1200, 1440]], closed: [] },
  });
  assert.deepEqual(
    read({ 'from-1': '09:00', 'to-1': '17:00', closed: ' 2026-12-26\r\n2026-12-25\n2026-12-25 ' }),
    {
      hours: {
        week: [[540, 1020], null, null, null, null, null, null],
        closed: ['2026-12-25', '2026-12-26'],
      },
    },
  );
  for (const [from, to] of [
    ['09:00', ''],
    ['', '17:00'],
    ['17:00', '09:00'],
    ['09:00', '09:00'],
    ['09:05', '17:00'],
    ['24:00', '17:00'],
    ['nine', '17:00'],
  ] as const)
    assert.deepEqual(read({ 'from-2': from, 'to-2': to }), { wrong: { 'from-2': '' } }, `${from} ${to}`);
  assert.deepEqual(read({ closed: '2026-12-24, 2026-02-30' }), { wrong: { closed: '2026-02-30' } });
});

test('days that are closed are read up to a limit, however often each is named', () => {
  for (const closed of ['1.1.-31.12.26 '.repeat(3), `24.12.26${' '.repeat(6_000)}`])
    assert.deepEqual(openingHoursIn(new URLSearchParams({ closed }), { monthFirst: false }), {
      wrong: { closed: '' },
    });
});
