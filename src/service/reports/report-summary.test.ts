import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Extension } from '../accounts/account.ts';
import { countGroup, OTHERS } from '../calls/aggregate.ts';
import { formatsFor } from '../kit/formats.ts';
import { de } from '../words/de.ts';
import { en } from '../words/en.ts';
import { render } from '../words/html.ts';
import type { Report } from './call-report.ts';
import { deciding, summaryFigures } from './report-summary.ts';

type Hours = Readonly<Record<number, { calls: number; missed: number }>>;

/** A report of these hours, answered by these extensions at every hour. */
function report(busy: Hours, answerers: readonly string[] = []): Report {
  const hours = Array.from({ length: 24 }, (_, hour) => {
    const { calls, missed } = busy[hour] ?? { calls: 0, missed: 0 };
    return { calls, answered: calls - missed, missed };
  });
  const all = { ...countGroup().group(), calls: 0, answered: 0, missed: 0 };
  for (const hour of hours)
    for (const figure of ['calls', 'answered', 'missed'] as const) all[figure] += hour[figure];
  return { all, hours, answerers: hours.map(() => new Set(answerers)) } as unknown as Report;
}

const spoken = (words: typeof en) => ({ words, formats: formatsFor('UTC', words.locale) });
const extensions = new Map(
  ['1001', '1002'].map((extension): [string, Extension] => [
    extension,
    { account: 1, extension, name: '', user: 7, userName: 'Jana' },
  ]),
);

// biome-ignore format: one case a line
const cases: [name: string, hours: Hours, expected: string][] = [
  ['the busiest hour',
    { 9: { calls: 66, missed: 12 }, 10: { calls: 40, missed: 1 }, 11: { calls: 30, missed: 2 } }, 'Busiest: 09:00 – 10:00. 12 of 66 calls missed.'],
  ['the hour that missed most',
    { 9: { calls: 66, missed: 2 }, 12: { calls: 30, missed: 9 }, 14: { calls: 40, missed: 1 } }, 'Most missed: 12:00 – 13:00. 9 of 30 calls missed.'],
  ['it missed few: the busiest',
    { 9: { calls: 66, missed: 2 }, 12: { calls: 30, missed: 4 }, 14: { calls: 40, missed: 1 } }, 'Busiest: 09:00 – 10:00. 2 of 66 calls missed.'],
  ['it missed as large a part as all',
    { 9: { calls: 60, missed: 9 }, 12: { calls: 30, missed: 5 }, 14: { calls: 80, missed: 8 } }, 'Busiest: 14:00 – 15:00. 8 of 80 calls missed.'],
  ['two hours have most, none missed more', { 9: { calls: 40, missed: 2 }, 12: { calls: 40, missed: 2 } }, ''],
  ['two hours have most, one missed more',
    { 9: { calls: 40, missed: 2 }, 12: { calls: 40, missed: 9 } }, 'Most missed: 12:00 – 13:00. 9 of 40 calls missed.'],
  ['few calls', { 9: { calls: 20, missed: 9 }, 12: { calls: 9, missed: 1 } }, ''],
  ['the last hour of a day', { 23: { calls: 30, missed: 0 } }, 'Busiest: 23:00 – 00:00. 0 of 30 calls missed.'],
];
for (const [what, hours, expected] of cases)
  test(`the sentence of a report: ${what}`, () => {
    const said = render(deciding(report(hours), extensions, spoken(en)));
    assert.equal(said.replace(/<.?b>/g, ''), expected);
  });

test('it says how many people answered then: each once, whatever the extension, and known ones only', () => {
  const says = (words: typeof en, ...answerers: string[]) =>
    render(deciding(report({ 9: { calls: 66, missed: 12 } }, answerers), extensions, spoken(words)));
  assert.match(says(en, '1001', '1002', '3', '', OTHERS), / missed, 2 people answered\.$/);
  assert.match(says(en, '1001'), / missed, 1 person answered\.$/);
  assert.match(says(de, '1001', '3'), / verpasst, 2 Personen nahmen an\.$/);
});

test('four figures, each with what it was before; without the last if callers were not read', () => {
  const [now, then] = [report({ 9: { calls: 80, missed: 20 } }), report({ 9: { calls: 50, missed: 5 } })];
  const callers = { calledBack: [1500, 1], neverReached: [[]], stillWaiting: 2, busiest: [] };
  assert.deepEqual(
    summaryFigures(now, then, callers, 20, spoken(en)).map(({ label, value, share, under }) =>
      [label, value, share, ...under].join(' | '),
    ),
    [
      'Calls | 80 |  | 50 before',
      'Missed | 20 | 25.0% | 10.0% before',
      'Time to answer | – | ',
      'Called back after | 25\u00a0min |  | 9 of 10 within 25\u00a0min | 1 never reached | 2 still waiting',
    ],
  );
  assert.equal(summaryFigures(now, then, null, 20, spoken(en)).length, 3);
});
