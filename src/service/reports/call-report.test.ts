import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CallFacts, countCalls, MAX_GROUPS, OTHERS, quantile } from '../calls/aggregate.ts';
import { MAX_SHARED } from '../calls/people-figures.ts';
import { daysBetween } from '../kit/calendar.ts';
import { makeReport } from './call-report.ts';
import { countPeople, type PersonOf } from './people-sums.ts';
import { daysIn, periodIn, stepsFor, usualPeriods } from './period.ts';

const MINUTE = 60_000;
const date = (text: string) => Temporal.PlainDate.from(text);

/** A call that rang 10 s, and was talked on for a minute or missed. */
const call = (startedAt: number, fields: Partial<CallFacts> & { missed?: boolean } = {}): CallFacts => {
  const missed = fields.missed ?? false;
  const answeredAt = missed ? null : startedAt + 10_000;
  return {
    status: 'completed',
    segment: null,
    callerId: '1001',
    startedAt,
    ringingAt: startedAt,
    answeredAt,
    integration: 1,
    completedAt: startedAt + (missed ? 10_000 : 70_000),
    ...fields,
    missed,
  };
};

async function report(
  calls: CallFacts[],
  first: string,
  last: string,
  step: 'hour' | 'day' | 'week' | 'month',
  zone: string,
  personOf?: PersonOf,
) {
  const days = daysBetween(date(first), date(last), zone);
  async function* figures() {
    for (const day of days) {
      const counted = countCalls(day);
      for (const one of calls.filter(({ startedAt: at }) => at >= day.since && at < day.until))
        counted.add(one);
      yield counted.figures();
    }
  }
  return makeReport({ step }, days, zone, figures(), null, null, personOf);
}

test('days are grouped into weeks and months with medians of all calls', async () => {
  const calls = Array.from({ length: 9 }, (_, n) =>
    call(Date.parse('2026-11-12T12:00Z') + n * 24 * 60 * MINUTE, {
      answeredAt: null,
      missed: true,
      callerId: null,
    }),
  ).map((one, n) => ({ ...one, completedAt: one.startedAt + n * 1000 }));
  const weeks = await report(calls, '2026-11-12', '2026-11-20', 'week', 'UTC');
  assert.deepEqual(
    weeks.series.map(({ first, last, missed }) => [`${first} ${last}`, missed]),
    [
      ['2026-11-12 2026-11-15', 4],
      ['2026-11-16 2026-11-20', 5],
    ],
  );
  assert.equal(quantile(weeks.series[1]?.group?.gaveUp ?? [], 0.5), 6);
  const months = await report(calls, '2026-10-30', '2026-11-20', 'month', 'UTC');
  assert.deepEqual(
    months.series.map(({ first, last, calls }) => [`${first} ${last}`, calls]),
    [
      ['2026-10-30 2026-10-31', 0],
      ['2026-11-01 2026-11-20', 9],
    ],
  );
});

test('who answered is known by the hour of the office, also when its clocks change', async () => {
  const at = (time: string, callerId: string) => call(Date.parse(time), { callerId });
  const calls = [
    at('2026-10-24T07:10Z', '1001'), // nine o’clock in Berlin
    at('2026-10-25T08:50Z', '1002'), // the same, in winter time
    at('2026-10-25T09:00Z', '1003'),
    call(Date.parse('2026-10-25T08:00Z'), { missed: true, callerId: '1004' }),
  ];
  const { answerers } = await report(calls, '2026-10-24', '2026-10-25', 'day', 'Europe/Berlin');
  assert.deepEqual([...(answerers[9] ?? [])], ['1001', '1002']);
  assert.deepEqual([...(answerers[10] ?? [])], ['1003']);
  assert.equal(answerers.filter(({ size }) => size > 0).length, 2);
});

const ring = (...extensions: string[]) => extensions.map((by) => ({ by, from: 0, for: 5_000 }));
const talk = (...parts: (readonly [string, number, number])[]) =>
  parts.map(([by, from, to]) => ({ by, from, to }));

/** Offered, answered, taken by others, missed, seconds talked of each person. Anna has 1001 and 1002, Ben has 1003. */
async function peopleIn(...calls: Parameters<typeof call>[1][]) {
  const { people, hasRang } = await report(
    calls.map((fields) => call(Date.parse('2026-11-12T12:00Z'), fields)),
    '2026-11-12',
    '2026-11-12',
    'day',
    'UTC',
    (extension) => (extension < '1003' ? 'Anna' : 'Ben'),
  );
  const figures = people.map(({ person, offered, answered, byOthers, missed, talkedSeconds }) => [
    person,
    [offered, answered, byOthers, missed, talkedSeconds],
  ]);
  return { ...Object.fromEntries(figures), hasRang };
}

test('a call is offered once to everyone whose phones rang, and missed by them if nobody took it', async () => {
  const all = ring('1001', '1002', '1003');
  const byBen = { rang: all, talked: talk(['1003', 10_000, 70_900]), callerId: '1003' };
  const missed = { rang: all, talked: [], missed: true, callerId: null };
  assert.deepEqual(await peopleIn(byBen), { Anna: [1, 0, 1, 0, 0], Ben: [1, 1, 0, 0, 60], hasRang: true });
  assert.deepEqual(await peopleIn(missed), { Anna: [1, 0, 0, 1, 0], Ben: [1, 0, 0, 1, 0], hasRang: true });
  assert.deepEqual(await peopleIn(byBen, byBen, missed), {
    Anna: [3, 0, 2, 1, 0],
    Ben: [3, 2, 0, 1, 120],
    hasRang: true,
  });
});

test('everyone who talked has answered: after a transfer, and who picked it up elsewhere', async () => {
  const talked = talk(['1001', 10_000, 30_000], ['1003', 30_000, 70_000], ['1001', 70_000, 75_000]);
  assert.deepEqual(await peopleIn({ rang: ring('1001', '1003'), talked }), {
    Anna: [1, 1, 0, 0, 25],
    Ben: [1, 1, 0, 0, 40],
    hasRang: true,
  });
  const pickedUp = { rang: ring('1001'), talked: talk(['1003', 0, 1_000]), callerId: '1003' };
  assert.deepEqual(await peopleIn(pickedUp), { Anna: [1, 0, 1, 0, 0], Ben: [1, 1, 0, 0, 1], hasRang: true });
});

test('a call that rings is offered, and one of which nobody says who rang is offered to who answered', async () => {
  const open = { status: 'ringing', answeredAt: null, completedAt: null, callerId: null } as const;
  const counted = countCalls({ since: 0, until: 1 });
  counted.add({ ...call(0), ...open, missed: null, rang: ring('1003') });
  assert.deepEqual(
    counted.figures().shared.map(({ outcome }) => outcome),
    ['open'],
  );
  assert.deepEqual(await peopleIn({ callerId: '1003' }), { Ben: [1, 1, 0, 0, 60], hasRang: false });
  assert.deepEqual(await peopleIn({ missed: true, callerId: null }), { hasRang: false });
});

test('calls that ring at other phones each time do not fill the memory, and each phone keeps its calls', () => {
  const counted = countCalls({ since: 0, until: 1 });
  const names = Array.from({ length: 60 }, (_, at) => String(1000 + at));
  for (const first of names)
    for (const second of names)
      if (first < second)
        counted.add({ ...call(0), rang: ring(first, second), talked: talk([first, 0, 1_000]) });
  const { shared } = counted.figures();
  assert.ok(shared.length < MAX_SHARED + 2 * names.length, `${shared.length}`);
  const people = countPeople((extension) => extension);
  people.add(shared);
  for (const { person, offered, answered, byOthers, talkedSeconds } of people.figures().people)
    assert.deepEqual(
      [offered, answered, byOthers, talkedSeconds],
      [59, 1059 - Number(person), Number(person) - 1000, 1059 - Number(person)],
    );
});

test('new names with every call do not fill the memory, and every call is counted', () => {
  const counted = countCalls({ since: 0, until: 1 });
  for (let n = 0; n < MAX_GROUPS * 2; n += 1) counted.add(call(0, { callerId: `party ${n}` }));
  const { extensions, all } = counted.figures();
  assert.equal(extensions.length, MAX_GROUPS + 1);
  assert.equal(extensions.find(([name]) => name === OTHERS)?.[1].all.calls, MAX_GROUPS);
  assert.equal(all.calls, MAX_GROUPS * 2);
});

test('a period is read from the address, and corrected if invalid', () => {
  const now = Date.parse('2026-11-20T23:30Z');
  const of = (query: string, zone = 'UTC') => {
    const { first, last, step } = periodIn(new URLSearchParams(query), now, zone);
    return `${first} ${last} ${step}`;
  };
  assert.equal(of(''), '2026-11-14 2026-11-20 day');
  assert.equal(of('', 'Europe/Berlin'), '2026-11-15 2026-11-21 day', 'it is tomorrow there');
  assert.equal(of('from=2026-11-20&to=2026-11-20'), '2026-11-20 2026-11-20 hour');
  assert.equal(of('from=2026-11-20&to=2026-11-01'), '2026-11-01 2026-11-20 day', 'turned round');
  assert.equal(of('from=2026-11-01&to=2031-01-01'), '2026-11-01 2026-11-20 day', 'the future has no calls');
  assert.equal(of('from=2026-02-30&to=<script>'), '2026-11-14 2026-11-20 day');
  assert.equal(of('from=0001-01-01&to=2026-11-20&by=hour').split(' ')[2], 'month');
  assert.equal(of('from=2026-11-01&to=2026-11-20&by=week'), '2026-11-01 2026-11-20 week');
  assert.equal(of('from=2026-11-17&to=2026-11-17&by=day'), '2026-11-17 2026-11-17 hour');
  assert.deepEqual(stepsFor({ first: date('2026-11-01'), last: date('2026-11-20') }), [
    'day',
    'week',
    'month',
  ]);
  for (const [name, period] of usualPeriods(now, 'UTC')) assert.ok(daysIn(period) >= 1, name);
});
