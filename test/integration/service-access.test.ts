import assert from 'node:assert/strict';
import { test } from 'node:test';
import { event, serve } from '../tools/service/harness.ts';
import { browse, form, password, person, systemsIn, visitor, withStore } from '../tools/service/people.ts';
import { storeCalls } from '../tools/service/stored-calls.ts';
import { screenEvents } from '../tools/service/stream.ts';

test('agents see calls and customers, but no administration; other accounts see nothing of either', async (t) => {
  const served = await serve(t);
  const { ask, url, b } = served;
  await storeCalls(served, (report) =>
    report({ id: 'secret-1', from: '+4930901821', status: 'ringing', at: Date.now() }),
  );
  const boss = await browse(served, 'Anna');
  const agent = await browse(served, 'Agnes', { role: 'agent' });
  const other = await browse(served, 'Bert', { account: 'Beta' });
  const webhook = { uid: '00000000000000a1', account: 1, url: 'https://hook.example/', since: 0 };
  await withStore(served, ({ webhooks }) => webhooks.add({ ...webhook, events: ['call.missed'] }));
  const hook = `/webhooks/${webhook.uid}`;
  const [, entry = ''] = /href="(\/api-log\/entry[^"]*)"/.exec((await boss.read('/api-log')).text) ?? [];
  const [integration] = systemsIn((await boss.read('/integrations')).text);

  const ours = /secret-1|901821|Alpha|Anna|hook\.example/;
  const ofUser = `/users/${boss.user.uid}`;
  for (const [ofAgent, ofOther, paths] of [
    [200, 200, ['/calls/window', '/calls', '/calls?number=1821', '/calls.csv', '/call-back', '/account']],
    [200, 200, ['/reports', '/reports.csv?table=series', '/customers', '/person?customer=1&edit=']],
    [200, 404, ['/calls/details?id=secret-1']],
    [403, 200, ['/api-log', '/api-log?in=request&term=secret', '/integrations', '/webhooks']],
    [403, 200, ['/users', '/audit', '/opening-hours', '/segments']],
    [403, 200, ['/customers/import', '/customers/export', '/customers/phone-book']],
    [403, 404, [entry, `${integration}`, ofUser, hook]],
  ] as const)
    for (const path of paths) {
      assert.equal((await boss.read(path)).status, 200, path);
      assert.equal((await agent.read(path)).status, ofAgent, path);
      const { status, text } = await other.read(path);
      assert.deepEqual([path, status, ours.exec(text)?.[0]], [path, ofOther, undefined]);
    }
  const call = await agent.read('/calls/details?id=secret-1');
  assert.doesNotMatch(call.text, /Requests from the phone system|api-log\/entry/);
  assert.doesNotMatch((await agent.read('/')).text, /href="\/(integrations|users|history)"/);
  for (const cookie of [agent.cookie, 'pbx-bridge-session=none', ''])
    assert.equal((await ask(`${url}/api-log/stream`, { headers: { cookie } })).status, 401);

  const fields = { id: 'secret-1', name: 'x', role: 'agent', extension: '1', reference: '1', days: '1' };
  const filled = { ...fields, url: 'https://c.example', 'call.missed': '1' };
  for (const path of ['/integrations', '/webhooks', '/users', '/account/settings', '/extensions'])
    assert.equal((await agent.send(path, filled)).status, 403, path);
  for (const path of ['/segments', '/person/remove', '/person/merge'])
    assert.equal((await agent.send(path, filled)).status, 403, path);
  for (const path of [
    ...['', '/test', '/again', '/rotate', '/end-old', '/on', '/off', '/remove'].map((what) => hook + what),
    `${ofUser}/reset`,
    `${ofUser}/remove`,
    `${integration}/rotate`,
    `${integration}/off`,
    '/calls/forget',
  ]) {
    assert.equal((await agent.send(path, filled)).status, 403, path);
    assert.equal((await other.send(path, filled)).status, 404, path);
  }
  await boss.send('/customers/remove', { reference: '1' });
  assert.match((await ask(`${url}/admin/customers`, { token: b.admin })).text, /Beta's customer/);
  const [left] = await withStore(served, (store) => store.webhooks.list(null));
  assert.deepEqual([left?.url, left?.secretCounter, left?.enabled], [webhook.url, 1, true]);
  await visitor(served, 'Anna');
});

test('without a session, pages redirect to the sign-in page and the stream is refused', async (t) => {
  const { ask, url } = await serve(t);
  for (const [path, location] of [
    ['/', '/sign-in'],
    ['/calls/window', '/sign-in?to=%2Fcalls%2Fwindow'],
    ['/account?a=%C3%BC', '/sign-in?to=%2Faccount%3Fa%3D%25C3%25BC'],
  ] as const) {
    const answer = await ask(`${url}${path}`);
    assert.deepEqual([answer.status, answer.headers.location], [303, location]);
  }
  assert.equal((await ask(`${url}/events`)).status, 401);
});

test('a form of another site, of another session or of none changes nothing', async (t) => {
  const served = await serve(t);
  const { ask, url } = served;
  const { cookie, token, read } = await browse(served, 'Adam');
  const other = await visitor(served, 'Adam');
  const add = async (fields: Record<string, string>, headers: Record<string, string>) =>
    (await ask(`${url}/integrations`, form(url, { name: 'New', ...fields }, headers))).status;
  for (const headers of [{ origin: 'http://evil.example' }, { origin: 'null' }])
    assert.equal(await add({ token }, { cookie, ...headers }), 403);
  for (const site of ['cross-site', 'same-site'])
    assert.equal(await add({ token }, { cookie, 'sec-fetch-site': site }), 403);
  assert.equal(await add({}, { cookie }), 403);
  assert.equal(await add({ token: other.token }, { cookie }), 403);
  assert.equal(await add({ token }, {}), 303, 'not signed in: to the sign-in page');
  assert.doesNotMatch((await read('/integrations')).text, />New</);
  assert.equal(await add({ token }, { cookie }), 303);
  assert.match((await read('/integrations')).text, />New</);
});

test('ten wrong passwords are allowed, and errors do not reveal which names exist', async (t) => {
  const served = await serve(t);
  const { ask, url, said } = served;
  await person(served, { name: 'Anna' });
  await person(served, { name: 'Fresh', fresh: true });
  const attempt = async (name: string, given: string) => {
    const { status, text } = await ask(`${url}/sign-in`, form(url, { name, password: given }));
    return { status, said: /role="alert">[\s\S]*?<p>([^<]*)/.exec(text)?.[1] };
  };
  const wrong = { status: 401, said: 'Wrong name or password.' };
  for (const name of ['Anna', 'nobody', 'Fresh', '', 'x'.repeat(10_000), 'a\0b', '\ud800', '\u202eannA'])
    assert.deepEqual(await attempt(name, ''), wrong, JSON.stringify(name.slice(0, 9)));
  for (let n = 1; n < 10; n += 1) assert.deepEqual(await attempt('Anna', `wrong ${n}`), wrong);
  assert.equal((await attempt('ANNA', password)).status, 429, 'even the right one, from here');
  assert.ok(said.includes('service.sign-in-limited'));
  assert.ok(!said.includes('service.failed'));
});

test('each sign-in is a new session; signing out ends it and its streams immediately', async (t) => {
  const served = await serve(t);
  const { ask, url, a, post } = served;
  await person(served, { name: 'Anna' });
  const [first, second] = [await visitor(served, 'Anna'), await visitor(served, 'Anna')];
  assert.notEqual(first.cookie, second.cookie);
  const again = await ask(`${url}/sign-in`, form(url, { name: 'Anna', password }, { cookie: first.cookie }));
  const third = { cookie: String(again.headers['set-cookie']).split(';')[0] as string };
  const statuses = () =>
    Promise.all(
      [first, second, third].map(
        async ({ cookie }) => (await ask(`${url}/account`, { headers: { cookie } })).status,
      ),
    );
  assert.deepEqual(await statuses(), [303, 200, 200], 'what the browser held before opens nothing');

  const stream = screenEvents(url, { cookie: third.cookie });
  await stream.next();
  assert.equal((await ask(`${url}/sign-out`, form(url, {}, third))).status, 303);
  await post(a.token, event({ id: 'after the end' }));
  assert.deepEqual(await stream.next(), { done: true, value: undefined });
  assert.deepEqual(await statuses(), [303, 200, 303]);
  const closed = await ask(`${url}/account/sign-out-everywhere`, form(url, { token: second.token }, second));
  assert.equal(closed.status, 303);
  assert.deepEqual(await statuses(), [303, 303, 303]);
});

test('a new password signs every other browser out', async (t) => {
  const served = await serve(t);
  const here = await browse(served, 'Anna');
  const there = await visitor(served, 'Anna');
  const change = async (current: string, chosen: string) =>
    (await here.send('/account/password', { current, password: chosen })).status;
  assert.equal(await change('wrong', 'another few words'), 422);
  for (const bad of ['short', 'aaaaaaaaaaaaaaaaaa', 'x'.repeat(257)])
    assert.equal(await change(password, bad), 422);
  assert.equal(await change(password, 'another few words'), 303);
  assert.equal((await here.read('/account')).status, 200);
  assert.equal((await served.ask(`${served.url}/account`, { headers: there })).status, 303);
});

test('a user without a password can only choose one', async (t) => {
  const served = await serve(t);
  const { ask, url } = served;
  const { link } = await person(served, { name: 'Fresh', fresh: true });
  const entered = await ask(`${url}/sign-in/link`, form(url, { link: link.split('#')[1] ?? '' }));
  const cookie = String(entered.headers['set-cookie']).split(';')[0] as string;
  for (const path of ['/', '/customers', '/users']) {
    const answer = await ask(url + path, { headers: { cookie } });
    assert.deepEqual([answer.status, answer.headers.location], [303, '/welcome'], path);
  }
});
