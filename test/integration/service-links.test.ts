import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startMailServer } from '../../src/shared/mail/mail-server.fixture.ts';
import { command } from '../tools/service/commands.ts';
import { serve } from '../tools/service/harness.ts';
import { browse, form, password, person, systemsIn } from '../tools/service/people.ts';

const linkIn = (text: string) => /\/sign-in#([\w.]+)/.exec(text)?.[1] ?? assert.fail(`no link in ${text}`);

/** A running service with the administrator Adam, signed in, and the agent Anna. */
async function setUp(t: TestContext, change: Parameters<typeof serve>[1] = {}) {
  const served = await serve(t, change);
  const { ask, url } = served;
  const adam = await browse(served, 'Adam');
  const { user } = await person(served, { name: 'Anna' });
  return {
    served,
    adam,
    /** Adam resets Anna's password on the screen; gives the link that the page shows. */
    reset: async () => linkIn((await adam.send(`/users/${user.uid}/reset`)).text),
    /** Opens a link; gives the session's cookie, or undefined if the link is refused. */
    async open(link: string): Promise<string | undefined> {
      const { status, headers } = await ask(`${url}/sign-in/link`, form(url, { link }));
      assert.ok(status === 204 || status === 401, `the status is ${status}`);
      return status === 204 ? String(headers['set-cookie']).split(';')[0] : undefined;
    },
  };
}

test('a one-time link ends when it is used, and when a newer one of its user is made, also once a password is set', async (t) => {
  const { served, reset, open } = await setUp(t);
  const { ask, url } = served;
  const [first, second] = [await reset(), await reset()];
  assert.equal(await open(first), undefined);
  const cookie = (await open(second)) ?? '';
  const page = await ask(`${url}/welcome`, { headers: { cookie } });
  const token = /name="token" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
  const ended = async () => assert.deepEqual([await open(first), await open(second)], [undefined, undefined]);
  await ended();
  const chosen = await ask(`${url}/welcome`, form(url, { token, name: 'Anna', password }, { cookie }));
  assert.deepEqual([chosen.status, chosen.headers.location], [303, '/calls']);
  await ended();
});

test('a one-time link ends when its user changes the password, with `service user reset`, and with a newer `service link`', async (t) => {
  const { served, adam, reset, open } = await setUp(t);
  const first = await reset();
  const second = linkIn(await command(served, 'user', 'reset', 'Anna'));
  assert.equal(await open(first), undefined);
  assert.ok(await open(second));
  const [older, newer] = [linkIn(await command(served, 'link')), linkIn(await command(served, 'link'))];
  assert.equal(await open(older), undefined);
  const change = { current: password, password: 'another few words' };
  assert.equal((await adam.send('/account/password', change)).status, 303);
  assert.equal(await open(newer), undefined);
  assert.ok(await open(linkIn(await command(served, 'link'))));
});

test('who is invited by an e-mail address gets the link by mail, and it lives for a week', async (t) => {
  const server = await startMailServer();
  t.after(server.stop);
  const from = 'Phones <pbx@example.com>';
  const mail = { host: '127.0.0.1', port: server.port, secure: false, login: undefined, from };
  const { served, adam } = await setUp(t, { mail });
  const add = (fields: Record<string, string>) => adam.send('/users', { role: 'agent', ...fields });
  const page = (await add({ name: 'eve@example.com' })).text;
  assert.match(page, /The link was sent to eve@example\.com/);
  assert.match(page, /for 7 days/);
  await server.has(1);
  const [sent] = server.received;
  assert.deepEqual(sent?.to, ['eve@example.com']);
  const link = linkIn(page);
  const text = (sent?.data ?? '').replace(/=\r?\n/g, '').replace(/=3D/g, '=');
  assert.match(text, /Your access to Alpha/);
  assert.ok(text.includes(`${served.url}/sign-in#${link}`), text);
  const days = (Number(link.split('.')[2]) - Date.now()) / 86_400_000;
  assert.ok(days > 6.9 && days <= 7, String(days));

  const refused = (await add({ name: 'nora@example.com' })).text;
  assert.match(refused, /The link could not be sent: /);
  assert.ok(linkIn(refused), 'the link is shown all the same');

  // An address is whatever somebody types: it does not get mail without end.
  const [, eve = ''] =
    /href="(\/users\/[0-9a-f]{16})"[^>]*>(?:<[^>]*>)*eve@/.exec((await adam.read('/users')).text) ?? [];
  for (let n = 2; n <= 5; n += 1) assert.match((await adam.send(`${eve}/reset`)).text, /was sent to eve@/);
  const tooMany = (await adam.send(`${eve}/reset`)).text;
  assert.match(tooMany, /Too many attempts/);
  assert.ok(linkIn(tooMany), 'the link is shown all the same');
  assert.equal(server.received.length, 5);
});

test('with an address of the service, links lead there, wherever the browser is', async (t) => {
  const publicUrl = 'https://phone.example.com';
  const { served, adam } = await setUp(t, { publicUrl, hosts: ['phone.example.com'] });
  const invited = await adam.send('/users', { name: 'Ben', role: 'agent' });
  assert.ok(invited.text.includes(`${publicUrl}/sign-in#`));
  assert.ok((await served.service.link()).startsWith(`${publicUrl}/sign-in#`));
  const [integration = ''] = systemsIn((await adam.read('/integrations')).text);
  const { text: card } = await adam.read(integration);
  assert.match(
    card,
    /pbx-bridge setup \\\n {2}API_BASE_URL=\S+ \\\n {2}API_TOKEN=\w+ \\\n {2}API_EXTRAS=yes \\\n {2}DEFAULT_COUNTRY=DE</,
  );
  assert.ok(card.includes(`API_BASE_URL=${publicUrl}/api/v1`));
});
