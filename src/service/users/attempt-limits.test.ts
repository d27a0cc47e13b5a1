import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { FastifyRequest } from 'fastify';
import type { Log } from '../../shared/log/log.ts';
import { Refusal } from '../kit/refusal.ts';
import { createAttemptLimits, createSignInGuard, network, type Who } from './attempt-limits.ts';

const MINUTE = 60_000;
type AttemptLimits = ReturnType<typeof createAttemptLimits>;
const ann: Who = { as: 'ann', address: '192.0.2.1', browser: undefined };

/** How many wrong attempts are allowed, one after the other. */
function allowed(limits: AttemptLimits, who: (n: number) => Who, what: 'password' | 'code' = 'password') {
  for (let n = 0; n < 1000; n += 1) if (limits.begin(what, who(n), 0) === undefined) return n;
  return Number.POSITIVE_INFINITY;
}

test('a name can be wrong ten times from one address, and others have their own attempts', () => {
  const limits = createAttemptLimits();
  limits.begin('password', ann, 0)?.undecided();
  assert.equal(
    allowed(limits, () => ann),
    10,
  );
  assert.ok(limits.begin('password', { ...ann, address: '192.0.2.2' }, 0), 'others do not lock the user out');
  assert.ok(limits.begin('password', { ...ann, as: 'bob' }, 0));
  assert.ok(limits.begin('code', ann, 0));
  assert.equal(limits.begin('password', ann, 15 * MINUTE - 1), undefined);
  assert.ok(limits.begin('password', ann, 15 * MINUTE));
});

test('a clock that is set back does not lock users out until it is as late again', () => {
  const limits = createAttemptLimits();
  const year = 365 * 24 * 60 * MINUTE;
  for (let n = 0; n < 10; n += 1) assert.ok(limits.begin('password', ann, year));
  assert.equal(limits.begin('password', ann, year), undefined);
  assert.equal(
    allowed(limits, () => ann),
    10,
    'as many as at first, and no more',
  );
});

test('a browser that signed in before has attempts of its own, ten', () => {
  const limits = createAttemptLimits();
  const known = { ...ann, browser: 'b1' };
  for (let n = 0; n < 300; n += 1) {
    limits.begin('password', { ...ann, address: `192.0.2.${n % 250}` }, 0);
    limits.begin('password', { ...known, as: `name ${n}`, browser: undefined }, 0);
  }
  assert.equal(
    allowed(limits, () => known),
    10,
  );
  assert.ok(limits.begin('password', { ...known, browser: 'b2' }, 0));
});

test('from many addresses, a name can be wrong fifty times, and a code ten times', () => {
  const from = (n: number): Who => ({ ...ann, address: `198.51.${n >> 8}.${n & 255}` });
  const limits = createAttemptLimits();
  assert.equal(allowed(limits, from), 50);
  assert.equal(allowed(limits, from, 'code'), 10);
});

test('one address, or IPv6 network, can be wrong a hundred times for all names', () => {
  const from = (address: (n: number) => string) =>
    allowed(createAttemptLimits(), (n) => ({ ...ann, as: `name ${n}`, address: address(n) }));
  assert.equal(
    from(() => '192.0.2.1'),
    100,
  );
  assert.equal(
    from((n) => `2001:db8::${n.toString(16)}`),
    100,
  );
  assert.equal(
    from((n) => `2001:db8:0:${n.toString(16)}::1`),
    Number.POSITIVE_INFINITY,
  );
});

test('attempts that have begun count: of a thousand at once ten are checked', () => {
  const limits = createAttemptLimits();
  const begun = Array.from({ length: 1000 }, () => limits.begin('password', ann, 0)).filter(
    (attempt) => attempt !== undefined,
  );
  assert.equal(begun.length, 10);
  begun[0]?.undecided();
  assert.ok(limits.begin('password', ann, 0), 'one that was not decided does not count');
  begun[1]?.right();
  begun[2]?.undecided();
  assert.equal(
    allowed(limits, () => ann),
    10,
    'nor do those before one that was right',
  );
});

test('a right attempt leaves the wrong ones of other addresses counted', () => {
  const limits = createAttemptLimits();
  for (let n = 0; n < 40; n += 1) limits.begin('password', { ...ann, address: `198.51.100.${n}` }, 0);
  limits.begin('password', ann, 0)?.right();
  assert.equal(
    allowed(limits, (n) => ({ ...ann, address: `203.0.113.${n}` })),
    10,
  );
});

test('names of any length take little memory', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const limits = createAttemptLimits();
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let n = 0; n < 1000; n += 1)
    limits.begin('password', { ...ann, as: `${n}${'x'.repeat(65_536)}`, address: `192.0.${n % 20}.1` }, 0);
  collect();
  assert.ok(process.memoryUsage().heapUsed - before < 5_000_000);
});

test('the client behind an address', () => {
  for (const [address, client] of [
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8::3:4:5:6:7', '2001:db8:0:3'],
    ['::1', '0:0:0:0'],
    ['unix:', 'unknown'],
    ['x'.repeat(10_000), 'unknown'],
  ] as const)
    assert.equal(network(address), client);
});

/** A guard of which 192.0.2.1 is the trusted proxy, and whether Ann is let in from an address whose check gives `result`. */
function setUp() {
  const said: [string, unknown][] = [];
  const guard = createSignInGuard(
    { id: () => undefined, account: () => undefined, remember() {} },
    (address) => address === '192.0.2.1',
    () => 0,
    { say: (code: string, fields: unknown) => said.push([code, fields]) } as unknown as Log,
  );
  const attempt = (ip: string, result: boolean | Error = false, headers = {}) => {
    const request = { ip, headers, socket: { remoteAddress: ip } } as unknown as FastifyRequest;
    return guard.attempt('password', { as: 'ann', request }, async () => {
      if (result instanceof Error) throw result;
      return result;
    });
  };
  return { said, attempt };
}

test('after ten wrong attempts in a row nothing is checked; neither a right one nor a fault counts', async () => {
  const { said, attempt } = setUp();
  const from = '192.0.2.9';
  for (let n = 0; n < 9; n += 1) assert.equal(await attempt(from), false);
  assert.equal(await attempt(from, true), true);
  for (let n = 0; n < 9; n += 1) assert.equal(await attempt(from), false);
  for (let n = 0; n < 9; n += 1) await assert.rejects(attempt(from, new Error('a fault')), /a fault/);
  assert.deepEqual([await attempt(from), said], [false, []]);
  for (let n = 0; n < 2; n += 1)
    await assert.rejects(
      attempt(from, true),
      (error) => error instanceof Refusal && error.statusCode === 429,
    );
  assert.deepEqual(said, [['service.sign-in-limited', { address: from, suppressed: 0 }]]);
});

test('who waits for a check: a known browser as its user, others by their networks', async () => {
  const from = async (ip: string, browser?: string) => {
    const clients: unknown[] = [];
    const browsers = { id: () => browser, account: () => undefined, remember() {} };
    const guard = createSignInGuard(
      browsers,
      () => false,
      () => 0,
      {} as Log,
    );
    const request = { ip, headers: {}, socket: { remoteAddress: ip } } as unknown as FastifyRequest;
    await guard.attempt('password', { as: 'u1', request }, async (client) => clients.push(client) > 0);
    return clients;
  };
  assert.deepEqual(await from('192.0.2.9', 'b1'), [{ line: 'known', names: ['u1'] }]);
  for (const [ip, names] of [
    ['192.0.2.9', ['192.0', '192.0.2', '192.0.2.9']],
    ['2001:db8:7:8:9::1', ['2001.db8', '2001.db8.7', '2001:db8:7:8']],
    ['unix:', ['unknown', 'unknown', 'unknown']],
  ] as const)
    assert.deepEqual(await from(ip), [{ line: 'strangers', names }]);
});

test('a trusted proxy that sends no address is named once', async () => {
  const { said, attempt } = setUp();
  await attempt('192.0.2.2');
  await attempt('192.0.2.1', false, { 'x-forwarded-for': '192.0.2.1' });
  assert.deepEqual(said, []);
  for (let n = 0; n < 2; n += 1) await attempt('192.0.2.1');
  assert.deepEqual(said, [['service.proxy-sends-no-address', { address: '192.0.2.1' }]]);
});
