import assert from 'node:assert/strict';
import { chmodSync, existsSync } from 'node:fs';
import { before, describe, type TestContext, test } from 'node:test';
import { Agent, request } from 'undici';
import { makeCertificate } from '../certificate.ts';
import { cannotInstall, installPackages } from '../debian.ts';
import { startNginx } from '../postgres/nginx.ts';
import { form, password, person } from './people.ts';
import { type Served, serve } from './service-harness.ts';

const NGINX = '/usr/sbin/nginx';
const cannot = existsSync(NGINX) ? undefined : cannotInstall();

/** Attempts to sign in to `url` from the addresses of this machine, such as 127.0.0.2; gives the status. */
function attempts(t: TestContext, url: string) {
  const agents = new Map<string, Agent>();
  t.after(() => Promise.all([...agents.values()].map((agent) => agent.close())));
  return async (localAddress: string, given: string, headers: Record<string, string> = {}) => {
    const dispatcher =
      agents.get(localAddress) ?? new Agent({ localAddress, connect: { rejectUnauthorized: false } });
    agents.set(localAddress, dispatcher);
    const sent = form(url, { name: 'Owner', password: given }, headers);
    const answer = await request(`${url}/sign-in`, { ...sent, method: 'POST', dispatcher });
    await answer.body.dump();
    return answer.statusCode;
  };
}

describe('behind nginx with the sample configuration', { skip: cannot && `nginx: ${cannot}` }, () => {
  before(() => installPackages({ [NGINX]: 'nginx-light' }));

  async function behindNginx(t: TestContext): Promise<{ served: Served; url: string }> {
    const served = await serve(t, { trustedProxies: ['127.0.0.1'] });
    await person(served, { name: 'Owner' });
    const certificate = await makeCertificate(served.stateDir, 'calls.example.com');
    chmodSync(served.stateDir, 0o711); // nginx runs as another user and reads its certificate there
    const nginx = await startNginx([served.service.url], certificate);
    t.after(() => nginx.stop());
    return { served, url: nginx.url };
  }

  test('wrong passwords from one address do not keep the owner out from another', async (t) => {
    const { url } = await behindNginx(t);
    const attempt = attempts(t, url);
    for (let n = 0; n < 10; n += 1) assert.equal(await attempt('127.0.0.2', `wrong ${n}`), 401);
    assert.equal(await attempt('127.0.0.2', password), 429);
    assert.equal(await attempt('127.0.0.3', password), 303);
  });

  test('a made-up X-Forwarded-For gives no further attempts', async (t) => {
    const { url } = await behindNginx(t);
    const attempt = attempts(t, url);
    const statuses: number[] = [];
    for (let n = 0; n < 12; n += 1)
      statuses.push(await attempt('127.0.0.2', `wrong ${n}`, { 'x-forwarded-for': `192.0.2.${n}` }));
    assert.deepEqual(statuses, [...Array(10).fill(401), 429, 429]);
    assert.equal(await attempt('127.0.0.3', password), 303);
  });
});

test('of several addresses in X-Forwarded-For, the last that is no trusted proxy counts', async (t) => {
  const served = await serve(t, { trustedProxies: ['127.0.0.1', '10.0.0.0/8'] });
  await person(served, { name: 'Owner' });
  const attempt = attempts(t, served.url);
  const via = (addresses: string) => attempt('127.0.0.1', 'wrong', { 'x-forwarded-for': addresses });
  for (let n = 0; n < 10; n += 1) assert.equal(await via(`198.51.100.${n}, 192.0.2.1, 10.0.0.${n}`), 401);
  assert.equal(await via('192.0.2.1'), 429);
  assert.equal(await via('192.0.2.1, 198.51.100.1'), 401);
});

test('X-Forwarded-For of anybody but a trusted proxy is ignored', async (t) => {
  const served = await serve(t, { trustedProxies: ['10.0.0.1'] });
  await person(served, { name: 'Owner' });
  const attempt = attempts(t, served.url);
  for (let n = 0; n < 10; n += 1)
    assert.equal(await attempt('127.0.0.2', 'wrong', { 'x-forwarded-for': `192.0.2.${n}` }), 401);
  assert.equal(await attempt('127.0.0.2', password, { 'x-forwarded-for': '192.0.2.99' }), 429);
  assert.equal(await attempt('127.0.0.3', password), 303);
});
