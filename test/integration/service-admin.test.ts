import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createKeys, serverSecret } from '../../src/service/accounts/keys.ts';
import { csvOf, customer } from '../../src/service/people/customer.fixture.ts';
import type { PriorityResult } from '../../src/shared/api/contract/phone-number.ts';
import type { Log } from '../../src/shared/log/log.ts';
import { event, serve } from '../tools/service/harness.ts';
import { withStore } from '../tools/service/people.ts';
import { until } from '../tools/until.ts';

/** A service, and requests to /admin of account Alpha: text is CSV. What is answered must be documented. */
async function administered(t: TestContext) {
  const served = await serve(t);
  const { a, ask, url } = served;
  const { paths } = (await ask(`${url}/admin/openapi.json`)).json as {
    paths: Record<string, Record<string, { responses: object }>>;
  };
  const operationsOf = (path: string) =>
    Object.entries(paths).find(([template]) =>
      new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path.replace(/\?.*/, '')),
    )?.[1];
  const admin = async (method: string, path: string, body?: unknown, type?: string, token = a.admin) => {
    const answer = await ask(`${url}/admin${path}`, {
      token,
      method,
      body,
      headers: type || typeof body === 'string' ? { 'content-type': type ?? 'text/csv' } : {},
    });
    const { responses } = operationsOf(path)?.[method.toLowerCase()] ?? {};
    // A body that is no JSON is refused before the operation.
    if (responses !== undefined && answer.status !== 400)
      assert.ok(`${answer.status}` in responses, `${method} ${path}: ${answer.status} is not documented`);
    return answer;
  };
  const lookup = async (number: string) => {
    const { json } = await ask(`/voice/priority?number=${encodeURIComponent(number)}`, a);
    const { priority, segment, name } = json as PriorityResult;
    return { priority, segment, name };
  };
  return { ...served, admin, lookup };
}

test('administration: segments and customers come in as CSV, decide lookups, and go out again', async (t) => {
  const { admin, lookup } = await administered(t);
  const gold = { name: 'Gold & Co', priority: 20 };
  assert.deepEqual((await admin('PUT', '/segments/Gold%20%26%20Co', { priority: 20 })).json, gold);
  assert.deepEqual((await admin('GET', '/segments')).json, [gold, { name: 'VIP', priority: 10 }]);
  const long = 'é'.repeat(255);
  assert.equal((await admin('PUT', `/segments/${long}`, { priority: 1 })).status, 200, 'the longest name');
  assert.equal((await admin('DELETE', `/segments/${long}`)).status, 204);
  const table = '7,Ann,Gold & Co,030 1234567\n8,Bob,Nowhere,110\n9,Eve,,+4930901820\n';
  const imported = await admin('POST', '/customers', `reference,name,segment,numbers\n${table}`);
  assert.deepEqual(imported.json, {
    imported: 2,
    refused: 1,
    errors: [{ message: 'Segment "Nowhere" does not exist. Add it first.', count: 1, lines: [3] }],
    warnings: [{ message: '+4930901820 already belongs to "Alpha\'s customer".', count: 1, lines: [4] }],
    unsure: 0,
    unknown_columns: [],
  });
  assert.deepEqual(await lookup('+49301234567'), { priority: 20, segment: 'Gold & Co', name: 'Ann' });

  const exported = await admin('GET', '/customers');
  assert.match(String(exported.headers['content-type']), /^text\/csv/);
  const known = customer({ name: "Alpha's customer", segment: 'VIP', numbers: ['+4930901820'] });
  const ann = customer({ reference: '7', segment: 'Gold & Co', numbers: ['+49301234567'] });
  const eve = customer({ reference: '9', name: 'Eve' });
  assert.equal(exported.text, csvOf(known, ann, eve));
  for (const status of [204, 404]) assert.equal((await admin('DELETE', '/customers/7')).status, status);
  const again = (await admin('POST', '/customers', exported.text)).json;
  assert.deepEqual(again, {
    imported: 3,
    refused: 0,
    errors: [],
    warnings: [],
    unsure: 0,
    unknown_columns: [],
  });
  for (const status of [204, 404]) assert.equal((await admin('DELETE', '/segments/VIP')).status, status);
  const unsegmented = { priority: null, segment: null, name: "Alpha's customer" };
  assert.deepEqual(await lookup('+4930901820'), unsegmented);
});

test('administration: what an import refuses is grouped by reason, and segments that do not exist are created if asked for', async (t) => {
  const { admin, lookup } = await administered(t);
  const lines = Array.from({ length: 1_000 }, (_, n) => `c${n},Ann,${['VIP', 'Gold', 'Silver'][n % 3]},`);
  const csv = ['reference,name,segment,numbers', ...lines, 'gold,Eve,Gold,030 1234567', ''].join('\n');
  const misspelt = await admin('POST', '/customers', 'reference,name,number,Phone\n7,Ann,030 1234567,1\n');
  assert.deepEqual(misspelt.json, {
    imported: 1,
    refused: 0,
    errors: [],
    unsure: 0,
    warnings: [
      {
        count: 1,
        lines: [2],
        message: 'Column “number” is not imported, but seems to have phone numbers: 030 1234567.',
      },
    ],
    unknown_columns: ['number', 'Phone'],
  });
  assert.equal((await admin('POST', '/customers', 'reference,phone\n7,030 1234567\n')).status, 422);
  assert.equal((await admin('DELETE', '/customers/7')).status, 204);
  const { json } = await admin('POST', '/customers', csv);
  const { errors, ...counts } = json as { errors: { message: string; count: number; lines: number[] }[] };
  assert.deepEqual(counts, { imported: 334, refused: 667, warnings: [], unsure: 0, unknown_columns: [] });
  assert.deepEqual(
    errors.map(({ count, lines: [first, second, ...more] }) => [count, first, second, more.length]),
    [
      [334, 3, 6, 8],
      [333, 4, 7, 8],
    ],
  );
  const created = await admin('POST', '/customers?create_segments=true', csv);
  assert.deepEqual(created.json, {
    imported: 1_001,
    refused: 0,
    errors: [],
    warnings: [],
    unsure: 0,
    unknown_columns: [],
  });
  assert.deepEqual(await lookup('+49301234567'), { priority: 0, segment: 'Gold', name: 'Eve' });
  assert.equal((await admin('POST', '/customers?create_segments=maybe', csv)).status, 422);
});

test('administration: a table is read in the given charset, else in the one it shows', async (t) => {
  const { admin } = await administered(t);
  const table = 'reference;name\n7;Müller\n';
  const read = async (body: Buffer, type = 'text/csv') => {
    await admin('POST', '/customers', 'reference,name\n7,nobody\n');
    assert.equal((await admin('POST', '/customers', body, type)).status, 200, type);
    return ((await admin('GET', '/customers/7')).json as { name: string }).name;
  };
  assert.equal(await read(Buffer.from(table, 'latin1'), 'text/csv; charset=windows-1252'), 'Müller');
  assert.equal(
    await read(Buffer.from(table, 'latin1'), 'text/csv;charset="ISO-8859-1"; header=present'),
    'Müller',
  );
  assert.equal(await read(Buffer.from(table, 'latin1')), 'Müller');
  assert.equal(await read(Buffer.from(table)), 'Müller');
  assert.equal(await read(Buffer.from(`\ufeff${table}`, 'utf16le')), 'Müller');
  // A byte order mark is surer than a header.
  assert.equal(await read(Buffer.from(`\ufeff${table}`), 'text/csv; charset=iso-8859-1'), 'Müller');
  assert.equal((await admin('POST', '/customers', table, 'text/csv; charset=klingon')).status, 415);
  const eastern = Buffer.from('reference;name\n7;\xa3ukasz\n', 'latin1');
  const refused = await admin('POST', '/customers', eastern, 'text/csv');
  assert.equal(refused.status, 415);
  assert.match(JSON.stringify(refused.json), /neither UTF-8 nor Windows-1252/);
  assert.equal(await read(eastern, 'text/csv; charset=windows-1250'), 'Łukasz');
});

test('administration: what cannot be taken is said', async (t) => {
  const { admin, ask, url } = await administered(t);
  for (const [method, path, body, status, type] of [
    ['POST', '/customers', { name: 'x' }, 415],
    ['POST', '/customers', 'a,b\n1,2', 422],
    ['PUT', '/segments/x', { priority: 1.5 }, 422],
    ['PUT', '/segments/x', '{', 400, 'application/json'],
    ['PATCH', '/account', { country: 'Atlantis' }, 422],
    ['POST', '/integrations', { name: '' }, 422],
    ['GET', '/nothing', undefined, 404],
  ] as const)
    assert.equal((await admin(method, path, body, type)).status, status, `${method} ${path}`);
  assert.equal((await ask(`${url}/admin/nothing`)).status, 401);
});

test('administration: the country decides how numbers are read from then on, and those that were known before', async (t) => {
  const { a, admin, lookup, page } = await administered(t);
  const { json } = await admin('PATCH', '/account', { country: null, name: 'Alpha' });
  const { country, name } = json as { country: null; name: string };
  assert.deepEqual([country, name], [null, 'Alpha']);
  assert.deepEqual(await lookup('030901820'), { priority: null, segment: null, name: null });
  await admin('POST', '/customers', 'reference,numbers\n7,040 6969199\n');
  assert.equal((await admin('PATCH', '/account', { country: 'DE' })).status, 200);
  assert.match((await admin('GET', '/customers')).text, /^7,.*\+49406969199,,\r$/m);
  const { total } = (await page(a.token, '?limit=1')).meta;
  assert.equal(total, 1, 'administration is no part of the request history');
});

test('administration: an integration that is added has a token that works at once', async (t) => {
  const { admin, ask } = await administered(t);
  const made = await admin('POST', '/integrations', { name: 'New' });
  assert.equal(made.status, 201);
  assert.equal((await ask('/voice?limit=1', made.json as { token: string })).status, 200);
});

test('administration: an office is set up from nothing: account, user with extensions, segment, customer, integration, webhook', async (t) => {
  const { ask, url, stateDir, page, ...alpha } = await administered(t);
  const operator = createKeys(serverSecret(stateDir)).operatorToken(0);
  const accounts = `${url}/admin/accounts`;
  assert.equal((await ask(accounts, { token: 'opr_'.padEnd(68, '0') })).status, 401);
  const made = await ask(accounts, {
    token: operator,
    method: 'POST',
    body: { name: 'Gamma', country: 'NL' },
  });
  const { admin_token: token, ...gamma } = made.json as { admin_token: string; uid: string };
  assert.equal(made.status, 201);
  assert.deepEqual(((await ask(accounts, { token: operator })).json as object[]).at(-1), gamma);
  const admin = (method: string, path: string, body?: unknown) =>
    alpha.admin(method, path, body, undefined, token);
  const done = async (method: string, path: string, body?: unknown) => {
    const { status, json } = await admin(method, path, body);
    assert.ok(status < 300, `${method} ${path}: ${status} ${JSON.stringify(json)}`);
    return json as Record<string, unknown>;
  };
  assert.equal(
    (await ask(`${url}/admin/users`, { token: operator })).status,
    401,
    'the operator is in no account',
  );
  assert.equal((await ask(accounts, { token })).status, 401, 'an account sees no others');

  const eve = await done('POST', '/users', {
    name: 'Eve',
    role: 'administrator',
    extensions: ['101', '102'],
  });
  assert.match(String(eve.sign_in_link), /\/sign-in#/);
  assert.equal((await admin('POST', '/users', { name: 'eve' })).status, 409);
  assert.equal(
    (await admin('PATCH', `/users/${eve.uid}`, { role: 'agent' })).status,
    422,
    'the only administrator',
  );
  const bob = await done('POST', '/users', { name: 'Bob' });
  assert.deepEqual((await done('PATCH', `/users/${bob.uid}`, { extensions: ['102'] })).extensions, ['102']);
  assert.deepEqual((await done('PATCH', `/users/${bob.uid}`, { role: 'administrator' })).extensions, ['102']);
  assert.deepEqual(
    (await done('GET', `/users/${eve.uid}`)).extensions,
    ['101'],
    'an extension is of one user',
  );
  for (const [user, status] of [
    ['nobody', 404],
    ['a\0b', 422],
  ] as const)
    assert.equal((await admin('PUT', '/extensions/101', { user })).status, status, user);
  await done('PUT', '/extensions/101', { name: 'Front desk', user: eve.uid });
  assert.deepEqual((await done('GET', '/extensions'))[0], {
    extension: '101',
    name: 'Front desk',
    user: eve.uid,
  });
  assert.notEqual((await done('POST', `/users/${bob.uid}/invite`)).sign_in_link, bob.sign_in_link);

  await done('PUT', '/segments/Gold', { priority: 7 });
  const ann = { name: 'Ann', segment: 'Gold', numbers: ['020 888 43 21'] };
  assert.deepEqual((await done('PUT', '/customers/7', ann)).numbers, ['+31208884321']);
  assert.equal(
    (await done('PUT', '/customers/7', { name: 'Anna' })).segment,
    'Gold',
    'what is not named stays',
  );
  assert.equal((await admin('PUT', '/customers/8', ann)).status, 409);
  assert.equal((await admin('PUT', '/customers/8', { segment: 'None' })).status, 422);
  assert.equal((await done('GET', '/customers/7')).name, 'Anna');
  for (const body of [{ blocked: true }, { language: 'de' }, { segment: 'Gold' }, { numbers: [] }, {}]) {
    const { status, json } = await admin('PUT', '/customers/nobody', body);
    const message = 'There is no customer with this reference, and a new one needs a name or a number.';
    assert.deepEqual([status, json], [422, { message }], JSON.stringify(body));
  }
  assert.equal((await admin('GET', '/customers/nobody')).status, 404);
  assert.equal((await done('PUT', '/customers/7', { blocked: true })).blocked, true);
  const { status, json } = await admin('PUT', '/customers/7', { blocked: 'yes' });
  assert.equal(status, 422);
  assert.match(JSON.stringify(json), /The blocked field must be true or false/);

  const integration = await done('POST', '/integrations', { name: 'Office' });
  assert.equal((await done('GET', `/integrations/${integration.uid}`)).token, undefined, 'shown once');
  const rotated = await done('POST', `/integrations/${integration.uid}/rotate`, { old_token_days: 1 });
  assert.notEqual(rotated.token, integration.token);
  const found = await ask('/voice/priority?number=0208884321', { token: String(rotated.token) });
  assert.partialDeepStrictEqual(found.json, { priority: 7, segment: 'Gold', name: 'Anna' });
  assert.equal((await page(String(rotated.token), '?limit=1')).meta.total, 1);

  const hook = { url: 'https://crm.example.com/calls', events: ['call.missed'] };
  const webhook = await done('POST', '/webhooks', hook);
  assert.match(String(webhook.secret), /^whsec_/);
  assert.equal((await admin('POST', '/webhooks', { url: 'http://127.0.0.1/' })).status, 422);
  const off = await done('PATCH', `/webhooks/${webhook.uid}`, { enabled: false });
  assert.deepEqual([off.enabled, off.events, off.secret], [false, ['call.missed'], undefined]);
  const shape = {
    events: ['call.missed', 'note.added'],
    format: 'json',
    template: '{"text": "{{title}}: {{caller}}"}',
    language: 'de',
    filter: { numbers_called: ['+4930*'], segments: ['Gold'], customers: [] },
  };
  const own = { name: 'Authorization', value: 'Bearer s3cret' };
  const shaped = await done('PATCH', `/webhooks/${webhook.uid}`, {
    ...shape,
    headers: [own, { name: 'X-New' }],
  });
  assert.partialDeepStrictEqual(shaped, { ...shape, headers: [{ name: 'Authorization' }] });
  // What is read can be sent back, without the values of headers.
  const { uid: _, failure: __, ...again } = await done('GET', `/webhooks/${webhook.uid}`);
  assert.deepEqual(await done('PATCH', `/webhooks/${webhook.uid}`, again), shaped);
  for (const [change, message] of [
    [{ template: '{"text": {{caller}}}' }, /The template cannot be used\. The body is no JSON/],
    [{ headers: [{ name: 'Host', value: 'a' }] }, /The service sets Host itself/],
    [{ headers: [{ name: 'X-A', value: 'a\r\nX-B: c' }] }, /visible ASCII/],
    [{ format: 'xml' }, /format/],
    [{ filter: { numbers_called: Array(101).fill('1'), segments: [], customers: [] } }, /./],
  ] as const) {
    const { status, json } = await admin('PATCH', `/webhooks/${webhook.uid}`, change);
    assert.equal(status, 422, JSON.stringify(change));
    assert.match((json as { message: string }).message, message);
  }
  assert.deepEqual(await done('GET', `/webhooks/${webhook.uid}`), shaped);
  const plain = await done('PATCH', `/webhooks/${webhook.uid}`, { format: 'standard', headers: [] });
  assert.deepEqual([plain.format, plain.template, plain.headers], ['standard', '', []]);
  for (const path of [`/webhooks/${webhook.uid}`, `/users/${bob.uid}`, '/customers/7', '/segments/Gold'])
    for (const status of [204, 404]) assert.equal((await admin('DELETE', path)).status, status, path);
});

test('administration: the fleet token reads the bridges of all accounts, and nothing else', async (t) => {
  const { ask, url, stateDir } = await administered(t);
  const token = createKeys(serverSecret(stateDir)).fleetToken(0);
  const basic = {
    authorization: `Basic ${Buffer.from(`any:${token}`).toString('base64')}`,
    accept: 'text/html',
  };
  assert.equal((await ask(`${url}/admin/fleet`, { token })).status, 200);
  assert.equal((await ask(`${url}/admin/fleet`, { headers: basic })).status, 200);
  const { json } = await ask(`${url}/admin/openapi.json`, {});
  const { paths } = json as { paths: Record<string, object> };
  const others = Object.entries(paths).filter(([path]) => path !== '/admin/fleet' && path !== '/fleet');
  assert.ok(others.length > 10);
  for (const [path, methods] of others)
    for (const method of Object.keys(methods)) {
      const address = `${url}/admin${path.replace(/^\/admin/, '').replaceAll(/\{[^}]*\}/g, 'x')}`;
      for (const sent of [{ token }, { headers: basic }]) {
        const { status } = await ask(address, { ...sent, method: method.toUpperCase() });
        assert.equal(status, 401, `${method} ${address}`);
      }
    }
  assert.equal((await ask('/voice', { token })).status, 401);
});

test('administration: the tokens of who runs the service can be replaced, each for itself, at every process', async (t) => {
  const served = await administered(t);
  const { ask, url, stateDir } = served;
  const keys = createKeys(serverSecret(stateDir));
  const accepted = async (token: string) => (await ask(`${url}/admin/fleet`, { token })).status;
  const replaced = (which: 'operator' | 'fleet', counter: number) =>
    withStore(served, ({ directory }) => directory.rotateSiteToken(which, counter));
  const [operator, fleet] = [keys.operatorToken(0), keys.fleetToken(0)];
  assert.deepEqual([await accepted(operator), await accepted(fleet), await accepted('')], [200, 200, 401]);
  assert.equal(await replaced('operator', 0), 1);
  await until('the old operator token is refused', async () => (await accepted(operator)) === 401);
  assert.deepEqual([await accepted(keys.operatorToken(1)), await accepted(fleet)], [200, 200]);
  const both = await Promise.allSettled([replaced('fleet', 0), replaced('fleet', 0)]);
  assert.deepEqual(both.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
  assert.equal(await replaced('fleet', 1), 2);
  await until('the new fleet token is accepted', async () => (await accepted(keys.fleetToken(2))) === 200);
  assert.deepEqual([await accepted(fleet), await accepted(keys.fleetToken(1))], [401, 401]);
  assert.equal(await accepted(keys.operatorToken(1)), 200);
});

test('administration: who runs the service limits an account, removes it, and adds nothing twice; it exports itself', async (t) => {
  const { ask, url, stateDir, a, b, admin, post } = await administered(t);
  const operator = createKeys(serverSecret(stateDir)).operatorToken(0);
  const asOperator = (method: string, path: string, body?: unknown) =>
    admin(method, path, body, undefined, operator);
  const accounts = (await asOperator('GET', '/accounts')).json as { uid: string; name: string }[];
  const uidOf = (name: string) => accounts.find((account) => account.name === name)?.uid;
  const [alpha, beta] = [uidOf('Alpha'), uidOf('Beta')];
  assert.equal((await asOperator('POST', '/accounts', { name: 'Alpha' })).status, 409);
  const renewed = await asOperator('POST', `/accounts/${beta}/rotate`);
  assert.equal(renewed.status, 200, renewed.text);
  const { admin_token: token } = renewed.json as { admin_token: string };
  const account = `${url}/admin/account`;
  assert.equal((await ask(account, { token: b.admin })).status, 401, 'the token before');
  assert.equal((await ask(account, { token })).status, 200);
  assert.equal((await admin('POST', `/accounts/${beta}/rotate`)).status, 401, 'no account asks for another');
  assert.equal((await admin('POST', '/integrations', { name: 'Desk' })).status, 201);
  assert.equal((await admin('POST', '/integrations', { name: 'Desk' })).status, 409);

  const few = { requests_per_minute: 3, most_users: 1 };
  const limited = await asOperator('PATCH', `/accounts/${alpha}`, few);
  assert.deepEqual(limited.json, {
    uid: alpha,
    name: 'Alpha',
    country: 'DE',
    numbers_kept_days: null,
    ...few,
  });
  assert.equal((await admin('PATCH', `/accounts/${alpha}`, few)).status, 401, 'no account limits itself');
  assert.equal((await asOperator('PATCH', '/accounts/none', few)).status, 404);
  assert.equal((await asOperator('PATCH', `/accounts/${alpha}`, { most_users: 0 })).status, 422);
  assert.equal((await admin('POST', '/users', { name: 'Eve' })).status, 201);
  assert.equal((await admin('POST', '/users', { name: 'Fay' })).status, 409, 'it has as many as it may');
  const near = async () => {
    const { json } = await asOperator('GET', '/fleet');
    return (json as { accounts: { uid: string; near: string[] }[] }).accounts.find(({ uid }) => uid === alpha)
      ?.near;
  };
  assert.deepEqual(await near(), ['users']);
  for (const id of ['1', '2', '3']) assert.equal((await post(a.token, event({ id }))).status, 200);
  const refused = await post(a.token, event({ id: '4' }));
  assert.equal(refused.status, 429);
  assert.ok(Number(refused.headers['retry-after']) > 0);
  assert.equal((await post(b.token, event({ id: '4' }))).status, 200, 'of another account');
  assert.deepEqual(await near(), ['requests', 'users']);
  // What a bridge tells of who rings has a limit of its own.
  const rings = () =>
    ask('/bridge/calls', {
      token: a.token,
      method: 'POST',
      body: { calls: [{ id: '1', rings: ['101'], talks: [] }] },
    });
  const statuses = [];
  for (let n = 0; n < 4; n += 1) statuses.push((await rings()).status);
  assert.deepEqual(statuses, [200, 200, 200, 429]);
  await asOperator('PATCH', `/accounts/${alpha}`, { requests_per_minute: null });
  assert.equal((await post(a.token, event({ id: '4' }))).status, 200);

  const lines = (await admin('GET', '/export')).text.trim().split('\n');
  const rows = lines.map((line) => JSON.parse(line) as { table: string; row: { call_id?: string } });
  const ids = rows.filter(({ table }) => table === 'calls').map(({ row }) => row.call_id);
  assert.deepEqual(ids.sort(), ['1', '2', '3', '4']);
  assert.equal((await ask(`${url}/admin/export`, { token: operator })).status, 401, 'it opens no account');

  assert.equal((await admin('DELETE', `/accounts/${beta}`)).status, 401);
  const eventsOfBeta = (query = '') => ask(`${url}/admin/events${query}`, { token });
  const { cursor } = (await eventsOfBeta()).json as { cursor: string };
  let ended: number | undefined;
  void eventsOfBeta(`?after=${cursor}&wait=50`).then(({ status }) => {
    ended = status;
  });
  for (const status of [204, 404])
    assert.equal((await asOperator('DELETE', `/accounts/${beta}`)).status, status);
  // Before its own time is over.
  const early = { longestMs: 30_000 };
  assert.equal(await until('the request that waits for its events to end', () => ended, early), 401);
  assert.equal((await post(b.token, event({ id: '5' }))).status, 401);
  assert.equal((await ask(account, { token })).status, 401);
  assert.equal((await post(a.token, event({ id: '5' }))).status, 200, 'the other goes on');
  const last = await asOperator('DELETE', `/accounts/${alpha}`);
  assert.match(JSON.stringify([last.status, last.json]), /^\[409,.*Alpha is the only account/);
});

test('administration: every answer names its request, and so does the log', async (t) => {
  const lines: { code: string; fields: Record<string, unknown> }[] = [];
  const log: Log = { say: (code, fields = {}) => void lines.push({ code, fields }), child: () => log };
  const { ask, url, a } = await serve(t, { hosts: [] }, log);
  const ids = new Set<unknown>();
  for (const path of ['/healthz', '/sign-in', '/admin/users', '/nothing', '/openapi.json'])
    ids.add((await ask(`${url}${path}`)).headers['x-request-id']);
  ids.add((await ask('/voice?limit=1', a)).headers['x-request-id']);
  assert.equal(ids.size, 6);
  assert.equal(ids.has(undefined), false);
  const strange = await ask(`${url}/sign-in`, { headers: { host: 'other.example' } });
  assert.equal(strange.status, 421);
  const said = lines.find(({ code }) => code === 'service.unknown-host');
  assert.equal(said?.fields.request, strange.headers['x-request-id']);
});
