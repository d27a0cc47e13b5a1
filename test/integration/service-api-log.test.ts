import assert from 'node:assert/strict';
import { test } from 'node:test';
import { event, serve } from '../tools/service/harness.ts';
import { browse, linksIn, systemsIn } from '../tools/service/people.ts';

test('the API log says which events had no effect, filters, and gives a request as curl', async (t) => {
  const served = await serve(t);
  const { a, b, post, history } = served;
  const { read } = await browse(served, 'Ada');
  await post(a.token, event({ id: 'first', status: 'answered' }));
  await post(a.token, event({ id: 'first', status: 'ringing', note: "it's" }));
  await post(a.secondToken, '{"id":"second"}');
  await post(b.token, event({ id: 'theirs', status: 'completed' }));

  const log = (query = '') => read(`/api-log${query}`);
  assert.match((await log()).plain, /200 Accepted Discarded: out of order POST/);
  assert.match((await log()).plain, /\d\d:\d\d:\d\d/);
  const [, uid = ''] = /<option value="([0-9a-f]{16})">PBX 2/.exec((await log()).text) ?? [];
  for (const [query, words] of [
    ['', 'first answered second'],
    ['?outcome=discarded', 'first'],
    ['?outcome=refused', 'second'],
    [`?integration=${uid}`, 'second'],
  ] as const) {
    const { main } = await log(query);
    const found = ['first', 'answered', 'second', 'theirs'].filter((word) =>
      main.includes(`&quot;${word}&quot;`),
    );
    assert.equal(found.join(' '), words, query);
  }
  await post(a.token, '{"id":"spaced","from":"+4930901820"}');
  assert.match((await log('?in=number&term=%2B49 30 90-1820')).plain, /spaced/, 'as the screens write it');
  // A call's id leads to the call from every search, also if all its requests were refused.
  for (const [typed, leads] of [
    ['/api-log?term=second&in=number&outcome=refused', '/api-log?in=call&term=second&outcome=refused'],
    ['/calls?q=first', '/calls/details?id=first'],
    ['/api-log?term=theirs&in=number', undefined],
    ['/calls?q=theirs', undefined],
  ] as const)
    assert.equal((await read(typed)).headers.location, leads, typed);
  const early = await log('?until=2020-01-01T10:00');
  assert.match(early.main, /<p class="empty">[^<]*No matching requests/, 'not a paragraph in a paragraph');
  for (const until of ['2099-01-01T10:00', 'soon'])
    assert.match((await log(`?until=${until}`)).plain, /200 Accepted/);
  const [newer = ''] = linksIn(early.text.slice(early.text.indexOf('rel="prev"')), '/api-log');
  assert.match((await read(newer)).plain, /200 Accepted/, 'from a time in the past up to now');

  const [entry = ''] = linksIn((await log('?outcome=discarded')).main, '/api-log/entry');
  const { plain, main: whole } = await read(entry);
  assert.ok(
    linksIn(whole, '/api-log').includes('/api-log?outcome=discarded'),
    'leads back to the list with its filter',
  );
  assert.match(plain, /{ "id": "first", .*"status": "ringing"/, 'the JSON is set out');
  assert.match(plain, /No effect: events of a call must be sent in the order/);
  assert.ok(plain.includes(`curl -X POST '${served.url}/api/v1/voice/call'`));
  assert.ok(plain.includes(String.raw`"note":"it'\''s"`), plain);
  assert.ok(!plain.includes(a.token.slice(0, 40)));
  const [shown = {}] = await history(a.token);
  assert.ok(!Object.keys(shown).includes('effect'), 'the API shows what its document says');
});

test('an entry of the API log shows deep JSON as it came', async (t) => {
  const served = await serve(t);
  const { a, ask } = served;
  const { read } = await browse(served, 'Ada');
  const nested = (depth: number) => `{"number":${'['.repeat(depth)}1,2,3${']'.repeat(depth)}}`;
  for (const depth of [2_000, 30_000]) {
    const body = nested(depth);
    assert.equal((await ask('/voice/priority', { token: a.token, method: 'POST', body })).status, 422);
    const [entry = ''] = linksIn((await read('/api-log')).main, '/api-log/entry');
    const { status, text } = await read(entry);
    assert.equal(status, 200);
    assert.ok(text.length < 6 * body.length + 50_000, `${text.length}`);
    assert.ok(text.includes('[1,2,3]'));
  }
});

test('refused tokens of an integration are counted on its page', async (t) => {
  const served = await serve(t);
  const { a, post } = served;
  const { read } = await browse(served, 'Ada');
  const [page = ''] = systemsIn((await read('/integrations')).text);
  const wrong = (last: string) => a.token.replace(/.$/, (own) => (own === last ? '2' : last));
  assert.doesNotMatch((await read(page)).plain, /wrong token/);
  for (const token of [wrong('0'), wrong('1'), 'nonsense'])
    assert.equal((await post(token, event())).status, 401);
  assert.match((await read(page)).plain, /2 requests with a wrong token, the last from 127\.0\.0\.1/);
});
