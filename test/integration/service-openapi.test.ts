import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decisions } from '../../src/shared/api/contract/decisions.ts';
import { routes } from '../../src/shared/api/contract/routes.ts';
import { serve } from './service-harness.ts';

type Document = {
  info: { description: string };
  servers: { url: string }[];
  security: object[];
  components: { schemas: Record<string, object> };
  paths: Record<string, object>;
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
