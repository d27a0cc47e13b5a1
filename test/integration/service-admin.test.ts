import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { csvOf, customer } from '../../src/service/people/customer.fixture.ts';
import { serve } from './service-harness.ts';

/** A service, and requests to /admin of account Alpha: text is CSV. */
async function administered(t: TestContext) {
  const served = await serve(t);
  const { a, ask, url } = served;
  const admin = (method: string, path: string, body?: unknown, type?: string) =>
    ask(`${url}/admin${path}`, {
      ...{ token: a.admin, method, body },
      headers: type || typeof body === 'string' ? { 'content-type': type ?? 'text/csv' } : {},
    });
  const lookup = async (number: string) =>
    (await ask(`/voice/priority?number=${encodeURIComponent(number)}`, a)).json;
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
    ...{ imported: 1, refused: 2 },
    errors: [
      { line: 3, message: 'Segment "Nowhere" does not exist. Add it first.' },
      { line: 4, message: '+4930901820 already belongs to "Alpha\'s customer".' },
    ],
  });
  assert.deepEqual(await lookup('+49301234567'), { priority: 20, segment: 'Gold & Co', name: 'Ann' });

  const exported = await admin('GET', '/customers');
  assert.match(String(exported.headers['content-type']), /^text\/csv/);
  const known = customer({ name: "Alpha's customer", segment: 'VIP', numbers: ['+4930901820'] });
  const ann = customer({ reference: '7', segment: 'Gold & Co', numbers: ['+49301234567'] });
  assert.equal(exported.text, csvOf(known, ann));
  for (const status of [204, 404]) assert.equal((await admin('DELETE', '/customers/7')).status, status);
  const again = (await admin('POST', '/customers', exported.text)).json;
  assert.deepEqual(again, { imported: 2, refused: 0, errors: [] });
  for (const status of [204, 404]) assert.equal((await admin('DELETE', '/segments/VIP')).status, status);
  const unsegmented = { priority: null, segment: null, name: "Alpha's customer" };
  assert.deepEqual(await lookup('+4930901820'), unsegmented);
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
  const { json } = await admin('PATCH', '/account', { country: null, name: 'Gamma' });
  const { country, name } = json as { country: null; name: string };
  assert.deepEqual([country, name], [null, 'Gamma']);
  assert.deepEqual(await lookup('030901820'), { priority: null, segment: null, name: null });
  await admin('POST', '/customers', 'reference,numbers\n7,040 6969199\n');
  assert.equal((await admin('PATCH', '/account', { country: 'DE' })).status, 200);
  assert.match((await admin('GET', '/customers')).text, /^7,.*\+49406969199\r$/m);
  const { total } = (await page(a.token, '?limit=1')).meta;
  assert.equal(total, 1, 'administration is no part of the request history');
});

test('administration: an integration that is added has a token that works at once', async (t) => {
  const { admin, ask } = await administered(t);
  const made = await admin('POST', '/integrations', { name: 'New' });
  assert.equal(made.status, 201);
  assert.equal((await ask('/voice?limit=1', made.json as { token: string })).status, 200);
});
