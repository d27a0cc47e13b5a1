import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serve } from '../tools/service/harness.ts';

type Body = { requestBody?: { content: { 'application/json'?: { schema: object } } } };

test('a field that /admin does not know is an error that names it, and changes nothing', async (t) => {
  const { url, a, ask } = await serve(t);
  const admin = (method: string, path: string, body?: unknown) =>
    ask(`${url}/admin${path}`, { token: a.admin, method, ...(body !== undefined && { body }) });
  const before = (await admin('GET', '/customers')).text;
  const { status, json } = await admin('PUT', '/customers/new', { name: 'New', nummers: ['110'], x: 1 });
  assert.equal(status, 422);
  assert.deepEqual(json, {
    message: 'There is no nummers field. (and 1 more error)',
    errors: { nummers: ['There is no nummers field.'], x: ['There is no x field.'] },
  });
  assert.equal((await admin('GET', '/customers')).text, before);

  const { json: document } = await ask(`${url}/admin/openapi.json`);
  const { paths } = document as { paths: Record<string, Record<string, Body>> };
  const bodies = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { requestBody }]) => {
      const schema = requestBody?.content['application/json']?.schema;
      return schema && JSON.stringify(schema) !== '{}'
        ? [[`${method} ${path}`, JSON.stringify(schema)] as const]
        : [];
    }),
  );
  assert.ok(bodies.length >= 10, `${bodies.length} bodies`);
  for (const [operation, schema] of bodies) assert.match(schema, /"additionalProperties":false/, operation);
});

test('what was read at /admin can be written back, with the name that is in the path', async (t) => {
  const { url, a, ask } = await serve(t);
  const admin = (method: string, path: string, body?: unknown) =>
    ask(`${url}/admin${path}`, { token: a.admin, method, ...(body !== undefined && { body }) });
  for (const [path, other] of [
    ['/customers/1', { reference: '2' }],
    ['/segments/VIP', { name: 'Other', priority: 1 }],
    ['/extensions/101', { extension: '102' }],
  ] as const) {
    const made = path.startsWith('/extensions') ? await admin('PUT', path, { name: 'Desk' }) : undefined;
    const read = path.startsWith('/segments')
      ? { name: 'VIP', priority: 10 }
      : (made?.json ?? (await admin('GET', path)).json);
    const given = path.startsWith('/extensions') ? { extension: '101', name: 'Desk' } : read;
    assert.equal((await admin('PUT', path, given)).status, 200, path);
    const { status, text } = await admin('PUT', path, { ...(given as object), ...other });
    assert.equal(status, 422, path);
    assert.match(text, /must be as in the address/, path);
  }
});
