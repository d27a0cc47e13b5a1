import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiErrorKinds, errorKind } from './result.ts';

const table = [
  ['ECONNREFUSED', 'refused'],
  ['EHOSTUNREACH', 'unreachable'],
  ['ENETUNREACH', 'unreachable'],
  ['ENOTFOUND', 'dns'],
  ['EAI_AGAIN', 'dns'],
  ['UND_ERR_CONNECT_TIMEOUT', 'timeout-connect'],
  ['ETIMEDOUT', 'timeout-connect'],
  ['UND_ERR_HEADERS_TIMEOUT', 'timeout-headers'],
  ['UND_ERR_BODY_TIMEOUT', 'timeout-body'],
  ['ECONNRESET', 'reset'],
  ['EPIPE', 'reset'],
  ['UND_ERR_SOCKET', 'reset'],
  ['UND_ERR_HEADERS_OVERFLOW', 'protocol'],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'protocol'],
  ['CERT_HAS_EXPIRED', 'tls'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'tls'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls'],
  ['EPROTO', 'tls'],
  ['UND_ERR_DESTROYED', 'closed'],
  ['UND_ERR_CLOSED', 'closed'],
  ['EWHATEVER', 'unknown'],
] as const;

for (const [code, kind] of table) {
  test(`${code} is ${kind}`, () => {
    assert.equal(errorKind(Object.assign(new Error('x'), { code })), kind);
  });
}

test('a parser error is protocol, with or without a code', () => {
  assert.equal(errorKind(Object.assign(new Error('x'), { name: 'HTTPParserError' })), 'protocol');
});

test('what a proxy refuses is of the kind proxy', () => {
  const error = Object.assign(new Error('Proxy response (407) !== 200 when HTTP Tunneling'), {
    code: 'UND_ERR_ABORTED',
  });
  assert.equal(errorKind(error), 'proxy');
});

test('what is no error with a code is unknown', () => {
  for (const odd of [undefined, null, 'text', new Error('x'), { code: 7 }])
    assert.equal(errorKind(odd), 'unknown');
});

test('the table above has every kind', () => {
  assert.deepEqual(new Set(['proxy', ...table.map(([, kind]) => kind)]), new Set(Object.keys(apiErrorKinds)));
});
