import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiErrorKinds, errorKind } from './result.ts';

const kinds = {
  refused: ['ECONNREFUSED'],
  unreachable: ['EHOSTUNREACH', 'ENETUNREACH'],
  dns: ['ENOTFOUND', 'EAI_AGAIN'],
  'timeout-connect': ['UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT'],
  'timeout-headers': ['UND_ERR_HEADERS_TIMEOUT'],
  'timeout-body': ['UND_ERR_BODY_TIMEOUT'],
  reset: ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'],
  protocol: ['UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'],
  tls: [
    'CERT_HAS_EXPIRED',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'EPROTO',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'ERR_SSL_WRONG_VERSION_NUMBER',
  ],
  closed: ['UND_ERR_DESTROYED', 'UND_ERR_CLOSED'],
  unknown: ['EWHATEVER'],
};

test('every code of an error has its kind, and every kind is here', () => {
  for (const [kind, codes] of Object.entries(kinds))
    for (const code of codes) assert.equal(errorKind(Object.assign(new Error('x'), { code })), kind, code);
  assert.deepEqual(new Set(['proxy', ...Object.keys(kinds)]), new Set(Object.keys(apiErrorKinds)));
});

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
