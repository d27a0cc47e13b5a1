import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noExtensions } from '../../src/service/accounts/extensions.ts';
import { callSchema } from '../../src/service/calls/call-data.ts';
import { exampleOf } from '../../src/service/webhooks/event-examples.ts';
import { type WebhookEvent, webhookEvents } from '../../src/service/webhooks/webhook.ts';
import { webhookBody } from '../../src/service/webhooks/webhook-message.ts';
import { decisions } from '../../src/shared/api/contract/decisions.ts';
import { routes } from '../../src/shared/api/contract/routes.ts';
import { serve } from '../tools/service/harness.ts';

type Document = {
  info: { description: string };
  servers: { url: string }[];
  security: object[];
  components: { schemas: Record<string, object> };
  paths: Record<string, object>;
  webhooks?: Record<string, object>;
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
      .concat('GET /events')
      .toSorted(),
  );
  for (const [key, { decides, because }] of Object.entries(decisions)) {
    assert.ok(document.info.description.includes(`| ${key} |`), key);
    assert.ok(document.info.description.includes(decides), key);
    assert.ok(document.info.description.includes(because), key);
  }
  const { json: administration } = await ask(`${url}/admin/openapi.json`);
  for (const { paths, webhooks, components } of [document, administration as Document]) {
    const operations = Object.values(paths).flatMap(Object.values) as {
      operationId?: string;
      responses: object;
    }[];
    assert.ok(operations.length >= 5);
    assert.equal(new Set(operations.map(({ operationId }) => operationId ?? '')).size, operations.length);
    // A stream takes no field, and has begun when the storage is asked.
    for (const { operationId, responses } of operations)
      for (const status of operationId === 'streamCalls' ? [401, 429] : [401, 422, 503])
        assert.ok(`${status}` in responses, `${operationId}: ${status}`);
    const wanted = [
      ...JSON.stringify([paths, webhooks, components]).matchAll(/#\/components\/schemas\/(\w+)/g),
    ];
    assert.deepEqual(
      [...new Set(wanted.map(([, name]) => name))].sort(),
      Object.keys(components.schemas).sort(),
      'every schema that is named, and no other',
    );
  }
});

type Described = {
  readonly object: { readonly properties?: object; readonly required?: readonly string[] };
  readonly post: {
    readonly requestBody: {
      readonly content: Record<string, { readonly schema: { readonly properties: Record<string, object> } }>;
    };
  };
};

test('the bodies of webhooks are described, and the example of a call is one', async (t) => {
  const { ask, url } = await serve(t);
  const { webhooks = {}, components } = (await ask(`${url}/admin/openapi.json`)).json as Document;
  assert.deepEqual(Object.keys(webhooks), [...webhookEvents]);
  for (const [name, { post }] of Object.entries(webhooks as Record<string, Described>)) {
    const { type, data } = post.requestBody.content['application/json']?.schema.properties ?? {};
    const { $ref = '' } = data as { $ref?: string };
    const schema = $ref.replace('#/components/schemas/', '');
    assert.deepEqual(type, { type: 'string', const: name });
    assert.ok(schema in components.schemas, name);
    // The example of an event is what its schema says.
    const telling = { extensions: noExtensions, integration: 'Office', country: 'US' };
    const webhook = { shape: null, events: webhookEvents };
    const sent = JSON.parse(webhookBody(exampleOf(name as WebhookEvent), webhook, telling));
    const { properties = {}, required = [] } = components.schemas[schema] as Described['object'];
    for (const field of required) assert.ok(field in sent.data, `${name}: ${field}`);
    for (const field of Object.keys(sent.data)) assert.ok(field in properties, `${name}: ${field}`);
  }
  const { examples = [] } = components.schemas.Call as { examples?: unknown[] };
  assert.equal(examples.length, 1);
  for (const example of examples) assert.deepEqual(callSchema.parse(example), example);
});
