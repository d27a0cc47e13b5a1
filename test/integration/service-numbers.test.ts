import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { event, serve } from '../tools/service/harness.ts';
import { browse, withStore } from '../tools/service/people.ts';
import { screenEvents } from '../tools/service/stream.ts';

/** A service in Germany with an administrator. */
async function scene(t: TestContext) {
  const served = await serve(t);
  const { a, ask, post, url } = served;
  const boss = await browse(served, 'Boss');
  return {
    ...served,
    boss,
    lookup: (number: string) => ask(`/voice/priority?number=${encodeURIComponent(number)}`, a),
    put: (reference: string, body: unknown) =>
      ask(`${url}/admin/customers/${reference}`, { token: a.admin, method: 'PUT', body }),
    /** An open call, as a new screen gets it. */
    async shownAs(id: string) {
      for await (const first of screenEvents(url, { cookie: boss.cookie }))
        if (first.event === 'calls') return first.calls.find((one) => one.id === id);
      return undefined;
    },
    /** Of customers whom the store has. */
    numbersOf: (reference: string) =>
      withStore(served, async (store) => {
        const account = (await store.directory.read(0))?.directory.accounts.find(
          ({ name }) => name === 'Alpha',
        );
        return (await store.customers.get(account?.id ?? 0, reference))?.numbers;
      }),
    /** Reports the states of a call; gives the status of the last answer. */
    call: async (id: string, from: string, states = ['ringing']) => {
      let answer = 0;
      for (const status of states) answer = (await post(a.token, event({ id, from, status }))).status;
      return answer;
    },
  };
}

/** As people and programs hand a number on. */
const pasted = [
  '+49 (0)171 3920000',
  '\u202a+49 171 3920000\u202c',
  '\u200e0171\u00a03920000',
  '0171\u20133920000',
  'tel:+491713920000',
  '"Ann 7" <sip:01713920000@pbx.example.com:5060;user=phone>',
  '０１７１／３９２００００',
  '٠١٧١٣٩٢٠٠٠٠',
  '0171 3920000 ext. 12',
  'Tel.: 0171/39 20 000',
];

test('a number is read alike in a form, in /admin, in a lookup and in an event', async (t) => {
  const { boss, put, lookup, call, numbersOf, shownAs } = await scene(t);
  for (const [index, text] of pasted.entries()) {
    assert.deepEqual(
      ((await put('7', { name: 'Ann', numbers: [text] })).json as { numbers: string[] }).numbers,
      ['+491713920000'],
    );
    const saved = await boss.send('/person/save', { customer: '7', name: 'Ann', number: text });
    assert.equal(saved.status, 303, `${text}: ${saved.text.slice(0, 2_000)}`);
    assert.deepEqual(await numbersOf('7'), ['+491713920000'], text);
    assert.equal(((await lookup(text)).json as { name: string }).name, 'Ann', text);
    assert.equal(await call(`c${index}`, text), 200, text);
    const shown = await shownAs(`c${index}`);
    assert.deepEqual([shown?.number, shown?.customer?.name], ['+491713920000', 'Ann'], text);
  }
});

test('a form and /admin take no more numbers than a customer can have, and read no more', async (t) => {
  const { boss, put, numbersOf } = await scene(t);
  const list = (from: number, count: number) =>
    Array.from({ length: count }, (_, nth) => `+493090${18_200_000 + from + nth}`);
  const accepted = list(0, 100);
  assert.equal((await put('7', { name: 'Ann', numbers: accepted })).status, 200);
  const tooMany = Array.from({ length: 7 }, (_, nth) => list(nth * 15, 15).join('|'));
  const { status, text } = await put('7', { numbers: tooMany });
  assert.equal(status, 422);
  assert.match(text, /at most 100 numbers/);
  const many = await put('7', { numbers: Array.from({ length: 100 }, () => '1|001|00'.repeat(10)) });
  assert.equal(many.status, 422);
  for (const number of [
    tooMany,
    Array.from({ length: 101 }, () => 'no number'),
    [accepted.join('|'), '110'],
  ]) {
    assert.match(
      (await boss.send('/person/save', { customer: '7', name: 'Ann', number })).text,
      /at most 100 numbers/,
    );
  }
  assert.deepEqual(await numbersOf('7'), accepted);
});

test('several numbers in one field, and none', async (t) => {
  const { boss, put, numbersOf } = await scene(t);
  await put('7', { name: 'Ann', numbers: [] });
  for (const [number, stored] of [
    ['030 901821 / 0171 3920000', ['+4930901821', '+491713920000']],
    ['030 901822;\u00a01001', ['+4930901822', '1001']],
    ['-', []],
    ['k.A.', []],
  ] as const) {
    assert.equal(
      (await boss.send('/person/save', { customer: '7', name: 'Ann', number })).status,
      303,
      number,
    );
    assert.deepEqual(new Set(await numbersOf('7')), new Set(stored), number);
  }
});

test('what cannot be read is named with the reason, and changes nothing', async (t) => {
  const { boss, put, lookup, call, numbersOf } = await scene(t);
  await put('7', { name: 'Ann', numbers: ['030 901821'] });
  for (const [number, says] of [
    ['4,93012E+11', /A spreadsheet has shortened the number “4,93012E\+11”/],
    ['-3134', /A spreadsheet has shortened the number “-3134”/],
    ['089 35041234 / 35041235', /“35041235” stands behind another number/],
    ['+43 1 5331234, 0664 1234567', /“0664 1234567” stands behind another number/],
    ['030 901850/52', /not clear which phone number “52” belongs to/],
    ['alice7', /Not a valid phone number: “alice7”/],
  ] as const) {
    const refused = await boss.send('/person/save', { customer: '7', name: 'Ann', number });
    assert.equal(refused.status, 422);
    assert.match(refused.text, says);
    const answer = await put('7', { numbers: [number] });
    assert.equal(answer.status, 422);
    assert.match(JSON.stringify(answer.json), /The numbers field must be a phone number: “/);
  }
  assert.deepEqual(await numbersOf('7'), ['+4930901821']);
  for (const text of ['anonymous', 'alice7', '+', '4,93012E+11', '7wonders', 'ann7@example.com']) {
    const { status, json } = await lookup(text);
    assert.deepEqual(
      [status, (json as { errors: unknown }).errors],
      [422, { number: ['The number field must be a phone number.'] }],
      text,
    );
    assert.equal(await call('x', text), 422, text);
  }
});

test('what is no valid number is refused in a form and in /admin, and taken from a PBX', async (t) => {
  const { boss, put, lookup, call, shownAs, numbersOf } = await scene(t);
  await put('7', { name: 'Ann', numbers: ['030 901821'] });
  for (const [text, number] of [
    ['0100100100', '+49100100100'],
    ['1001-1005', '10011005'],
  ] as const) {
    const refused = await boss.send('/person/save', { customer: '7', name: 'Ann', number: text });
    assert.equal(refused.status, 422, text);
    assert.ok(refused.text.includes(`Not a valid phone number: “${text}”`), text);
    assert.equal((await put('7', { numbers: [text] })).status, 422, text);
    assert.equal((await lookup(text)).status, 200, text);
    assert.equal(await call(number, text), 200, text);
    assert.equal((await shownAs(number))?.number, number);
  }
  assert.deepEqual(await numbersOf('7'), ['+4930901821']);
});

test('a number that only a PBX could send stays when the name of its caller is edited', async (t) => {
  const { boss, call, numbersOf } = await scene(t);
  const number = '999123456789';
  assert.equal(await call('odd', `+${number}`, ['ringing', 'completed']), 200);
  assert.equal((await boss.send('/person/name', { number, name: 'Ann', new: '1' })).status, 303);
  const [, customer = ''] = /customer=([0-9a-f]{16})/.exec((await boss.read('/customers')).text) ?? [];
  const saved = await boss.send('/person/save', { customer, name: 'Ann Example', number });
  assert.equal(saved.status, 303, saved.text.slice(0, 2_000));
  assert.deepEqual(await numbersOf(customer), [number]);
});

test('Customers, Calls and the API log find a number as it is pasted', async (t) => {
  const { boss, put, call } = await scene(t);
  await put('7', { name: 'Ann', numbers: ['0171 3920000'] });
  await call('1', '+491713920000', ['ringing', 'completed']);
  await call('2', '+4930901830', ['ringing', 'completed']);
  for (const text of [...pasted, '+49 (0)171', '0171 39', '3920000', '+49 171 392-']) {
    const q = new URLSearchParams({ q: text });
    assert.match((await boss.read(`/customers?${q}`)).plain, /Ann/, text);
    assert.doesNotMatch((await boss.read(`/customers?${q}`)).plain, /Alpha's customer/, text);
    const calls = await boss.read(`/calls?${q}`);
    assert.match(calls.plain, /Ann/, text);
    assert.doesNotMatch(calls.plain, /901830/, text);
  }
  for (const text of [...pasted, '00491713920000']) {
    const log = await boss.read(`/api-log?${new URLSearchParams({ in: 'number', term: text })}`);
    assert.equal(log.text.match(/\/api-log\/entry\?/g)?.length, 2, text);
  }
});

test('a line that calls in two forms is one customer', async (t) => {
  const { put, lookup, call, shownAs, boss } = await scene(t);
  const lines = [
    ['+54 9 11 2345 6789', '+541123456789', '+5491123456789'],
    ['+54 11 4321 8765', '+541143218765', '+5491143218765'],
    ['+52 1 55 1234 5678', '+525512345678', '+5215512345678'],
    ['+55 11 8123 4567', '+551181234567', '+5511981234567'],
  ] as const;
  for (const [index, [saved, ...forms]] of lines.entries()) {
    const name = `Ann ${'ABCD'[index]}`;
    const customer = await put(`${index}x`, { name, numbers: [saved] });
    assert.equal((customer.json as { numbers: string[] }).numbers.length, 1, 'listed once');
    for (const form of forms) {
      assert.equal(((await lookup(form)).json as { name: string }).name, name, form);
      await call(form, form);
      const shown = await shownAs(form);
      assert.equal(shown?.customer?.name, name, form);
      assert.match(
        (await boss.read(`/customers?${new URLSearchParams({ q: form })}`)).plain,
        new RegExp(name),
      );
      assert.equal((await put('other', { numbers: [form] })).status, 409, 'it belongs to somebody');
    }
  }
  assert.match((await boss.read('/person?number=%2B5491123456789')).plain, /Ann A/);
  // Forgotten by one form, it is forgotten by both.
  await put('0x', { numbers: [] });
  assert.equal(((await lookup('+5491123456789')).json as { name: null }).name, null);
});

test('zeros that stand for a withheld number are nobody to call back', async (t) => {
  const { boss, call } = await scene(t);
  for (const [index, from] of ['0', '00', '000', '+000', '0000000000', '030 901830'].entries())
    assert.equal(await call(`${index}`, from, ['ringing', 'completed']), 200);
  const list = await boss.read('/call-back');
  assert.match(list.text, /tel:\+4930901830/);
  assert.doesNotMatch(list.text, /tel:\+?0+["<]/);
  assert.doesNotMatch((await boss.read('/calls')).text, /tel:\+?0+["<]/);
  assert.equal((await boss.send('/call-back', { number: '000', kind: 'done', from: 'list' })).status, 422);
  assert.equal((await boss.send('/person/name', { number: '000', name: 'Nobody', new: '1' })).status, 422);
});
