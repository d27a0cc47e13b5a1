import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import Fastify, { type FastifyRequest } from 'fastify';
import { keepFirstForwarded } from './forwarded.ts';
import { keepOrigin } from './keep-origin.ts';

/** What a handler reads of a request whose client has left since it came. */
async function afterClientLeft(trustProxy: string[] | false, headers: Record<string, string>) {
  const app = Fastify({ trustProxy });
  app.addHook('onRequest', (request, _reply, done) => {
    keepFirstForwarded(request.raw.headers);
    done();
  });
  keepOrigin(app);
  const { promise, resolve } = Promise.withResolvers<FastifyRequest>();
  app.get('/', async (request) => {
    request.socket.destroy();
    await once(request.socket, 'close');
    resolve(request);
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  try {
    const client = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
    const lines = Object.entries(headers).map((pair) => `${pair.join(': ')}\r\n`);
    client.write(`GET / HTTP/1.1\r\n${lines.join('')}\r\n`);
    const { ip, protocol, host, hostname } = await promise;
    return { ip, protocol, host, hostname };
  } finally {
    await app.close();
  }
}

test('a request keeps its origin after its connection was closed', async () => {
  assert.deepEqual(await afterClientLeft(false, { host: 'office.example:8080' }), {
    ip: '127.0.0.1',
    protocol: 'http',
    host: 'office.example:8080',
    hostname: 'office.example',
  });
});

test('behind several proxies, the first says what the browser used', async () => {
  for (const [proto, protocol] of [
    ['https, http', 'https'],
    ['HTTPS', 'https'],
    ['http,https', 'http'],
  ] as const)
    assert.equal(
      (await afterClientLeft(['127.0.0.1'], { host: 'a', 'x-forwarded-proto': proto })).protocol,
      protocol,
      proto,
    );
  for (const hosts of [
    'calls.example.com, inner.local',
    'Calls.Example.com,inner.local:8080',
    'calls.example.com',
  ])
    assert.equal(
      (await afterClientLeft(['127.0.0.1'], { host: 'inside:1', 'x-forwarded-host': hosts })).hostname,
      'calls.example.com',
      hosts,
    );
});

test('so does one behind a proxy', async () => {
  const forwarded = {
    'x-forwarded-for': '203.0.113.9',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'office.example',
    host: 'inside:1',
  };
  assert.deepEqual(await afterClientLeft(['127.0.0.1'], forwarded), {
    ip: '203.0.113.9',
    protocol: 'https',
    host: 'office.example',
    hostname: 'office.example',
  });
});
