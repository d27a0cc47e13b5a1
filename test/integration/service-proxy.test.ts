import assert from 'node:assert/strict';
import { chmodSync, existsSync } from 'node:fs';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { before, describe, type TestContext, test } from 'node:test';
import { Agent, request } from 'undici';
import { makeCertificate } from '../certificate.ts';
import { cannotInstall, installPackages } from '../debian.ts';
import { startNginx } from '../postgres/nginx.ts';
import { form, password, person, visitor } from './people.ts';
import { event, type Served, serve } from './service-harness.ts';

const NGINX = '/usr/sbin/nginx';
const cannot = existsSync(NGINX) ? undefined : cannotInstall();

/** Attempts to sign in to `url` from the addresses of this machine, such as 127.0.0.2; gives the status. */
function attempts(t: TestContext, url: string) {
  const agents = new Map<string, Agent>();
  t.after(() => Promise.all([...agents.values()].map((agent) => agent.close())));
  return async (localAddress: string, given: string, headers: Record<string, string> = {}) => {
    const dispatcher =
      agents.get(localAddress) ?? new Agent({ localAddress, connect: { rejectUnauthorized: false } });
    agents.set(localAddress, dispatcher);
    const sent = form(url, { name: 'Owner', password: given }, headers);
    const answer = await request(`${url}/sign-in`, { ...sent, method: 'POST', dispatcher });
    await answer.body.dump();
    return answer.statusCode;
  };
}

describe('behind nginx with the sample configuration', { skip: cannot && `nginx: ${cannot}` }, () => {
  before(() => installPackages({ [NGINX]: 'nginx-light' }));

  async function behindNginx(t: TestContext): Promise<{ served: Served; url: string; plainUrl: string }> {
    const served = await serve(t, { trustedProxies: ['127.0.0.1'], hosts: ['calls.example.com'] });
    await person(served, { name: 'Owner', role: 'administrator' });
    const certificate = await makeCertificate(served.stateDir, 'calls.example.com');
    chmodSync(served.stateDir, 0o711); // nginx runs as another user and reads its certificate there
    const nginx = await startNginx([served.service.url], certificate);
    t.after(() => nginx.stop());
    return { ...nginx, served };
  }

  test('wrong passwords from one address do not keep the owner out from another', async (t) => {
    const { url } = await behindNginx(t);
    const attempt = attempts(t, url);
    for (let n = 0; n < 10; n += 1) assert.equal(await attempt('127.0.0.2', `wrong ${n}`), 401);
    assert.equal(await attempt('127.0.0.2', password), 429);
    assert.equal(await attempt('127.0.0.3', password), 303);
  });

  test('a made-up X-Forwarded-For gives no further attempts', async (t) => {
    const { url } = await behindNginx(t);
    const attempt = attempts(t, url);
    const statuses: number[] = [];
    for (let n = 0; n < 12; n += 1)
      statuses.push(await attempt('127.0.0.2', `wrong ${n}`, { 'x-forwarded-for': `192.0.2.${n}` }));
    assert.deepEqual(statuses, [...Array(10).fill(401), 429, 429]);
    assert.equal(await attempt('127.0.0.3', password), 303);
  });

  test('plain http leads to https, and every answer says that browsers are to use only that', async (t) => {
    const { url, plainUrl } = await behindNginx(t);
    const ask = asker(t);
    const plain = await ask(`${plainUrl}/calls?q=1`, { headers: { host: 'evil.example' } });
    assert.deepEqual([plain.status, plain.headers.location], [301, 'https://calls.example.com/calls?q=1']);
    for (const path of ['/sign-in', '/nothing', '/api/v1/voice', '/healthz']) {
      const { headers } = await ask(url + path);
      assert.equal(headers['strict-transport-security'], 'max-age=31536000', path);
    }
  });

  test('the pages answer to the names in SERVICE_HOSTS alone', async (t) => {
    const { served, url } = await behindNginx(t);
    const ask = asker(t);
    const status = async (host: string, path: string) =>
      (await ask(url + path, { headers: { host } })).status;
    assert.equal(await status('calls.example.com', '/sign-in'), 200);
    assert.equal(await status('calls.example.com:8443', '/sign-in'), 200);
    for (const path of ['/sign-in', '/calls', '/events', '/nothing'])
      assert.equal(await status('evil.example', path), path === '/nothing' ? 404 : 421, path);
    assert.equal(await status('evil.example', '/healthz'), 200);
    assert.equal(served.said.filter((code) => code === 'service.unknown-host').length, 1);
  });

  test('an import of 16 MB gets through, and a screen sees a call at once', async (t) => {
    const { served, url } = await behindNginx(t);
    const ask = asker(t);
    const entered = await ask(`${url}/sign-in`, form(url, { name: 'Owner', password }));
    const cookie = String(entered.headers['set-cookie']).split(';')[0] as string;
    assert.match(cookie, /^__Host-/);
    const page = await ask(`${url}/customers/import`, { headers: { cookie } });
    const token = /name="token" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    const table = `reference,name\n${'1,A\n'.repeat(1_600_000)}`; // each line is 10 bytes in a form
    const answer = await ask(`${url}/customers/import`, form(url, { token, table }, { cookie }));
    assert.ok(
      answer.status === 200 || answer.status === 422,
      `${answer.status} ${answer.text.slice(0, 300)}`,
    );
    const tooLarge = await ask(
      `${url}/customers/import`,
      form(url, { token, table: 'x'.repeat(17_000_000) }, { cookie }),
    );
    assert.equal(tooLarge.status, 413);

    const { body } = await ask.stream(`${url}/events`, { headers: { cookie } });
    const frames = body[Symbol.asyncIterator]();
    assert.match(String((await frames.next()).value), /event: calls/);
    assert.equal((await served.post(served.a.token, event())).status, 200);
    assert.match(String((await frames.next()).value), /event: call/);
    body.destroy();
  });
});

/** Requests over https with a certificate that nobody has signed. */
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

test('a trusted proxy that sends no X-Forwarded-For is named once, when somebody signs in through it', async (t) => {
  const served = await serve(t, { trustedProxies: ['127.0.0.1'] });
  await person(served, { name: 'Owner' });
  const named = () => served.said.filter((code) => code === 'service.proxy-sends-no-address').length;
  await served.post(served.a.token, event());
  await served.ask(`${served.url}/healthz`);
  const attempt = attempts(t, served.url);
  await attempt('127.0.0.2', 'wrong');
  await attempt('127.0.0.1', 'wrong', { 'x-forwarded-for': '192.0.2.1' });
  assert.equal(named(), 0);
  for (let n = 0; n < 2; n += 1) await attempt('127.0.0.1', 'wrong');
  assert.equal(named(), 1);
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
  const { url, base, ask, a } = served;
  await person(served, { name: 'Owner' });
  const { cookie } = await visitor(served, 'Owner');
  const expected = {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  };
  const check = (what: string, headers: Record<string, unknown>) => {
    for (const [name, value] of Object.entries(expected))
      assert.equal(headers[name], value, `${what}: ${name}`);
    assert.match(String(headers['content-security-policy']), /^default-src 'none'/, what);
    assert.match(String(headers['cache-control']), /^(no-store|public, max-age=31536000, immutable)$/, what);
  };
  const style = /\/assets\/\w+\/style\.css/.exec((await ask(`${url}/sign-in`)).text)?.[0] ?? '';
  for (const [path, options] of [
    ['/sign-in', {}],
    ['/calls', { headers: { cookie } }],
    ['/calls.csv', { headers: { cookie } }],
    ['/nothing', {}],
    [style, {}],
    ['/healthz', {}],
    ['/api/v1/voice?limit=1', { token: a.token }],
    ['/api/v1/voice', { token: a.token }],
    ['/api/v1/voice', {}],
    ['/api/v1/nothing', { token: a.token }],
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

  const socket = connect(Number(new URL(base).port), '127.0.0.1');
  socket.end('GET nonsense HTTP/1.1\r\n\r\n');
  const lines = (await text(socket)).split('\r\n\r\n')[0]?.split('\r\n').slice(1) ?? [];
  check('what cannot be read', Object.fromEntries(lines.map((line) => line.toLowerCase().split(': ', 2))));
});

test('of several addresses in X-Forwarded-For, the last that is no trusted proxy counts', async (t) => {
  const served = await serve(t, { trustedProxies: ['127.0.0.1', '10.0.0.0/8'] });
  await person(served, { name: 'Owner' });
  const attempt = attempts(t, served.url);
  const via = (addresses: string) => attempt('127.0.0.1', 'wrong', { 'x-forwarded-for': addresses });
  for (let n = 0; n < 10; n += 1) assert.equal(await via(`198.51.100.${n}, 192.0.2.1, 10.0.0.${n}`), 401);
  assert.equal(await via('192.0.2.1'), 429);
  assert.equal(await via('192.0.2.1, 198.51.100.1'), 401);
});

test('X-Forwarded-For of anybody but a trusted proxy is ignored', async (t) => {
  const served = await serve(t, { trustedProxies: ['10.0.0.1'] });
  await person(served, { name: 'Owner' });
  const attempt = attempts(t, served.url);
  for (let n = 0; n < 10; n += 1)
    assert.equal(await attempt('127.0.0.2', 'wrong', { 'x-forwarded-for': `192.0.2.${n}` }), 401);
  assert.equal(await attempt('127.0.0.2', password, { 'x-forwarded-for': '192.0.2.99' }), 429);
  assert.equal(await attempt('127.0.0.3', password), 303);
});
