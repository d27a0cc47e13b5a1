import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type FakeApi, startFakeApi } from './fake-api.ts';
import { times } from './fake-api-faults.ts';

const token = 'secret';
const asJson = { accept: 'application/json', 'content-type': 'application/json' };

async function fakeApiFor(t: TestContext): Promise<FakeApi> {
  const fakeApi = await startFakeApi({ token });
  t.after(() => fakeApi.close());
  return fakeApi;
}

function report(fakeApi: FakeApi, id: string, status: string, extra: object = {}): Promise<Response> {
  return fetch(`${fakeApi.baseUrl}/voice/call`, {
    method: 'POST',
    redirect: 'manual',
    headers: { ...asJson, authorization: `Bearer ${token}` },
    body: JSON.stringify({ id, direction: 'inbound', status, from: '+15550100', ...extra }),
  });
}

test('a call moves forward; what arrives out of order is answered 200, discarded and counted', async (t) => {
  const fakeApi = await fakeApiFor(t);
  for (const status of ['ringing', 'completed', 'answered', 'ringing']) {
    const answer = await report(fakeApi, 'a', status, status === 'ringing' ? {} : { caller_id: '1001' });
    assert.equal(answer.status, 200);
    const { result } = (await answer.json()) as { result: string };
    assert.equal(result.length, 48);
  }
  const call = fakeApi.calls().get('a');
  assert.equal(call?.state, 'completed');
  assert.equal(call?.callerId, '1001');
  assert.deepEqual(call?.received, ['ringing', 'completed', 'answered', 'ringing']);
  const { moved, inverted, repeated } = fakeApi.counts();
  assert.deepEqual({ moved, inverted, repeated }, { moved: 2, inverted: 1, repeated: 1 });
});

test('the history: bare array without limit, a page with it, searched and sorted', async (t) => {
  const fakeApi = await fakeApiFor(t);
  for (const id of ['h-1', 'h-2', 'h-3']) {
    await report(fakeApi, id, 'ringing');
    await report(fakeApi, id, 'completed');
  }
  const get = async (query: string) => {
    const headers = { ...asJson, authorization: `Bearer ${token}` };
    return (await fetch(`${fakeApi.baseUrl}/voice${query}`, { headers })).json() as Promise<never>;
  };
  type Entry = { request: string; status: number };
  const all: Entry[] = await get('');
  assert.equal(all.length, 6);
  const page: { data: Entry[]; links: { next: string | null }; meta: object } = await get(
    '?search=request&search_term=h-2&sort=-created_at&limit=1&page=2',
  );
  assert.deepEqual(
    page.data.map((entry) => (JSON.parse(entry.request) as { id: string; status: string }).status),
    ['ringing'],
  );
  assert.equal(page.links.next, null);
  assert.deepEqual(
    { ...page.meta, path: '' },
    {
      current_page: 2,
      from: 2,
      last_page: 2,
      path: '',
      per_page: 1,
      to: 2,
      total: 2,
    },
  );
});

test('faults: before, during and after the event is applied', async (t) => {
  const fakeApi = await fakeApiFor(t);
  const rows = [
    { fault: { kind: 'reset', when: 'before' }, applied: false },
    { fault: { kind: 'reset', when: 'during' }, applied: true },
    { fault: { kind: 'reset', when: 'after' }, applied: true },
    { fault: { kind: 'garbage' }, applied: true },
    { fault: { kind: 'status', status: 500 }, applied: false, status: 500 },
    { fault: { kind: 'status', status: 302, headers: { location: '/login' } }, applied: false, status: 302 },
    { fault: { kind: 'status', status: 429, headers: { 'retry-after': '7' } }, applied: false, status: 429 },
    { fault: { kind: 'html' }, applied: false, status: 200 },
    { fault: { kind: 'discard' }, applied: false, status: 200 },
    { fault: { kind: 'slow', ms: 5 }, applied: true, status: 200 },
    { fault: { kind: 'huge', bytes: 10_000 }, applied: true, status: 200 },
  ] as const;
  for (const [n, row] of rows.entries()) {
    const id = `f-${n}`;
    const what = JSON.stringify(row.fault);
    fakeApi.inject(times(1, row.fault));
    const status = await report(fakeApi, id, 'ringing')
      .then((answer) => answer.text().then(() => answer.status))
      .catch(() => undefined);
    assert.equal(status, 'status' in row ? row.status : undefined, what);
    assert.equal(fakeApi.calls().has(id), row.applied, what);
    assert.equal((await report(fakeApi, id, 'ringing')).status, 200, `after ${what}`);
  }
});
