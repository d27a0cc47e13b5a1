import assert from 'node:assert/strict';
import { test } from 'node:test';
import { form, password, person, visitor, withStore } from './people.ts';
import { event, serve } from './service-harness.ts';
import { screenEvents } from './service-stream.ts';

const administrators = [
  '/integrations',
  '/integrations/webhooks',
  '/users',
  '/customers/segments',
  '/customers/import',
  '/customers/export',
];

test('an agent has access to calls and customers, but not to administration', async (t) => {
  const served = await serve(t);
  const { ask, url } = served;
  await person(served, { name: 'Agnes' });
  const { cookie, token } = await visitor(served, 'agnes');
  for (const path of ['/', '/bar', '/customers', '/account'])
    assert.equal((await ask(url + path, { headers: { cookie } })).status, 200, path);
  for (const path of administrators)
    assert.equal((await ask(url + path, { headers: { cookie } })).status, 403, path);
  for (const path of [
    '/integrations',
    '/integrations/webhooks',
    '/users',
    '/customers/segments',
    '/account/settings',
  ]) {
    const answer = await ask(url + path, form(url, { token, name: 'x', role: 'agent' }, { cookie }));
    assert.equal(answer.status, 403, path);
  }
  const start = await ask(`${url}/`, { headers: { cookie } });
  assert.doesNotMatch(start.text, /href="\/(integrations|users|history)"/);
});

test('a form of another site, of another session or of none changes nothing', async (t) => {
  const served = await serve(t);
  const { ask, url } = served;
  await person(served, { name: 'Adam', role: 'administrator' });
  const { cookie, token } = await visitor(served, 'Adam');
  const other = await visitor(served, 'Adam');
  const add = async (fields: Record<string, string>, headers: Record<string, string>) =>
    (await ask(`${url}/integrations`, form(url, { name: 'New', ...fields }, headers))).status;
  assert.equal(await add({ token }, { cookie, origin: 'http://evil.example' }), 403);
  assert.equal(await add({ token }, { cookie, 'sec-fetch-site': 'cross-site' }), 403);
  assert.equal(await add({ token }, { cookie, 'sec-fetch-site': 'same-site' }), 403);
  assert.equal(await add({ token }, { cookie, origin: 'null' }), 403);
  assert.equal(await add({}, { cookie }), 403);
  assert.equal(await add({ token: other.token }, { cookie }), 403);
  assert.equal(await add({ token }, {}), 303, 'not signed in: to the sign-in page');
  const list = async () => (await ask(`${url}/integrations`, { headers: { cookie } })).text;
  assert.doesNotMatch(await list(), />New</);
  assert.equal(await add({ token }, { cookie }), 303);
  assert.match(await list(), />New</);
});

test('ten wrong passwords are allowed, and errors do not reveal which names exist', async (t) => {
  const served = await serve(t);
  const { ask, url, said } = served;
  await person(served, { name: 'Anna' });
  await person(served, { name: 'Fresh', fresh: true });
  const attempt = async (name: string, given: string) => {
    const { status, text } = await ask(`${url}/sign-in`, form(url, { name, password: given }));
    return { status, said: /<p class="notice bad"[^>]*>([^<]*)/.exec(text)?.[1] };
  };
  const wrong = { status: 401, said: 'Wrong name or password.' };
  for (const name of ['Anna', 'nobody', 'Fresh', '', 'x'.repeat(10_000)])
    assert.deepEqual(await attempt(name, ''), wrong, name.slice(0, 9));
  for (let n = 1; n < 10; n += 1) assert.deepEqual(await attempt('Anna', `wrong ${n}`), wrong);
  assert.equal((await attempt('ANNA', password)).status, 429, 'even the right one, from here');
  assert.ok(said.includes('service.sign-in-limited'));
});

test('each sign-in is a new session; signing out ends it and its streams immediately', async (t) => {
  const served = await serve(t);
  const { ask, url, a, post } = served;
  await person(served, { name: 'Anna' });
  const [first, second] = [await visitor(served, 'Anna'), await visitor(served, 'Anna')];
  assert.notEqual(first.cookie, second.cookie);
  const again = await ask(`${url}/sign-in`, form(url, { name: 'Anna', password }, { cookie: first.cookie }));
  const third = { cookie: String(again.headers['set-cookie']).split(';')[0] as string };
  const status = async ({ cookie }: { cookie: string }) =>
    (await ask(`${url}/account`, { headers: { cookie } })).status;
  assert.deepEqual(
    [await status(first), await status(second), await status(third)],
    [303, 200, 200],
    'what the browser held before opens nothing',
  );

  const stream = screenEvents(url, { cookie: third.cookie });
  await stream.next();
  const out = await ask(`${url}/sign-out`, form(url, {}, { cookie: third.cookie }));
  assert.equal(out.status, 303);
  await post(a.token, event({ id: 'after the end' }));
  assert.deepEqual(await stream.next(), { done: true, value: undefined });
  assert.deepEqual([await status(second), await status(third)], [200, 303]);
  const closed = await ask(`${url}/account/sign-out-everywhere`, form(url, { token: second.token }, second));
  assert.equal(closed.status, 303);
  assert.equal(await status(second), 303);
});

test('a new password signs every other browser out', async (t) => {
  const served = await serve(t);
  const { ask, url } = served;
  await person(served, { name: 'Anna' });
  const [here, there] = [await visitor(served, 'Anna'), await visitor(served, 'Anna')];
  const change = (fields: Record<string, string>) =>
    ask(`${url}/account/password`, form(url, { token: here.token, ...fields }, { cookie: here.cookie }));
  assert.equal((await change({ current: 'wrong', password: 'another few words' })).status, 422);
  for (const short of ['short', 'aaaaaaaaaaaaaaaaaa', 'x'.repeat(257)])
    assert.equal((await change({ current: password, password: short })).status, 422);
  assert.equal((await change({ current: password, password: 'another few words' })).status, 303);
  const status = async ({ cookie }: { cookie: string }) =>
    (await ask(`${url}/account`, { headers: { cookie } })).status;
  assert.deepEqual([await status(here), await status(there)], [200, 303]);
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

test('users of one account have no access to another', async (t) => {
  const served = await serve(t);
  const { ask, url, b } = served;
  await person(served, { name: 'Anna', role: 'administrator' });
  const { user: theirs } = await person(served, { name: 'Bert', account: 'Beta', role: 'administrator' });
  const anna = await visitor(served, 'Anna');
  const uid = await withStore(served, async (store) => {
    const read = await store.directory.read(0);
    return read?.directory.integrations.findLast(({ name }) => name === 'PBX 1')?.uid;
  });
  const get = (path: string) => ask(url + path, { headers: { cookie: anna.cookie } });
  const send = (path: string, fields: Record<string, string> = {}) =>
    ask(url + path, form(url, { token: anna.token, ...fields }, { cookie: anna.cookie }));
  for (const path of [`/users/${theirs.uid}`, `/integrations/${uid}`])
    assert.equal((await get(path)).status, 404);
  for (const path of [
    `/users/${theirs.uid}/reset`,
    `/users/${theirs.uid}/remove`,
    `/integrations/${uid}/rotate`,
    `/integrations/${uid}/off`,
  ])
    assert.equal((await send(path)).status, 404, path);
  for (const path of ['/', '/bar', '/customers', '/customers/export', '/users', '/integrations', '/account'])
    assert.doesNotMatch((await get(path)).text, /Beta|Bert/, path);
  await send('/customers/remove', { reference: '1' });
  assert.match((await ask(`${url}/admin/customers`, { token: b.admin })).text, /Beta's customer/);
  await visitor(served, 'Bert');
});
