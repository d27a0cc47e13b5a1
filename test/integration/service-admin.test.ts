import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serve } from './service-harness.ts';

test('administration: segments and customers come in as CSV, decide lookups, and go out again', async (t) => {
  const { a, ask, url } = await serve(t);
  const admin = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    ask(`${url}/admin${path}`, { token: a.admin, method, headers, ...(body !== undefined && { body }) });
  const csv = { 'content-type': 'text/csv' };

  assert.deepEqual((await admin('PUT', '/segments/Gold%20%26%20Co', { priority: 20 })).json, {
    name: 'Gold & Co',
    priority: 20,
  });
  assert.deepEqual((await admin('GET', '/segments')).json, [
    { name: 'Gold & Co', priority: 20 },
    { name: 'VIP', priority: 10 },
  ]);
  const long = 'é'.repeat(255);
  assert.equal((await admin('PUT', `/segments/${long}`, { priority: 1 })).status, 200, 'the longest name');
  assert.equal((await admin('DELETE', `/segments/${long}`)).status, 204);
  const table =
    'reference,name,segment,numbers\n7,Ann,Gold & Co,030 1234567\n8,Bob,Nowhere,110\n9,Eve,,+4930901820\n';
  const imported = await admin('POST', '/customers', table, csv);
  assert.deepEqual(imported.json, {
    imported: 1,
    refused: 2,
    errors: [
      { line: 3, message: 'Segment "Nowhere" does not exist. Add it first.' },
      { line: 4, message: '+4930901820 already belongs to "Alpha\'s customer".' },
    ],
  });
  assert.deepEqual((await ask('/voice/priority?number=+49301234567', a)).json, {
    priority: 20,
    segment: 'Gold & Co',
    name: 'Ann',
  });

  const exported = await admin('GET', '/customers');
  assert.match(String(exported.headers['content-type']), /^text\/csv/);
  assert.equal(
    exported.text,
    "reference,name,segment,numbers\r\n1,Alpha's customer,VIP,+4930901820\r\n7,Ann,Gold & Co,+49301234567\r\n",
  );
  assert.equal((await admin('DELETE', '/customers/7')).status, 204);
  assert.equal((await admin('DELETE', '/customers/7')).status, 404);
  assert.deepEqual((await admin('POST', '/customers', exported.text, csv)).json, {
    imported: 2,
    refused: 0,
    errors: [],
  });
  assert.equal((await admin('DELETE', '/segments/VIP')).status, 204);
  assert.equal((await admin('DELETE', '/segments/VIP')).status, 404);
  assert.deepEqual((await ask('/voice/priority?number=+4930901820', a)).json, {
    priority: null,
    segment: null,
    name: "Alpha's customer",
  });
});

test('administration: a table leaves what it has no column for, and empties what is empty', async (t) => {
  const { a, ask, url } = await serve(t);
  const admin = (method: string, body?: string) =>
    ask(`${url}/admin/customers`, {
      ...{ token: a.admin, method, headers: { 'content-type': 'text/csv' } },
      ...(body !== undefined && { body }),
    });
  const after = async (table: string) => {
    assert.deepEqual((await admin('POST', table)).json, { imported: 1, refused: 0, errors: [] });
    return (await admin('GET')).text.split('\r\n')[1];
  };
  assert.equal(await after('reference\n1\n'), "1,Alpha's customer,VIP,+4930901820");
  assert.equal(await after('reference,numbers\n1,030 901821\n'), "1,Alpha's customer,VIP,+4930901821");
  assert.equal(await after('reference,name\n1,Ann\n'), '1,Ann,VIP,+4930901821');
  assert.equal(await after('reference,segment\n1,\n'), '1,Ann,,+4930901821');
  assert.equal(await after('reference,segment,numbers\n1,VIP,\n'), '1,Ann,VIP,');
  assert.equal(await after('reference,name\n1,\n'), '1,1,VIP,');
});

test('administration: what cannot be taken is said', async (t) => {
  const { a, ask, url } = await serve(t);
  const admin = async (method: string, path: string, body?: unknown, type = 'application/json') =>
    (
      await ask(`${url}/admin${path}`, {
        token: a.admin,
        method,
        ...(body !== undefined && { body, headers: { 'content-type': type } }),
      })
    ).status;
  assert.equal(await admin('POST', '/customers', { name: 'x' }), 415);
  assert.equal(await admin('POST', '/customers', 'a,b\n1,2', 'text/csv'), 422);
  assert.equal(await admin('PUT', '/segments/x', { priority: 1.5 }), 422);
  assert.equal(await admin('PUT', '/segments/x', '{'), 400);
  assert.equal(await admin('PATCH', '/account', { country: 'Atlantis' }), 422);
  assert.equal(await admin('POST', '/integrations', { name: '' }), 422);
  assert.equal(await admin('GET', '/nothing'), 404);
  assert.equal((await ask(`${url}/admin/nothing`)).status, 401);
});

test('administration: the country decides how numbers are read from then on', async (t) => {
  const { a, ask, url, page, post } = await serve(t);
  const change = await ask(`${url}/admin/account`, {
    token: a.admin,
    method: 'PATCH',
    body: { country: null, name: 'Gamma' },
  });
  const { country, name } = change.json as { country: null; name: string };
  assert.deepEqual([country, name], [null, 'Gamma']);
  assert.deepEqual((await ask('/voice/priority?number=030901820', a)).json, {
    priority: null,
    segment: null,
    name: null,
  });
  const admin = (method: string, path: string, body: string | object, type = 'application/json') =>
    ask(`${url}/admin${path}`, { token: a.admin, method, headers: { 'content-type': type }, body });
  await admin('POST', '/customers', 'reference,numbers\n7,040 6969199\n', 'text/csv');
  assert.equal((await admin('PATCH', '/account', { country: 'DE' })).status, 200);
  const { text } = await ask(`${url}/admin/customers`, { token: a.admin });
  assert.match(text, /^7,.*\+49406969199\r$/m, 'numbers that were known before are read again');
  assert.equal(
    (await page(a.token, '?limit=1')).meta.total,
    1,
    'administration is no part of the request history',
  );
  assert.equal((await post(a.token, {})).status, 422);
});

test('administration: an integration that is added has a token that works at once', async (t) => {
  const { a, ask, url } = await serve(t);
  const made = await ask(`${url}/admin/integrations`, {
    token: a.admin,
    method: 'POST',
    body: { name: 'New' },
  });
  assert.equal(made.status, 201);
  const { token } = made.json as { token: string };
  assert.equal((await ask('/voice?limit=1', { token })).status, 200);
});
