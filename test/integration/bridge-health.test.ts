import assert from 'node:assert/strict';
import { test } from 'node:test';
import { always } from '../fakes/far-side-faults.ts';
import { until } from '../until.ts';
import { browse, systemsIn } from './people.ts';
import { serve } from './service-harness.ts';
import { createStand, markerCall } from './stand.ts';

test("with API_EXTRAS the integration's page shows the open problems of its bridge with their remedies, and that they are over", async (t) => {
  const served = await serve(t);
  const { url, a } = served;
  const { read } = await browse(served, 'Jo');
  const [path = ''] = systemsIn((await read('/integrations')).text);
  const page = async () => (await read(path)).text;
  assert.doesNotMatch(await page(), /The bridge/);
  assert.match(await page(), /API_EXTRAS=yes/);

  const stand = await createStand(t, {
    API_BASE_URL: `${url}/api/v1`,
    API_TOKEN: a.token,
    API_EXTRAS: 'yes',
  });
  await stand.start();
  const shows = (what: RegExp) =>
    until(`the page to show ${what}`, async () => what.test(await page()), { state: page });
  await shows(/The bridge reports no problems/);
  await stand.pbx.crash();
  await shows(/ami\.unreachable/);
  assert.match(await page(), /Check that Asterisk is running/);
  await stand.pbx.listen();
  await stand.connected();
  await shows(/The bridge reports no problems/);
  const logged = await served.history(a.token, '?search=request&search_term=health');
  assert.deepEqual(logged, [], 'not in the API log');
  await stand.stop();
});

test('what is not a report is refused, and so is one without a token', async (t) => {
  const { ask, a } = await serve(t);
  const post = (body: unknown, token = a.token) => ask('/bridge/health', { method: 'POST', body, token });
  assert.equal((await post({ problems: [] })).status, 200);
  assert.equal((await post({ problems: [{ code: 'x' }] })).status, 422);
  assert.equal((await post({ problems: Array.from({ length: 51 }, () => ({})) })).status, 422);
  assert.equal((await post({ problems: [] }, 'nobody')).status, 401);
});

test('another far side never gets the report', async (t) => {
  const stand = await createStand(t);
  await stand.start();
  stand.farSide.inject(always({ kind: 'status', status: 401 }));
  stand.pbx.send(markerCall().frames[0] as string);
  await stand.farSide.waitFor((it) => it.requests().length >= 3);
  assert.deepEqual(
    stand.farSide.requests().filter(({ path }) => path.includes('health')),
    [],
  );
});
