import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSameOrigin } from './session-cookie.ts';

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
    assert.equal(isSameOrigin({ headers, host }), same);
  });
