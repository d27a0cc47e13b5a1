import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createKeys } from '../accounts/keys.ts';
import { createKnownBrowsers, isSameOrigin } from './session-cookie.ts';

const host = 'calls.example.com:8080';

for (const [headers, same] of [
  [{ 'sec-fetch-site': 'same-origin' }, true],
  [{ 'sec-fetch-site': 'same-site', origin: `http://${host}` }, false],
  [{ 'sec-fetch-site': 'cross-site', origin: `http://${host}` }, false],
  [{ 'sec-fetch-site': 'none' }, false],
  [{ origin: `http://${host}` }, true],
  [{ origin: `https://${host}` }, true],
  [{ origin: 'http://calls.example.com' }, false],
  [{ origin: 'http://evil.example.com:8080' }, false],
  [{ origin: 'null' }, false],
  [{ origin: '' }, false],
  [{ referer: `http://${host}/` }, false],
  [{}, false],
] as const)
  test(`${JSON.stringify(headers)} is ${same ? 'the same origin' : 'another origin'}`, () => {
    assert.equal(isSameOrigin({ headers, host, protocol: 'http' }, undefined), same);
  });

test('behind a proxy that says https, a page of http is another origin', () => {
  const from = (origin: string) => isSameOrigin({ headers: { origin }, host, protocol: 'https' }, undefined);
  assert.deepEqual([from(`http://${host}`), from(`https://${host}`)], [false, true]);
});

test('an origin that the settings name is the same, whatever a proxy makes of the host', () => {
  const from = (origin: string, settings: string | undefined) =>
    isSameOrigin({ headers: { origin }, host: 'calls.example.com', protocol: 'https' }, settings);
  assert.equal(from('https://calls.example.com:8443', 'https://calls.example.com:8443'), true);
  assert.equal(from('https://calls.example.com:8443', undefined), false);
  assert.equal(from('https://calls.example.com:8444', 'https://calls.example.com:8443'), false);
  assert.equal(from('http://calls.example.com:8443', 'https://calls.example.com:8443'), false);
  assert.equal(from('null', 'https://calls.example.com:8443'), false);
});

const name = '__Host-pbx-bridge-browser';
const browsers = createKnownBrowsers(createKeys(Buffer.from('a secret of the server')));

/** A browser with its cookie: who signs in with it, and how it keeps the cookie. */
function createBrowser(cookie = '') {
  const request = { protocol: 'https', cookies: { [name]: cookie } } as unknown as FastifyRequest;
  const kept = { options: {} };
  const setCookie = (_: string, value: string, options: object) => {
    request.cookies[name] = value;
    kept.options = options;
  };
  const reply = { request, setCookie } as unknown as FastifyReply;
  return { request, kept, signIn: (uid: string) => browsers.remember(reply, { uid }, 'account-1') };
}

test('a browser is known to the last ten users who signed in with it, by the same id, for 400 days', () => {
  const { request, kept, signIn } = createBrowser();
  assert.deepEqual([browsers.id(request, 'u0'), browsers.account(request)], [undefined, undefined]);
  signIn('u0');
  assert.equal(browsers.account(request), 'account-1');
  const options = { path: '/', httpOnly: true, sameSite: 'lax', secure: true, maxAge: 34_560_000 };
  assert.deepEqual(kept.options, options);
  const id = browsers.id(request, 'u0');
  assert.match(id ?? '', /^[\w-]{22}$/);
  signIn('u0');
  for (let n = 1; n < 10; n += 1) signIn(`u${n}`);
  assert.equal(browsers.id(request, 'u0'), id);
  signIn('u10');
  assert.deepEqual([browsers.id(request, 'u0'), browsers.id(request, 'u1')], [undefined, id]);
});

test('a forged cookie gives a browser no id and no user', () => {
  const { request, signIn } = createBrowser(`x.account-1.${'y'.repeat(43)}`);
  assert.equal(browsers.id(request, 'u0'), undefined);
  signIn('u0');
  assert.match(browsers.id(request, 'u0') ?? '', /^[\w-]{22}$/);
  assert.equal(request.cookies[name]?.split('.').length, 3);
  const other = request.cookies[name]?.replace(/^./, (first) => (first === '_' ? '-' : '_'));
  assert.equal(browsers.id(createBrowser(other).request, 'u0'), undefined);
});
