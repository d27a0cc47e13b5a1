import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallerStore } from '../store/caller-store.ts';
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
    ({ all: group(2), groups: { integrations: [['1', group(calls)]] } }) as unknown as Report;
  const filter = { kind: 'segments', names: ['VIP'] } as const;
  assert.equal(await callersReport(store, 1, [{ since: 0, until: 1 }], of(MAX_CALLS + 1), filter), null);
  assert.equal(read, 0);
  assert.notEqual(await callersReport(store, 1, [{ since: 0, until: 1 }], of(MAX_CALLS), filter), null);
});
