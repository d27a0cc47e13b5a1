import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HeldCalls } from '../../src/shared/api/contract/bridge-calls.ts';
import { certificate } from '../tools/service/certificate.ts';
import { event, serve } from '../tools/service/harness.ts';
import { browse, systemsIn } from '../tools/service/people.ts';
import { storeCalls } from '../tools/service/stored-calls.ts';

const range = { from: 'pbx-1764000000', to: 'pbx-1765000000' };

test('an integration learns which of its calls the service has, and nothing of others; none of it is in the API log', async (t) => {
  const { a, b, ask, post, history } = await serve(t);
  const held = async (token: string, query: Record<string, string> = range) => {
    const { status, json } = await ask(`/bridge/calls?${new URLSearchParams(query)}`, { token });
    assert.equal(status, 200);
    return json as HeldCalls;
  };
  const call = event({ id: 'pbx-1764000000.1' });
  for (const status of ['ringing', 'completed']) await post(a.token, { ...call, status });
  await post(a.token, event({ id: 'pbx-1764000000.2' }));
  await post(a.token, event({ id: 'pbx-1765000000.1' }));
  await post(a.secondToken, event({ id: 'pbx-1764000000.3' }));
  await post(b.token, event({ id: 'pbx-1764000000.4' }));
  const before = await history(a.token);

  const own = [
    { id: 'pbx-1764000000.1', status: 'completed' },
    { id: 'pbx-1764000000.2', status: 'ringing' },
  ];
  assert.deepEqual(await held(a.token), { calls: own, next: null, since: null });
  assert.deepEqual((await held(a.token, { ...range, from: 'pbx-1764000000.1' })).calls, own.slice(1));
  assert.deepEqual((await held(a.secondToken)).calls, [{ id: 'pbx-1764000000.3', status: 'ringing' }]);
  assert.deepEqual((await held(b.token)).calls, [{ id: 'pbx-1764000000.4', status: 'ringing' }]);

  assert.equal((await ask('/bridge/calls?from=a&to=b', { token: 'nobody' })).status, 401);
  for (const query of [
    '',
    '?from=a',
    '?to=a',
    '?from=&to=a',
    `?from=a&to=${'x'.repeat(1_000)}`,
    '?from=a&to=%00',
    '?from=%00&to=b',
  ]) {
    const { status, json } = await ask(`/bridge/calls${query}`, { token: a.token });
    assert.deepEqual([query, status], [query, 422]);
    assert.deepEqual(json, { message: 'This is not what /api/v1/bridge/calls takes.' });
  }
  // Each request for it is one itself.
  assert.equal((await history(a.token)).length, before.length + 1);
});

test('more calls than a page has are read with a cursor that later calls do not move; the service says since when it keeps calls', async (t) => {
  const day = 86_400_000;
  const served = await serve(t, { retention: { callsMaxAgeMs: 100 * day } });
  const idOf = (nth: number) => `pbx-1764000000.${nth}`;
  await storeCalls(served, (report) =>
    Promise.all(
      Array.from({ length: 2_500 }, (_, nth) => report({ account: 1, id: idOf(nth), at: Date.now() })),
    ),
  );
  const page = async (from = range.from) => {
    const query = new URLSearchParams({ ...range, from });
    return (await served.ask(`/bridge/calls?${query}`, { token: served.a.token })).json as HeldCalls;
  };
  const first = await page();
  assert.equal(first.calls.length, 2_000);
  assert.equal(first.next, first.calls.at(-1)?.id);
  assert.ok(first.since !== null && Math.abs(Date.now() - 100 * day - first.since) < day);
  await served.post(served.a.token, event({ id: 'pbx-1764000000.0000' }));
  const second = await page(first.next ?? '');
  assert.equal(second.next, null);
  const ids = [...first.calls, ...second.calls].map(({ id }) => id);
  assert.deepEqual(ids, Array.from({ length: 2_500 }, (_, nth) => idOf(nth)).sort());
});

test("the integration's page shows its last certificate, and no other account's does", async (t) => {
  const served = await serve(t);
  const { a, b, ask, history } = served;
  const send = async (body: unknown, token = a.token) =>
    (await ask('/bridge/certificate', { method: 'POST', body, token })).status;
  const difference = { weight: 'missing', what: '<b>lost</b>', count: 4, calls: ['pbx-1', '<i>pbx-2'] };
  for (const wrong of [
    {},
    certificate({ month: '2026-13' }),
    certificate({ verdict: 'perfect' }),
    certificate({ api: -1 }),
    certificate({ records: '12' }),
    certificate({ madeAt: 1e20 }),
    certificate({ zone: 'x'.repeat(101) }),
    certificate({ differences: Array(51).fill(difference) }),
    certificate({ differences: [{ ...difference, calls: Array(11).fill('pbx-1') }] }),
    certificate({ differences: [{ ...difference, what: 'x'.repeat(1_001) }] }),
  ])
    assert.equal(await send(wrong), 422, JSON.stringify(wrong).slice(0, 100));
  assert.equal(await send(certificate(), 'nobody'), 401);

  const boss = await browse(served, 'Boss');
  const other = await browse(served, 'Bea', { account: 'Beta' });
  const [path = '', secondPath = ''] = systemsIn((await boss.read('/integrations')).text);
  assert.doesNotMatch((await boss.read(path)).plain, /Calls of/);
  assert.equal(await send(certificate()), 200);
  assert.match(
    (await boss.read(path)).plain,
    /Calls of November 2026: all are here Phone system 1,234, bridge 1,230, here 1,230/,
  );
  assert.equal(
    await send(
      certificate({ month: '2026-12', verdict: 'missing', api: undefined, differences: [difference] }),
    ),
    200,
  );
  const { text, plain } = await boss.read(path);
  assert.match(plain, /Calls of December 2026: some are missing Phone system 1,234, bridge 1,230, here \?/);
  assert.match(text, /4: <bdi>&lt;b>lost&lt;\/b><\/bdi>.*<code><bdi>&lt;i>pbx-2<\/bdi><\/code>/);
  assert.doesNotMatch(plain, /November 2026/);
  assert.equal(text.match(/December 2026/g)?.length, 1, 'only at its integration');
  assert.match(secondPath, /integrations/);
  assert.doesNotMatch((await other.read('/integrations')).plain, /Calls of/);
  assert.equal(await send(certificate({ verdict: 'unproven' }), b.token), 200);
  assert.match(
    (await other.read('/integrations')).plain,
    /Calls of November 2026: not proven to be complete/,
  );
  assert.deepEqual(await history(a.token, '?search=request&search_term=2026-12'), []);
});
