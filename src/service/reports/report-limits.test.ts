import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countCalls, MAX_GROUPS, OTHERS } from '../calls/aggregate.ts';
import { daysBetween } from '../kit/calendar.ts';
import { formatsFor } from '../kit/formats.ts';
import type { MissedCall } from '../people/caller-call-store.ts';
import type { CallerStore } from '../people/caller-store.ts';
import { render } from '../words/html.ts';
import { wordsFor } from '../words/words.ts';
import { makeReport } from './call-report.ts';
import { callersReport } from './callers-report.ts';
import { columnsOf, type Row, showTable, tableCells } from './report-tables.ts';

const words = wordsFor('en');
const formats = formatsFor('UTC');

const rowsOf = (count: number): Row[] =>
  Array.from({ length: count }, (_, n) => ({
    calls: 1,
    answered: 0,
    missed: 1,
    label: `Caller ${n}`,
    at: n,
  }));
const columns = columnsOf(words).neverReached('Caller');
const shown = (count: number, whole?: { count: number; rows: Row[] }) =>
  render(
    showTable(
      { name: 'never', caption: 'x', columns, rows: rowsOf(count), ...(whole && { whole }) },
      { words, formats },
      { table: 'never', column: 'last_call', descending: true },
      () => '',
    ),
  );

test('a table of a report has at most 400 rows on a page, and says how many more the CSV has', () => {
  assert.equal(shown(400).match(/<tr/g)?.length, 401);
  assert.doesNotMatch(shown(400), /more are in the CSV/);
  const many = shown(1_600);
  assert.equal(many.match(/<tr/g)?.length, 401);
  assert.match(many, />1,200 more are in the CSV file/);
  assert.match(many, /Caller 1599/, 'the first in the order that is asked for');
  assert.match(shown(400, { count: 16_000, rows: [] }), />15,600 more are in the CSV file/);
});

test('the CSV of a table has all rows, in pieces', async () => {
  const table = { name: 'never', caption: '', columns, rows: [], whole: { count: 950, rows: rowsOf(950) } };
  const some = await Array.fromAsync(tableCells(table, 'UTC'));
  assert.ok(some.every((rows) => rows.length <= 100));
  assert.equal(some.flat().length, 951);
});

test('a period has no more groups than a day, whatever names its days have', async () => {
  const first = Temporal.PlainDate.from('2026-11-01');
  const days = daysBetween(first, first.add({ days: 2 }), 'UTC');
  async function* figures() {
    for (const { since, until } of days) {
      const counted = countCalls({ since, until });
      for (let n = 0; n < MAX_GROUPS; n += 1)
        counted.add({
          status: 'completed',
          segment: null,
          callerId: `${since} ${n}`,
          startedAt: since,
          ringingAt: since,
          answeredAt: since,
          completedAt: since + 1,
          integration: 1,
          missed: false,
        });
      yield counted.figures();
    }
  }
  const { groups, answerers, all } = await makeReport({ step: 'day' }, days, 'UTC', figures());
  assert.equal(groups.extensions.length, MAX_GROUPS + 1);
  assert.equal(groups.extensions.find(([name]) => name === OTHERS)?.[1].calls, 2 * MAX_GROUPS);
  assert.equal(answerers[0]?.size, MAX_GROUPS + 1);
  assert.equal(all.calls, 3 * MAX_GROUPS);
});

test('missed calls of a period are read in pieces, also if very many ended at once', async () => {
  const calls = Array.from({ length: 3_000 }, (_, n): MissedCall => {
    // The second thousand at the same moment.
    const completedAt = n >= 1_000 && n < 2_000 ? 1_000 : n;
    const number = `+4930${9_000_000 + n}`;
    return { call: { number, customer: null, startedAt: n, completedAt }, reached: null } as never;
  });
  const asked: number[] = [];
  const store = {
    counts: async () =>
      calls.map(({ call: { number } }) => ({ number, customer: null, name: null, calls: 1, missed: 1 })),
    missed: async (_: number, { since, until }: { since: number; until: number }, max: number) => {
      const those = calls.filter(({ call: { completedAt: at } }) => at !== null && at >= since && at < until);
      asked.push(Math.min(max, those.length));
      return those.slice(-max);
    },
    actions: async () => [],
  } as unknown as CallerStore;
  const report = { groups: { integrations: [['1', { calls: 3_000 }]] }, perDay: [] } as never;
  const found = await callersReport(store, 1, [{ since: 0, until: 4_000 }], report, null, Date.UTC(2026, 0));
  assert.deepEqual(
    found?.neverReached.map(([call]) => call?.startedAt),
    Array.from({ length: 3_000 }, (_, n) => 2_999 - n),
  );
  assert.equal(found?.busiest.length, 15);
  assert.ok(Math.max(...asked) <= 2_000, `${asked}`);
  assert.ok(asked.filter((count) => count > 500).length <= 3, `${asked}`);
});
