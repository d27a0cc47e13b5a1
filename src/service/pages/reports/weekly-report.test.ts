import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CallFacts, countCalls, type Span } from '../../reports/aggregate.ts';
import type { Account } from '../../store/directory-store.ts';
import type { ReportStore } from '../../store/store.ts';
import { formatsFor } from '../kit/formats.ts';
import { en } from '../words/en.ts';
import { lastWeek, weeklyReport } from './weekly-report.ts';

test('the figures of a week are written as in the reports', async () => {
  const zone = 'Europe/Berlin';
  const now = Date.parse('2026-11-02T08:00Z');
  const monday = lastWeek(now, zone);
  assert.equal(monday.toString(), '2026-10-26');
  const call = (startedAt: number, missed: boolean) =>
    ({
      ...{ startedAt, ringingAt: startedAt, completedAt: startedAt + 70_000, missed, integration: 1 },
      answeredAt: missed ? null : startedAt + 10_000,
    }) as CallFacts;
  const calls = ['2026-10-25T23:00Z', '2026-11-01T22:59Z'].map((at, index) =>
    call(Date.parse(at), index === 0),
  );
  async function* figures(_: number, spans: readonly Span[]) {
    for (const span of spans) {
      const counted = countCalls(span);
      for (const one of calls)
        if (one.startedAt >= span.since && one.startedAt < span.until) counted.add(one);
      yield counted.figures();
    }
  }
  const reports = { figures } as unknown as ReportStore;
  const account = { id: 1, answerWithin: 20 } as Account;
  const report = await weeklyReport({ reports }, account, monday, en, formatsFor(zone), now);
  assert.deepEqual(
    report.figures.map(([, week, before]) => [week, before]),
    [
      ['2', '0'],
      ['1', '0'],
      ['1', '0'],
      ['50.0%', '–'],
      ['50.0%', '–'],
      ['0:10', '–'],
      ['1:00', '–'],
    ],
  );
});
