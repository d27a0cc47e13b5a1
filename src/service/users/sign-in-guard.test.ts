import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyRequest } from 'fastify';
import type { Log } from '../../shared/log/log.ts';
import { Refusal } from '../kit/refusal.ts';
import { makeSignInGuard } from './sign-in-guard.ts';

/** A guard of which 192.0.2.1 is the trusted proxy, and whether Ann is let in from an address whose check gives `result`. */
function setUp() {
  const said: [string, unknown][] = [];
  const guard = makeSignInGuard({
    browsers: { id: () => undefined, account: () => undefined, remember() {} },
    isTrustedProxy: (address) => address === '192.0.2.1',
    clock: () => 0,
    log: { say: (code: string, fields: unknown) => said.push([code, fields]) } as unknown as Log,
  });
  const attempt = (ip: string, result: boolean | Error = false, headers = {}) => {
    const request = { ip, headers, socket: { remoteAddress: ip } } as unknown as FastifyRequest;
    return guard.attempt('password', { as: 'ann', request }, async (client) => {
      assert.equal(client, ip);
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

test('a trusted proxy that sends no address is named once', async () => {
  const { said, attempt } = setUp();
  await attempt('192.0.2.2');
  await attempt('192.0.2.1', false, { 'x-forwarded-for': '192.0.2.1' });
  assert.deepEqual(said, []);
  for (let n = 0; n < 2; n += 1) await attempt('192.0.2.1');
  assert.deepEqual(said, [['service.proxy-sends-no-address', { address: '192.0.2.1' }]]);
});
