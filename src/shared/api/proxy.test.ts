import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proxyFor } from './result.ts';

const [https, http] = ['http://secure:3128', 'http://plain:3128'];

for (const [address, except, expected] of [
  ['https://api.example.com/api/v1', [], https],
  ['http://api.example.com/api/v1', [], http],
  ['https://api.example.com', ['example.com'], undefined],
  ['https://api.example.com', ['.example.com'], undefined],
  ['https://api.example.com', ['*.EXAMPLE.com'], undefined],
  ['https://example.com', ['.example.com'], undefined],
  ['https://badexample.com', ['example.com'], https],
  ['https://api.example.com', ['*'], undefined],
  ['https://api.example.com', ['api.example.com:443'], undefined],
  ['https://api.example.com:8443', ['api.example.com:443'], https],
  ['https://api.example.com:8443', ['other.example', 'api.example.com:8443'], undefined],
  ['https://10.1.2.3', ['10.0.0.0/8'], undefined],
  ['https://11.1.2.3', ['10.0.0.0/8'], https],
  ['https://10.1.2.3', ['10.1.2.3'], undefined],
  ['https://[2001:db8::1]', ['2001:db8::/32'], undefined],
  ['https://[2001:db8::1]', ['2001:db8::1'], undefined],
  ['https://[2001:db8::1]:8443', ['[2001:db8::1]:443'], https],
  ['https://10.1.2.3', ['2001:db8::/32', '10.0.0.0/99'], https],
  ['http://localhost:8080', [], undefined],
  ['http://127.0.0.1:8080', [], undefined],
  ['http://127.1.2.3:8080', [], undefined],
  ['http://[::1]:8080', [], undefined],
] as const)
  test(`${address} with NO_PROXY=${except.join(',')}: ${expected ?? 'directly'}`, () => {
    assert.equal(proxyFor(address, { https, http, except }), expected);
  });

test('without proxies every address is reached directly', () => {
  assert.equal(proxyFor('https://api.example.com', {}), undefined);
});
