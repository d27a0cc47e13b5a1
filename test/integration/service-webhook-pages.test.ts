import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../until.ts';
import { form, person, visitor, withStore } from './people.ts';
import { event, serve } from './service-harness.ts';
import { namesOf, startReceiver } from './webhook-receiver.ts';

const home = '/integrations/webhooks';

test('an administrator sets a webhook up, tests it, sends again, changes its secret, and removes it', async (t) => {
  const receiver = await startReceiver(t);
  const served = await serve(t, { webhookNetworks: ['127.0.0.1'] });
  const { url, ask, a, post } = served;
  await person(served, { name: 'Ann', role: 'administrator' });
  const { cookie, token } = await visitor(served, 'Ann');
  const get = async (path: string) => (await ask(url + path, { headers: { cookie } })).text;
  const send = (path: string, fields: Record<string, string> = {}) =>
    ask(url + path, form(url, { token, ...fields }, { cookie }));

  for (const [fields, error] of [
    [{ url: receiver.url }, 'Choose one from the list.'],
    [{ url: 'ftp://example.com', 'call.missed': '1' }, 'begins with https://'],
    [{ url: 'https://a:b@example.com', 'call.missed': '1' }, 'without a user name'],
    [
      { url: 'http://10.0.0.1/', 'call.missed': '1' },
      'neither on the Internet nor in SERVICE_WEBHOOK_NETWORKS',
    ],
    [{ url: 'http://[::1]/', 'call.missed': '1' }, 'neither on the Internet nor in SERVICE_WEBHOOK_NETWORKS'],
  ] as const) {
    const answer = await send(home, fields as Record<string, string>);
    assert.equal(answer.status, 422, JSON.stringify(fields));
    assert.ok(answer.text.includes(error), error);
  }
  const added = await send(home, { url: receiver.url, 'call.missed': '1' });
  const page = `${added.headers.location}`;
  assert.match(page, /^\/integrations\/webhooks\/[0-9a-f]{16}$/);
  const secretOn = async () => /<pre id="secret"[^>]*>(whsec_[^<]+)</.exec(await get(page))?.[1] ?? '';
  receiver.secrets.push(await secretOn());
  assert.match(await get(home), /127\.0\.0\.1:\d+<\/bdi><\/a>/);

  await send(`${page}/test`);
  await receiver.until(({ length }) => length === 1);
  assert.deepEqual([receiver.received[0]?.type, receiver.received[0]?.verifiedBy], ['test', [0]]);
  await post(a.token, event({ id: 'one', status: 'ringing' }));
  await post(a.token, event({ id: 'one', status: 'completed' }));
  await receiver.until(({ length }) => length === 2);
  const shows = (path: string, what: RegExp) =>
    until(`${path} to show ${what}`, async () => what.test(await get(path)), { state: () => get(path) });
  await shows(page, /Call was missed<\/a>(?:(?!<tr)[\s\S])*delivered(?:(?!<tr)[\s\S])*200 ok/);
  assert.doesNotMatch(await get(page), /Call is ringing<\/a>/);

  const [, id = ''] = /name="delivery" value="(\d+)"/.exec(await get(page)) ?? [];
  for (const delivery of ['1.5', 'x', '']) {
    const { status } = await send(`${page}/again`, { delivery });
    assert.equal(status, 404, delivery);
  }
  assert.match(await get(`${page}?older=1.5`), /Call was missed/);
  await send(`${page}/again`, { delivery: id });
  await receiver.until(({ length }) => length === 3);
  assert.equal(receiver.received[2]?.id, receiver.received[1]?.id);
  assert.deepEqual(namesOf(receiver.received.slice(1)), ['one call.missed', 'one call.missed']);

  receiver.answer((_, response) => response.writeHead(400).end('<b>no</b>'));
  await send(`${page}/test`);
  await shows(`${page}?failed=1`, /Test[\s\S]*failed[\s\S]*400 &lt;b>no[\s\S]*Send again/);
  assert.match(await get(`${page}?failed=1`), /Send all failed again/);
  receiver.answer((_, response) => response.end());
  await send(`${page}/again`);
  await shows(`${page}?failed=1`, /Nothing here\./);
  assert.doesNotMatch(await get(`${page}?failed=1`), /Send all failed again/);

  await send(`${page}/rotate`, { days: '7' });
  const fresh = await secretOn();
  assert.notEqual(fresh, receiver.secrets[0]);
  receiver.secrets.push(fresh);
  assert.match(await get(page), /signed with the old secret too until/);
  for (const days of ['8', 'soon', '-1']) {
    const { status, text } = await send(`${page}/rotate`, { days });
    assert.equal(status, 422, days);
    assert.match(text, /The old secret can sign for 0 to 7 more days\. Nothing was changed\./, days);
  }
  assert.match(await get(page), /signed with the old secret too until/);
  assert.equal(await secretOn(), fresh);
  await send(`${page}/end-old`);
  assert.doesNotMatch(await get(page), /old secret too until/);
  await send(page, { url: receiver.url, 'call.ringing': '1', 'call.ended': '1' });
  await send(`${page}/off`);
  const off = await get(page);
  assert.match(off, /no events are sent/);
  assert.doesNotMatch(off, /Send test event|Send again<\/button>/);
  for (const fields of [{}, { delivery: id }])
    for (const what of ['test', 'again']) {
      const { status, text } = await send(`${page}/${what}`, fields);
      assert.equal(status, 422, what);
      assert.match(text, /The webhook is switched off\. Switch it on first\./);
    }
  assert.doesNotMatch(await get(page), />waiting</);
  await send(`${page}/on`);
  assert.match(await get(page), /Switched on|<span class="state answered">on</);

  const audit = await get('/audit');
  for (const what of [
    'added: call.missed',
    'test event',
    'new secret',
    'old secret ended',
    'call.ringing, call.ended',
  ])
    assert.ok(audit.includes(what), what);
  assert.doesNotMatch(audit, /s3cret|whsec_/, 'no secret of an address');

  await send(`${page}/remove`);
  assert.match(await get(home), /No webhooks yet\./);
  assert.deepEqual(await withStore(served, (store) => store.webhooks.list(null)), []);
});

test('agents and other accounts have no access to a webhook', async (t) => {
  const served = await serve(t);
  const { url, ask } = served;
  await withStore(served, async (store) => {
    const [, beta] = (await store.directory.read(0))?.directory.accounts ?? [];
    const webhook = {
      uid: '00000000000000b1',
      url: 'https://b.example/',
      events: ['call.missed'],
      since: 0,
    } as const;
    await store.webhooks.add({ ...webhook, account: beta?.id ?? 0 });
  });
  for (const [name, role, expected] of [
    ['Ann', 'administrator', 404],
    ['Eve', 'agent', 403],
  ] as const) {
    await person(served, { name, role });
    const { cookie, token } = await visitor(served, name);
    const page = `${home}/00000000000000b1`;
    assert.equal((await ask(url + page, { headers: { cookie } })).status, expected);
    const fields = { token, url: 'https://c.example', 'call.missed': '1', days: '1' };
    for (const path of ['', '/test', '/again', '/rotate', '/end-old', '/on', '/off', '/remove'])
      assert.equal((await ask(url + page + path, form(url, fields, { cookie }))).status, expected, path);
  }
  const [left] = await withStore(served, (store) => store.webhooks.list(null));
  assert.deepEqual([left?.url, left?.secretCounter, left?.enabled], ['https://b.example/', 1, true]);
});
