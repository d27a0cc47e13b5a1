import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeSignInAttempts, type SignInAttempts } from './sign-in-attempts.ts';

const MINUTE = 60_000;

function failUntilRefused(
  attempts: SignInAttempts,
  name: (n: number) => string,
  address: (n: number) => string,
): number {
  for (let n = 0; n < 1000; n += 1) {
    if (!attempts.allowed(name(n), address(n), 0)) return n;
    attempts.failed(name(n), address(n), 0);
  }
  return Number.POSITIVE_INFINITY;
}

test('a name can fail ten times from one address, and still sign in from another', () => {
  const attempts = makeSignInAttempts();
  const refusedAfter = failUntilRefused(
    attempts,
    () => 'ann',
    () => '192.0.2.1',
  );
  assert.equal(refusedAfter, 10);
  assert.equal(attempts.allowed('ann', '192.0.2.2', 0), true, 'others do not lock the user out');
  assert.equal(attempts.allowed('bob', '192.0.2.1', 0), true);
  assert.equal(attempts.allowed('ann', '192.0.2.1', 15 * MINUTE - 1), false);
  assert.equal(attempts.allowed('ann', '192.0.2.1', 15 * MINUTE), true);
});

test('one address, or IPv6 network, can fail a hundred times for all names', () => {
  const names = (n: number) => `name ${n}`;
  assert.equal(
    failUntilRefused(makeSignInAttempts(), names, () => '192.0.2.1'),
    100,
  );
  assert.equal(
    failUntilRefused(makeSignInAttempts(), names, (n) => `2001:db8::${n.toString(16)}`),
    100,
  );
  assert.equal(
    failUntilRefused(makeSignInAttempts(), names, (n) => `2001:db8:1:2:3:4:5:${n.toString(16)}`),
    100,
    'written in full',
  );
  assert.equal(
    failUntilRefused(makeSignInAttempts(), names, (n) => `2001:db8:0:${n.toString(16)}::1`),
    Number.POSITIVE_INFINITY,
  );
});

test('a successful sign-in resets the count', () => {
  const attempts = makeSignInAttempts();
  for (let n = 0; n < 9; n += 1) attempts.failed('ann', '192.0.2.1', 0);
  attempts.succeeded('ann', '192.0.2.1');
  for (let n = 0; n < 9; n += 1) attempts.failed('ann', '192.0.2.1', 0);
  assert.equal(attempts.allowed('ann', '192.0.2.1', 0), true);
});
