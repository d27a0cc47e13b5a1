import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { event, serve } from '../tools/service/harness.ts';
import { browse, person, textOf } from '../tools/service/people.ts';
import { screenEvents } from '../tools/service/stream.ts';

const number = '+4930901820';
const card = `/person?${new URLSearchParams({ number })}`;
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
  assert.match((await boss.read('/users')).plain, /1001 .*1002 /);
  const saved = await boss.send('/extensions', { extension: '1001', name: '', user: jana.user.uid });
  assert.equal(saved.headers.location, '/users?done');
  await boss.send('/extensions', { extension: '1002', name: 'Reception', user: '' });
  for (const path of ['/calls', card]) assert.match((await boss.read(path)).plain, /Reception.*Jana/, path);
  assert.match((await jana.read('/calls')).plain, /Reception.*You/);
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
  assert.equal(value?.event === 'call' && value.call.answered_by, 'Jana');
  await screen.return(undefined);
});

test('extensions of an invited user are in the list that answers, and no others', async (t) => {
  const { boss } = await scene(t);
  const invited = await boss.send('/users', { name: 'Eva', extensions: '1001, 1007', role: 'agent' });
  assert.match(textOf(invited.text), /Eva 1001, 1007 /);
  assert.doesNotMatch(textOf(invited.text), /Extensions without a user .*100[17] /);
  assert.doesNotMatch(textOf(invited.text), /was taken from/);
  // A slip takes the extension of a colleague, with the calls: it is said.
  const slip = await boss.send('/users', { name: 'Finn', extensions: '1007', role: 'agent' });
  assert.match(textOf(slip.text), /Extension 1007 was taken from Eva ?\. .*Eva 1001 /);
  const [, eva = ''] = /href="(\/users\/\w+)"[^>]*>(?:<bdi>)?Eva/.exec(slip.text) ?? [];
  const back = await boss.send(eva, { extensions: '1001, 1007', role: 'agent' });
  assert.match(textOf(back.text), /Extension 1007 was taken from Finn ?\. .*Eva 1001, 1007 /);
});

test('My calls are those of the user’s extensions; an extension is found by its name', async (t) => {
  const { jana, boss } = await scene(t);
  const found = async (query: string) =>
    [...(await jana.read(`/calls?${query}`)).text.matchAll(/<tr[^>]* data-key="(\w+)"/g)]
      .map(([, id]) => id)
      .join();
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

test('of two who change one form, each keeps what only they changed; who changed the same is told', async (t) => {
  const { jana, boss, url, ask, a, ...served } = await scene(t);
  const deputy = await browse({ ...served, url, ask }, 'Deputy');
  /** What a form was shown with. */
  const readIn = async (path: string) => {
    const { text } = await boss.read(path);
    return (/name="read" value="([^"]*)"/.exec(text)?.[1] ?? '').replaceAll('&quot;', '"');
  };
  const own = `/users/${jana.user.uid}`;
  const read = await readIn(own);
  assert.equal((await boss.send(own, { read, role: 'administrator', extensions: '' })).status, 303);
  assert.equal((await deputy.send(own, { read, role: 'agent', extensions: '1001' })).status, 303);
  assert.equal((await deputy.send(own, { read, role: 'agent', extensions: '1002' })).status, 409);
  const { json } = await ask(`${url}/admin/users/${jana.user.uid}`, { token: a.admin });
  const { role, extensions } = json as { role: string; extensions: string[] };
  assert.deepEqual([role, extensions], ['administrator', ['1001']]);

  const account = { ...settings, crm: '' };
  const shown = await readIn('/account');
  assert.equal(
    (await boss.send('/account/settings', { ...account, read: shown, agents_delete: '1' })).status,
    303,
  );
  assert.equal(
    (await deputy.send('/account/settings', { ...account, read: shown, within: '30' })).status,
    303,
  );
  const late = await deputy.send('/account/settings', { ...account, read: shown, within: '40' });
  assert.equal(late.status, 409);
  const after = await readIn('/account');
  assert.deepEqual(JSON.parse(after), {
    country: 'DE',
    zone: '',
    within: '30',
    crm: '',
    kept_days: '',
    agents_delete: '1',
  });

  const extension = { extension: '1002', read: await readIn('/users?extension=1002') };
  assert.equal((await boss.send('/extensions', { ...extension, name: 'Desk', user: '' })).status, 303);
  assert.equal(
    (await deputy.send('/extensions', { ...extension, name: '', user: jana.user.uid })).status,
    303,
  );
  assert.match((await boss.read('/calls')).plain, /Desk/);
});

test('desk phones get the customers at an address of the account, until it is replaced or switched off', async (t) => {
  const served = await serve(t);
  const { ask, url, a } = served;
  const boss = await browse(served, 'Boss');
  const page = () => boss.read('/customers/phone-book');
  const send = async (fields: Record<string, string> = {}) => {
    const [, counter = ''] = /name="counter" value="(-?\d+)"/.exec((await page()).text) ?? [];
    return boss.send('/customers/phone-book', { counter, ...fields });
  };
  const address = async () => /http\S+\/phonebook\/\S+yealink\.xml/.exec((await page()).text)?.[0];
  assert.equal(await address(), undefined);
  await send();
  const first = (await address()) ?? '';
  const { status, text, headers } = await ask(first);
  assert.deepEqual([status, headers['content-type']], [200, 'text/xml; charset=utf-8']);
  assert.match(text, /<Name>Alpha's customer<\/Name><Telephone>\+4930901820<\/Telephone>/);
  assert.doesNotMatch(text, /Beta/);
  assert.match((await ask(`${first}?plus=00&segment=VIP`)).text, /<Telephone>004930901820</);
  // Of no segment: phones keep what they have.
  assert.equal((await ask(`${first}?segment=vip`)).status, 404);
  await ask(`${url}/admin/customers/1`, { token: a.admin, method: 'PUT', body: { blocked: true } });
  assert.doesNotMatch((await ask(first)).text, /Telephone/);
  for (const wrong of [
    first.replace(/.\/yealink/, '/yealink'),
    first.replace('yealink', 'other'),
    `${first}?plus=x`,
  ])
    assert.equal((await ask(wrong)).status, 404, wrong);

  assert.equal((await boss.send('/customers/phone-book', { counter: 'x' })).status, 422);
  const both = await Promise.all([
    boss.send('/customers/phone-book', { counter: '1' }),
    boss.send('/customers/phone-book', { counter: '1' }),
  ]);
  assert.deepEqual(both.map(({ status: answered }) => answered).toSorted(), [303, 409]);
  const second = (await address()) ?? '';
  assert.deepEqual([(await ask(first)).status, (await ask(second)).status], [404, 200]);
  await send({ off: '1' });
  assert.equal((await ask(second)).status, 404);
  await send();
  assert.notEqual(await address(), second);
  assert.equal((await ask(second)).status, 404);
});

test("a person's page says who spoke with them last, and links into the office's own program", async (t) => {
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
  assert.match(plain, /Last with 1002/);
});

test("a person's story shows one kind, the notes with some words, or one week", async (t) => {
  const served = await scene(t);
  const { jana } = served;
  for (const status of ['ringing', 'completed'])
    await served.post(served.a.token, event({ id: 'missed', status }));
  for (const text of ['The key is at Müller’s', 'Calls on Fridays'])
    await jana.send('/call-back', { number, kind: 'note', text, from: 'person' });
  const story = async (also: Record<string, string>) => {
    const { text } = await jana.read(`${card}&${new URLSearchParams(also)}`);
    return textOf(
      text.slice(text.indexOf('id="story"'), text.indexOf('</section>', text.indexOf('id="story"'))),
    )
      .replace(/\d+:\d\d(:\d\d)?/g, '')
      .replace(/\s+/g, ' ');
  };
  const shows = async (also: Record<string, string>, ...expected: readonly RegExp[]) => {
    const text = await story(also);
    const all = [/Müller/, /Fridays/, /1001 answered/, /1002 answered/, /Missed/];
    for (const one of all)
      assert.equal(
        one.test(text),
        expected.some(({ source }) => source === one.source),
        `${one} in ${text}`,
      );
  };
  await shows({}, /Müller/, /Fridays/, /1001 answered/, /1002 answered/, /Missed/);
  await shows({ show: 'notes' }, /Müller/, /Fridays/);
  await shows({ show: 'calls' }, /1001 answered/, /1002 answered/, /Missed/);
  await shows({ show: 'missed' }, /Missed/);
  await shows({ q: 'muller KEY' }, /Müller/);
  await shows({ q: 'nobody' });
  assert.match(await story({ q: 'nobody' }), /Nothing matches/);
  await shows({ week: '2020-01-01' });
  const [link = ''] =
    (await jana.read(card)).text.match(/week=\d{4}-\d\d-\d\d(?=" title="[^"]*3 calls, 1 missed)/) ?? [];
  const [, week = ''] = link.split('=');
  await shows({ week, show: 'missed' }, /Missed/);
});

test('pages say what is left out or removed to users who can change it: mail in reports, a number for good', async (t) => {
  const { jana, boss } = await scene(t);
  assert.match((await boss.read('/reports')).plain, /Weekly report by e-mail .*SMTP_URL is empty/);
  assert.doesNotMatch((await jana.read('/reports')).plain, /Weekly report/);
  await boss.send('/person/save', { name: 'Marta', reference: '9', segment: '', number: '' });
  const { plain, main } = await boss.read(`${card}&edit=&same=marta`);
  assert.match(plain, /stays, with the numbers, calls and notes of both/);
  assert.match(plain, /The calls stay, .*service forget NUMBER/);
  assert.deepEqual(
    [...main.matchAll(/<input[^>]*autofocus[^>]*>/g)].map(([input]) => /name="(\w+)"/.exec(input)?.[1]),
    ['same'],
    'what was searched keeps the focus, beside what was found',
  );
});

/** The fields that remove the first note of a caller's page. */
function noteIn(page: string): Record<string, string> {
  const [form = ''] = /<form[^>]*person\/note[\s\S]*?<\/form>/.exec(page) ?? [];
  const fields = form.matchAll(/name="(?!token)(\w+)" value="([^"]*)"/g);
  return Object.fromEntries(Array.from(fields, ([, ...of]) => of));
}

test('everything about a person is a file for administrators, and so is a number’s; an account has its own age', async (t) => {
  const { jana, boss, ...served } = await scene(t);
  const { url, ask, a, b, post } = served;
  const note = (text: string) => jana.send('/call-back', { number, kind: 'note', text, from: 'person' });
  await note('Wants <an offer>');
  assert.match((await boss.read('/person?customer=1')).text, /href="\/person\/data\?customer=1"/);
  assert.doesNotMatch((await jana.read('/person?customer=1')).text, /person\/data/);
  assert.equal((await jana.read('/person/data?customer=1')).status, 403);
  assert.equal((await boss.read('/person/data?customer=none')).status, 404);
  assert.equal((await boss.read('/person/data?number=forgotten')).status, 404);
  const page = await boss.read('/person/data?customer=1');
  assert.match(String(page.headers['content-type']), /^text\/html/);
  assert.match(page.text, /<h1>.*Alpha's customer.*<\/h1>/);
  assert.match(page.text, /Answered by .*1001/);
  assert.match(page.text, /Wants &lt;an offer>.*Jana/);
  assert.match(page.text, /POST \/api\/v1\/voice\/call/);
  const json = JSON.parse(
    (await boss.read(`/person/data?format=json&${new URLSearchParams({ number })}`)).text,
  );
  assert.deepEqual([json.customer.reference, json.numbers], ['1', [number]]);
  assert.deepEqual(
    json.calls.map(({ id, answered_by: by }: Record<string, string>) => `${id} ${by}`).sort(),
    ['1001 1001', '1002 1002'],
  );
  assert.equal(json.call_backs_and_notes[0].text, 'Wants <an offer>');
  assert.equal(json.requests.length, 6);
  assert.deepEqual(
    json.audit_log.map(({ what, target }: Record<string, string>) => `${what} ${target}`),
    ['export customer 1, everything', 'export customer 1, everything'],
  );

  await post(a.token, event({ id: 'stranger', from: '+4930901888' }));
  const admin = (query: Record<string, string>, token = a.admin) =>
    ask(`${url}/admin/person?${new URLSearchParams(query)}`, { token });
  const stranger = (await admin({ number: '030 901888' })).json as typeof json;
  assert.deepEqual([stranger.customer, stranger.numbers, stranger.calls.length], [null, ['+4930901888'], 1]);
  assert.match((await boss.read(`/audit`)).plain, /number \+4930901888, everything/);
  assert.equal((await admin({ customer: '1' })).text.includes('Wants <an offer>'), true);
  assert.equal((await admin({ customer: 'none' })).status, 404);
  for (const query of [{}, { customer: '1', number }])
    assert.equal((await admin(query as Record<string, string>)).status, 422);
  for (const query of [{ number }, { number: '+4930901888' }])
    assert.doesNotMatch((await admin(query, b.admin)).text, /Alpha|offer|1001|stranger/);

  const own = { ...settings, crm: '' };
  for (const days of ['6', '3651', '1.5', '-8', 'x'])
    assert.equal((await boss.send('/account/settings', { ...own, kept_days: days })).status, 422, days);
  assert.equal((await boss.send('/account/settings', { ...own, kept_days: '30' })).status, 303);
  assert.match((await boss.read('/account')).text, /name="kept_days"[^>]* value="30"/);
  const account = (body: object) => ask(`${url}/admin/account`, { token: a.admin, method: 'PATCH', body });
  assert.equal((await account({ numbers_kept_days: 6 })).status, 422);
  assert.equal(((await account({})).json as Record<string, unknown>).numbers_kept_days, 30);
  const changed = (await account({ numbers_kept_days: null })).json as Record<string, unknown>;
  assert.equal(changed.numbers_kept_days, null);
});

test('what agents may delete is a setting of the account: customers, and notes about callers', async (t) => {
  const { jana, boss } = await scene(t);
  const note = (text: string) => boss.send('/call-back', { number, kind: 'note', text, from: 'person' });
  const removeNote = async (fields: Record<string, string>) =>
    (await jana.send('/person/note', { ...fields, text: '' })).status;
  const customer = () => jana.read('/person?customer=1&edit=');
  await note('Wants an offer');
  assert.equal(await removeNote(noteIn((await boss.read(card)).text)), 403);
  assert.doesNotMatch((await jana.read(card)).text, /person\/note/);
  await jana.send('/call-back', { number, kind: 'note', text: 'My own', from: 'person' });
  const own = noteIn((await boss.read(card)).text);
  assert.equal(own.user, 'Jana');
  assert.equal(await removeNote(own), 403, 'nor those of their own');
  assert.equal((await jana.send('/person/note', { ...own, text: 'something else' })).status, 403);
  assert.match((await jana.read(card)).plain, /My own/);
  await boss.send('/person/note', { ...own, text: '' });
  assert.doesNotMatch((await customer()).text, /\/person\/remove/);
  await boss.send('/account/settings', { ...settings, crm: '', agents_delete: '1' });
  const again = await boss.send('/account/settings', { ...settings, crm: 'no address' });
  assert.equal(again.status, 422);
  assert.doesNotMatch(again.text, /name="agents_delete"[^>]* checked/, 'as it was sent');
  const first = noteIn((await jana.read(card)).text);
  await note('By fax');
  assert.equal(await removeNote(first), 303);
  assert.match((await jana.read(card)).plain, /By fax/);
  assert.doesNotMatch((await jana.read(card)).plain, /Wants an offer/);
  assert.equal(await removeNote(first), 409, 'removed already');
  const fax = noteIn((await jana.read(card)).text);
  await boss.send('/person/note', { ...fax, text: 'By fax, today' });
  assert.equal(await removeNote({ ...fax, user: 'Boss' }), 409, 'it says something else now');
  assert.match((await jana.read(card)).plain, /By fax, today/);
  assert.match((await boss.read('/audit')).plain, /Removed .*note of Boss about \+4930901820/);
  assert.match((await customer()).text, /\/person\/remove/);
  assert.equal((await jana.send('/person/remove', { customer: '1' })).status, 303);
  assert.equal((await customer()).status, 404);
});

test('a segment that is removed hides no calls of those whose bars showed it', async (t) => {
  const { jana, boss } = await scene(t);
  const chosen = async () => {
    const [, text = ''] = /data-choice="([^"]*)"/.exec((await jana.read('/calls')).text) ?? [];
    return (JSON.parse(text.replaceAll('&quot;', '"')) as { segments: string[] }).segments;
  };
  await boss.send('/segments', { name: 'Gold', priority: '5' });
  await jana.send('/account/calls', { segments: 'Gold' });
  assert.deepEqual(await chosen(), ['Gold']);
  await boss.send('/segments/remove?name=Gold');
  assert.deepEqual(await chosen(), []);
});

test('a segment that webhooks or notifications have chosen is removed by who knows that, and stays marked there', async (t) => {
  const { jana, boss, a, url, ask } = await scene(t);
  const admin = (method: string, path: string, body?: object) =>
    ask(`${url}/admin${path}`, { token: a.admin, method, ...(body && { body }) });
  await boss.send('/segments', { name: 'Gold', priority: '5' });
  assert.doesNotMatch((await boss.read('/segments?edit=Gold')).plain, /Chosen for/);
  const filter = { numbers_called: [], segments: ['VIP', 'Gold'], customers: [] };
  const hook = { url: 'https://crm.example/x', events: ['call.missed'], filter };
  assert.equal((await admin('POST', '/webhooks', hook)).status, 201);
  await jana.send('/notifications', { address: '', push: '0', segments: 'Gold' });

  // A form of before it was chosen, and a program.
  for (const { status, text } of [
    await boss.send('/segments/remove?name=Gold'),
    await admin('DELETE', '/segments/Gold'),
  ]) {
    assert.equal(status, 409);
    assert.match(text, /Chosen for: webhook to crm\.example and notifications of Jana\./);
  }
  const { main, plain } = await boss.read('/segments?edit=Gold');
  assert.match(
    plain,
    /Chosen for: webhook to crm\.example and notifications of Jana\. Once it is removed, nothing matches/,
  );
  const [, action = ''] = /action="(\/segments\/remove[^"]*)"/.exec(main) ?? [];
  assert.doesNotMatch((await boss.read('/webhooks')).plain, /do not exist/);
  assert.equal((await boss.send(action.replaceAll('&amp;', '&'))).headers.location, '/segments?done');
  const list = await boss.read('/webhooks');
  assert.match(list.plain, /Segments that do not exist \(any more\): Gold\. Nothing matches them/);
  const [, own = ''] = /href="(\/webhooks\/[^"?]+)"/.exec(list.main) ?? [];
  assert.match((await boss.read(own)).plain, /Segments that do not exist \(any more\): Gold\./);
  assert.match((await jana.read('/notifications')).plain, /Segments that do not exist \(any more\): Gold\./);
  assert.equal((await admin('DELETE', '/segments/Gold?force=true')).status, 404);
  // It stays chosen until the user says otherwise.
  const isChosen = async () =>
    /name="segments" value="Gold" checked/.test((await jana.read('/notifications')).main);
  assert.ok(await isChosen());
  await jana.send('/notifications', { address: '', push: '5', segments: 'Gold' });
  assert.ok(await isChosen());
  await jana.send('/notifications', { address: '', push: '5' });
  assert.doesNotMatch((await jana.read('/notifications')).text, /Gold/);
});

test('users show when they were last seen, segments how many have them; a refused role is said beside it, and what was typed stays', async (t) => {
  const { jana, boss, ...served } = await scene(t);
  await person(served, { name: 'Nora', fresh: true });
  const rowOf = async (name: string) =>
    (await boss.read('/users')).text.split('<tr').find((row) => row.includes(`<bdi>${name}</bdi>`)) ?? '';
  assert.match(await rowOf('Nora'), /invited/);
  assert.match(await rowOf('Jana'), /<time/);
  await jana.send('/sign-out');
  assert.match(await rowOf('Jana'), /<time/, 'by the audit log');
  assert.match((await boss.read('/segments')).plain, /VIP 10 1 /);
  await boss.send('/segments', { name: 'Gold', priority: '5' });
  assert.match((await boss.read('/segments')).plain, /VIP 10 1 Gold 5 0 /);

  const own = `/users/${boss.user.uid}`;
  const { status, text } = await boss.send(own, { role: 'agent', extensions: '1009' });
  assert.equal(status, 422);
  assert.match(
    text,
    /value="1009"[\s\S]*<fieldset>(?:(?!<\/fieldset>)[\s\S])*You cannot change your own role/,
  );
  assert.doesNotMatch((await boss.read(own)).text, /value="1009"/);
});
