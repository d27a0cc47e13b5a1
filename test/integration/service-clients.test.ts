import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { linkAddress } from '../../src/service/kit/public-address.ts';
import { event, raw, serve } from '../tools/service/harness.ts';
import { browse, form, person, withStore } from '../tools/service/people.ts';

test('HEAD is answered like GET, without the body, but posts no event', async (t) => {
  const served = await serve(t);
  const { a, ask, url } = served;
  const { cookie } = await browse(served, 'Ann');
  const both = async (path: string, headers: Record<string, string> = {}, token = '') => {
    const [get, head] = [
      await ask(`${url}${path}`, { headers, token }),
      await ask(`${url}${path}`, { headers, token, method: 'HEAD' }),
    ];
    const shown = ({ status, headers }: typeof get) => [status, headers['content-type'], headers.location];
    assert.deepEqual(shown(head), shown(get), path);
    assert.equal(head.text, '', path);
  };
  for (const path of ['/healthz', '/', '/sign-in', '/calls?q=1', '/openapi.json', '/nothing']) {
    await both(path);
    await both(path, { accept: 'text/html' });
  }
  for (const path of ['/', '/calls', '/customers', '/account', '/users', '/calls.csv'])
    await both(path, { cookie, accept: 'text/html' });
  for (const path of ['/api/v1/voice?limit=1', '/api/v1/voice/priority?number=%2B4930901820'])
    await both(path, {}, a.token);
  for (const path of ['/admin/account', '/admin/customers', '/admin/openapi.json'])
    await both(path, {}, a.admin);
  const call = '/voice/call?id=call-by-head&direction=inbound&status=ringing&from=%2B4930901820';
  const refused = await ask(call, { token: a.token, method: 'HEAD' });
  assert.deepEqual([refused.status, refused.headers.allow], [405, 'POST, GET']);
  assert.doesNotMatch((await ask(`${url}/calls`, { headers: { cookie } })).text, /call-by-head|90 18 20/);
  // A stream does not end: HEAD gets its head, as often as it asks.
  for (const path of ['/events', '/api-log/stream'])
    for (let n = 0; n < 60; n += 1) {
      const { status, headers } = await ask(`${url}${path}`, { headers: { cookie }, method: 'HEAD' });
      assert.deepEqual([status, headers['content-type']], [200, 'text/event-stream; charset=utf-8']);
    }
  assert.equal((await ask(`${url}/events`, { method: 'HEAD' })).status, 401);
  // Searches do not find searches.
  await ask('/voice?search=request&search_term=needle', { token: a.token, method: 'HEAD' });
  assert.deepEqual((await served.page(a.token, '?search=request&search_term=needle&limit=5')).data, []);
});

test('a HEAD of an export is none: it is not in the audit log', async (t) => {
  const served = await serve(t);
  const { a, ask, url } = served;
  const { cookie } = await browse(served, 'Ann');
  const audited = () =>
    withStore(served, async ({ audit }) => {
      const query = { account: 1, what: 'export', who: null, before: null, limit: 9 };
      return (await audit.page(query)).entries.map(({ target }) => target);
    });
  const both = async (method: string) => {
    for (const path of ['/customers/export', '/calls.csv', '/calls.csv?number=1', '/reports.csv'])
      assert.equal((await ask(`${url}${path}`, { headers: { cookie }, method })).status, 200, path);
    for (const path of ['/admin/customers', '/admin/export'])
      assert.equal((await ask(`${url}${path}`, { token: a.admin, method })).status, 200, path);
  };
  await both('HEAD');
  assert.deepEqual(await audited(), []);
  await both('GET');
  assert.equal((await audited()).length, 6);
});

test('clients behind a proxy that writes their ports are told apart, and so are IPv6 networks', async (t) => {
  const served = await serve(t, { trustedProxies: ['127.0.0.1', '10.0.0.7'] });
  await person(served, { name: 'Owner', role: 'administrator' });
  const attempt = async (forwardedFor: string, name: string) => {
    const headers = { 'x-forwarded-for': forwardedFor };
    return (await served.ask(`${served.url}/sign-in`, form(served.url, { name, password: 'no' }, headers)))
      .status;
  };
  const forms = (n: number): [string, string, string][] => [
    [`203.0.113.7:${5000 + n}`, '203.0.113.8:5000', 'IPv4 with a port'],
    [`[2001:db8:1:1::${n}]:${5000 + n}`, '[2001:db8:1:2::1]:5000', 'IPv6 with a port'],
    [`"[2001:db8:2:1::${n}]:${5000 + n}"`, '"[2001:db8:2:2::1]:5000"', 'in quotes'],
    [`[2001:db8:3:1::${n}]`, '[2001:db8:3:2::1]', 'in brackets'],
    [
      `6.6.6.${n}, 203.0.114.7:${5000 + n}, 10.0.0.7:80`,
      '203.0.114.8:1, 10.0.0.7:81',
      'a trusted hop with a port',
    ],
  ];
  for (const [at, [, other, what]] of forms(0).entries()) {
    for (let n = 0; n < 10; n += 1) assert.equal(await attempt(forms(n)[at]?.[0] as string, what), 401, what);
    assert.equal(await attempt(forms(99)[at]?.[0] as string, what), 429, `${what}: one client`);
    assert.equal(await attempt(other, what), 401, `${what}: another client`);
  }
});

test('a compressed body is refused, with the encodings that are taken', async (t) => {
  const { a, ask, url, post } = await serve(t);
  const body = gzipSync(JSON.stringify(event({ id: 'zipped' })));
  for (const [path, token] of [
    ['/api/v1/voice/call', a.token],
    ['/admin/users', a.admin],
    ['/admin/customers', a.admin],
  ] as const)
    for (const coding of ['gzip', 'GZIP', 'br', 'identity, gzip']) {
      const headers = { 'content-encoding': coding };
      const answer = await ask(`${url}${path}`, { method: 'POST', token, body, headers });
      assert.deepEqual(
        [answer.status, answer.headers['accept-encoding']],
        [415, 'identity'],
        `${path} ${coding}`,
      );
      assert.match(answer.text, /without Content-Encoding/);
    }
  const page = await ask(`${url}/sign-in`, form(url, { name: 'x' }, { 'content-encoding': 'gzip' }));
  assert.equal(page.status, 415);
  const plain = await post(a.token, event({ id: 'plain' }), { 'content-encoding': 'identity' });
  assert.equal(plain.status, 200);
  assert.equal((await ask('/voice/call', { method: 'POST', token: '', body })).status, 401);
  const text = await ask('/voice/call', {
    method: 'POST',
    token: a.token,
    body: '{}',
    headers: { 'content-type': 'text/plain' },
  });
  assert.deepEqual([text.status, text.headers['accept-encoding']], [415, undefined]);
});

test('what needs no body takes the content type of one that is not sent', async (t) => {
  const { service, a, ask, url } = await serve(t);
  const types = [
    'application/json',
    'application/json; charset=utf-8',
    'text/plain',
    'application/x-www-form-urlencoded',
  ];
  for (const type of types) {
    const headers = { 'content-type': type };
    const made = await ask(`${url}/admin/webhooks`, {
      method: 'POST',
      token: a.admin,
      body: { url: 'https://hooks.example/' },
    });
    const { uid } = made.json as { uid: string };
    const removed = await ask(`${url}/admin/webhooks/${uid}`, { method: 'DELETE', token: a.admin, headers });
    assert.equal(removed.status, 204, `${type}: ${removed.text}`);
    const list = (await ask(`${url}/admin/integrations`, { token: a.admin })).json as { uid: string }[];
    const rotated = await ask(`${url}/admin/integrations/${list[0]?.uid}/rotate`, {
      method: 'POST',
      token: a.admin,
      headers,
    });
    assert.equal(rotated.status, 200, `${type}: ${rotated.text}`);
    const empty = await ask(`${url}/admin/webhooks`, { method: 'POST', token: a.admin, headers });
    assert.equal(empty.status, 422, 'a body that is needed');
  }
  const bytes = `DELETE /admin/webhooks/x HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nauthorization: Bearer ${a.admin}\r\ncontent-type: application/json\r\n`;
  for (const more of ['content-length: 0\r\n\r\n', 'transfer-encoding: chunked\r\n\r\n0\r\n\r\n'])
    assert.match(await raw(service.url, bytes + more), /^HTTP\/1.1 404 /, more);
});

test('an invitation leads to the address of the settings, whatever the browser calls the service', async (t) => {
  for (const [settings, expected] of [
    [{ hosts: ['calls.example.com', 'other.example.com'] }, 'https://calls.example.com'],
    [{ hosts: ['other.example.com'], publicUrl: 'https://calls.example.com' }, 'https://calls.example.com'],
    [{}, undefined],
  ] as const) {
    const served = await serve(t, settings);
    const { send } = await browse(served, 'Ann');
    const at = { host: '127.0.0.9:1234', origin: 'http://127.0.0.9:1234' };
    const page = await send('/users', { name: 'Ben', role: 'agent' }, at);
    const link = `${expected ?? served.url}/sign-in#`;
    assert.ok(page.text.includes(link), page.text.slice(0, 3000));
    assert.doesNotMatch(page.text, /127\.0\.0\.9/);
    const made = await served.ask(`${served.url}/admin/users`, {
      method: 'POST',
      token: served.a.admin,
      body: { name: 'Cleo' },
      headers: at,
    });
    assert.ok((made.json as { sign_in_link: string }).sign_in_link.startsWith(link), made.text);
    assert.ok((await served.service.link()).startsWith(link));
  }
  const all = { host: '0.0.0.0', port: 8080 };
  assert.equal(linkAddress({ hosts: [] }, all), `http://${hostname()}:8080`);
  assert.equal(linkAddress({ hosts: [] }, { host: '::1', port: 80 }), 'http://[::1]:80');
});
