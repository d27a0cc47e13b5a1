import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dateAt, daysBetween, hoursOf } from './calendar.ts';

const day = (date: string, zone: string) => {
  const [only] = daysBetween(Temporal.PlainDate.from(date), Temporal.PlainDate.from(date), zone);
  return only as NonNullable<typeof only>;
};
const lengthOf = (date: string, zone: string) => {
  const { since, until } = day(date, zone);
  return (until - since) / 3_600_000;
};

test('the length of a day includes clock changes', () => {
  for (const [date, zone, hours] of [
    ['2026-03-28', 'Europe/Berlin', 24],
    ['2026-03-29', 'Europe/Berlin', 23],
    ['2026-10-25', 'Europe/Berlin', 25],
    ['2026-10-25', 'UTC', 24],
    ['2026-10-25', 'Asia/Kolkata', 24],
    ['2026-10-04', 'Australia/Lord_Howe', 23.5],
    ['2026-04-05', 'Australia/Lord_Howe', 24.5],
    ['2018-11-04', 'America/Sao_Paulo', 23], // midnight itself was left out
  ] as const)
    assert.equal(lengthOf(date, zone), hours, `${date} in ${zone}`);
});

test('days have no gaps over years of clock changes', () => {
  for (const zone of ['Europe/Berlin', 'America/Sao_Paulo', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC']) {
    const days = daysBetween(
      Temporal.PlainDate.from('2016-01-01'),
      Temporal.PlainDate.from('2026-12-31'),
      zone,
    );
    assert.equal(days.length, 4018);
    for (const [index, { since, until, date }] of days.entries()) {
      assert.equal(since, index === 0 ? since : days[index - 1]?.until);
      assert.equal(dateAt(since, zone).toString(), date.toString());
      assert.equal(dateAt(until - 1, zone).toString(), date.toString());
      assert.equal(since % 900_000, 0, 'a whole quarter');
    }
  }
});

test('an hour that occurs twice is two hours with different offsets; a skipped hour is none', () => {
  const labels = (date: string, zone: string) => hoursOf(day(date, zone), zone).map(({ label }) => label);
  const ordinary = labels('2026-11-20', 'Europe/Berlin');
  assert.deepEqual([ordinary.length, ordinary[0], ordinary[23]], [24, '00:00', '23:00']);
  const autumn = labels('2026-10-25', 'Europe/Berlin');
  assert.deepEqual(autumn.slice(1, 5), [
    '01:00 (+02:00)',
    '02:00 (+02:00)',
    '02:00 (+01:00)',
    '03:00 (+01:00)',
  ]);
  assert.equal(autumn.length, 25);
  const spring = labels('2026-03-29', 'Europe/Berlin');
  assert.deepEqual(spring.slice(1, 3), ['01:00 (+01:00)', '03:00 (+02:00)']);
  assert.equal(spring.length, 23);
});
