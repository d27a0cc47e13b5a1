import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallRecord } from '../calls/call-record.ts';
import type { CallStore } from '../calls/call-store.ts';
import { formatsFor } from '../kit/formats.ts';
import type { StoredAction } from './caller-action-store.ts';
import type { CallerStore } from './caller-store.ts';
import type { Person } from './person.ts';
import { type Moment, readStory, readWeeks, storyChoice, storyDays } from './person-story.ts';

const timeZone = 'Europe/Berlin';
const formats = formatsFor(timeZone);
const choiceOf = (query: string) =>
  storyChoice({ query: new URLSearchParams(query), formats, account: { country: 'DE' } });
const at = (text: string) => Temporal.PlainDateTime.from(text).toZonedDateTime(timeZone).epochMilliseconds;
const call = (when: string): Moment => ({ at: at(when), call: { startedAt: at(when) } as CallRecord });
const action = (when: string, kind: StoredAction['kind'] = 'note', text = ''): Moment => ({
  at: at(when),
  action: { id: 1, number: '110', at: at(when), user: 'Ann', kind, text },
});

test('days are those of the account; one of calls alone is folded when it is over', () => {
  const moments = [
    call('2026-11-29T10:00'),
    call('2026-11-29T09:00'),
    call('2026-11-28T23:59'),
    action('2026-11-28T12:00', 'done'),
    call('2026-11-28T00:00'),
    call('2026-11-27T12:00'),
    action('2026-11-27T11:00'),
    call('2026-11-27T10:00'),
    call('2026-11-26T10:00'),
    action('2026-11-26T09:00', 'done'),
  ];
  const days = (fold: boolean) =>
    storyDays(moments, { timeZone, now: at('2026-11-29T23:59'), fold }).map((day) => [
      formats.date(day.at),
      day.moments.length,
      day.folded,
    ]);
  assert.deepEqual(days(true), [
    ['Sun 29 Nov 2026', 2, false],
    ['Sat 28 Nov 2026', 3, true],
    ['Fri 27 Nov 2026', 3, false],
    ['Thu 26 Nov 2026', 2, false],
  ]);
  assert.ok(days(false).every(([, , folded]) => !folded));
});

test('an address chooses a kind, words, a week and a page of it', () => {
  const { show, search, week, span } = choiceOf('show=missed&q=%20key%20');
  assert.deepEqual([show, search, week, span.since], ['missed', 'key', undefined, 0]);
  assert.equal(choiceOf('show=anything').show, 'all');
  // The week in which summer time ends, by any of its days; until somewhere in it.
  const whole = choiceOf('week=2026-10-25');
  assert.equal(whole.week?.toString(), '2026-10-19');
  assert.deepEqual(whole.span, { since: at('2026-10-19T00:00'), until: at('2026-10-26T00:00') });
  assert.equal(choiceOf('week=2026-10-25&until=1').span.until, 1);
  assert.equal(choiceOf('week=soon').week, undefined);
  assert.throws(() => choiceOf('until=-1'));
});

const person = { numbers: ['110'], customer: undefined } as unknown as Person;

/** A store with these notes, oldest first; calls and other actions are not read. */
const storeOf = (notes: readonly StoredAction[]) => ({
  calls: {} as CallStore,
  callers: {
    notes: async (
      _: number,
      { since, before, limit }: { since: number; before: { at: number }; limit: number },
    ) =>
      notes
        .filter((note) => note.at >= since && note.at < before.at)
        .slice(-limit)
        .reverse(),
  } as unknown as CallerStore,
});

test('notes are found by all words, without accents; what is not read yet is on the next page', async () => {
  const notes = Array.from({ length: 700 }, (_, n): StoredAction => {
    if (n === 650)
      return { id: n, number: '110', at: n, user: 'Ann', kind: 'note', text: 'Now: 030 / 9018-20' };
    const text = n % 100 === 0 ? 'Schlüssel liegt\nbei Müller' : 'Schlüssel';
    return { id: n, number: '110', at: n, user: 'Ann', kind: 'note', text };
  });
  const found = async (query: string) => {
    const { moments, older } = await readStory(storeOf(notes), 1, person, choiceOf(query));
    return { at: moments.map((one) => one.at), older };
  };
  assert.deepEqual(await found('q=muller+SCHLUSSEL'), { at: [600, 500, 400], older: 400 });
  for (const typed of ['030901820', '901820']) assert.deepEqual((await found(`q=${typed}`)).at, [650], typed);
  assert.deepEqual(await found('q=muller&until=400'), { at: [300, 200, 100], older: 100 });
  assert.deepEqual(await found('q=muller&until=100'), { at: [0], older: null });
  const { at: newest, older } = await found('show=notes');
  assert.deepEqual([newest.length, newest[0], older], [30, 699, 670]);
});

test('notes of one moment are on one page, each once', async () => {
  const notes = Array.from({ length: 71 }, (_, n): StoredAction => {
    return { id: n, number: '110', at: n - (n % 4 === 0 ? 0 : 1), user: 'Ann', kind: 'note', text: `${n}` };
  });
  const found: (string | null)[] = [];
  for (let until: number | null = 1_000; until !== null; ) {
    const query = choiceOf(`show=notes&until=${until}`);
    const { moments, older } = await readStory(storeOf(notes), 1, person, query);
    found.push(...moments.flatMap((one) => ('action' in one ? one.action.text : [])));
    until = older;
  }
  assert.deepEqual(found, notes.map(({ text }) => text).reverse());
});

test('behind a page of what is not shown comes what is, once', async () => {
  const taken = Array.from({ length: 40 }, (_, n): StoredAction => {
    return { id: n, number: '110', at: 100 + n, user: 'Ann', kind: 'taken', text: null };
  });
  const calls = [{ startedAt: 50, missed: false } as CallRecord];
  const store = {
    calls: {
      page: async ({ filter: { until } }: { filter: { until: number } }) => ({
        calls: calls.filter(({ startedAt }) => startedAt < until),
        next: null,
      }),
    } as unknown as CallStore,
    callers: {
      actions: async (_: number, { until }: { until: number }, max: number) =>
        taken.filter(({ at }) => at < until).slice(-max),
    } as unknown as CallerStore,
  };
  const found: number[] = [];
  for (let until: number | null = 1_000; until !== null; ) {
    const { moments, older } = await readStory(store, 1, person, choiceOf(`until=${until}`));
    found.push(...moments.map((one) => one.at));
    until = older;
  }
  assert.deepEqual(found, [50]);
});

test('twelve weeks are counted by the clock of the account, this one last', async () => {
  const now = at('2026-11-29T12:00');
  const weeksOf = (times: readonly string[], many = 0) => {
    const calls = times.map((time, n) => ({ at: at(time), missed: n % 2 === 1 }));
    const callTimes = async (_: number, __: unknown, since: number, max: number) =>
      [...calls, ...Array.from({ length: many }, () => ({ at: now, missed: false }))]
        .filter((one) => one.at >= since)
        .slice(0, max);
    return readWeeks({ callers: { callTimes } as unknown as CallerStore }, 1, person, { timeZone, now });
  };
  const weeks = await weeksOf([
    '2026-09-06T23:59',
    '2026-09-07T00:00',
    '2026-10-25T23:59',
    '2026-10-26T00:00',
    '2026-11-29T11:00',
  ]);
  assert.equal(weeks.length, 12);
  assert.deepEqual(
    weeks.flatMap(({ monday, calls, missed }) => (calls ? [[monday.toString(), calls, missed]] : [])),
    [
      ['2026-09-07', 1, 1],
      ['2026-10-19', 1, 0],
      ['2026-10-26', 1, 1],
      ['2026-11-23', 1, 0],
    ],
  );
  assert.deepEqual(await weeksOf([]), []);
  assert.deepEqual(await weeksOf([], 2_000), [], 'a machine that calls all day');
});
