import assert from 'node:assert/strict';
import { createECDH } from 'node:crypto';
import { test } from 'node:test';
import { decryptPush, startPushService } from '../../../test/tools/service/push-service.ts';
import { createKeys } from '../accounts/keys.ts';
import { createLazyWebhookClient } from '../webhooks/lazy-webhook-client.ts';
import { createWebPush } from './web-push.ts';

const keys = createKeys(Buffer.alloc(32, 7));
const noon = Date.parse('2026-11-27T12:00:00.500Z');

test('the stand-in for a browser reads the example of RFC 8291', () => {
  const browser = createECDH('prime256v1');
  browser.setPrivateKey('q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94', 'base64url');
  const body =
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN';
  const auth = Buffer.from('BTBZMqHH6r4Tts7J_aSIgg', 'base64url');
  assert.equal(
    decryptPush(Buffer.from(body, 'base64url'), browser, auth),
    'When I grow up, I want to be a watermelon',
  );
});

test('a message reaches only its browser, with a token that its push service can check', async (t) => {
  const service = await startPushService(t);
  const client = createLazyWebhookClient(['127.0.0.1']);
  t.after(client.close);
  const contact = () => 'https://calls.example.com';
  const push = createWebPush(keys, client, contact, () => noon);
  assert.equal(Buffer.from(push.publicKey, 'base64url').length, 65);
  assert.equal(createWebPush(keys, client, contact, () => 0).publicKey, push.publicKey);
  const message = { title: 'Missed call: Łódź', body: '☎', url: '/call-back' };
  assert.equal(await push.send(service.subscribe('phone'), message), 'sent');
  const [pushed] = service.received;
  assert.deepEqual(pushed?.message, message);
  const { headers, claims, key } = pushed ?? {};
  assert.deepEqual(claims, {
    aud: service.origin,
    exp: Date.parse('2026-11-28T00:00Z') / 1000,
    sub: 'https://calls.example.com',
  });
  assert.equal(key, push.publicKey);
  assert.equal(headers?.['content-encoding'], 'aes128gcm');
  assert.equal(headers?.['content-type'], 'application/octet-stream');
  assert.equal(headers?.urgency, 'high');
  assert.equal(headers?.ttl, '86400');
  // Who may not be named is not.
  const unnamed = createWebPush(
    keys,
    client,
    () => undefined,
    () => noon,
  );
  await unnamed.send(service.subscribe('tablet'), message);
  assert.ok(!('sub' in (service.received[1]?.claims ?? { sub: '' })));
});

test('a browser that is gone is told from one that is not reached; other networks are not reached', async (t) => {
  const service = await startPushService(t);
  const client = createLazyWebhookClient(['127.0.0.1']);
  t.after(client.close);
  const push = createWebPush(
    keys,
    client,
    () => undefined,
    () => noon,
  );
  const phone = service.subscribe('phone');
  for (const [status, result] of [
    [404, 'gone'],
    [410, 'gone'],
    [429, 'failed'],
    [403, 'failed'],
    [500, 'failed'],
    [301, 'failed'],
    [204, 'sent'],
  ] as const) {
    service.answers.set('phone', status);
    assert.equal(await push.send(phone, {}), result, `${status}`);
  }
  assert.equal(await push.send({ ...phone, publicKey: phone.auth }, {}), 'failed');
  const guarded = createLazyWebhookClient([]);
  t.after(guarded.close);
  const outside = createWebPush(
    keys,
    guarded,
    () => undefined,
    () => noon,
  );
  service.answers.clear();
  const before = service.received.length;
  assert.equal(await outside.send(phone, {}), 'failed');
  assert.equal(service.received.length, before);
});
