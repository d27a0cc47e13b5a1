import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeTries, type Tries } from './tries.ts';

const MINUTE = 60_000;

function failUntilRefused(tries: Tries, name: (n: number) => string, address: (n: number) => string): number {
  for (let n = 0; n < 1000; n += 1) {
    if (!tries.allowed(name(n), address(n), 0)) return n;
    tries.failed(name(n), address(n), 0);
  }
  return Number.POSITIVE_INFINITY;
}

test('a name is tried ten times from one address, and the same person can sign in from another', () => {
  const tries = makeTries();
  const refusedAfter = failUntilRefused(
    tries,
    () => 'ann',
    () => '192.0.2.1',
  );
  assert.equal(refusedAfter, 10);
  assert.equal(tries.allowed('ann', '192.0.2.2', 0), true, 'nobody is locked out by others');
  assert.equal(tries.allowed('bob', '192.0.2.1', 0), true);
  assert.equal(tries.allowed('ann', '192.0.2.1', 15 * MINUTE - 1), false);
  assert.equal(tries.allowed('ann', '192.0.2.1', 15 * MINUTE), true);
});

test('one address tries a hundred times, whatever the names, with all of its IPv6 network', () => {
  const names = (n: number) => `name ${n}`;
  assert.equal(
    failUntilRefused(makeTries(), names, () => '192.0.2.1'),
    100,
  );
  assert.equal(
    failUntilRefused(makeTries(), names, (n) => `2001:db8::${n.toString(16)}`),
    100,
  );
  assert.equal(
    failUntilRefused(makeTries(), names, (n) => `2001:db8:1:2:3:4:5:${n.toString(16)}`),
    100,
    'written in full',
  );
  assert.equal(
    failUntilRefused(makeTries(), names, (n) => `2001:db8:0:${n.toString(16)}::1`),
    Number.POSITIVE_INFINITY,
  );
});

test('who gets it right begins anew', () => {
  const tries = makeTries();
  for (let n = 0; n < 9; n += 1) tries.failed('ann', '192.0.2.1', 0);
  tries.succeeded('ann', '192.0.2.1');
  for (let n = 0; n < 9; n += 1) tries.failed('ann', '192.0.2.1', 0);
  assert.equal(tries.allowed('ann', '192.0.2.1', 0), true);
});
