import assert from 'node:assert/strict';
import { test } from 'node:test';
import { elsewhereOf } from './elsewhere.ts';

const baseUrl = 'https://calls.example.com/api/v1';
const looked = (more: Partial<Parameters<typeof elsewhereOf>[0]>) =>
  elsewhereOf({
    callId: 'pbx-1763600000.42',
    since: 1_763_600_000_900,
    unit: undefined,
    api: undefined,
    ...more,
  }).map(({ place, look }) => `${place}: ${look}`);

test('the commands and addresses that find a call elsewhere, by its id as it is', () => {
  assert.deepEqual(looked({ unit: 'pbx-bridge@firm-a', api: { baseUrl, isService: true } }), [
    'log of the bridge: journalctl -u pbx-bridge@firm-a --since @1763600000 | grep -wF pbx-1763600000.42',
    'API log: https://calls.example.com/api-log?in=call&term=pbx-1763600000.42',
    'log of the service, on its machine: journalctl -u pbx-bridge-service --since @1763600000 | grep -wF pbx-1763600000.42',
    "log of a webhook's receiver, header webhook-call-id: search for pbx-1763600000.42",
  ]);
  assert.deepEqual(looked({ api: { baseUrl, isService: false } }), [
    'log of the bridge: search for pbx-1763600000.42',
    'log of the API: search for pbx-1763600000.42',
  ]);
  assert.deepEqual(looked({}), ['log of the bridge: search for pbx-1763600000.42']);
});

test('an id that a shell or an address would not take as it is', () => {
  const callId = "pbx-a b'&-1763600000.42";
  assert.deepEqual(looked({ callId, unit: 'pbx-bridge', api: { baseUrl, isService: true } }).slice(0, 2), [
    "log of the bridge: journalctl -u pbx-bridge --since @1763600000 | grep -wF 'pbx-a b'\\''&-1763600000.42'",
    'API log: https://calls.example.com/api-log?in=call&term=pbx-a+b%27%26-1763600000.42',
  ]);
});
