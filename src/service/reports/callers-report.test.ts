import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallRecord } from '../calls/call-record.ts';
import type { CallerAction, CallerStore } from '../store/caller-store.ts';
import type { Report } from './call-report.ts';
import { callersReport } from './callers-report.ts';

const report = (calls: readonly number[]) =>
  ({
    perDay: calls,
    groups: { integrations: [['1', { calls: calls.reduce((sum, count) => sum + count, 0) }]] },
  }) as unknown as Report;

test('what colleagues did is read to its beginning, however much it is', async () => {
  const number = '+4930901820';
  const note = (at: number) => ({ number, at, user: 'u', kind: 'note', text: 'x' }) as const;
  const actions: CallerAction[] = [
    { ...note(60_000), kind: 'done', text: null },
    ...Array.from({ length: 21_000 }, (_, at) => note(70_000 + Math.floor(at / 3))),
  ];
  const missed = { startedAt: 0, completedAt: 30_000, number } as CallRecord;
  const store = {
    counts: async () => [],
    missed: async () => [{ call: missed, reached: null }],
    actions: async (_: number, { since, until = Infinity }: { since: number; until?: number }, max: number) =>
      actions.filter(({ at }) => at >= since && at < until).slice(-max),
  } as unknown as CallerStore;
  const callers = await callersReport(store, 1, [{ since: 0, until: 1 }], report([1]), null);
  assert.deepEqual([callers?.calledBack, callers?.neverReached.length], [[30, 1], 0]);
});
