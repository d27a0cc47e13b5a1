import assert from 'node:assert/strict';
import { callers, event } from '../tools/service/harness.ts';
import { form, textOf as readable } from '../tools/service/people.ts';
import type { ServiceKeys } from './service-scene.ts';

/** A service that runs on what the scene has left knows all of it, and takes new calls. */
export async function goesOn(url: string, keys: ServiceKeys): Promise<void> {
  const { ask, post } = callers(url);
  const admin = async (path: string, token = keys.adminToken) =>
    (await ask(`${url}/admin${path}`, { token })).text;
  assert.match(await admin('/accounts', keys.operatorToken), /"Office".*"Bakery"/);
  assert.match(await admin('/customers'), /1,Weiß & Söhne,.*VIP,.*\+4930901820/);
  assert.match(await admin('/users'), /Anna.*administrator.*Bert.*agent/);
  assert.match(await admin('/webhooks'), /127\.0\.0\.1/);
  assert.partialDeepStrictEqual(
    (await ask('/voice/priority?number=%2B4989123457', { token: keys.token })).json,
    {
      priority: 10,
      segment: 'VIP',
      name: 'Weiß & Söhne',
    },
  );
  const signedIn = await ask(`${url}/sign-in`, form(url, { name: keys.name, password: keys.password }));
  assert.equal(signedIn.status, 303);
  const cookie = String(signedIn.headers['set-cookie']).split(';')[0] as string;
  const read = async (path: string) => {
    const { status, text } = await ask(url + path, { headers: { cookie } });
    assert.equal(status, 200, path);
    return readable(text);
  };
  assert.match(await read('/person?customer=1'), /wants an offer — „bis Freitag“/);
  assert.match(await read('/calls/details?id=d1-answered'), /1001/);
  assert.match(await read('/audit'), /merged into/);
  for (const status of ['answered', 'completed'])
    assert.equal((await post(keys.token, event({ id: 'd2-open', status, caller_id: '1001' }))).status, 200);
  assert.match(await read('/calls/details?id=d2-open'), /1001/);
  for (const status of ['ringing', 'completed'])
    assert.equal((await post(keys.token, event({ id: 'today', from: '+4989123457', status }))).status, 200);
  assert.match(await read('/call-back'), /Weiß & Söhne/);
}
