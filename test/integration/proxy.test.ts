import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, request } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { type ApiClientOptions, createApiClient } from '../../src/shared/api/client.ts';
import type { ApiResult } from '../../src/shared/api/result.ts';
import { createCertificate } from '../tools/certificate.ts';
import { runCommand } from '../tools/program/operator.ts';

const folder = mkdtempSync(join(tmpdir(), 'proxy-'));
const [api, mine] = [
  await createCertificate(folder, 'api.test'),
  await createCertificate(folder, 'pbx.test'),
];
const text = (path: string) => readFileSync(path, 'utf8');
const clientCertificate = { cert: text(mine.cert), key: text(mine.key) };
const ends: (() => void)[] = [];
after(() => {
  for (const end of ends) end();
  rmSync(folder, { recursive: true });
});

/** Trusts the API's certificate for this test: other files share the process, and its authorities. */
function trustApi(t: TestContext): void {
  const trusted = getCACertificates('default');
  setDefaultCACertificates([...trusted, text(api.cert)]);
  t.after(() => setDefaultCACertificates(trusted));
}

async function listening(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  ends.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** An API over TLS, of the name api.test. */
const apiPort = (more: ServerOptions = {}) =>
  listening(
    createTlsServer({ cert: text(api.cert), key: text(api.key), ...more }, (request, response) => {
      response.setHeader('content-type', 'application/json');
      request
        .resume()
        .on('end', () => response.end(JSON.stringify({ result: 'taken', data: [], links: {} })));
    }),
  );

/** A proxy as offices have it: it asks for a name and password, and brings everything to one port of this machine. */
async function startProxy(port: number, password = 'pa:ss@wörd') {
  const seen: string[] = [];
  const expected = `Basic ${Buffer.from(`user-of-the-proxy:${password}`).toString('base64')}`;
  const admits = ({ method, url, headers }: IncomingMessage) => {
    seen.push(`${method} ${url}`);
    return headers['proxy-authorization'] === expected;
  };
  const server = createServer((incoming, response) => {
    if (!admits(incoming)) return void response.writeHead(407).end();
    const { method, headers, url = '' } = incoming;
    const { pathname, search } = new URL(url);
    const onward = request(
      { host: '127.0.0.1', port, method, headers, path: pathname + search },
      (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      },
    );
    incoming.pipe(onward);
  });
  server.on('connect', (incoming, socket) => {
    if (!admits(incoming)) return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    const onward = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    for (const one of [socket, onward]) one.on('error', () => onward.destroy());
  });
  const own = await listening(server);
  const at = (login: string) => `http://${login}127.0.0.1:${own}`;
  return {
    seen,
    url: at(`user-of-the-proxy:${encodeURIComponent(password)}@`),
    wrong: at('user-of-the-proxy:wrong@'),
    none: at(''),
  };
}

async function post(
  more: Partial<ApiClientOptions>,
  baseUrl = 'https://api.test/api/v1',
): Promise<ApiResult> {
  const client = createApiClient({ baseUrl, token: 'secret-token', ...more });
  try {
    return await client.postCallEvent('{}');
  } finally {
    await client.close();
  }
}

const statusOf = (result: ApiResult) => (result.kind === 'answer' ? result.status : result.error);

test('https goes through a tunnel of the proxy, with its name and password; the proxy sees no token', async (t) => {
  trustApi(t);
  const proxy = await startProxy(await apiPort());
  const proxies = { https: proxy.url };
  assert.equal(statusOf(await post({ proxies })), 200);
  assert.deepEqual(proxy.seen, ['CONNECT api.test:443']);
});

test('a proxy that does not admit us is named as the cause; so is one that is not there', async (t) => {
  trustApi(t);
  const proxy = await startProxy(await apiPort());
  for (const https of [proxy.wrong, proxy.none]) {
    const result = await post({ proxies: { https } });
    assert.equal(statusOf(result), 'proxy');
    assert.ok(result.kind === 'failed' && /407/.test(result.detail), JSON.stringify(result));
  }
  assert.equal(statusOf(await post({ proxies: { https: 'http://127.0.0.1:9' } })), 'refused');
});

test('plain http goes through the proxy as a request', async () => {
  const port = await listening(
    createServer((incoming, response) => {
      assert.equal(incoming.headers.authorization, 'Bearer secret-token');
      response.end('{"result":"taken"}');
    }),
  );
  const proxy = await startProxy(port);
  assert.equal(statusOf(await post({ proxies: { http: proxy.url } }, 'http://api.test/api/v1')), 200);
  assert.deepEqual(proxy.seen, ['POST http://api.test/api/v1/voice/call']);
});

test('an API that asks for a certificate gets it, directly and through a proxy, and refuses without', async (t) => {
  trustApi(t);
  const port = await apiPort({ requestCert: true, ca: clientCertificate.cert });
  const proxy = await startProxy(port);
  const proxies = { https: proxy.url };
  assert.equal(statusOf(await post({ proxies, clientCertificate })), 200);
  assert.equal(typeof statusOf(await post({ proxies })), 'string');
});

test('check says which way it goes, and never the password of the proxy', async (t) => {
  trustApi(t);
  const proxy = await startProxy(await apiPort());
  const settings = {
    API_BASE_URL: 'https://api.test/api/v1',
    API_TOKEN: 'secret-token',
    SSL_CERT_FILE: api.cert,
  };
  const run = async (more: Record<string, string>) =>
    (
      await runCommand(['check'], { AMI_USERNAME: 'a', AMI_SECRET: 'b', ...settings, ...more })
    ).text.replaceAll(/\s+/g, ' ');
  const through = await run({ HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: api.cert });
  assert.match(
    through,
    /the API at https:\/\/api\.test\/api\/v1, through the proxy http:\/\/127\.0\.0\.1:\d+: responds/,
  );
  assert.doesNotMatch(through, /user-of-the-proxy|wörd/);
  const lower = await run({ https_proxy: proxy.wrong });
  assert.match(lower, /through the proxy [^ ]+: the proxy refuses the connection .*407/);
  const not = await run({ HTTPS_PROXY: proxy.url, NO_PROXY: '.test' });
  assert.match(not, /the API at https:\/\/api\.test\/api\/v1: the host name does not resolve/);
});
