import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressesOf } from './primary.ts';

test('several servers stand with commas between them', () => {
  const rows: [string, string[]][] = [
    ['postgres://u:p@db/pbx', ['postgres://u:p@db/pbx']],
    [
      'postgres://u:p,w@one:5433,two/pbx?sslmode=verify-full',
      ['postgres://u:p,w@one:5433/pbx?sslmode=verify-full', 'postgres://u:p,w@two/pbx?sslmode=verify-full'],
    ],
    ['postgresql://one,[::1]:5432/pbx', ['postgresql://one/pbx', 'postgresql://[::1]:5432/pbx']],
    ['postgres://u@/pbx?host=/run/postgresql', ['postgres://u@/pbx?host=/run/postgresql']],
  ];
  for (const [url, addresses] of rows) assert.deepEqual(addressesOf(url), addresses);
});
