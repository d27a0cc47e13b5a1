import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startMailServer } from '../../src/mail/mail-server.fixture.ts';
import { form, password, person, visitor } from './people.ts';
import { command } from './service-commands.ts';
import { serve } from './service-harness.ts';

/** A running service with the administrator Adam, signed in, and the agent Anna. */
async function setUp(t: TestContext, change: Parameters<typeof serve>[1] = {}) {
  const served = await serve(t, change);
  const { ask, url } = served;
  await person(served, { name: 'Adam', role: 'administrator' });
  const { user } = await person(served, { name: 'Anna' });
  const adam = await visitor(served, 'Adam');
  return {
    served,
    adam,
    /** Adam resets Anna's password on the screen; gives the link that the page shows. */
    async reset(): Promise<string> {
      const path = `${url}/users/${user.uid}/reset`;
      return linkIn((await ask(path, form(url, { token: adam.token }, adam))).text);
    },
    /** Opens a link; gives the session's cookie, or undefined if the link is refused. */
    async open(link: string): Promise<string | undefined> {
      const { status, headers } = await ask(`${url}/sign-in/link`, form(url, { link }));
      assert.ok(status === 204 || status === 401, `the status is ${status}`);
      return status === 204 ? String(headers['set-cookie']).split(';')[0] : undefined;
    },
    /** Sends a form of a signed-in user's page. */
    async send(path: string, cookie: string, fields: Record<string, string>) {
      const page = await ask(`${url}/welcome`, { headers: { cookie } });
      const token = /name="token" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
      return ask(url + path, form(url, { token, ...fields }, { cookie }));
    },
  };
}

const linkIn = (text: string) => /\/sign-in#([\w.]+)/.exec(text)?.[1] ?? assert.fail(`no link in ${text}`);

test('a one-time link ends when a newer one of its user is made', async (t) => {
  const { reset, open } = await setUp(t);
  const [first, second] = [await reset(), await reset()];
  assert.equal(await open(first), undefined);
  assert.ok(await open(second));
});

test('a one-time link stays ended after the newer one was used and a password was set', async (t) => {
  const { reset, open, send } = await setUp(t);
  const [first, second] = [await reset(), await reset()];
  const cookie = await open(second);
  assert.ok(cookie);
  assert.equal(await open(first), undefined);
  assert.equal(await open(second), undefined);
  const chosen = await send('/welcome', cookie, { name: 'Anna', password });
  assert.deepEqual([chosen.status, chosen.headers.location], [303, '/']);
  assert.equal(await open(first), undefined);
  assert.equal(await open(second), undefined);
});

test('a one-time link ends when its user changes the password', async (t) => {
  const { served, adam, open } = await setUp(t);
  const { ask, url } = served;
  const link = linkIn(await command(served, 'link'));
  const fields = { token: adam.token, current: password, password: 'another few words' };
  assert.equal((await ask(`${url}/account/password`, form(url, fields, adam))).status, 303);
  assert.equal(await open(link), undefined);
});

test('a one-time link ends with `service user reset`, and with a newer `service link`', async (t) => {
  const { served, reset, open } = await setUp(t);
  const first = await reset();
  const second = linkIn(await command(served, 'user', 'reset', 'Anna'));
  assert.equal(await open(first), undefined);
  assert.ok(await open(second));
  const [older, newer] = [await command(served, 'link'), await command(served, 'link')].map(linkIn);
  assert.equal(await open(older as string), undefined);
  assert.ok(await open(newer as string));
});

test('an invitation lives for the days that were chosen, and is sent by mail', async (t) => {
  const server = await startMailServer();
  t.after(server.stop);
  const from = 'Phones <pbx@example.com>';
  const mail = { host: '127.0.0.1', port: server.port, secure: false, login: undefined, from };
  const served = await serve(t, { mail });
  const { ask, url } = served;
  await person(served, { name: 'Adam', role: 'administrator' });
  const adam = await visitor(served, 'Adam');
  const add = (fields: Record<string, string>) =>
    ask(`${url}/users`, form(url, { token: adam.token, role: 'agent', ...fields }, adam));
  assert.equal((await add({ name: 'Eve', mail: 'eve' })).status, 422);
  assert.match(
    (await add({ name: 'Eve', mail: 'eve' })).text,
    /Enter an e-mail address/,
    'and Eve was not added',
  );

  const page = (await add({ name: 'Eve', mail: 'eve@example.com', days: '7' })).text;
  assert.match(page, /The link was sent to eve@example\.com/);
  assert.match(page, /within 7 days/);
  await server.has(1);
  const [sent] = server.received;
  assert.deepEqual(sent?.to, ['eve@example.com']);
  const link = linkIn(page);
  const text = (sent?.data ?? '').replace(/=\r?\n/g, '').replace(/=3D/g, '=');
  assert.match(text, /Your access to Alpha/);
  assert.ok(text.includes(`${url}/sign-in#${link}`), text);
  const days = (Number(link.split('.')[2]) - Date.now()) / 86_400_000;
  assert.ok(days > 6.9 && days <= 7, String(days));

  const refused = (await add({ name: 'Nora', mail: 'nora@example.com', days: '999' })).text;
  assert.match(refused, /The link could not be sent: /);
  assert.ok(linkIn(refused), 'the link is shown all the same');
  assert.match(refused, /within 3 days/);
});

test('with an address of the service, links lead there, wherever the browser is', async (t) => {
  const { served, adam } = await setUp(t, {
    publicUrl: 'https://phone.example.com',
    hosts: ['phone.example.com'],
  });
  const { ask, url, service } = served;
  const invited = await ask(
    `${url}/users`,
    form(url, { token: adam.token, name: 'Ben', role: 'agent', days: '3' }, adam),
  );
  assert.match(invited.text, /https:\/\/phone\.example\.com\/sign-in#/);
  assert.match(await service.link(), /^https:\/\/phone\.example\.com\/sign-in#/);
  const start = await ask(`${url}/start`, { headers: { cookie: adam.cookie } });
  assert.match(start.text, /API_BASE_URL=https:\/\/phone\.example\.com\/api\/v1/);
});
