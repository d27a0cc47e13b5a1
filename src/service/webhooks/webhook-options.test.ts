import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noExtensions } from '../accounts/extensions.ts';
import { createKeys } from '../accounts/keys.ts';
import { en } from '../words/en.ts';
import { exampleOf } from './event-examples.ts';
import { type Format, newWebhook, noFilter, type WebhookEvent, webhookEvents } from './webhook.ts';
import { wantsEvent } from './webhook-filter.ts';
import { callHeader, HeaderError, HIDDEN, headersIn, openHeaders, sealHeaders } from './webhook-headers.ts';
import { checkedOptions, OptionRefused } from './webhook-options.ts';
import { presets } from './webhook-presets.ts';

const keys = createKeys(Buffer.alloc(32, 7));

test('headers that could make two requests of one, or lie about the sender, are refused', () => {
  const refused = (text: string) => {
    try {
      return headersIn(text).map(({ name, value }) => `${name}=${value}`);
    } catch (error) {
      assert.ok(error instanceof HeaderError);
      return `${error.what} ${error.about}`;
    }
  };
  assert.deepEqual(refused('Authorization:  Bearer a b \r\n\r\nX-Key: 1'), [
    'Authorization=Bearer a b',
    'X-Key=1',
  ]);
  assert.deepEqual(refused(`X-Key: ${HIDDEN}\nX-Empty:`), ['X-Key=undefined', 'X-Empty=']);
  for (const name of [
    'Host',
    'content-length',
    'Transfer-Encoding',
    'Connection',
    'TE',
    'Upgrade',
    'Content-Type',
  ])
    assert.equal(refused(`${name}: x`), `headerTaken ${name}`);
  for (const name of ['webhook-id', 'Webhook-Signature', 'WEBHOOK-TIMESTAMP', 'Webhook-Call-Id'])
    assert.equal(refused(`${name}: x`), `headerTaken ${name}`);
  for (const name of ['', 'a b', 'ä', 'a\0', '(a)', 'a"'])
    assert.match(refused(`${name}: x`) as string, /^headerName/);
  assert.equal(refused('no colon'), 'headerName no colon');
  for (const value of ['a\rX: y', 'a\0', 'ä', 'a\x7f'])
    assert.equal(refused(`X-Key: ${value}`), 'headerValue X-Key', JSON.stringify(value));
  assert.equal(refused('a: 1\nA: 2'), 'headerTwice A');
  assert.match(
    refused(Array.from({ length: 21 }, (_, n) => `x${n}: 1`).join('\n')) as string,
    /^headersTooLong/,
  );
  assert.match(refused(`a: ${'x'.repeat(8_000)}`) as string, /^headersTooLong/);
});

test("the header with a call's id is visible ASCII of limited length, whatever the id is", () => {
  const header = (id: string) => callHeader({ id })?.['webhook-call-id'];
  assert.equal(header('office-1763625600.17'), 'office-1763625600.17');
  assert.equal(header('a\r\nX-Key: 1\x7f'), 'a%0D%0AX-Key:%201%7F');
  assert.equal(header('Büro-1\u2028😀\ud800'), 'B%C3%BCro-1%E2%80%A8%F0%9F%98%80%EF%BF%BD');
  assert.equal(header('ä'.repeat(255))?.length, 255);
  assert.equal(callHeader(null), null);
});

test('values of headers are sealed for their webhook, and stay until they are given again', () => {
  const [own, other] = [{ uid: 'w1' }, { uid: 'w2' }];
  const sealed = sealHeaders(keys, own, headersIn('Authorization: Bearer s3cret\nX-Key: k'), null);
  assert.ok(sealed);
  assert.doesNotMatch(Buffer.from(sealed, 'base64').toString('latin1'), /s3cret|Authorization/);
  assert.deepEqual(openHeaders(keys, own, sealed), [
    ['Authorization', 'Bearer s3cret'],
    ['X-Key', 'k'],
  ]);
  const changed = sealHeaders(
    keys,
    own,
    headersIn(`authorization: ${HIDDEN}\nX-New: ${HIDDEN}\nX-Key: l`),
    sealed,
  );
  assert.deepEqual(openHeaders(keys, own, changed), [
    ['authorization', 'Bearer s3cret'],
    ['X-Key', 'l'],
  ]);
  assert.equal(sealHeaders(keys, own, [], sealed), null);
  // Of another webhook, or of a service with another secret: nothing is sent.
  assert.deepEqual(openHeaders(keys, other, sealed), []);
  assert.deepEqual(openHeaders(createKeys(Buffer.alloc(32, 8)), own, sealed), []);
  assert.deepEqual(openHeaders(keys, own, 'x'), []);
});

test('a filter wants the events that match one entry of each of its lists', () => {
  const wants = (
    filter: Partial<typeof noFilter>,
    event: (typeof webhookEvents)[number],
    country: string | null = 'US',
  ) => wantsEvent({ ...noFilter, ...filter }, exampleOf(event), country);
  for (const event of webhookEvents) assert.equal(wants({}, event), true, event);
  for (const called of ['+12025550100', '+1 202 555-0100', '(202) 555-0100', '+1202555*', '1202*00', '*'])
    assert.equal(wants({ called: ['+49', called] }, 'call.missed'), !called.startsWith('1202'), called);
  assert.equal(wants({ called: ['2025550100'] }, 'call.missed', null), false);
  for (const called of ['+1202555010', '+12025550101', '+1202?*'])
    assert.equal(wants({ called: [called] }, 'call.missed'), false, called);
  // As a regular expression this would take years.
  assert.equal(wants({ called: [`${'*'.repeat(60)}x`] }, 'call.missed'), false);
  assert.equal(wants({ called: ['*'] }, 'note.added'), false, 'it has no number called');
  assert.equal(wants({ segments: ['VIP'] }, 'note.added'), true);
  assert.equal(wants({ segments: ['vip'] }, 'call.ringing'), false);
  for (const event of ['call.ended', 'call_back.taken', 'note.removed', 'customer.removed'] as const) {
    assert.equal(wants({ customers: ['8', '7'] }, event), true, event);
    assert.equal(wants({ customers: ['8'] }, event), false, event);
  }
  assert.equal(wants({ customers: ['7'], segments: ['VIP'], called: ['+1*'] }, 'call.ended'), true);
  assert.equal(wants({ customers: ['7'], segments: ['A'], called: ['+1*'] }, 'call.ended'), false);
  const test = { event: 'test', call: null, person: null } as const;
  assert.equal(wantsEvent({ ...noFilter, customers: ['8'] }, test, null), true);
  // What is gone by the time has nothing to tell.
  const { person, ...note } = exampleOf('note.changed');
  assert.ok(person);
  assert.equal(wantsEvent(noFilter, { ...note, person: { ...person, action: null } }, null), false);
});

/** What is said of a template: `taken`, or why it is refused. */
async function checked(template: string, events: readonly WebhookEvent[], format: Format = 'json') {
  const store = { webhooks: { newest: async () => ({ calls: [], person: undefined }) } };
  const directory = {
    account: () => undefined,
    extensions: () => noExtensions,
    integrations: () => [],
  };
  const options = { shape: { format, template, language: 'en' }, headers: [], filter: noFilter };
  const given = { url: 'https://a.example', events, options };
  try {
    await checkedOptions({ store, directory, keys } as never, newWebhook(1, 0), given);
    return 'taken';
  } catch (error) {
    assert.ok(error instanceof OptionRefused);
    return error.text(en);
  }
}

test('a template is refused that makes no body of some events as they come', async () => {
  const calls: readonly WebhookEvent[] = ['call.ringing', 'call.answered', 'call.ended', 'call.missed'];
  // biome-ignore format: one case a line
  const wrong: readonly (readonly [string, readonly WebhookEvent[]])[] = [
    // Digits that begin with 0 are no number of JSON.
    ['{"n":{{digits.from}}}', calls],
    ['{"n":{{digits.from}}{{^digits.from}}0{{/digits.from}}}', calls],
    ['{"n":{{data.from}}}', calls],
    ['{"n":{{digits.to}}{{^digits.to}}null{{/digits.to}}}', calls],
    ['{"n":{{data.number}}}', ['note.added', 'call_back.taken']],
    ['{"n":[{{#data.numbers}}"{{.}}"{{/data.numbers}}]}', ['customer.added', 'customer.changed']],
    // Several people, with no commas between them; nobody.
    ['{"u":[{{#users}}"{{.}}"{{/users}}]}', ['call.ringing', 'call.missed', 'call.ended']],
    ['{"u":[{{#users}}"{{.}}",{{/users}}"-"{{#users}},{{/users}}]}', ['call.missed']],
    ['{"u":[{{#users}}{{.}}{{/users}}]}', calls],
    ['{"r":[{{#data.rang}}{"n":"{{name}}"}{{/data.rang}}]}', calls],
    ['{"t":[{{#data.talked}}{"n":"{{name}}"}{{/data.talked}}]}', ['call.ended']],
    ['{"u":"x"{{#users}},"{{.}}":1{{/users}}{{^users}}x{{/users}}}', calls],
    // Texts outside of a string; what is not always there.
    ['{"c":{{#data.customer}}{{reference}}{{/data.customer}}{{^data.customer}}0{{/data.customer}}}', calls],
    ['{"c":{{data.reference}}}', ['customer.changed', 'customer.removed']],
    ['{"by":{{data.caller_id}}}', ['call.answered', 'call.ended']],
    ['{"p":{{data.priority}}}', calls],
    ['{"s":{{data.seconds}}}', ['call_back.talked']],
    ['{"due":{{data.due}}}', ['call_back.remind', 'call_back.tried']],
    ['{"t":{{data.text}}}', ['note.added', 'note.removed']],
  ];
  for (const [template, events] of wrong)
    for (const event of events)
      assert.match(
        await checked(template, [event]),
        new RegExp(`no JSON: .*\\(${event}\\)`),
        `${event} ${template}`,
      );
  const right = [
    '{"n":"{{digits.from}}","c":"{{caller}}","all":{{{data}}},"u":{{{users}}},"t":"{{title}}","at":{{data.started_at}}{{^data.started_at}}0{{/data.started_at}}}',
    '{"r":[{{#data.rang}}{"n":"{{name}}"},{{/data.rang}}null],"u":"{{#users}}{{.}}, {{/users}}"}',
    '{"text":"{{data.text}}","by":"{{data.user}}","numbers":{{{data.numbers}}},"customer":{{{data.customer}}}}',
    presets.slack.template,
  ];
  for (const template of right) assert.equal(await checked(template, webhookEvents), 'taken', template);
  assert.equal(await checked(presets.zammad.template, presets.zammad.events), 'taken');
  for (const format of ['form', 'text'] as const)
    assert.equal(
      await checked('a={{caller}} {{data.text}}\nb={{{data}}}{{users}}', webhookEvents, format),
      'taken',
    );
});

test('a template is refused that takes long with the longest lists, though it does not with others', async () => {
  const listed = (list: string, inner: string) => `{{#${list}}}{{#${list}}}${inner}{{/${list}}}{{/${list}}}`;
  const tooMuch = /looks up too many names: it has lists in lists\. \(/;
  const name = 'x.x.x.x.x.x.x.x';
  assert.match(await checked(listed('data.rang', `{{${name}}}`), ['call.missed'], 'text'), tooMuch);
  assert.match(await checked(listed('data.numbers', `{{${name}}}`), ['customer.added'], 'text'), tooMuch);
  assert.match(
    await checked(listed('data.rang', 'x'.repeat(30)), ['call.missed'], 'text'),
    /longer than 64 KB/,
  );
  assert.equal(await checked(listed('data.rang', '{{name}}'), webhookEvents, 'text'), 'taken');
});

test('stored values of headers stay for an address on the same server only', async () => {
  const before = {
    ...newWebhook(1, 0),
    url: 'https://a.example/hook',
    headers: sealHeaders(keys, { uid: 'w1' }, [{ name: 'X-Key', value: 'k' }], null),
    uid: 'w1',
  };
  const changed = async (url: string, value?: string) => {
    const options = { shape: null, headers: [{ name: 'x-key', value }], filter: noFilter };
    try {
      const { headers } = await checkedOptions({ keys } as never, before, { url, events: [], options });
      return openHeaders(keys, before, headers).join();
    } catch (error) {
      assert.ok(error instanceof OptionRefused);
      return error.text(en);
    }
  };
  for (const url of ['https://a.example/hook', 'https://a.example:443/other?x', 'https://A.example/#a'])
    assert.equal(await changed(url), 'x-key,k', url);
  for (const url of ['http://a.example/hook', 'https://a.example:8443/hook', 'https://b.example/hook']) {
    assert.match(await changed(url), /on another server now/, url);
    assert.equal(await changed(url, 'new'), 'x-key,new', url);
  }
});
