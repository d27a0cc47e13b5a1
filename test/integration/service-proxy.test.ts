import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, copyFileSync, existsSync } from 'node:fs';
import { connect as connectPlain } from 'node:net';
import { join } from 'node:path';
import { before, describe, type TestContext, test } from 'node:test';
import { connect } from 'node:tls';
import { Agent, request } from 'undici';
import { createCertificate } from '../tools/certificate.ts';
import { cannotInstall, installPackages } from '../tools/debian.ts';
import { startCaddy } from '../tools/servers/caddy.ts';
import { startNginx } from '../tools/servers/nginx.ts';
import { event, raw, type Served, serve, stateFolder } from '../tools/service/harness.ts';
import { browse, form, password, person } from '../tools/service/people.ts';
import { until } from '../tools/until.ts';

const NGINX = '/usr/sbin/nginx';
const CADDY = '/usr/bin/caddy';
const cannot = existsSync(NGINX) ? undefined : cannotInstall();

/** Attempts to sign in to `url` from the addresses of this machine, such as 127.0.0.2; gives the status. */
function attempts(t: TestContext, url: string) {
  const agents = new Map<string, Agent>();
  t.after(() => Promise.all([...agents.values()].map((agent) => agent.close())));
  return async (localAddress: string, given: string, forwardedFor?: string) => {
    const dispatcher =
      agents.get(localAddress) ?? new Agent({ localAddress, connect: { rejectUnauthorized: false } });
    agents.set(localAddress, dispatcher);
    const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor };
    const sent = form(url, { name: 'Owner', password: given }, headers);
    const answer = await request(`${url}/sign-in`, { ...sent, method: 'POST', dispatcher });
    await answer.body.dump();
    return answer.statusCode;
  };
}

describe('behind nginx with the sample configuration', { skip: cannot && `nginx: ${cannot}` }, () => {
  before(() => installPackages({ [NGINX]: 'nginx-light' }));

  async function behindNginx(t: TestContext) {
    const served = await serve(t, { trustedProxies: ['127.0.0.1'], hosts: ['calls.example.com'] });
    await person(served, { name: 'Owner', role: 'administrator' });
    const certificate = await createCertificate(served.stateDir, 'calls.example.com');
    chmodSync(served.stateDir, 0o711); // nginx runs as another user and reads its certificate there
    const nginx = await startNginx([served.service.url], certificate);
    t.after(() => nginx.stop());
    return { ...nginx, served, ask: asker(t), attempt: attempts(t, nginx.url) };
  }

  test('wrong passwords from one address, whatever X-Forwarded-For it makes up, do not keep the owner out from another', async (t) => {
    const { attempt } = await behindNginx(t);
    const statuses: number[] = [];
    for (let n = 0; n < 12; n += 1) statuses.push(await attempt('127.0.0.2', `wrong ${n}`, `192.0.2.${n}`));
    assert.deepEqual(statuses, [...Array(10).fill(401), 429, 429]);
    assert.equal(await attempt('127.0.0.2', password), 429);
    assert.equal(await attempt('127.0.0.3', password), 303);
  });

  test('browsers get HTTP/2, with which no number of tabs uses up their connections', async (t) => {
    const { url } = await behindNginx(t);
    const { hostname, port } = new URL(url);
    const socket = connect({
      host: hostname,
      port: Number(port),
      rejectUnauthorized: false,
      ALPNProtocols: ['h2', 'http/1.1'],
    });
    t.after(() => socket.destroy());
    await once(socket, 'secureConnect');
    assert.equal(socket.alpnProtocol, 'h2');
  });

  test('plain http leads to https, every answer says that browsers are to use only that, and pages answer to SERVICE_HOSTS alone', async (t) => {
    const { served, url, plainUrl, ask } = await behindNginx(t);
    const plain = await ask(`${plainUrl}/calls?q=1`, { headers: { host: 'evil.example' } });
    assert.deepEqual([plain.status, plain.headers.location], [301, 'https://calls.example.com/calls?q=1']);
    for (const path of ['/sign-in', '/nothing', '/api/v1/voice', '/healthz']) {
      const { headers } = await ask(url + path);
      assert.equal(headers['strict-transport-security'], 'max-age=31536000', path);
    }
    for (const [host, path, status] of [
      ['calls.example.com', '/sign-in', 200],
      ['calls.example.com:8443', '/sign-in', 200],
      ['evil.example', '/sign-in', 421],
      ['evil.example', '/calls', 421],
      ['evil.example', '/events', 421],
      ['evil.example', '/nothing', 404],
      ['evil.example', '/healthz', 200],
    ] as const)
      assert.equal((await ask(url + path, { headers: { host } })).status, status, `${host}${path}`);
    assert.equal(served.said.filter((code) => code === 'service.unknown-host').length, 1);
  });

  test('an import of 16 MB gets through, and a screen sees a call at once', async (t) => {
    const { served, url, ask } = await behindNginx(t);
    const entered = await ask(`${url}/sign-in`, form(url, { name: 'Owner', password }));
    const cookie = String(entered.headers['set-cookie']).split(';')[0] as string;
    const page = await ask(`${url}/customers/import`, { headers: { cookie } });
    const token = /name="token" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    const imports = (table: string) =>
      ask(`${url}/customers/import`, form(url, { token, table }, { cookie }));
    // Each line is 10 bytes in a form.
    const { status, text } = await imports(`reference,name\n${'1,A\n'.repeat(1_600_000)}`);
    assert.ok(status === 200 || status === 422, `${status} ${text.slice(0, 300)}`);
    assert.equal((await imports('x'.repeat(17_000_000))).status, 413);

    await seesACall(served, url, ask, entered.headers['set-cookie']);
  });
});

const cannotCaddy = existsSync(CADDY) ? undefined : cannotInstall();

test('behind Caddy with the sample configuration: wrong passwords count by address, and a screen sees a call at once', {
  skip: cannotCaddy && `Caddy: ${cannotCaddy}`,
}, async (t) => {
  await installPackages({ [CADDY]: 'caddy' });
  const served = await serve(t, { trustedProxies: ['127.0.0.1'], hosts: ['calls.example.com'] });
  await person(served, { name: 'Owner', role: 'administrator' });
  const caddy = await startCaddy(served.url, await createCertificate(served.stateDir, 'calls.example.com'));
  t.after(() => caddy.stop());
  const attempt = attempts(t, caddy.url);
  const statuses: number[] = [];
  for (let n = 0; n < 12; n += 1) statuses.push(await attempt('127.0.0.2', `wrong ${n}`, `192.0.2.${n}`));
  assert.deepEqual(statuses, [...Array(10).fill(401), 429, 429]);
  const ask = asker(t);
  const entered = await ask(`${caddy.url}/sign-in`, form(caddy.url, { name: 'Owner', password }));
  assert.equal(entered.headers['strict-transport-security'], 'max-age=31536000');
  await seesACall(served, caddy.url, ask, entered.headers['set-cookie']);
});

/** A screen at `url`, with the cookie that it was given, sees a call at once. */
async function seesACall(
  { post, a }: Served,
  url: string,
  ask: ReturnType<typeof asker>,
  given: string | string[] | undefined,
): Promise<void> {
  const cookie = String(given).split(';')[0] as string;
  assert.match(cookie, /^__Host-/);
  const { body } = await ask.stream(`${url}/events`, { headers: { cookie } });
  const frames = body[Symbol.asyncIterator]();
  assert.match(String((await frames.next()).value), /event: calls/);
  assert.equal((await post(a.token, event())).status, 200);
  assert.match(String((await frames.next()).value), /event: call/);
  body.on('error', () => {}).destroy();
}

describe('https by the service itself', { skip: cannot && `openssl: ${cannot}` }, () => {
  /** A service with files of its own, and two certificates to put there. */
  async function byItself(t: TestContext) {
    const folder = stateFolder(t);
    const [first, second] = [
      await createCertificate(folder, 'calls.example.com'),
      await createCertificate(folder, 'new.example.com'),
    ];
    const tls = { certificate: join(folder, 'fullchain.pem'), key: join(folder, 'privkey.pem') };
    const put = (cert: string, key: string) => {
      copyFileSync(cert, tls.certificate);
      copyFileSync(key, tls.key);
    };
    put(first.cert, first.key);
    const listen = { host: '0.0.0.0', port: 0 };
    const served = await serve(t, { tls, tlsEveryMs: 20, listen, requestTimeoutMs: 1_000 });
    const port = Number(new URL(served.url).port);
    const subject = async () => {
      const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
      await once(socket, 'secureConnect');
      const { CN } = socket.getPeerCertificate().subject;
      socket.destroy();
      return CN;
    };
    return { served, tls, put, first, second, port, url: `https://127.0.0.1:${port}`, subject };
  }

  test('pages, the API and links; no plain http', async (t) => {
    const { served, url, port } = await byItself(t);
    await person(served, { name: 'Owner', role: 'administrator' });
    const ask = asker(t);
    assert.match(served.url, /^https:/);
    assert.ok(!served.said.includes('service.plain-http'));
    assert.match(await served.service.link(), /^https:/);
    const entered = await ask(`${url}/sign-in`, form(url, { name: 'Owner', password }));
    assert.match(String(entered.headers['set-cookie']), / Secure/);
    const posting = { ...served, post: poster(ask, url) } as unknown as Served;
    await seesACall(posting, url, ask, entered.headers['set-cookie']);
    await assert.rejects(request(`http://127.0.0.1:${port}/healthz`));
    assert.ok(!served.said.includes('service.failed'));
  });

  test('a new certificate is used without a restart; one without its key is not, and is named once', async (t) => {
    const { served, put, first, second, subject } = await byItself(t);
    assert.equal(await subject(), 'calls.example.com');
    put(second.cert, first.key);
    const refused = () => served.said.filter((code) => code === 'service.certificate-not-renewed');
    await until('it is named', () => refused().length > 0);
    assert.equal(await subject(), 'calls.example.com');
    put(second.cert, second.key);
    await until('it is used', async () => (await subject()) === 'new.example.com');
    assert.equal(served.said.filter((code) => code === 'service.certificate-renewed').length, 1);
    assert.equal(refused().length, 1);
  });

  test('connections that do not agree on TLS are closed, and do not keep the service from stopping', async (t) => {
    const { served, port } = await byItself(t);
    const halfOpen = (...sent: string[]) => {
      const socket = connectPlain(port, '127.0.0.1').on('error', () => {});
      for (const bytes of sent) socket.write(bytes);
      return socket;
    };
    const closed = [halfOpen(), halfOpen('\x16\x03\x01'), halfOpen('GET / HTTP/1.1\r\n\r\n')];
    await Promise.all(closed.map((socket) => once(socket.resume(), 'close')));
    assert.ok(!served.said.includes('service.unreadable'));
    const waiting = halfOpen('\x16');
    await once(waiting, 'connect');
    const isClosed = once(waiting.resume(), 'close');
    await served.service.stop();
    await isClosed;
  });

  test('files of no use keep the service from starting, and are named', async (t) => {
    const { tls, put, first, second } = await byItself(t);
    for (const [cert, key, said] of [
      [second.cert, first.key, /^SERVICE_TLS_KEY: .*privkey\.pem is not the key of .*fullchain\.pem/],
      [first.key, first.key, /^SERVICE_TLS_CERT: .*fullchain\.pem holds no certificate/],
    ] as const) {
      put(cert, key);
      await assert.rejects(serve(t, { tls }), { message: said });
    }
    await assert.rejects(serve(t, { tls: { ...tls, key: '/nowhere' } }), {
      message: /^SERVICE_TLS_KEY: cannot read \/nowhere: ENOENT/,
    });
  });
});

/** As `post` of a served service, over https with a self-signed certificate. */
const poster = (ask: ReturnType<typeof asker>, url: string) => (token: string, body: object) =>
  ask(`${url}/api/v1/voice/call`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** Requests over https with a self-signed certificate. */
function asker(t: TestContext) {
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
  t.after(() => dispatcher.destroy());
  type Sent = { method?: string; headers?: Record<string, string>; body?: string };
  const stream = (url: string, { method = 'GET', ...sent }: Sent = {}) =>
    request(url, { dispatcher, method: method as 'GET', ...sent });
  const ask = async (url: string, sent?: Sent) => {
    const { statusCode: status, headers, body } = await stream(url, sent);
    return { status, headers, text: await body.text() };
  };
  return Object.assign(ask, { stream });
}

test('of several addresses in X-Forwarded-For, the last that is no trusted proxy counts; that of anybody else is ignored', async (t) => {
  const trusting = await serve(t, { trustedProxies: ['127.0.0.1', '10.0.0.0/8'] });
  const through = attempts(t, trusting.url);
  const via = (addresses: string) => through('127.0.0.1', 'wrong', addresses);
  for (let n = 0; n < 10; n += 1) assert.equal(await via(`198.51.100.${n}, 192.0.2.1, 10.0.0.${n}`), 401);
  assert.deepEqual([await via('192.0.2.1'), await via('192.0.2.1, 198.51.100.1')], [429, 401]);

  const other = await serve(t, { trustedProxies: ['10.0.0.1'] });
  await person(other, { name: 'Owner' });
  const attempt = attempts(t, other.url);
  for (let n = 0; n < 10; n += 1) assert.equal(await attempt('127.0.0.2', 'wrong', `192.0.2.${n}`), 401);
  assert.equal(await attempt('127.0.0.2', password, '192.0.2.99'), 429);
  assert.equal(await attempt('127.0.0.3', password), 303);
});

test('links and cookies have the address of a trusted proxy; headers of others are ignored', async (t) => {
  const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'calls.example.com' };
  for (const [trustedProxies, base, secure] of [
    [['127.0.0.1'], 'https://calls.example.com', true],
    [[], undefined, false],
  ] as const) {
    const { a, ask, url, service } = await serve(t, { trustedProxies, hosts: ['calls.example.com'] });
    const { json } = await ask('/voice?limit=1', { token: a.token, headers: forwarded });
    const { meta, links } = json as { meta: { path: string }; links: { first: string } };
    assert.equal(meta.path, `${base ?? url}/api/v1/voice`);
    assert.ok(links.first.startsWith(`${meta.path}?`));
    const [, link = ''] = (await service.link()).split('#');
    const { headers } = await ask(`${url}/sign-in/link`, form(base ?? url, { link }, forwarded));
    const cookie = String(headers['set-cookie']);
    assert.deepEqual([cookie.startsWith('__Host-'), / Secure/.test(cookie)], [secure, secure]);
    assert.match(cookie, /HttpOnly/);
  }
});

test('a service that other machines reach without a proxy warns at the start', async (t) => {
  const all = { host: '0.0.0.0', port: 0 };
  const warned = ({ said }: Served) => said.includes('service.plain-http');
  assert.equal(warned(await serve(t, { listen: all })), true);
  assert.equal(warned(await serve(t, { listen: all, trustedProxies: ['10.0.0.1'] })), false);
  assert.equal(warned(await serve(t)), false);
});

test('every answer has the security headers', async (t) => {
  const served = await serve(t);
  const { url, ask, a } = served;
  const { cookie } = await browse(served, 'Owner');
  const check = (what: string, headers: Record<string, unknown>) => {
    for (const [name, value] of [
      ['x-content-type-options', /^nosniff$/],
      ['referrer-policy', /^same-origin$/],
      ['cross-origin-resource-policy', /^same-origin$/],
      ['content-security-policy', /^default-src 'none'/],
      ['cache-control', /^(no-store|public, max-age=31536000, immutable)$/],
    ] as const)
      assert.match(String(headers[name]), value, `${what}: ${name}`);
  };
  const style = /\/assets\/\w+\/style\.css/.exec((await ask(`${url}/sign-in`)).text)?.[0] ?? '';
  for (const [path, options] of [
    ['/sign-in', {}],
    ['/calls', { headers: { cookie } }],
    ['/calls.csv', { headers: { cookie } }],
    ['/nothing', {}],
    [style, {}],
    ['/healthz', {}],
    ['/api/v1/voice?limit=1', a],
    ['/api/v1/voice', a],
    ['/api/v1/voice', {}],
    ['/api/v1/nothing', a],
    ['/api/v1/openapi.json', {}],
    ['/admin/customers', { token: a.admin }],
    ['/admin/nothing', { token: a.admin }],
    ['/admin/account', {}],
    ['/sign-in', { headers: { host: 'evil.example' } }],
  ] as const)
    check(path, (await ask(url + path, options)).headers);
  check('an event', (await served.post(a.token, event())).headers);
  const { headers, body } = await request(`${url}/events`, { headers: { cookie } });
  check('a stream', headers);
  body.on('error', () => {}).destroy();
  const answer = await raw(url, 'GET nonsense HTTP/1.1\r\n\r\n');
  const lines = answer.split('\r\n\r\n')[0]?.split('\r\n').slice(1) ?? [];
  check('what cannot be read', Object.fromEntries(lines.map((line) => line.toLowerCase().split(': ', 2))));
});
