import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Agent, request } from 'undici';
import { type Served, serve } from '../tools/service/harness.ts';
import { browse, form, password, person, withStore } from '../tools/service/people.ts';
import { screenEvents } from '../tools/service/stream.ts';

/** Attempts to sign in, by default as Owner with a wrong password from 127.0.0.1. */
function signIns(t: TestContext, { url }: Served) {
  const agents = new Map<string, Agent>();
  t.after(() => Promise.all([...agents.values()].map((agent) => agent.close())));
  return async ({
    name = 'Owner',
    given = 'wrong',
    from = '127.0.0.1',
    to = '',
    account = '',
    cookie = '',
  } = {}) => {
    const dispatcher = agents.get(from) ?? new Agent({ localAddress: from });
    agents.set(from, dispatcher);
    const sent = form(url, { name, password: given, to, account }, { cookie });
    const answer = await request(`${url}/sign-in`, { ...sent, method: 'POST', dispatcher });
    await answer.body.dump();
    const cookies = [answer.headers['set-cookie'] ?? []].flat().map((line) => line.split(';')[0] as string);
    const browser = cookies.find((line) => line.includes('-browser=')) ?? '';
    return { status: answer.statusCode, to: answer.headers.location, cookies: cookies.join('; '), browser };
  };
}

async function setUp(t: TestContext) {
  const served = await serve(t);
  await person(served, { name: 'Owner', role: 'administrator' });
  return { served, attempt: signIns(t, served) };
}

test('attempts from hundreds of addresses keep neither a known browser nor a newcomer out, and fill no log', async (t) => {
  const { served, attempt } = await setUp(t);
  const known = await attempt({ given: password });
  const { promise: refused, resolve } = Promise.withResolvers<void>();
  let isOver = false;
  const flood = Array.from({ length: 260 }, async (_, n) => {
    const statuses = new Set<number>();
    while (!isOver) {
      const { status } = await attempt({ name: `name ${n}`, from: `127.${1 + (n % 2)}.${n >> 1}.1` });
      if (status === 503) resolve();
      statuses.add(status);
    }
    return [...statuses];
  });
  await refused; // all places are taken
  const [owner, newcomer] = await Promise.all([
    attempt({ given: password, cookie: known.browser, from: '127.1.0.1' }),
    attempt({ given: password, from: '127.0.0.3' }),
  ]);
  isOver = true;
  assert.deepEqual([owner.status, newcomer.status], [303, 303]);
  assert.deepEqual([...new Set((await Promise.all(flood)).flat())].toSorted(), [401, 503]);
  assert.ok(!served.said.includes('service.failed'));
});

test('a browser that has signed in before still can, for each of its users only, whatever others do in their names', async (t) => {
  const { served, attempt } = await setUp(t);
  await person(served, { name: 'Anna' });
  const first = await attempt({ given: password });
  assert.match(first.browser, /^pbx-bridge-browser=[\w-]{22}\.[0-9a-f]{16}\.[0-9a-f]{64}$/);
  const both = await attempt({ name: 'Anna', given: password, cookie: first.browser });
  for (let n = 0; n < 10; n += 1) await Promise.all([attempt(), attempt({ name: 'Anna' })]);
  const forged = both.browser.replace(/=./, '=!');
  for (const [name, cookie, status] of [
    ['Owner', '', 429],
    ['Owner', forged, 429],
    ['Anna', first.browser, 429],
    ['Anna', both.browser, 303],
    ['Owner', both.browser, 303],
  ] as const)
    assert.equal((await attempt({ name, given: password, cookie })).status, status, `${name} ${cookie}`);
  const { browser } = both;
  for (let n = 0; n < 10; n += 1) assert.equal((await attempt({ cookie: browser })).status, 401);
  const last = await attempt({ given: password, cookie: browser });
  assert.equal(last.status, 429, 'it may guess ten times too');
});

test('a namesake in another account gets no further attempts', async (t) => {
  const { served, attempt } = await setUp(t);
  const { user } = await person(served, { name: 'Owner', account: 'Beta' });
  const accounts = await withStore(
    served,
    async ({ directory }) => (await directory.read(0))?.directory.accounts,
  );
  const uidOf = (id: number) => accounts?.find((one) => one.id === id)?.uid ?? '';
  for (let n = 0; n < 9; n += 1) assert.equal((await attempt()).status, 401);
  const { status, browser } = await attempt({ given: password, account: uidOf(user.account) });
  assert.equal(status, 303);
  const guess = async () => (await attempt({ account: uidOf(1), cookie: browser })).status;
  assert.deepEqual([await guess(), await guess()], [401, 429]);
});

test('the current password can be wrong ten times', async (t) => {
  const { send } = await browse(await serve(t), 'Anna');
  const change = async (current: string) =>
    (await send('/account/password', { current, password: 'another few words' })).status;
  for (let n = 0; n < 10; n += 1) assert.equal(await change(`wrong ${n}`), 422);
  assert.equal(await change(password), 429);
});

test('the page to go to is a path of this service, in plain characters', async (t) => {
  const { attempt } = await setUp(t);
  for (const [to, location] of [
    ['/calls?q=1#x', '/calls?q=1#x'],
    ['/€', '/%E2%82%AC'],
    ['/a\r\nSet-Cookie: x=1', '/aSet-Cookie:%20x=1'],
    ['//evil.example', '/'],
    ['/.//evil.example', '/evil.example'],
    ['/a/..//evil.example', '/evil.example'],
    ['/\\evil.example', '/'],
    ['/\t/evil.example', '/'],
    ['https://evil.example', '/'],
  ] as const)
    assert.equal((await attempt({ given: password, to })).to, location, JSON.stringify(to));
});

test('users see where they are signed in, and end one session with its streams', async (t) => {
  const { served } = await setUp(t);
  const { ask, url } = served;
  const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
  const here = await browse(served, 'Bea');
  const there = await ask(`${url}/sign-in`, form(url, { name: 'Bea', password }, { 'user-agent': agent }));
  const cookie = String(there.headers['set-cookie']).split(';')[0] as string;
  const stream = screenEvents(url, { cookie });
  await stream.next();
  const listed = (await here.read('/security')).text;
  assert.match(listed, /Firefox on Linux[\s\S]*127\.0\.0\.1/);
  assert.match(listed, /this browser/);
  const [id = '', ...others] = [...listed.matchAll(/name="session" value="(\w+)"/g)].map(([, each]) => each);
  assert.deepEqual(others, []);
  const end = async (session = '') => (await here.send('/account/sessions/end', { session })).status;

  const anna = await browse(served, 'Anna');
  const [theirs] = await withStore(served, ({ users }) => users.sessions(anna.user.id));
  await end(theirs?.id);
  assert.equal((await anna.read('/account')).status, 200, "another user's session stays");
  assert.equal(await end(id), 303);
  assert.deepEqual(await stream.next(), { done: true, value: undefined });
  assert.equal((await ask(`${url}/account`, { headers: { cookie } })).status, 303);
  assert.doesNotMatch((await here.read('/security')).text, /Firefox on Linux/);
});

test('the same name in two accounts: neither hears of the other, and each has an address to sign in at', async (t) => {
  const { served, attempt } = await setUp(t);
  const { ask, url } = served;
  await person(served, { name: 'Anna' });
  const bea = await browse(served, 'Bea', { account: 'Beta' });
  const added = await bea.send('/users', { name: 'ANNA', role: 'agent' });
  assert.match(added.text, /Send this link to/);
  assert.equal((await bea.send('/users', { name: 'anna', role: 'agent' })).status, 422);
  const [, link = ''] = /\/sign-in#([\w.]+)/.exec(added.text) ?? [];
  const [, account = ''] = /\/sign-in\?account=([0-9a-f]{16})/.exec(added.text) ?? [];

  const entered = await ask(`${url}/sign-in/link`, form(url, { link }));
  const cookie = String(entered.headers['set-cookie']).split(';')[0] as string;
  const welcome = await ask(`${url}/welcome`, { headers: { cookie } });
  const token = /name="token" value="([^"]+)"/.exec(welcome.text)?.[1] ?? '';
  const own = { token, name: 'Anna', password: 'words of another account' };
  assert.equal((await ask(`${url}/welcome`, form(url, own, { cookie }))).status, 303);

  const { browser } = await attempt({ name: 'Bea', given: password });
  for (const [given, where, signedInTo] of [
    [password, {}, 'Alpha'],
    [own.password, {}, 401],
    [own.password, { account }, 'Beta'],
    [password, { account }, 401],
    [own.password, { cookie: browser }, 'Beta'], // as the browser did last
  ] as const) {
    const { status, cookies } = await attempt({ name: 'Anna', given, ...where });
    const page = await ask(`${url}/account`, { headers: { cookie: cookies } });
    assert.equal(status === 303 ? /Alpha|Beta/.exec(page.text)?.[0] : status, signedInTo);
  }
  assert.match((await ask(`${url}/sign-in?account=${account}`)).text, new RegExp(`value="${account}"`));
});
