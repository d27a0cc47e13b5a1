import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { browse } from './people.ts';
import { event, serve } from './service-harness.ts';
import { screenEvents } from './service-stream.ts';

const number = '+4930901820';
const card = `/callers?${new URLSearchParams({ number })}`;
const settings = { account: 'Alpha', country: 'DE', zone: '', within: '20' };

/** A service where Jana, an agent, answered a call at 1001 and somebody another at 1002. */
async function scene(t: TestContext) {
  const served = await serve(t);
  const jana = await browse(served, 'Jana', { role: 'agent' });
  const boss = await browse(served, 'Boss');
  for (const id of ['1001', '1002'])
    for (const status of ['ringing', 'answered', 'completed'])
      await served.post(
        served.a.token,
        event({ id, status, ...(status === 'answered' && { caller_id: id }) }),
      );
  return { ...served, jana, boss };
}

test('an extension has the name of its user or its own, wherever it says who answered', async (t) => {
  const { jana, boss, post, a, url } = await scene(t);
  assert.match((await boss.read('/extensions')).plain, /1001 Calls 1002 Calls/);
  const saved = await boss.send('/extensions', { extension: '1001', name: '', user: jana.user.uid });
  assert.equal(saved.headers.location, '/extensions?done');
  await boss.send('/extensions', { extension: '1002', name: 'Reception', user: '' });
  for (const path of ['/calls', '/', card])
    assert.match((await jana.read(path)).plain, /Reception \(1002\).*Jana \(1001\)/, path);
  assert.match((await jana.read('/calls/details?id=1001')).plain, /Answered by Jana \(1001\)/);
  const rows: Record<string, string>[] = parse((await jana.read('/calls.csv')).text, {
    bom: true,
    columns: true,
  });
  const answered = rows.map((row) => `${row.answered_by} at ${row.extension}`);
  assert.deepEqual(answered, ['Reception (1002) at 1002', 'Jana (1001) at 1001']);
  const screen = screenEvents(url, { cookie: jana.cookie });
  await screen.next();
  await post(a.token, event({ id: 'now', status: 'answered', caller_id: '1001' }));
  const { value } = await screen.next();
  assert.equal(value?.event === 'call' && value.call.answered_by, 'Jana (1001)');
  await screen.return(undefined);
});

test('My calls are those of the user’s extensions; an extension is found by its name', async (t) => {
  const { jana, boss } = await scene(t);
  const found = async (query: string) =>
    [...(await jana.read(`/calls?${query}`)).text.matchAll(/details\?id=(\w+)"/g)].map(([, id]) => id).join();
  assert.equal(await found('mine=1'), '');
  await boss.send('/extensions', { extension: '1001', name: 'Desk', user: jana.user.uid });
  await boss.send('/extensions', { extension: '1002', name: 'Behind 1001', user: '' });
  for (const [query, calls] of [
    ['mine=1', '1001'],
    ['extension=desk', '1001'],
    ['extension=1002', '1002'],
    ['extension=1001', '1001'], // not what is named after it
    ['extension=1001|1002', '1002,1001'],
  ] as const)
    assert.equal(await found(query), calls, query);
});

test("a caller's page says who spoke with them, and links into the office's own program", async (t) => {
  const { jana, boss } = await scene(t);
  assert.doesNotMatch((await jana.read(card)).text, /_blank/);
  await boss.send('/extensions', { extension: '1001', name: '', user: jana.user.uid });
  const save = async (crm: string) => (await boss.send('/account/settings', { ...settings, crm })).status;
  assert.equal(await save('javascript:alert({number})'), 422);
  assert.equal(await save('https://crm.example/?phone={number}&ref={reference}'), 303);
  const { text, plain } = await jana.read(card);
  assert.match(
    text,
    /href="https:\/\/crm\.example\/\?phone=%2B4930901820&(amp;)?ref=1" target="_blank" rel="noreferrer"/,
  );
  assert.match(plain, /Spoke with 1002, Jana \(1001\)/);
  assert.match(
    (await jana.read('/customers/edit?reference=1')).text,
    /href="\/callers\?number=%2B4930901820&/,
  );
});

/** The fields that remove the first note of a caller's page. */
function noteIn(page: string): Record<string, string> {
  const [form = ''] = /<form[^>]*remove-note[\s\S]*?<\/form>/.exec(page) ?? [];
  const fields = form.matchAll(/name="(?!token)(\w+)" value="([^"]*)"/g);
  return Object.fromEntries(Array.from(fields, ([, ...of]) => of));
}

test('what agents may delete is a setting of the account: customers, and notes about callers', async (t) => {
  const { jana, boss } = await scene(t);
  const note = (text: string) => boss.send('/call-back', { number, kind: 'note', text, from: 'caller' });
  const removeNote = async (fields: Record<string, string>) =>
    (await jana.send('/callers/remove-note', fields)).status;
  const customer = () => jana.read('/customers/edit?reference=1');
  await note('Wants an offer');
  assert.equal(await removeNote(noteIn((await boss.read(card)).text)), 403);
  assert.doesNotMatch((await jana.read(card)).text, /remove-note/);
  assert.doesNotMatch((await customer()).text, /\/customers\/remove/);
  await boss.send('/account/settings', { ...settings, crm: '', agents_delete: '1' });
  const again = await boss.send('/account/settings', { ...settings, crm: 'no address' });
  assert.equal(again.status, 422);
  assert.doesNotMatch(again.text, /name="agents_delete"[^>]* checked/, 'as it was sent');
  const first = noteIn((await jana.read(card)).text);
  await note('By fax');
  assert.equal(await removeNote(first), 303);
  assert.match((await jana.read(card)).plain, /Notes .*By fax/);
  assert.doesNotMatch((await jana.read(card)).plain, /Wants an offer/);
  assert.equal(await removeNote(first), 303, 'removed already');
  assert.match((await boss.read('/audit')).plain, /Removed .*note of Boss about \+4930901820/);
  assert.match((await customer()).text, /\/customers\/remove/);
  assert.equal((await jana.send('/customers/remove', { reference: '1' })).status, 303);
  assert.equal((await customer()).status, 404);
});

test('a segment that is removed hides no calls of those whose bars showed it', async (t) => {
  const { jana, boss } = await scene(t);
  const chosen = async () => {
    const [, text = ''] = /data-choice="([^"]*)"/.exec((await jana.read('/')).text) ?? [];
    return (JSON.parse(text.replaceAll('&quot;', '"')) as { segments: string[] }).segments;
  };
  await boss.send('/customers/segments', { name: 'Gold', priority: '5' });
  await jana.send('/bar/settings', { segments: 'Gold' });
  assert.deepEqual(await chosen(), ['Gold']);
  await boss.send('/customers/segments/remove', { name: 'Gold' });
  assert.deepEqual(await chosen(), []);
});
