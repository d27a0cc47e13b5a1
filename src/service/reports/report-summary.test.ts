import assert from 'node:assert/strict';
import { test } from 'node:test';
import { table } from '../../../test/table.ts';
import type { Extension } from '../accounts/directory-store.ts';
import { countGroup, OTHERS } from '../calls/aggregate.ts';
import { formatsFor } from '../kit/formats.ts';
import { de } from '../words/de.ts';
import { en } from '../words/en.ts';
import { render } from '../words/html.ts';
import type { Report } from './call-report.ts';
import { deciding, summaryFigures } from './report-summary.ts';

/** A report of hours as `9:66/12 10:40/1`: calls and missed ones, answered by these extensions at every hour. */
function report(text: string, answerers: readonly string[] = []): Report {
  const hours = Array.from({ length: 24 }, () => ({ calls: 0, answered: 0, missed: 0 }));
  const all = { ...countGroup().group(), calls: 0, answered: 0, missed: 0 };
  for (const one of text.split(' ')) {
    const [hour = 0, calls = 0, missed = 0] = one.split(/[:/]/).map(Number);
    hours[hour] = { calls, answered: calls - missed, missed };
    all.calls += calls;
    all.answered += calls - missed;
    all.missed += missed;
  }
  return { all, hours, answerers: hours.map(() => new Set(answerers)) } as unknown as Report;
}

const spoken = (words: typeof en) => ({ words, formats: formatsFor('UTC', words.locale) });
const extensions = new Map(
  ['1001', '1002'].map((extension): [string, Extension] => [
    extension,
    { account: 1, extension, name: '', user: 7, userName: 'Jana' },
  ]),
);

const rows = table<[what: string, hours: string, expected: string]>(`
  the busiest hour                       | 9:66/12 10:40/1 11:30/2 | Busiest: 09:00 – 10:00. 12 of 66 calls missed.
  the hour that missed most              | 9:66/2 12:30/9 14:40/1  | Most missed: 12:00 – 13:00. 9 of 30 calls missed.
  it missed few: the busiest             | 9:66/2 12:30/4 14:40/1  | Busiest: 09:00 – 10:00. 2 of 66 calls missed.
  it missed as large a part as all       | 9:60/9 12:30/5 14:80/8  | Busiest: 14:00 – 15:00. 8 of 80 calls missed.
  two hours have most, none missed more  | 9:40/2 12:40/2          |
  two hours have most, one missed more   | 9:40/2 12:40/9          | Most missed: 12:00 – 13:00. 9 of 40 calls missed.
  few calls                              | 9:20/9 12:9/1           |
  the last hour of a day                 | 23:30/0                 | Busiest: 23:00 – 00:00. 0 of 30 calls missed.
`);
for (const [what, hours, expected] of rows)
  test(`the sentence of a report: ${what}`, () => {
    const said = render(deciding(report(hours), extensions, spoken(en)));
    assert.equal(said.replace(/<.?b>/g, ''), expected);
  });

test('it says how many people answered then: each once, whatever the extension, and known ones only', () => {
  const says = (words: typeof en, ...answerers: string[]) =>
    render(deciding(report('9:66/12', answerers), extensions, spoken(words)));
  assert.match(says(en, '1001', '1002', '3', '', OTHERS), / missed, 2 people answered\.$/);
  assert.match(says(en, '1001'), / missed, 1 person answered\.$/);
  assert.match(says(de, '1001', '3'), / verpasst, 2 Personen nahmen an\.$/);
});

test('four figures, each with what it was before; without the last if callers were not read', () => {
  const [now, then] = [report('9:80/20'), report('9:50/5')];
  const callers = { calledBack: [1500, 1], neverReached: [[]], busiest: [] };
  assert.deepEqual(
    summaryFigures(now, then, callers, 20, spoken(en)).map(({ label, value, share, under }) =>
      [label, value, share, ...under].join(' | '),
    ),
    [
      'Calls | 80 |  | 50 before',
      'Missed | 20 | 25.0% | 10.0% before',
      'Time to answer | – | ',
      'Called back after | 25\u00a0min |  | 1 never reached',
    ],
  );
  assert.equal(summaryFigures(now, then, null, 20, spoken(en)).length, 3);
});
