import assert from 'node:assert/strict';
import { presets } from '../../src/service/webhooks/webhook-presets.ts';
import type { Log } from '../../src/shared/log/log.ts';
import { testOnEachDatabase as test } from '../tools/servers/each-database.ts';
import { event, serve } from '../tools/service/harness.ts';
import { browse, withStore } from '../tools/service/people.ts';
import { namesOf, type Receiver, startReceiver } from '../tools/service/webhook-receiver.ts';
import { until } from '../tools/until.ts';

const home = '/webhooks';

test('an administrator sets a webhook up, tests it, sends again, changes its secret, and removes it', async (t, database) => {
  const receiver = await startReceiver(t);
  const givenUp: unknown[] = [];
  const log: Log = {
    say: (code, more) => void (code === 'webhook.gave-up' && givenUp.push(more?.reason)),
    child: () => log,
  };
  const served = { ...(await serve(t, { webhookNetworks: ['127.0.0.1'], database }, log)), database };
  const { a, post, ask, url } = served;
  const { read, send } = await browse(served, 'Ann');
  const admin: Admin = async (method, path, body) => {
    const { status, text, json } = await ask(`${url}/admin/webhooks${path}`, {
      method,
      token: a.admin,
      body,
    });
    return { status, text, webhook: json as Answered['webhook'] };
  };
  const get = async (path: string) => (await read(path)).text;
  const shows = (path: string, what: RegExp) =>
    until(`${path} to show ${what}`, async () => what.test(await get(path)), { state: () => get(path) });

  const notThere = 'neither on the Internet nor in SERVICE_WEBHOOK_NETWORKS';
  for (const [fields, error] of [
    [{ url: receiver.url }, 'Choose one from the list.'],
    [{ url: 'ftp://example.com', 'call.missed': '1' }, 'begins with https://'],
    [{ url: 'https://a:b@example.com', 'call.missed': '1' }, 'without a user name'],
    [{ url: 'http://10.0.0.1/', 'call.missed': '1' }, notThere],
    [{ url: 'http://[::1]/', 'call.missed': '1' }, notThere],
  ] as [Record<string, string>, string][]) {
    const answer = await send(home, fields);
    assert.equal(answer.status, 422, JSON.stringify(fields));
    assert.ok(answer.text.includes(error), error);
  }
  const page = `${(await send(home, { url: receiver.url, 'call.missed': '1' })).headers.location}`;
  assert.match(page, /^\/webhooks\/[0-9a-f]{16}$/);
  const secretOn = async () => /<pre id="secret"[^>]*>(whsec_[^<]+)</.exec(await get(page))?.[1] ?? '';
  receiver.secrets.push(await secretOn());
  assert.match(await get(home), /127\.0\.0\.1:\d+<\/bdi><\/a>/);

  await send(`${page}/test`);
  await receiver.until(({ length }) => length === 1);
  assert.deepEqual([receiver.received[0]?.type, receiver.received[0]?.verifiedBy], ['test', [0]]);
  for (const status of ['ringing', 'completed']) await post(a.token, event({ id: 'one', status }));
  await receiver.until(({ length }) => length === 2);
  await shows(page, /Call was missed<\/a>(?:(?!<tr)[\s\S])*delivered(?:(?!<tr)[\s\S])*200 ok/);
  assert.doesNotMatch(await get(page), /Call is ringing<\/a>/);
  // The deliveries of a call, by its id: without the test.
  const ofCall = await get(`${page}?call=+one`);
  assert.match(ofCall, /<form class="filters" [^>]*role="search"[\s\S]*Call was missed<\/a>/);
  assert.match(ofCall, /name="call"[^>]* value="one"/);
  assert.equal(ofCall.split('name="delivery"').length, 2);
  assert.match(ofCall, new RegExp(`href="${page}\\?call=one&(amp;)?failed=1"`));
  assert.match(await get(`${page}?call=two`), />No deliveries</);

  const [, id = ''] = /name="delivery" value="(\d+)"/.exec(await get(page)) ?? [];
  for (const delivery of ['1.5', 'x', ''])
    assert.equal((await send(`${page}/again`, { delivery })).status, 404);
  assert.match(await get(`${page}?older=1.5`), /Call was missed/);
  await send(`${page}/again`, { delivery: id });
  await receiver.until(({ length }) => length === 3);
  assert.equal(receiver.received[2]?.id, receiver.received[1]?.id);
  assert.deepEqual(namesOf(receiver.received.slice(1)), ['one call.missed', 'one call.missed']);

  const failed = `${page}?failed=1`;
  receiver.answer((_, response) => response.writeHead(400).end('<b>no</b>'));
  await send(`${page}/test`);
  await shows(failed, /Test[\s\S]*failed[\s\S]*400 &lt;b>no[\s\S]*Send again/);
  assert.match(await get(failed), /Send all failed again/);
  assert.match(await get(home), />failed: 1</);
  assert.match(await get(page), />failed: 1</);
  receiver.answer((_, response) => response.end());
  await send(`${page}/again`);
  await shows(failed, />No deliveries</);
  assert.doesNotMatch(await get(failed), /Send all failed again/);
  assert.doesNotMatch(await get(home), /failed/);

  await send(`${page}/rotate`, { days: '7' });
  const fresh = await secretOn();
  assert.notEqual(fresh, receiver.secrets[0]);
  const early = await send(`${page}/rotate`, { days: '1' });
  assert.equal(early.status, 409);
  assert.match(early.text, /The old one still works\. End it first/);
  for (const days of ['8', 'soon', '-1']) {
    const { status, text } = await send(`${page}/rotate`, { days });
    assert.equal(status, 422, days);
    assert.match(text, /This request could not be processed/, days);
  }
  assert.match(await get(page), /signed with the old secret too until/);
  assert.equal(await secretOn(), fresh);
  await send(`${page}/end-old`);
  assert.doesNotMatch(await get(page), /old secret too until/);
  await send(page, { url: receiver.url, 'call.ringing': '1', 'call.ended': '1' });
  await send(`${page}/off`);
  assert.match(await get(page), /no events are sent/);
  assert.doesNotMatch(await get(page), /Send test event|Send again<\/button>|>waiting</);
  for (const [what, fields] of [
    ['test', {}],
    ['again', {}],
    ['again', { delivery: id }],
  ] as const) {
    const { status, text } = await send(`${page}/${what}`, fields);
    assert.equal(status, 422, what);
    assert.match(text, /The webhook is switched off\. Switch it on first\./);
  }
  await send(`${page}/on`);
  assert.match(await get(page), /Switched on|<span class="state answered">on</);

  await shapes({
    page,
    get,
    send,
    receiver,
    call: (id) => post(a.token, event({ id, status: 'ringing', from: '+493090182099' })),
  });
  // Of which a template makes too long a body, since their names are long.
  const template = `{{#data.rang}}${'{{name}}'.repeat(30)}{{/data.rang}}`;
  await send(page, { url: receiver.url, 'call.ringing': '1', format: 'text', template });
  const rang = Array.from({ length: 50 }, (_, n) => ({ by: `${100 + n}`.repeat(20), from: 0, for: 1 }));
  await post(a.token, event({ id: 'crowd', extras: { rang } }));
  await shows(failed, /Not sent: The body would be longer than 64 KB/);
  assert.deepEqual(givenUp.slice(1), ['its template makes no body of the event']);
  const audit = await get('/audit');
  const changes = [
    'added: call.missed',
    'test event',
    'new secret',
    'old secret ended',
    'call.ringing, call.ended',
  ];
  for (const what of changes) assert.ok(audit.includes(what), what);
  assert.match(audit, /form from a template; headers X-Key; filtered/);
  assert.doesNotMatch(audit, /s3cret|hu5h|whsec_/, 'no secret of an address or a header');
  await headersStayAtTheirServer({ page, send, get, admin, url: receiver.url });
  await changesAtOnce(page, admin);
  await send(`${page}/remove`);
  assert.match(await get(home), /No webhooks yet/);
  assert.deepEqual(await withStore(served, (store) => store.webhooks.list(null)), []);
});

/** The body, the headers and the filter of a webhook that gets calls that ring. */
async function shapes({
  page,
  get,
  send,
  receiver,
  call,
}: {
  page: string;
  get(path: string): Promise<string>;
  send: Awaited<ReturnType<typeof browse>>['send'];
  receiver: Receiver;
  call(id: string): Promise<unknown>;
}): Promise<void> {
  for (const preset of Object.keys(presets))
    assert.match(await get(`${home}?add`), new RegExp(`&amp;preset=${preset}#edit`));
  const zammad = await get(`${page}?preset=zammad`);
  assert.match(
    zammad,
    /newCall[\s\S]*name="call.missed" type="checkbox" value="1" checked|checked[\s\S]*newCall/,
  );
  assert.match(zammad, /https:\/\/zammad\.example\.com/);

  const rings = { url: receiver.url, 'call.ringing': '1' };
  const template = 'event={{type}}\r\nid={{data.id}}\r\n<x>={{title}}';
  const shaped = { ...rings, format: 'form', template, headers: 'X-Key: hu5h' };
  // A preview is of the last real event, needs no address, and stores nothing.
  const preview = await send(page, { ...shaped, url: '', preview: '1' });
  assert.equal(preview.status, 200);
  assert.match(
    preview.text,
    /made of the last real event[\s\S]*event=call\.ringing&amp;id=one&amp;%3Cx%3E=Call%20is%20ringing/,
  );
  assert.match(preview.text, /X-Key: hu5h/, 'what was typed');
  // Also where the newest call has had no such event.
  await call('two');
  await receiver.until((all) => all.some((one) => one.call === 'two'));
  const missed = await send(page, {
    'call.missed': '1',
    format: 'text',
    template: '{{data.id}}',
    preview: '1',
  });
  assert.match(missed.text, /last real event[\s\S]*<pre[^>]*>one</);
  const example = await send(home, {
    'note.added': '1',
    format: 'text',
    template: '{{data.text}}',
    preview: '1',
  });
  assert.match(example.text, /made of an example[\s\S]*Wants a “quote” by Monday/);
  assert.doesNotMatch(await get(page), /X-Key|event=/);

  const [, read = ''] = /name="read" value="(\w+)"/.exec(await get(page)) ?? [];
  const both = await Promise.all(
    ['call.answered', 'call.completed'].map((also) => send(page, { ...rings, [also]: '1', read })),
  );
  assert.deepEqual(both.map(({ status }) => status).toSorted(), [303, 422]);
  assert.match(both.map(({ text }) => text).join(), /Somebody else changed this at /);
  assert.equal((await send(page, rings)).status, 303);

  const refused: [Record<string, string>, string][] = [
    [{ format: 'json', template: '{"a": {{data.id}}}' }, 'The body is no JSON'],
    [{ format: 'json', template: '{{#a}}' }, 'Unclosed section'],
    [{ headers: 'Host: a.example' }, 'The service sets Host itself.'],
    [{ headers: 'X-A: b\nX-A: c' }, 'X-A is there twice.'],
    [{ called: 'x'.repeat(201) }, 'At most 100 lines of 200 characters.'],
  ];
  for (const [fields, error] of refused)
    for (const path of [page, home]) {
      const { status, text } = await send(path, { ...shaped, ...fields });
      assert.equal(status, 422, error);
      assert.ok(text.includes(error), error);
    }

  const before = receiver.received.length;
  const arrived = async () => {
    const count = receiver.received.length;
    await receiver.until(({ length }) => length > count);
    return receiver.received.at(-1);
  };
  await send(page, shaped);
  assert.doesNotMatch(await get(page), /hu5h/);
  assert.match(await get(page), /X-Key: ••••••/);
  const first = arrived();
  await call('shaped');
  assert.equal((await first)?.body, 'event=call.ringing&id=shaped&%3Cx%3E=Call%20is%20ringing');
  assert.equal((await first)?.headers['content-type'], 'application/x-www-form-urlencoded');
  assert.equal((await first)?.headers['x-key'], 'hu5h');
  const kept = { ...shaped, headers: 'X-Key: ••••••', called: '+49*', customers: '7\n8' };
  await send(page, kept);
  await call('not wanted');
  const test = arrived();
  await send(`${page}/test`);
  assert.equal((await test)?.body, 'event=call.ringing&id=pbx-1767344400.1&%3Cx%3E=Call%20is%20ringing');
  assert.equal((await test)?.headers['x-key'], 'hu5h');
  assert.equal(receiver.received.length, before + 2, 'the filter leaves the other call out');
  await until('the other call to be left out', async () => !(await get(page)).includes('>waiting<'));
  assert.doesNotMatch(await get(page), /not%20wanted/);
}

type Answered = {
  readonly status: number;
  readonly text: string;
  readonly webhook: {
    readonly template: string;
    readonly events: readonly string[];
    readonly headers: readonly { readonly name: string }[];
    readonly filter: { readonly numbers_called: readonly string[] };
  };
};
type Admin = (method: string, path: string, body?: object) => Promise<Answered>;

/** Who may change an address must not get the values of headers, which nobody is shown. */
async function headersStayAtTheirServer({
  page,
  get,
  send,
  admin,
  url,
}: {
  page: string;
  get(path: string): Promise<string>;
  send: Awaited<ReturnType<typeof browse>>['send'];
  admin: Admin;
  url: string;
}): Promise<void> {
  const uid = page.slice(home.length);
  const elsewhere = url.replace('127.0.0.1', 'localhost');
  const again = /on another server now\. Type the values of the headers again/;
  const form = { 'call.ringing': '1', headers: 'X-Key: ••••••' };
  const headers = [{ name: 'X-Key', value: 'hu5h' }];
  assert.equal((await admin('PATCH', uid, { format: 'standard', headers })).status, 200);
  const typed = await send(page, { ...form, url: elsewhere });
  assert.equal(typed.status, 422);
  assert.match(typed.text, again);
  for (const headers of [{}, { headers: [{ name: 'x-key' }] }]) {
    const { status, text } = await admin('PATCH', uid, { url: elsewhere, ...headers });
    assert.equal(status, 422);
    assert.match(text, again);
  }
  assert.match(await get(page), /X-Key: ••••••/);
  const path = await admin('PATCH', uid, { url: `${url}/other` });
  assert.deepEqual([path.status, path.webhook.headers], [200, [{ name: 'X-Key' }]], 'the same server');
  for (const headers of [[{ name: 'X-Key', value: 'n3w' }], []])
    assert.equal((await admin('PATCH', uid, { url: elsewhere, headers })).status, 200);
  assert.equal((await send(page, { ...form, url, headers: '' })).status, 303);
}

/** Of two changes at the same moment none is lost. */
async function changesAtOnce(page: string, admin: Admin): Promise<void> {
  const uid = page.slice(home.length);
  for (let n = 0; n < 8; n += 1) {
    const changes = [
      { format: 'text', template: `text ${n}` },
      { filter: { numbers_called: [`+49${n}*`], segments: [], customers: [] } },
      {
        headers: [
          { name: 'X-N', value: `${n}` },
          { name: `X-${n}`, value: '' },
        ],
      },
      { events: n % 2 ? ['call.ringing'] : ['call.missed'] },
    ];
    const answers = await Promise.all(changes.map((change) => admin('PATCH', uid, change)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      changes.map(() => 200),
    );
    const { template, filter, headers, events } = (await admin('GET', uid)).webhook;
    assert.deepEqual(
      { template, called: filter.numbers_called, header: headers[1]?.name, events },
      { template: `text ${n}`, called: [`+49${n}*`], header: `X-${n}`, events: changes[3]?.events },
    );
  }
}
