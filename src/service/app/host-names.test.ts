import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { test } from 'node:test';
import { hostNames } from './app.ts';

const isOurs = hostNames(['calls.example.com', 'Calls']);

test('the names of the service, its machine and addresses are its own, and no others', () => {
  const ours = ['calls.example.com', 'CALLS.example.com.', 'calls', 'localhost', hostname()];
  for (const name of [...ours, '127.0.0.1', '[::1]', '::1', '192.168.1.20', '', undefined])
    assert.ok(isOurs(name), String(name));
  for (const name of ['evil.example', 'evil.example.calls.example.com', '127.0.0.1.evil.example'])
    assert.ok(!isOurs(name), name);
  for (const name of ['calls.example.com', 'localhost']) assert.ok(!isOurs(`${name}.evil.example`), name);
});
