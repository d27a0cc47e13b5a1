import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { type TestContext, test } from 'node:test';
import { type FakeApi, startFakeApi } from '../../../test/tools/fakes/fake-api.ts';
import { always, type Fault, times } from '../../../test/tools/fakes/fake-api-faults.ts';
import { freePort } from '../../../test/tools/free-port.ts';
import { type ApiClientOptions, createApiClient } from './client.ts';
import type { ApiResult } from './result.ts';

const token = 'token-0123456789';
const ringing = JSON.stringify({
  id: 'pbx-1.1',
  direction: 'inbound',
  status: 'ringing',
  from: '+4930901820',
});

async function fakeApiFor(t: TestContext): Promise<FakeApi> {
  const fakeApi = await startFakeApi({ token });
  t.after(() => fakeApi.close());
  return fakeApi;
}

function clientFor(t: TestContext, baseUrl: string, more: Partial<ApiClientOptions> = {}) {
  const client = createApiClient({ baseUrl, token, ...more });
  t.after(() => client.close());
  return client;
}

async function listening(t: TestContext, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** What the tests compare: the kind of failure, or the status. */
function outcome(result: ApiResult): string | number {
  return result.kind === 'answer' ? result.status : result.error;
}

test('a call event arrives and its answer comes back', async (t) => {
  const fakeApi = await fakeApiFor(t);
  const result = await clientFor(t, fakeApi.baseUrl).postCallEvent(ringing);
  assert.ok(result.kind === 'answer');
  assert.deepEqual([result.status, result.contentType, result.truncated], [200, 'application/json', false]);
  assert.equal((JSON.parse(result.body) as { result: string }).result.length, 48);
  assert.ok(result.durationMs >= 0);
  assert.equal(fakeApi.calls().get('pbx-1.1')?.state, 'ringing');
  assert.equal(fakeApi.history()[0]?.request, ringing, 'the body goes out byte by byte as it was taken');
});

test('the extras of an event that was stored with API_EXTRAS go to no other API', async (t) => {
  const fakeApi = await fakeApiFor(t);
  const stored = ringing.replace(/\}$/, ',"extras":{"line":"PJSIP/trunk"}}');
  await clientFor(t, fakeApi.baseUrl).postCallEvent(stored);
  await clientFor(t, fakeApi.baseUrl, { extras: true }).postCallEvent(stored);
  assert.deepEqual(
    fakeApi.history().map(({ request }) => request),
    [ringing, stored],
  );
});

test('a status is an answer, never an exception, and the connections live on', async (t) => {
  const fakeApi = await fakeApiFor(t);
  const client = clientFor(t, fakeApi.baseUrl);
  for (const status of [200, 204, 302, 307, 400, 401, 404, 422, 429, 500, 503]) {
    fakeApi.inject(always({ kind: 'status', status }));
    assert.equal(outcome(await client.postCallEvent(ringing)), status);
  }
  // A connection that has just answered rests for one turn of the event loop: two take turns.
  assert.ok(fakeApi.counts().connections <= 2);
});

test('each fault of the API has its own kind, and the next request works', async (t) => {
  const fakeApi = await fakeApiFor(t);
  const client = clientFor(t, fakeApi.baseUrl);
  const hasty = clientFor(t, fakeApi.baseUrl, { answerTimeoutMs: 300 });
  const table: readonly [Fault, string | number][] = [
    [{ kind: 'reset', when: 'before' }, 'reset'],
    [{ kind: 'reset', when: 'during' }, 'reset'],
    [{ kind: 'reset', when: 'after' }, 'reset'],
    [{ kind: 'hang' }, 'timeout-headers'],
    [{ kind: 'stall' }, 'timeout-body'],
    [{ kind: 'garbage' }, 'protocol'],
    [{ kind: 'html' }, 200],
    [{ kind: 'huge', bytes: 100_000 }, 200],
  ];
  for (const [fault, expected] of table) {
    fakeApi.inject(times(1, fault));
    const one = String(expected).startsWith('timeout') ? hasty : client;
    assert.equal(outcome(await one.postCallEvent(ringing)), expected, JSON.stringify(fault));
    assert.equal(outcome(await client.postCallEvent(ringing)), 200, `after ${JSON.stringify(fault)}`);
  }
});

test('an answer that is too long is cut and says so; its status counts', async (t) => {
  const fakeApi = await fakeApiFor(t);
  const client = clientFor(t, fakeApi.baseUrl, { answerBytes: 1000 });
  fakeApi.inject(times(1, { kind: 'status', status: 500, body: 'x'.repeat(5000) }));
  const result = await client.postCallEvent(ringing);
  assert.ok(result.kind === 'answer');
  assert.deepEqual([result.status, result.truncated, result.body.length], [500, true, 1000]);
});

test('an answer that drips byte by byte ends at the deadline', async (t) => {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const drip = setInterval(() => response.write(' '), 5);
    response.on('close', () => clearInterval(drip));
  });
  const port = await listening(t, server);
  const client = clientFor(t, `http://127.0.0.1:${port}/api/v1`, { answerTimeoutMs: 300 });
  assert.equal(outcome(await client.postCallEvent(ringing)), 'timeout-body');
});

test('an API that is not there: refused, unknown name, no TLS, TLS that never answers', async (t) => {
  const fakeApi = await startFakeApi({ token, port: await freePort() });
  await fakeApi.close();
  const silent = createTcpServer();
  const sockets = new Set<{ destroy(): void }>();
  silent.on('connection', (socket) => sockets.add(socket));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  const silentPort = await listening(t, silent);
  const plain = await fakeApiFor(t);
  const table = [
    [fakeApi.baseUrl, 'refused'],
    ['http://no-such-host.invalid/api/v1', 'dns'],
    [plain.baseUrl.replace('http:', 'https:'), 'tls'],
    [`https://127.0.0.1:${silentPort}/api/v1`, 'timeout-connect'],
  ] as const;
  for (const [baseUrl, expected] of table) {
    const options = expected === 'timeout-connect' ? { connectTimeoutMs: 200 } : {};
    const result = await clientFor(t, baseUrl, options).postCallEvent(ringing);
    assert.equal(outcome(result), expected, JSON.stringify(result));
    assert.ok(result.kind === 'failed' && result.detail !== '');
  }
});

test('a redirect is not followed, and what is asked for is JSON: a wrong token is 401', async (t) => {
  const fakeApi = await fakeApiFor(t);
  fakeApi.inject(times(1, { kind: 'status', status: 302, headers: { location: '/login' } }));
  const client = clientFor(t, fakeApi.baseUrl);
  const redirected = await client.postCallEvent(ringing);
  assert.ok(redirected.kind === 'answer');
  assert.deepEqual([redirected.status, redirected.location], [302, '/login']);
  assert.equal(fakeApi.counts().requests, 1);
  const stranger = clientFor(t, fakeApi.baseUrl, { token: 'wrong' });
  assert.equal(outcome(await stranger.postCallEvent(ringing)), 401);
});

test('the token is in no error: not at construction, not when the API sends it back', async (t) => {
  for (const bad of [`${token}\nX-Evil: 1`, `${token}\r`, `${token}\0`, `${token} `, `${token}é`, '']) {
    assert.throws(
      () => createApiClient({ baseUrl: 'http://127.0.0.1/api/v1', token: bad }),
      (error: Error) => !error.message.includes(token) && /token has characters/.test(error.message),
    );
  }
  const fakeApi = await fakeApiFor(t);
  fakeApi.inject(
    always({
      kind: 'status',
      status: 500,
      headers: { location: `/?token=${token}` },
      body: `{"message":"Bearer ${token}"}`,
    }),
  );
  const result = await clientFor(t, fakeApi.baseUrl).postCallEvent(ringing);
  assert.ok(!JSON.stringify(result).includes(token));
  assert.match(JSON.stringify(result), /\[token\]/);
});

test('a busy connection is renewed now and then, so that a changed DNS record is noticed; nothing fails by it', async (t) => {
  const fakeApi = await fakeApiFor(t);
  const client = clientFor(t, fakeApi.baseUrl, { connections: 1, connectTimeoutMs: 60_000 });
  const results = await Promise.all(Array.from({ length: 2_500 }, () => client.postCallEvent(ringing)));
  assert.ok(results.every((result) => outcome(result) === 200));
  assert.equal(fakeApi.counts().connections, 3);
});
