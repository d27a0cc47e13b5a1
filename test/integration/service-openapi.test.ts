import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { callEventSchema } from '../../src/api/contract/call-event.ts';
import { decisions } from '../../src/api/contract/decisions.ts';
import { historyQuerySchema } from '../../src/api/contract/history.ts';
import { routes } from '../../src/api/contract/routes.ts';
import { serve } from './service-harness.ts';

type Operation = {
  summary: string;
  parameters?: { name: string; in: string; required?: boolean; schema: object }[];
  requestBody?: { content: Record<string, { schema: { properties: object; required: string[] } }> };
  responses: Record<string, object>;
};
type Document = {
  info: { description: string };
  servers: { url: string }[];
  security: object[];
  components: { schemas: Record<string, object> };
  paths: Record<string, Record<string, Operation>>;
};

test('the OpenAPI document is served without a token, and is what the contract says', async (t) => {
  const { ask, url } = await serve(t);
  const { status, json } = await ask(`${url}/openapi.json`);
  assert.equal(status, 200);
  const document = json as Document;
  assert.deepEqual(document.servers, [{ url: '/api/v1' }]);
  assert.deepEqual(document.security, [{ token: [] }]);

  const described = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  assert.deepEqual(
    described.toSorted(),
    Object.values(routes)
      .map(({ method, path }) => `${method} ${path}`)
      .toSorted(),
  );
  for (const { method, path, schema } of Object.values(routes)) {
    const operation = document.paths[path]?.[method.toLowerCase()] as Operation;
    assert.equal(operation.summary, schema.summary);
    assert.deepEqual(Object.keys(operation.responses).toSorted(), Object.keys(schema.response).toSorted());
  }

  const body = document.paths['/voice/call']?.post?.requestBody?.content['application/json']?.schema;
  const contract = z.toJSONSchema(callEventSchema, { io: 'input' });
  assert.deepEqual(body?.properties, contract.properties);
  assert.deepEqual(body?.required, contract.required);
  const parameters = (path: string) => document.paths[path]?.get?.parameters?.map(({ name }) => name);
  assert.deepEqual(parameters('/voice/call'), Object.keys(callEventSchema.shape));
  assert.deepEqual(parameters('/voice'), Object.keys(historyQuerySchema.shape));

  for (const [key, { decides, because }] of Object.entries(decisions)) {
    assert.ok(document.info.description.includes(`| ${key} |`), key);
    assert.ok(document.info.description.includes(decides), key);
    assert.ok(document.info.description.includes(because), key);
  }
  const names = [...JSON.stringify(document.paths).matchAll(/#\/components\/schemas\/(\w+)/g)].map(
    ([, name]) => name,
  );
  assert.deepEqual(
    names.filter((name) => !((name as string) in document.components.schemas)),
    [],
  );
});
