import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKeys, serverSecret, uidOf } from '../../src/service/accounts/keys.ts';
import { version } from '../../src/shared/process/version.ts';
import { always } from '../tools/fakes/fake-api-faults.ts';
import { createStand, markerCall } from '../tools/program/stand.ts';
import { commandResult } from '../tools/service/commands.ts';
import { serve } from '../tools/service/harness.ts';
import { browse, systemsIn } from '../tools/service/people.ts';
import { until } from '../tools/until.ts';

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
  const { json } = await served.ask(`${url}/admin/fleet`, {
    token: createKeys(serverSecret(served.stateDir)).operatorToken(0),
  });
  const { bridges } = json as { bridges: { uid: string; version: string; queue: object }[] };
  const bridge = bridges.find(({ uid }) => uid === uidOf(a.token));
  assert.equal(bridge?.version, 'test', 'its own');
  assert.deepEqual(bridge?.queue, { events: 0, oldest_ms: 0 });
  const logged = await served.history(a.token, '?search=request&search_term=health');
  assert.deepEqual(logged, [], 'not in the API log');
  await stand.stop();
});

test('who runs the service sees all bridges: which are behind, outdated, refused or have problems', async (t) => {
  const { ask, a, b, url, stateDir } = await serve(t);
  const exitCode = async (...options: string[]) =>
    (await commandResult({ stateDir }, 'fleet', ...options)).code;
  const token = createKeys(serverSecret(stateDir)).operatorToken(0);
  type Bridge = {
    uid: string;
    account: string;
    trouble: string[];
    version: string;
    queue: object;
    problems: string[];
  };
  const fleet = async () => {
    const { status, json } = await ask(`${url}/admin/fleet`, { token });
    assert.equal(status, 200);
    return json as { bridges: Bridge[]; accounts: { uid: string }[] };
  };
  assert.equal((await ask(`${url}/admin/fleet`, { token: a.token })).status, 401);
  const trouble = async () => {
    const { bridges } = await fleet();
    return [a, b].map((of) => bridges.find(({ uid }) => uid === uidOf(of.token))?.trouble);
  };
  assert.deepEqual(await trouble(), [['unconnected'], ['unconnected']], 'neither has sent a request');

  const post = (body: unknown, token = a.token) => ask('/bridge/health', { method: 'POST', body, token });
  const queue = { events: 0, oldestMs: 0 };
  assert.equal((await post({ problems: [], version, queue })).status, 200);
  assert.deepEqual(await trouble(), [[], ['unconnected']]);
  assert.deepEqual([await exitCode(), await exitCode('--json')], [2, 2]);
  await post({ problems: [], version, queue: { events: 3, oldestMs: 600_000 } });
  await post(
    { problems: [{ code: 'x', what: 'x', remedy: 'x', since: 1 }], version: '0.9.0', queue },
    b.token,
  );
  assert.deepEqual(await trouble(), [['behind'], ['outdated', 'problems']]);
  assert.deepEqual([await exitCode(), await exitCode('--json')], [2, 2]);
  const { bridges, accounts } = await fleet();
  const of = ({ token }: { token: string }) => bridges.find(({ uid }) => uid === uidOf(token));
  assert.deepEqual(of(a)?.queue, { events: 3, oldest_ms: 600_000 });
  assert.deepEqual(of(b)?.problems, ['x']);
  assert.deepEqual(new Set(bridges.map(({ account }) => account)), new Set(accounts.map(({ uid }) => uid)));

  const asBrowser = (password: string, path = '/admin/fleet') =>
    fetch(url + path, {
      headers: { accept: 'text/html', authorization: `Basic ${btoa(`anybody:${password}`)}` },
    });
  const page = await asBrowser(token);
  assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
  assert.match(await page.text(), /4 need a look.*another version, problems <code><bdi>x</s);
  const refused = await asBrowser(a.token);
  assert.deepEqual([refused.status, refused.headers.get('www-authenticate')?.slice(0, 5)], [401, 'Basic']);
  const elsewhere = await asBrowser(token, '/admin/accounts');
  assert.deepEqual([elsewhere.status, elsewhere.headers.get('www-authenticate')], [401, null]);

  const wrong = a.token.slice(0, -1) + (a.token.endsWith('0') ? '1' : '0');
  assert.equal((await post({ problems: [] }, wrong)).status, 401);
  assert.deepEqual((await trouble())[0], ['behind', 'refused']);
});

test('what is not a report is refused, and so is one without a token', async (t) => {
  const { ask, a } = await serve(t);
  const post = (body: unknown, token = a.token) => ask('/bridge/health', { method: 'POST', body, token });
  assert.equal((await post({ problems: [] })).status, 200);
  assert.equal((await post({ problems: [{ code: 'x' }] })).status, 422);
  assert.equal((await post({ problems: Array.from({ length: 51 }, () => ({})) })).status, 422);
  assert.equal((await post({ problems: [] }, 'nobody')).status, 401);
});

test('another API never gets the report', async (t) => {
  const stand = await createStand(t);
  await stand.start();
  stand.fakeApi.inject(always({ kind: 'status', status: 401 }));
  stand.pbx.send(markerCall().frames[0] as string);
  await stand.fakeApi.waitFor((it) => it.requests().length >= 3);
  assert.deepEqual(
    stand.fakeApi.requests().filter(({ path }) => path.includes('health')),
    [],
  );
});
