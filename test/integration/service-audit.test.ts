import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { event, type Served, serve } from '../tools/service/harness.ts';
import { browse, form, linksIn, password, person, systemsIn, withStore } from '../tools/service/people.ts';
import { report } from '../tools/service/recorded-request.ts';

/** The audit log of an account, oldest first. */
const auditOf = (served: Served) =>
  withStore(served, async ({ audit }) => {
    const { entries } = await audit.page({ account: 1, what: null, who: null, before: null, limit: 99 });
    return entries.toReversed().map(({ what, who, from, target }) => [what, who, from, target].join(' | '));
  });

test('what people change on pages is in the audit log, without secrets', async (t) => {
  const served = await serve(t);
  const ada = await browse(served, 'Ada');
  const { user: bob } = await person(served, { name: 'Bob' });
  const post = async (path: string, fields: Record<string, string> = {}) => {
    const { status, text } = await ada.send(path, fields);
    assert.ok(status < 400, `${path}: ${status}`);
    return text;
  };
  await post('/users', { name: 'Cleo', role: 'agent' });
  await post(`/users/${bob.uid}`, { role: 'administrator' });
  const link = /sign-in#([^"<\s]+)/.exec(await post(`/users/${bob.uid}/reset`))?.[1] ?? assert.fail();
  await post(`/users/${bob.uid}/remove`);
  await post('/integrations', { name: 'Branch' });
  const [integration] = systemsIn((await ada.read('/integrations')).text);
  await post(`${integration}/rotate`);
  await post(`${integration}/off`);
  await post('/account/settings', { account: 'Alpha', country: 'NL', zone: '', within: '20', crm: '' });
  await post('/segments', { name: 'Gold', priority: '5' });
  await post('/segments/remove?name=Gold');
  await post('/segments/remove?name=nothing+of+this+name');
  await post('/customers/import', { table: 'reference,numbers\n7,110\n', confirmed: 'yes' });
  await post('/person/remove', { customer: '7' });
  for (const path of ['/customers/export', '/calls.csv', '/calls.csv?number=110', '/reports.csv'])
    await ada.read(path);
  await post('/account/password', { current: password, password: 'some other plain words' });
  await post('/sign-out');

  const entries = (await auditOf(served)).map((entry) => entry.replace(' | Ada | 127.0.0.1', ''));
  assert.deepEqual(
    entries.map((entry) => entry.replace(/ 20\d\d-\d\d-\d\d to .*/, ' some days')),
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
      'settings | account Alpha, country NL, time zone of the server, answer within 20 s, CRM none, numbers and notes of callers kept as long as calls, agents may not delete customers and notes',
      'settings | segment Gold: priority 5',
      'removal | segment Gold',
      'import | 1 imported, 0 refused',
      'removal | customer 7',
      'export | customers',
      'export | all calls',
      'export | calls that match a filter',
      'export | report series some days',
      'password | Ada',
      'sign-out | ',
    ],
  );
  for (const hidden of [link.split('.').at(-1) ?? '', password, 'some other plain words'])
    assert.ok(!entries.join('\n').includes(hidden), hidden);
});

test('sign-ins and failed ones are in the audit log; what was typed as an unknown name is not', async (t) => {
  const served = await serve(t);
  const { ask, url } = served;
  const { link } = await person(served, { name: 'Ada', role: 'administrator' });
  const attempt = async (name: string, given: string) =>
    (await ask(`${url}/sign-in`, form(url, { name, password: given }))).status;
  assert.deepEqual([await attempt('Ada', 'wrong'), await attempt(password, 'wrong')], [401, 401]);
  assert.equal(await attempt('ADA', password), 303);
  assert.equal((await ask(`${url}/sign-in/link`, form(url, { link: link.split('#')[1] ?? '' }))).status, 204);
  assert.deepEqual(await auditOf(served), [
    'sign-in-failed | Ada | 127.0.0.1 | wrong password',
    'sign-in | Ada | 127.0.0.1 | by password',
    'sign-in | Ada | 127.0.0.1 | by one-time link',
  ]);
  const db = new DatabaseSync(join(served.stateDir, 'service.db'), { readOnly: true });
  const ofNoAccount = db
    .prepare('SELECT what, who, source, target FROM audit WHERE account_id IS NULL')
    .all();
  db.close();
  assert.deepEqual(
    ofNoAccount.map((row) => Object.values(row).join(' | ')),
    ['sign-in-failed |  | 127.0.0.1 | unknown name'],
  );
});

test('what a program changes by /admin is in the audit log', async (t) => {
  const served = await serve(t);
  const { a, ask, url } = served;
  const admin = async (method: string, path: string, body?: unknown) => {
    const headers = typeof body === 'string' ? { 'content-type': 'text/csv' } : {};
    const { status, json } = await ask(`${url}/admin${path}`, { token: a.admin, method, body, headers });
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
  await admin('POST', '/customers', 'reference,numbers\n7,110\n');
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

test('the page shows entries by kind and person, page by page', async (t) => {
  const served = await serve(t);
  await withStore(served, async ({ audit }) => {
    const change = { account: 1, what: 'role', who: '<b>Eve</b>', from: '::1' } as const;
    for (let at = 1; at <= 60; at += 1) await audit.write({ ...change, at, target: `change ${at}.` });
  });
  const { read } = await browse(served, 'Ada');
  const shown = (text: string) => [...text.matchAll(/change (\d+)\./g)].map(([, n]) => Number(n));
  const first = (await read('/audit')).text;
  assert.match(first, />Ada<[\s\S]*Signed in[\s\S]*Role changed/);
  assert.ok(!first.includes('<b>Eve'));
  const older = linksIn(first.slice(first.indexOf('rel="next"')), '/audit')[0] ?? '';
  const all = [...shown(first), ...shown((await read(older)).text)];
  assert.deepEqual(
    all,
    Array.from({ length: 60 }, (_, n) => 60 - n),
  );
  assert.ok(shown(first).length < 60);
  assert.doesNotMatch((await read('/audit?who=Bob')).text, /change \d|who=Ada/);
  assert.equal(shown((await read('/audit?kind=role')).text).length, 50);
  assert.match((await read('/audit?kind=export&who=Ada')).text, /No matching entries/);
});

test('anybody closes a call that rings for long: it is to be called back, and the log says who did it', async (t) => {
  const served = await serve(t);
  const ada = await browse(served, 'Ada');
  const bob = await browse(served, 'Bob', { role: 'agent' });
  const begin = (id: string, ago: number) =>
    withStore(served, (store) =>
      report(store, { id, from: id === 'lost' ? '+493023125000' : '+493023125001', at: Date.now() - ago }),
    );
  await begin('lost', 42 * 60_000);
  await begin('rings', 60_000);
  const call = '/calls/details?id=lost';
  assert.match((await bob.read(call)).plain, /Ringing for 42\smin\?.*Close as missed/);
  assert.match((await bob.read('/calls')).plain, /Ringing for 42\smin\?/);
  assert.doesNotMatch((await bob.read('/calls/details?id=rings')).plain, /Close as missed|\?/);
  const both = [bob, ada].map(({ send }) => send('/calls/close', { id: 'lost', from: 'now' }));
  assert.deepEqual(
    (await Promise.all(both)).map(({ status }) => status),
    [204, 204],
  );
  assert.deepEqual(
    (await bob.send('/calls/close', { id: 'rings' })).headers.location,
    '/calls/details?id=rings',
  );
  assert.equal((await bob.send('/calls/close', { id: 'unknown' })).status, 404);
  assert.match((await bob.read(call)).plain, /Missed/);
  const list = (await bob.read('/call-back')).plain;
  assert.match(list, /23125000/);
  assert.doesNotMatch(list, /23125001/);
  assert.match((await ada.read(call)).plain, /POST \/calls\/close/);
  const said = (await auditOf(served)).filter((entry) => entry.startsWith('close-call'));
  assert.equal(said.length, 1);
  assert.match(said[0] ?? '', /^close-call \| (Bob|Ada) \| 127\.0\.0\.1 \| lost$/);
  const late = event({ id: 'lost', status: 'completed', from: '+493023125000' });
  assert.equal((await served.post(served.a.token, late)).status, 200);
  assert.match((await bob.read(call)).plain, /Missed/);
});

test('an administrator forgets a number on the page of a call', async (t) => {
  const served = await serve(t);
  const { a, post } = served;
  const ada = await browse(served, 'Ada');
  const bob = await browse(served, 'Bob', { role: 'agent' });
  for (const id of ['call-1', 'call-2']) assert.equal((await post(a.token, event({ id }))).status, 200);
  const call = '/calls/details?id=call-1';
  assert.doesNotMatch((await bob.read(call)).text, /Forget this number/);
  assert.match((await ada.read(call)).text, /Forget this number/);
  assert.equal((await ada.send('/calls/forget', { id: 'call-1' })).status, 303);
  const after = (await ada.read(call)).text;
  assert.match(after, /<h1>forgotten/);
  assert.doesNotMatch(after, /\+49|Forget this number|call-2|s customer/);
  assert.equal((await ada.send('/calls/forget', { id: 'call-1' })).status, 404);
  const last = (await auditOf(served)).at(-1);
  assert.equal(
    last,
    'forget | Ada | 127.0.0.1 | removed from calls (2), requests (2), customers (1) and other texts (0)',
  );
});
