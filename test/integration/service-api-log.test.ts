import assert from 'node:assert/strict';
import { test } from 'node:test';
import { person, visitor } from './people.ts';
import { event, serve } from './service-harness.ts';

/** The served pages as an administrator of Alpha sees them, as text. */
async function asAdministrator(served: Awaited<ReturnType<typeof serve>>) {
  await person(served, { name: 'Ada', role: 'administrator' });
  const { cookie, token } = await visitor(served, 'Ada');
  const see = async (path: string) =>
    (await served.ask(`${served.url}${path}`, { headers: { cookie } })).text
      .replace(/<[^>]+>/g, ' ')
      .replace(/\s+/g, ' ');
  const html = async (path: string) => {
    const { text } = await served.ask(`${served.url}${path}`, { headers: { cookie } });
    return text.replace(/ data-words="[^"]*"/, ''); // the bar's texts
  };
  return { see, html, cookie, token };
}

test('the API log says which events had no effect, filters, and gives a request as curl', async (t) => {
  const served = await serve(t);
  const { a, b, post, history } = served;
  const { see, html } = await asAdministrator(served);
  await post(a.token, event({ id: 'first', status: 'answered' }));
  await post(a.token, event({ id: 'first', status: 'ringing', note: "it's" }));
  await post(a.secondToken, '{"id":"second"}');
  await post(b.token, event({ id: 'theirs', status: 'completed' }));

  const rows = (text: string) =>
    ['first', 'answered', 'second', 'theirs'].map((word) => text.includes(`"${word}"`));
  const all = await see('/api-log');
  assert.match(all, /200 Accepted .*Discarded: out of order/);
  assert.match(all, /\d\d:\d\d:\d\d/);
  assert.deepEqual(rows((await html('/api-log')).replaceAll('&quot;', '"')), [true, true, true, false]);
  const discarded = (await html('/api-log?outcome=discarded')).replaceAll('&quot;', '"');
  assert.deepEqual(rows(discarded), [true, false, false, false]);
  assert.deepEqual(rows((await html('/api-log?outcome=refused')).replaceAll('&quot;', '"')), [
    false,
    false,
    true,
    false,
  ]);
  const [, uid = ''] = /<option value="([0-9a-f]{16})">PBX 2/.exec(discarded) ?? [];
  const ofSecond = (await html(`/api-log?integration=${uid}`)).replaceAll('&quot;', '"');
  assert.deepEqual(rows(ofSecond), [false, false, true, false]);
  assert.match(await see('/api-log?until=2020-01-01T10:00'), /No matching requests/);
  assert.match(await see('/api-log?until=2099-01-01T10:00'), /200 Accepted/);
  assert.match(await see('/api-log?until=soon'), /200 Accepted/);
  const [, newer = ''] =
    /rel="prev" href="([^"]+)"/.exec(await html('/api-log?until=2020-01-01T10:00')) ?? [];
  assert.match(
    await see(newer.replaceAll('&amp;', '&')),
    /200 Accepted/,
    'from a time in the past up to now',
  );

  const [, entry = ''] = /href="(\/api-log\/entry[^"]+)"/.exec(discarded) ?? [];
  const page = (await see(entry)).replaceAll('&quot;', '"').replaceAll('&amp;', '&');
  assert.match(page, /{ "id": "first", .*"status": "ringing"/, 'the JSON is set out');
  assert.match(page, /the call had already moved on to a later status/);
  assert.ok(page.includes(`curl -X POST '${served.url}/api/v1/voice/call'`));
  assert.ok(page.includes(String.raw`"note":"it'\''s"`), page);
  assert.ok(!page.includes(a.token.slice(0, 40)));
  assert.deepEqual(
    Object.keys((await history(a.token))[0] ?? {}).filter((key) => /effect/.test(key)),
    [],
    'the API shows what its document says',
  );
});

test('refused tokens of an integration are counted on its page', async (t) => {
  const served = await serve(t);
  const { a, post, url } = served;
  const { see, html } = await asAdministrator(served);
  const [, uid] = /href="\/integrations\/([0-9a-f]+)"/.exec(await html('/integrations')) ?? [];
  const page = `/integrations/${uid}`;
  const wrong = (last: string) => a.token.replace(/.$/, (own) => (own === last ? '2' : last));
  assert.doesNotMatch(await see(page), /refused\. The last/);
  for (const token of [wrong('0'), wrong('1'), 'nonsense'])
    assert.equal((await post(token, event())).status, 401, url);
  assert.match(await see(page), /2 requests.*The last came from 127\.0\.0\.1/);
});
