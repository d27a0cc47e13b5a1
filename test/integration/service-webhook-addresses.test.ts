import assert from 'node:assert/strict';
import { maxWebhooks } from '../../src/service/webhooks/webhook.ts';
import { testOnEachDatabase as test } from '../tools/servers/each-database.ts';
import { serve } from '../tools/service/harness.ts';
import { browse, withStore } from '../tools/service/people.ts';

test('an account has one webhook for an address, also when it is added at the same moment', async (t, database) => {
  const served = { ...(await serve(t, { database })), database };
  const { a, b, ask, url } = served;
  const admin = (method: string, path: string, body: unknown, token = a.admin) =>
    ask(`${url}/admin${path}`, { token, method, body });
  const add = (address: string, token = a.admin) => admin('POST', '/webhooks', { url: address }, token);
  const { send } = await browse(served, 'Ann');
  const submit = (address: string) => send('/webhooks', { url: address, 'call.ringing': '1' });
  const stored = (account = 1) => withStore(served, (store) => store.webhooks.list(account));

  const first = await Promise.all([
    ...Array.from({ length: 8 }, () => add('https://hooks.example/a?k=1')),
    ...Array.from({ length: 4 }, () => submit('https://hooks.example/a?k=1')),
  ]);
  const statuses = first.map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 201 || status === 303).length, 1, `${statuses}`);
  assert.ok(
    statuses.every((status) => [201, 303, 409, 422].includes(status)),
    `${statuses}`,
  );
  assert.equal((await stored()).length, 1);

  for (const same of [
    'https://HOOKS.example/a?k=1',
    'https://hooks.example:443/a?k=1',
    ' https://hooks.example/b/../a?k=1 ',
    'https://hooks.example/a?k=1#part',
  ]) {
    const { status, json } = await add(same);
    assert.equal(status, 409, same);
    assert.deepEqual(json, { message: 'There is a webhook to this address already.' });
    const page = await submit(same);
    assert.equal(page.status, 422, same);
    assert.match(page.text, /There is a webhook to this address already/);
  }
  for (const other of [
    'http://hooks.example/a?k=1',
    'https://hooks.example/A?k=1',
    'https://hooks.example/a?k=2',
    'https://hooks.example:8443/a?k=1',
  ])
    assert.equal((await add(other)).status, 201, other);
  assert.equal((await add('https://hooks.example/a?k=1', b.admin)).status, 201, 'of another account');

  const [one, two] = await stored();
  const change = (uid: string | undefined, address: string) =>
    admin('PATCH', `/webhooks/${uid}`, { url: address, events: ['call.missed'] });
  assert.equal((await change(two?.uid, `${one?.url}`)).status, 409);
  const own = await change(one?.uid, `${one?.url}`);
  assert.equal(own.status, 200, own.text);
  const page = await send(`/webhooks/${two?.uid}`, { url: `${one?.url}`, 'call.ringing': '1' });
  assert.equal(page.status, 422);
  const moved = await Promise.all([
    change(one?.uid, 'https://hooks.example/new'),
    change(two?.uid, 'https://hooks.example/new'),
  ]);
  assert.deepEqual(moved.map(({ status }) => status).sort(), [200, 409]);

  const many = await Promise.all(
    Array.from({ length: 30 }, (_, n) => add(`https://hooks.example/many/${n}`)),
  );
  assert.ok(many.every(({ status }) => status === 201 || status === 422));
  assert.equal((await stored()).length, maxWebhooks);
});
