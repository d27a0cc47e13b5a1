import assert from 'node:assert/strict';
import { test } from 'node:test';
import { form, password, person, visitor, withStore } from './people.ts';
import { event, type Served, serve } from './service-harness.ts';

/** The audit log of account A, oldest first; `who`: of this user alone. */
const auditOf = (served: Served, account = 1) =>
  withStore(served, async ({ audit }) => {
    const { entries } = await audit.page({ account, what: null, who: null, before: null, limit: 99 });
    return entries.toReversed().map(({ what, who, from, target }) => [what, who, from, target].join(' | '));
  });

test('what people change on pages is in the audit log, and administrators read it there', async (t) => {
  const served = await serve(t);
  const { ask, url } = served;
  await person(served, { name: 'Ada', role: 'administrator' });
  const { user: bob } = await person(served, { name: 'Bob' });
  const ada = await visitor(served, 'Ada');
  const post = async (path: string, fields: Record<string, string> = {}) => {
    const sent = form(url, { token: ada.token, ...fields }, { cookie: ada.cookie });
    const { status, text } = await ask(`${url}${path}`, sent);
    assert.ok(status < 400, `${path}: ${status}`);
    return text;
  };
  const get = async (path: string) => (await ask(`${url}${path}`, { headers: { cookie: ada.cookie } })).text;

  await post('/users', { name: 'Cleo', role: 'agent' });
  await post(`/users/${bob.uid}/role`, { role: 'administrator' });
  const link = /sign-in#([^"<\s]+)/.exec(await post(`/users/${bob.uid}/reset`))?.[1] ?? '';
  assert.notEqual(link, '');
  await post(`/users/${bob.uid}/remove`);
  await post('/integrations', { name: 'Branch' });
  const integration = /\/integrations\/([0-9a-f]{16})">/.exec(await get('/integrations'))?.[1];
  await post(`/integrations/${integration}/rotate`);
  await post(`/integrations/${integration}/off`);
  await post('/account/settings', { account: 'Alpha', country: 'NL', zone: '', within: '20', crm: '' });
  await post('/customers/segments', { name: 'Gold', priority: '5' });
  await post('/customers/segments/remove', { name: 'Gold' });
  await post('/customers/segments/remove', { name: 'nothing of this name' });
  await post('/customers/import', { table: 'reference,numbers\n7,110\n', confirmed: 'yes' });
  await post('/customers/remove', { reference: '7' });
  for (const path of ['/customers/export', '/calls.csv', '/calls.csv?number=110', '/reports.csv'])
    await get(path);
  await post('/account/password', { current: password, password: 'some other plain words' });
  await post('/sign-out');

  const entries = await auditOf(served);
  assert.deepEqual(
    entries.map((entry) => entry.replace(' | Ada | 127.0.0.1', '')),
    [
      'sign-in | by password',
      'user | Cleo: agent',
      'link | Cleo',
      'role | Bob: agent to administrator',
      'reset | Bob',
      'link | Bob',
      'removal | user Bob',
      'token | integration Branch added',
      'token | integration PBX 1: token replaced',
      'settings | integration PBX 1: off',
      'settings | account Alpha, country NL, time zone of the server, answer within 20 s, CRM none, agents may not delete customers and notes',
      'settings | segment Gold: priority 5',
      'removal | segment Gold',
      'import | 1 imported, 0 refused',
      'removal | customer 7',
      'export | customers',
      'export | all calls',
      'export | calls that match a filter',
      entries[18]?.replace(' | Ada | 127.0.0.1', ''),
      'password | Ada',
      'sign-out | ',
    ],
  );
  assert.match(entries[18] ?? '', /^export \| .* \| report series 20\d\d-\d\d-\d\d to /);
  const [secret = ''] = link.split('.').slice(-1);
  for (const hidden of [secret, password, 'some other plain words'])
    assert.ok(!entries.join('\n').includes(hidden), hidden);
});

test('sign-ins and failed ones are in the audit log; what was typed as an unknown name is not', async (t) => {
  const served = await serve(t);
  const { ask, url } = served;
  const { link } = await person(served, { name: 'Ada', role: 'administrator' });
  const attempt = (name: string, given: string) =>
    ask(`${url}/sign-in`, form(url, { name, password: given }));
  assert.equal((await attempt('Ada', 'wrong')).status, 401);
  assert.equal((await attempt(password, 'wrong')).status, 401);
  assert.equal((await attempt('ADA', password)).status, 303);
  assert.equal((await ask(`${url}/sign-in/link`, form(url, { link: link.split('#')[1] ?? '' }))).status, 204);
  assert.deepEqual(await auditOf(served), [
    'sign-in-failed | Ada | 127.0.0.1 | wrong password',
    'sign-in | Ada | 127.0.0.1 | by password',
    'sign-in | Ada | 127.0.0.1 | by one-time link',
  ]);
  assert.deepEqual(await auditOf(served, 0), ['sign-in-failed |  | 127.0.0.1 | unknown name']);
});

test('what a program changes by /admin is in the audit log', async (t) => {
  const served = await serve(t);
  const { a, ask, url } = served;
  const admin = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ) => {
    const sent = { token: a.admin, method, headers, ...(body !== undefined && { body }) };
    const { status, json } = await ask(`${url}/admin${path}`, sent);
    assert.ok(status < 400, `${path}: ${status}`);
    return json;
  };
  await admin('PATCH', '/account', { country: 'NL' });
  const { uid } = (await admin('POST', '/integrations', { name: 'Branch' })) as { uid: string };
  await admin('PATCH', `/integrations/${uid}`, { name: 'Office', enabled: false });
  await admin('POST', `/integrations/${uid}/rotate`);
  await admin('PUT', '/segments/Gold', { priority: 5 });
  await admin('DELETE', '/segments/Gold');
  await admin('GET', '/customers');
  await admin('POST', '/customers', 'reference,numbers\n7,110\n', { 'content-type': 'text/csv' });
  await admin('DELETE', '/customers/7');
  assert.deepEqual(
    (await auditOf(served)).map((entry) => entry.replace(' | administration token | 127.0.0.1 (/admin)', '')),
    [
      'settings | account Alpha, country NL',
      'token | integration Branch added',
      'settings | integration Branch: renamed Office, off',
      'token | integration Office: token replaced',
      'settings | segment Gold: priority 5',
      'removal | segment Gold',
      'export | customers',
      'import | 1 imported, 0 refused',
      'removal | customer 7',
    ],
  );
});

test('the page shows entries by kind and person to administrators only', async (t) => {
  const served = await serve(t);
  const { ask, url } = served;
  await person(served, { name: 'Ada', role: 'administrator' });
  await person(served, { name: 'Bob' });
  await withStore(served, async ({ audit }) => {
    for (let at = 1; at <= 60; at += 1)
      await audit.write({
        account: 1,
        at,
        what: 'role',
        who: '<b>Eve</b>',
        from: '::1',
        target: `change ${at}.`,
      });
  });
  const [ada, bob] = [await visitor(served, 'Ada'), await visitor(served, 'Bob')];
  const get = (path: string, { cookie } = ada) => ask(`${url}${path}`, { headers: { cookie } });
  assert.equal((await get('/audit', bob)).status, 403);
  const shown = (text: string) => [...text.matchAll(/change (\d+)\./g)].map(([, n]) => Number(n));
  const first = (await get('/audit')).text;
  assert.match(first, /Signed in[\s\S]*>Bob<[\s\S]*>Ada<[\s\S]*Role changed/);
  assert.ok(!first.includes('<b>Eve'));
  assert.deepEqual(
    shown(first),
    Array.from({ length: 48 }, (_, n) => 60 - n),
  );
  const older = /rel="next" href="([^"]+)"/.exec(first)?.[1]?.replaceAll('&amp;', '&') ?? '';
  assert.deepEqual(
    shown((await get(older)).text),
    Array.from({ length: 12 }, (_, n) => 12 - n),
  );
  assert.doesNotMatch((await get('/audit?who=Bob')).text, /change \d|who=Ada/);
  assert.equal(shown((await get('/audit?kind=role')).text).length, 50);
  assert.match((await get('/audit?kind=export&who=Ada')).text, /No matching entries/);
});

test('an administrator forgets a number on the page of a call', async (t) => {
  const served = await serve(t);
  const { a, ask, post, url } = served;
  await person(served, { name: 'Ada', role: 'administrator' });
  await person(served, { name: 'Bob' });
  for (const id of ['call-1', 'call-2']) assert.equal((await post(a.token, event({ id }))).status, 200);
  const page = async (cookie: string) =>
    (await ask(`${url}/calls/details?id=call-1`, { headers: { cookie } })).text;
  const [ada, bob] = [await visitor(served, 'Ada'), await visitor(served, 'Bob')];
  const forget = ({ cookie, token }: typeof ada) =>
    ask(`${url}/calls/forget`, form(url, { token, id: 'call-1' }, { cookie }));
  assert.doesNotMatch(await page(bob.cookie), /Forget this number/);
  assert.equal((await forget(bob)).status, 403);
  assert.match(await page(ada.cookie), /call-2[\s\S]*Forget this number/);
  assert.equal((await forget(ada)).status, 303);
  const after = await page(ada.cookie);
  assert.match(after, /<h1>Call from forgotten/);
  assert.doesNotMatch(after, /\+49|Forget this number|call-2|s customer/);
  assert.equal((await forget(ada)).status, 404);
  assert.equal(
    (await auditOf(served)).at(-1),
    'forget | Ada | 127.0.0.1 | removed from calls (2), requests (2) and customers (1)',
  );
});
