import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallRecord } from './call-record.ts';
import type { CallSlice } from './call-slices.ts';
import { cursorPaging, noFilter } from './call-store.ts';

const filter = noFilter;
const call = (id: string) => ({ id }) as CallRecord;
const noCustomers = { get: async () => undefined, page: async () => ({ customers: [], next: null }) };

test('a page that nothing fills ends after a while, and says where to go on', async () => {
  let now = 0;
  const asked: CallSlice[] = [];
  const page = cursorPaging(
    async (slice) => {
      asked.push(slice);
      now += 100;
      const id = 1000 - asked.length;
      return {
        calls: asked.length === 2 ? [call('only')] : [],
        first: asked.length === 2 ? { at: 7, id: 7 } : null,
        next: { at: id, id },
      };
    },
    noCustomers,
    () => now,
  );
  const query = { account: 1, filter, towards: 'older', from: { at: 1000, id: 1000 }, limit: 2 } as const;
  assert.deepEqual(await page(query), {
    calls: [call('only')],
    next: { at: 996, id: 996 },
    back: { at: 7, id: 7 },
  });
  assert.deepEqual(
    asked.map(({ from, limit }) => [from?.at, limit]),
    [
      [1000, 2],
      [999, 2],
      [998, 1],
      [997, 1],
    ],
    'each slice from where the one before ended',
  );
});
