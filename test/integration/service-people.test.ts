import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { form, person, visitor } from './people.ts';
import { event, serve } from './service-harness.ts';
import { screenEvents } from './service-stream.ts';

/** A service where Jana answered a call at 1001 and somebody another at 1002. */
async function scene(t: TestContext) {
  const served = await serve(t);
  const { user } = await person(served, { name: 'Jana' });
  await person(served, { name: 'Boss', role: 'administrator' });
  const [jana, boss] = [await visitor(served, 'Jana'), await visitor(served, 'Boss')];
  for (const extension of ['1001', '1002'])
    for (const status of ['ringing', 'answered', 'completed'])
      await served.post(
        served.a.token,
        event({ id: extension, status, ...(status === 'answered' && { caller_id: extension }) }),
      );
  const read = async (who: typeof jana, path: string) => {
    const { status, text } = await served.ask(served.url + path, { headers: { cookie: who.cookie } });
    return { status, text, plain: text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ') };
  };
  const post = (who: typeof jana, path: string, fields: Record<string, string>) =>
    served.ask(served.url + path, form(served.url, { token: who.token, ...fields }, who));
  return { ...served, user, jana, boss, read, submit: post };
}

test('an extension has the name of its user or its own, wherever it says who answered', async (t) => {
  const { user, jana, boss, read, submit, post, a, url } = await scene(t);
  assert.match((await read(boss, '/extensions')).plain, /1001 Calls 1002 Calls/);
  const saved = await submit(boss, '/extensions', { extension: '1001', name: '', user: user.uid });
  assert.equal(saved.headers.location, '/extensions?done');
  await submit(boss, '/extensions', { extension: '1002', name: 'Reception', user: '' });
  for (const path of ['/calls', '/', `/callers?${new URLSearchParams({ number: '+4930901820' })}`])
    assert.match((await read(jana, path)).plain, /Reception \(1002\).*Jana \(1001\)/, path);
  assert.match((await read(jana, '/calls/details?id=1001')).plain, /Answered by Jana \(1001\)/);
  const rows: Record<string, string>[] = parse((await read(jana, '/calls.csv')).text, {
    bom: true,
    columns: true,
  });
  assert.deepEqual(
    rows.map(({ answered_by, extension }) => [answered_by, extension]),
    [
      ['Reception (1002)', '1002'],
      ['Jana (1001)', '1001'],
    ],
  );
  const screen = screenEvents(url, { cookie: jana.cookie });
  await screen.next();
  await post(a.token, event({ id: 'now', status: 'answered', caller_id: '1001' }));
  const { value } = await screen.next();
  assert.equal(value?.event === 'call' && value.call.answered_by, 'Jana (1001)');
  await screen.return(undefined);
});

test('My calls are those of the user’s extensions; an extension is found by its name', async (t) => {
  const { user, jana, boss, read, submit } = await scene(t);
  const found = async (query: string) =>
    [...(await read(jana, `/calls?${query}`)).text.matchAll(/details\?id=(\w+)"/g)].map(([, id]) => id);
  assert.deepEqual(await found('mine=1'), []);
  await submit(boss, '/extensions', { extension: '1001', name: 'Desk', user: user.uid });
  assert.deepEqual(await found('mine=1'), ['1001']);
  assert.deepEqual(await found('extension=desk'), ['1001']);
  assert.deepEqual(await found('extension=1002'), ['1002']);
  await submit(boss, '/extensions', { extension: '1002', name: 'Behind 1001', user: '' });
  assert.deepEqual(await found('extension=1001'), ['1001'], 'not what is named after it');
  assert.deepEqual(await found('extension=1001|1002'), ['1002', '1001']);
});

test('only administrators name extensions', async (t) => {
  const { user, jana, read, submit } = await scene(t);
  assert.equal((await read(jana, '/extensions')).status, 403);
  assert.equal(
    (await submit(jana, '/extensions', { extension: '1', name: 'x', user: user.uid })).status,
    403,
  );
});

test("a caller's page says who spoke with them, and links into the office's own program", async (t) => {
  const { user, jana, boss, read, submit } = await scene(t);
  const card = `/callers?${new URLSearchParams({ number: '+4930901820' })}`;
  assert.doesNotMatch((await read(jana, card)).text, /_blank/);
  await submit(boss, '/extensions', { extension: '1001', name: '', user: user.uid });
  const settings = { account: 'Alpha', country: 'DE', zone: '', within: '20' };
  const refused = await submit(boss, '/account/settings', { ...settings, crm: 'javascript:alert({number})' });
  assert.equal(refused.status, 422);
  const template = 'https://crm.example/?phone={number}&ref={reference}';
  await submit(boss, '/account/settings', { ...settings, crm: template });
  const { text, plain } = await read(jana, card);
  assert.match(
    text,
    /href="https:\/\/crm\.example\/\?phone=%2B4930901820&(amp;)?ref=1" target="_blank" rel="noreferrer"/,
  );
  assert.match(plain, /Spoke with 1002, Jana \(1001\)/);
  const customer = await read(jana, '/customers/edit?reference=1');
  assert.match(customer.text, /href="\/callers\?number=%2B4930901820&/);
});

/** The fields that remove the first note of a caller's page. */
const noteIn = (page: string): Record<string, string> => {
  const [form = ''] = /<form[^>]*remove-note[\s\S]*?<\/form>/.exec(page) ?? [];
  return Object.fromEntries(
    Array.from(form.matchAll(/name="(?!token)(\w+)" value="([^"]*)"/g), ([, ...of]) => of),
  );
};

test('what agents may delete is a setting of the account: customers, and notes about callers', async (t) => {
  const { jana, boss, read, submit } = await scene(t);
  const number = '+4930901820';
  const card = () => read(jana, `/callers?${new URLSearchParams({ number })}`);
  await submit(boss, '/call-back', { number, kind: 'note', text: 'Wants an offer', from: 'caller' });
  const bosses = await read(boss, `/callers?${new URLSearchParams({ number })}`);
  assert.equal((await submit(jana, '/callers/remove-note', noteIn(bosses.text))).status, 403);
  assert.doesNotMatch((await card()).text, /remove-note/);
  const page = () => read(jana, '/customers/edit?reference=1');
  assert.doesNotMatch((await page()).text, /\/customers\/remove/);
  assert.equal((await submit(jana, '/customers/remove', { reference: '1' })).status, 403);
  const settings = { account: 'Alpha', country: 'DE', zone: '', within: '20', crm: '' };
  await submit(boss, '/account/settings', { ...settings, agents_delete: '1' });
  const again = await submit(boss, '/account/settings', { ...settings, crm: 'no address' });
  assert.equal(again.status, 422);
  assert.doesNotMatch(again.text, /name="agents_delete"[^>]* checked/, 'as it was sent');
  const note = noteIn((await card()).text);
  await submit(boss, '/call-back', { number, kind: 'note', text: 'By fax', from: 'caller' });
  assert.equal((await submit(jana, '/callers/remove-note', note)).status, 303);
  assert.match((await card()).plain, /Notes .*By fax/);
  assert.doesNotMatch((await card()).plain, /Wants an offer/);
  assert.equal((await submit(jana, '/callers/remove-note', note)).status, 303, 'removed already');
  assert.match((await read(boss, '/audit')).plain, /Removed .*note of Boss about \+4930901820/);
  assert.match((await page()).text, /\/customers\/remove/);
  assert.equal((await submit(jana, '/customers/remove', { reference: '1' })).status, 303);
  assert.equal((await page()).status, 404);
});

test('a segment that is removed hides no calls of those whose bars showed it', async (t) => {
  const { jana, boss, read, submit } = await scene(t);
  const chosen = async () => {
    const [, text = ''] = /data-choice="([^"]*)"/.exec((await read(jana, '/')).text) ?? [];
    return JSON.parse(text.replaceAll('&quot;', '"')) as { segments: string[] };
  };
  await submit(boss, '/customers/segments', { name: 'Gold', priority: '5' });
  await submit(jana, '/bar/settings', { segments: 'Gold' });
  assert.deepEqual((await chosen()).segments, ['Gold']);
  await submit(boss, '/customers/segments/remove', { name: 'Gold' });
  assert.deepEqual((await chosen()).segments, []);
});
