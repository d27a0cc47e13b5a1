import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallRecord } from '../calls/call-record.ts';
import type { CallerAction, CallerStore } from '../store/caller-store.ts';
import { countGroup } from './aggregate.ts';
import type { Report } from './call-report.ts';
import { callersReport, MAX_CALLS } from './callers-report.ts';

test('callers of too many calls are not read, not even for a filter that few of them fit', async () => {
  let read = 0;
  const store = {
    counts: async () => {
      read += 1;
      return [];
    },
    missed: async () => [],
    actions: async () => [],
  } as unknown as CallerStore;
  const group = (calls: number) => ({ ...countGroup().group(), calls });
  const of = (calls: number) =>
    ({ all: group(2), perDay: [], groups: { integrations: [['1', group(calls)]] } }) as unknown as Report;
  const filter = { kind: 'segments', names: ['VIP'] } as const;
  assert.equal(await callersReport(store, 1, [{ since: 0, until: 1 }], of(MAX_CALLS + 1), filter), null);
  assert.equal(read, 0);
  assert.notEqual(await callersReport(store, 1, [{ since: 0, until: 1 }], of(MAX_CALLS), filter), null);
});

const report = (calls: readonly number[]) =>
  ({
    perDay: calls,
    groups: { integrations: [['1', { calls: calls.reduce((sum, count) => sum + count, 0) }]] },
  }) as unknown as Report;

test('quiet days are read together, and busy ones apart', async () => {
  const asked: string[] = [];
  const store = {
    counts: async (_: number, { since, until }: { since: number; until: number }) => {
      asked.push(`${since}-${until}`);
      return [{ number: '+4930', name: null, calls: 1, missed: 0 }];
    },
    missed: async () => [],
    actions: async () => [],
  } as unknown as CallerStore;
  const calls = [10, 20, 9_000, 3_000, 1_000, 5];
  const days = calls.map((_, day) => ({ since: day, until: day + 1 }));
  const callers = await callersReport(store, 1, days, report(calls), null);
  assert.deepEqual(asked, ['0-2', '2-3', '3-6']);
  assert.equal(callers?.busiest[0]?.calls, 3);
  asked.length = 0;
  // The parts of days are not beside each other.
  await callersReport(store, 1, [days[0], days[2]] as typeof days, report(calls), null);
  assert.deepEqual(asked, ['0-1', '2-3']);
});

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
