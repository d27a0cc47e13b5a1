import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allowList, isAddressOrNetwork } from './allow-list.ts';

test('addresses that may connect', () => {
  const isAllowed = allowList(['127.0.0.0/8', '::1', '10.1.2.3', '2001:db8::/32']);
  const rows: [string | undefined, boolean][] = [
    ['127.0.0.1', true],
    ['127.9.9.9', true],
    ['::ffff:127.0.0.1', true],
    ['::1', true],
    ['::2', false],
    ['10.1.2.3', true],
    ['::ffff:10.1.2.3', true],
    ['::ffff:10.1.2.4', false],
    ['10.1.2.4', false],
    ['2001:db8:1::5', true],
    ['2001:db9::5', false],
    ['fe80::1%eth0', false],
    ['', false],
    ['::ffff:', false],
    [undefined, false],
  ];
  for (const [address, expected] of rows) assert.equal(isAllowed(address), expected, String(address));
  assert.equal(allowList([])('127.0.0.1'), false);
});

test('valid entries', () => {
  for (const good of ['10.0.0.5', '10.0.0.0/8', '0.0.0.0/0', '::1', '::/0', 'fe80::/10', '1.2.3.4/32'])
    assert.ok(isAddressOrNetwork(good), good);
  for (const bad of [
    '',
    'pbx',
    '10.0.0',
    '10.0.0.0/33',
    '::/129',
    '10.0.0.0/',
    '10.0.0.0/x',
    '1.2.3.4/8/8',
    '/8',
  ])
    assert.ok(!isAddressOrNetwork(bad), bad);
});
