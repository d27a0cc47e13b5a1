import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { form } from './people.ts';
import { event, type Served, serve } from './service-harness.ts';
import { screenEvents } from './service-stream.ts';

/** Signs in with a link of the running service, and chooses a password; gives the browser's cookie. */
async function signIn({ ask, url, service }: Served): Promise<{ cookie: string; link: string }> {
  const link = (await service.link()).split('#')[1] as string;
  const answer = await ask(`${url}/sign-in/link`, form(url, { link }));
  assert.equal(answer.status, 204);
  const cookie = String(answer.headers['set-cookie']).split(';')[0] as string;
  return { cookie, link };
}

test('a link signs in once; the screens then show the calls of the account', async (t) => {
  const served = await serve(t);
  const { ask, url, a, b, post } = served;
  const { cookie, link } = await signIn(served);
  for (const fields of [{ link }, { link: '' }, {}])
    assert.equal((await ask(`${url}/sign-in/link`, form(url, fields as Record<string, string>))).status, 401);

  const page = await ask(`${url}/welcome`, { headers: { cookie } });
  assert.deepEqual([page.status, page.headers['content-type']], [200, 'text/html; charset=utf-8']);
  await post(b.token, event({ id: 'theirs' }));
  await post(a.token, event({ id: 'ours' }));
  for await (const first of screenEvents(url, { cookie })) {
    assert.ok(first.event === 'calls');
    assert.deepEqual(
      first.calls.map(({ id, customer }) => [id, customer?.name]),
      [['ours', "Alpha's customer"]],
    );
    break;
  }
});

test('without a session, pages redirect to the sign-in page and the stream is refused', async (t) => {
  const { ask, url } = await serve(t);
  for (const [path, location] of [
    ['/', '/sign-in'],
    ['/bar', '/sign-in?to=%2Fbar'],
    ['/account?a=%C3%BC', '/sign-in?to=%2Faccount%3Fa%3D%25C3%25BC'],
  ] as const) {
    const answer = await ask(`${url}${path}`);
    assert.deepEqual([answer.status, answer.headers.location], [303, location]);
  }
  assert.equal((await ask(`${url}/events`)).status, 401);
});

test('a screen that does not read is disconnected, and the others get every event', async (t) => {
  const served = await serve(t);
  const { a, url, post } = served;
  const sleepy = connect(Number(new URL(url).port), '127.0.0.1');
  t.after(() => sleepy.destroy());
  sleepy.write(`GET /events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${a.token}\r\n\r\n`);
  await once(sleepy, 'data');
  sleepy.pause();
  const gone = once(sleepy, 'close');

  const stream = screenEvents(url, { authorization: `Bearer ${a.token}` });
  await stream.next();
  let heard = 0;
  const caller_id = 'x'.repeat(250);
  for (let n = 0; n < 20_000 && heard >= 0; n += 500) {
    await Promise.all(
      Array.from({ length: 500 }, (_, k) => post(a.token, event({ id: `${n + k}`, caller_id }))),
    );
    for (let k = 0; k < 500; k += 1) {
      await stream.next();
      heard += 1;
    }
    if (served.said.includes('service.screen-too-slow')) break;
  }
  assert.ok(served.said.includes('service.screen-too-slow'), 'the sleepy one was cut off');
  sleepy.resume();
  await gone;
  await stream.return(undefined);
});

test('links and cookies have the address of a trusted proxy; headers of others are ignored', async (t) => {
  const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'calls.example.com' };
  for (const [trustedProxies, base, secure] of [
    [['127.0.0.1'], 'https://calls.example.com', true],
    [[], undefined, false],
  ] as const) {
    const served = await serve(t, { trustedProxies, hosts: ['calls.example.com'] });
    const { a, ask, url, service } = served;
    const { json } = await ask('/voice?limit=1', { token: a.token, headers: forwarded });
    const { meta, links } = json as { meta: { path: string }; links: { first: string } };
    assert.equal(meta.path, `${base ?? url}/api/v1/voice`);
    assert.ok(links.first.startsWith(`${meta.path}?`));
    const link = (await service.link()).split('#')[1] as string;
    const { headers } = await ask(`${url}/sign-in/link`, form(base ?? url, { link }, forwarded));
    const cookie = String(headers['set-cookie']);
    assert.deepEqual([cookie.startsWith('__Host-'), / Secure/.test(cookie)], [secure, secure]);
    assert.match(cookie, /HttpOnly/);
    await service.stop();
  }
});
