import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type HistorySlice, historyPages } from './history-pages.ts';
import { oneByOne } from './one-by-one.ts';

const ROWS = 1_000;

/** Pages over so many entries, the n-th of which has the id n and holds the text if `holds` says so; with what was read. */
function pagesOf(length: number, holds: (id: number) => boolean) {
  const slices: HistorySlice[] = [];
  const pages = historyPages<number>(
    {
      start: async () => ({
        lastId: length,
        filter: { by: 'text', search: { in: 'request', term: 'x' } },
        total: length,
      }),
      skip: async () => assert.fail('a text search skips nothing'),
      slice: async (slice) => {
        slices.push(slice);
        const from = slice.after?.id ?? 0;
        const to = Math.min(length, from + slice.rows);
        const ids = Array.from({ length: to - from }, (_, n) => from + n + 1).filter(holds);
        return { ids, rows: to - from, next: to < length ? { at: to, id: to } : null };
      },
      entries: async (ids) => ({ entries: [], taken: ids.length }),
    },
    oneByOne(),
    { text: ROWS, skip: ROWS },
  );
  const page = async (offset: number, limit: number) => {
    const search = { in: 'request', term: 'x' } as const;
    const { count, total } = await pages.page({ account: 1, search, order: 'oldest', offset, limit });
    return { count, total, read: slices.splice(0).length * ROWS };
  };
  return page;
}

test('what matches after a page is counted if that is soon done', async () => {
  const page = pagesOf(11_000, () => true);
  assert.deepEqual(await page(0, 10), { count: 10, total: 11_000, read: 11_000 });
  assert.deepEqual(await page(10_995, 10), { count: 5, total: 11_000, read: 11_000 });
});

test('however much matches, a page costs what its entries cost', async () => {
  for (const length of [100_000, 10_000_000]) {
    const page = pagesOf(length, () => true);
    assert.deepEqual(await page(0, 10), { count: 10, total: null, read: 11_000 });
    assert.deepEqual(await page(20_000, 10), { count: 10, total: null, read: 31_000 });
  }
});

test('a page that says that there is more knows of an entry that is', async () => {
  const last = pagesOf(500_000, (id) => id <= 10);
  assert.deepEqual(await last(0, 10), { count: 10, total: 10, read: 500_000 });
  const more = pagesOf(500_000, (id) => id <= 10 || id === 400_000);
  assert.deepEqual(await more(0, 10), { count: 10, total: null, read: 410_000 });
  assert.deepEqual(await more(10, 10), { count: 1, total: 11, read: 500_000 });
});
