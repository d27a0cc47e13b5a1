import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { event, serve } from '../tools/service/harness.ts';

test('a page of a text that is found again and again says that there is more, not how much', async (t) => {
  const { a, page, stateDir } = await serve(t);
  const db = new DatabaseSync(join(stateDir, 'service.db'));
  db.exec(`INSERT INTO history (account_id, integration_id, created_at, method, path, request, status, duration)
    WITH RECURSIVE n (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM n WHERE at < 3000)
    SELECT (SELECT min(id) FROM accounts), 1, at, 'POST', '/', 'often' || at, 200, 1 FROM n`);
  db.close();
  const often = await page(a.token, '?search=request&search_term=often&limit=2&page=2&sort=created_at');
  assert.deepEqual(
    often.data.map(({ request }) => request),
    ['often3', 'often4'],
  );
  const { total, last_page, from, to } = often.meta;
  assert.deepEqual([total, last_page, often.links.last, from, to], [null, null, null, 3, 4]);
  assert.match(often.links.prev ?? '', /page=1/);
  const next = await page(a.token, new URL(often.links.next ?? '').search);
  assert.equal(next.data[0]?.request, 'often5');
  // One page, if the machine searches 3,000 texts in time; the last one says that there are no more.
  const rare: (string | null)[] = [];
  for (let query: string | null = '?search=request&search_term=often299&limit=20'; query !== null; ) {
    const { data, links, meta } = await page(a.token, query);
    rare.push(...data.map(({ request }) => request));
    assert.equal(meta.total === null, links.next !== null, query);
    query = links.next && new URL(links.next).search;
  }
  assert.deepEqual(rare, ['often299', ...Array.from({ length: 10 }, (_, n) => `often${2990 + n}`)]);
});

test('a search that takes long says how far back it looked, and goes on there', async (t) => {
  const { a, ask, page, post, stateDir } = await serve(t);
  await post(a.token, event({ id: 'first', status: 'ringing', from: '+4930901820' }));
  const db = new DatabaseSync(join(stateDir, 'service.db'));
  const later = Date.now() + 60_000;
  db.exec(`INSERT INTO history (account_id, integration_id, created_at, method, path, request, status, duration)
    WITH RECURSIVE n (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM n WHERE at < 5000)
    SELECT (SELECT min(id) FROM accounts), 1, ${later} + at, 'POST', '/', 'other ' || at, 200, 1 FROM n`);
  db.close();
  for (const term of ['first', '%2B4930901820']) {
    const search = `search=request&search_term=${term}&sort=-created_at&limit=5`;
    const found = await page(a.token, `?${search}`);
    assert.deepEqual(
      found.data.map(({ request }) => JSON.parse(request).id),
      ['first'],
      'known by an index, before what is newer was read',
    );
    const { searched_to, total, from, to } = found.meta;
    assert.ok(Date.parse(searched_to ?? '') > later);
    assert.deepEqual([total, from, to], [null, 1, 1]);
    const rest: string[] = [];
    for (let next = found.links.next; next !== null; ) {
      const { data, links } = await page(a.token, new URL(next).search);
      rest.push(...data.map(({ path }) => path));
      next = links.next;
    }
    assert.equal(rest.includes('/api/v1/voice/call'), false, 'nothing is there twice');
    assert.deepEqual(rest, [], 'and no search finds the searches before it');
  }
  for (const query of ['limit=5&cursor=1-2-3', 'search=request&search_term=x&limit=5&cursor=x'])
    assert.equal((await ask(`/voice?${query}`, { token: a.token })).status, 422, query);
});
