import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { test } from 'node:test';
import { hostNames } from './host-names.ts';

const isOurs = hostNames(['calls.example.com', 'Calls']);

for (const [name, ours] of [
  ['calls.example.com', true],
  ['CALLS.example.com.', true],
  ['calls', true],
  ['localhost', true],
  [hostname(), true],
  ['127.0.0.1', true],
  ['[::1]', true],
  ['::1', true],
  ['192.168.1.20', true],
  ['', true],
  [undefined, true],
  ['evil.example', false],
  ['calls.example.com.evil.example', false],
  ['evil.example.calls.example.com', false],
  ['localhost.evil.example', false],
  ['127.0.0.1.evil.example', false],
] as const)
  test(`${name} is ${ours ? '' : 'not '}a name of the service`, () => {
    assert.equal(isOurs(name), ours);
  });
