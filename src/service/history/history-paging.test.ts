import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createSerialise } from '../store/statements.ts';
import { historyPaging } from './history-paging.ts';
import type { HistoryHit } from './history-reader.ts';
import type { HistoryOrder, SearchPlace } from './request-store.ts';

/** What a text search finds of an entry: nothing, a text, or a text that an index knows. */
type Kind = 'other' | 'text' | 'named';

/** Pages over such entries, the n-th of which has the id n + 1, in slices of `rows` that take 100 ms each. */
function pagesOf(kinds: readonly Kind[], rows: number) {
  let now = 0;
  let read = 0;
  const entries = kinds.map((kind, n) => ({ kind, at: Math.floor(n / 3), id: n + 1 }));
  const paging = historyPaging(
    {
      lastId: async () => kinds.length,
      total: async () => kinds.length,
      skip: async () => assert.fail('a text search skips nothing'),
      async slice({ search, order, after, rows }) {
        const ordered = order === 'oldest' ? entries : entries.toReversed();
        const from = ordered.findIndex(({ id }) => id === after?.id) + 1;
        const isText = search?.in === 'request';
        const all = ordered
          .slice(from)
          .filter(({ kind }) => isText || (kind === 'named' && search?.in === 'call'));
        const looked = all.slice(0, rows);
        if (isText) now += 100;
        if (isText) read += looked.length;
        const hits = looked
          .filter(({ kind }) => kind !== 'other')
          .map(({ kind, at, id }): HistoryHit => ({ at, id, ...(isText && { named: kind === 'named' }) }));
        const last = looked.at(-1);
        return { hits, next: last && all.length > rows ? { at: last.at, id: last.id } : null };
      },
      entries: async (_account, places) => ({
        entries: places.map(({ id }) => ({ id }) as never),
        taken: places.length,
      }),
    },
    createSerialise(),
    { text: rows, skip: rows },
    () => now,
  );
  return async (from: SearchPlace | null, limit: number, order: HistoryOrder = 'newest', offset = 0) => {
    read = 0;
    const search = { in: 'request', term: 'x' } as const;
    const { chunks, ...page } = await paging.textPage({ account: 1, search, order, from, offset, limit });
    const ids = (await Array.fromAsync(chunks)).flat().map(({ id }) => id);
    return { ...page, ids, read };
  };
}

test('what an index knows is on the first page, and little is read for it', async () => {
  const kinds: Kind[] = Array(10_000).fill('other');
  for (const n of [10, 20, 5_000]) kinds[n] = 'named';
  kinds[5_001] = 'text';
  const page = pagesOf(kinds, 500);
  const first = await page(null, 2);
  assert.deepEqual([first.ids, first.read], [[5_001, 21], 2_000]);
  const second = await page(first.next, 2);
  assert.deepEqual([second.ids, second.read], [[11], 2_000]);
  let next = second.next;
  const rest: number[] = [];
  for (; next !== null; ) {
    const more = await page(next, 2);
    rest.push(...more.ids);
    next = more.next;
  }
  assert.deepEqual(rest, [5_002], 'the rest by reading, and nothing twice');
});

test('all pages together hold every match once, each page in order, however little is read for one', async () => {
  const kinds = fc.array(fc.constantFrom<Kind>('other', 'other', 'text', 'named'), { maxLength: 300 });
  const sizes = fc.record({ rows: fc.integer({ min: 1, max: 60 }), limit: fc.integer({ min: 1, max: 20 }) });
  await fc.assert(
    fc.asyncProperty(
      kinds,
      sizes,
      fc.constantFrom('newest', 'oldest'),
      async (kinds, { rows, limit }, order) => {
        // With 700 rows a slice, no page reads more than three.
        const padded = kinds.flatMap((kind) => [kind, ...Array(39).fill('other')]);
        const page = pagesOf(padded, rows * 12);
        const found: number[] = [];
        let from: SearchPlace | null = null;
        do {
          const { ids, passed, count, next } = await page(from, limit, order);
          assert.ok(ids.length <= limit && passed === count && count === ids.length);
          assert.deepEqual(
            ids,
            ids.toSorted((a, b) => (order === 'oldest' ? a - b : b - a)),
          );
          found.push(...ids);
          from = next;
        } while (from !== null);
        const expected = padded.flatMap((kind, n) => (kind === 'other' ? [] : [n + 1]));
        assert.deepEqual(
          found.toSorted((a, b) => a - b),
          expected,
        );
      },
    ),
    { numRuns: 40 },
  );
});
