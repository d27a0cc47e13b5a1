import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { customer } from '../../src/service/people/customer.fixture.ts';
import { addUser } from '../../src/service/users/users.ts';
import { event, getsThrough, serve } from '../tools/service/harness.ts';
import { type Browsing, browse, linksIn, withStore } from '../tools/service/people.ts';
import { report } from '../tools/service/recorded-request.ts';
import { openCalls, type ScreenEvent, screenEvents } from '../tools/service/stream.ts';

const known = '+4930901820';
const card = (number: string, back?: string) =>
  `/person?${new URLSearchParams({ number, ...(back !== undefined && { back }) })}`;
const act = ({ send }: Browsing, number: string, kind: string, more: Record<string, string> = {}) =>
  send('/call-back', { number, kind, from: 'list', person: 'customer 1', ...more });

/** The hidden fields of a form. */
function hiddenIn(form: string): Record<string, string> {
  const inputs = form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g);
  return Object.fromEntries(
    Array.from(inputs, ([, name = '', value = '']) => [name, value.replaceAll('&amp;', '&')]),
  );
}

/** Presses the first button that is called so on a page of Call back, as the page has it. */
function press(who: Browsing, main: string, text: string) {
  const form = main.split('<form').find((one) => one.includes(`>${text}</button>`)) ?? assert.fail(main);
  const [, kind = ''] = /name="kind" value="([^"]*)"/.exec(form) ?? [];
  return who.send('/call-back', { ...hiddenIn(form), kind });
}

/** The page that a page's link to give somebody away leads to, and the fields of its form. */
async function giveOn(who: Browsing, main: string) {
  const [address = assert.fail(main)] = linksIn(main, '/call-back/give');
  const page = await who.read(address);
  return { ...page, fields: hiddenIn(page.main) };
}

/** A service with two colleagues, and a customer who was missed twice. */
async function scene(t: TestContext) {
  const served = await serve(t);
  const [anna, bert] = [
    await browse(served, 'Anna', { role: 'agent' }),
    await browse(served, 'Bert', { role: 'agent' }),
  ];
  const miss = async (id: string, from = known) => {
    for (const status of ['ringing', 'completed'])
      await served.post(served.a.token, event({ id, from, status }));
  };
  await miss('1');
  await miss('2');
  const list = async (who = bert) => (await who.read('/call-back')).plain;
  return { ...served, anna, bert, miss, list };
}

/** The changes of the people to be called back that a screen is sent next. */
const nextOf = (screen: ReturnType<typeof screenEvents>) => async (kind: ScreenEvent['event']) => {
  const heard: ScreenEvent | undefined = (await screen.next()).value ?? undefined;
  assert.equal(heard?.event, kind);
  return heard && 'missed' in heard ? heard : assert.fail();
};

test('a missed person is listed once, taken, done and reopened, for all colleagues at once, until a call gets through', async (t) => {
  const { anna, bert, list, url, a, post } = await scene(t);
  assert.match(await list(), /2× since .* Alpha's customer VIP .* I’ll call/);
  const screen = screenEvents(url, { cookie: bert.cookie });
  const next = nextOf(screen);
  const shown = async (kind: ScreenEvent['event'] = 'missed') =>
    (await next(kind)).missed.map(({ id, times, taken_by }) => [id, times, taken_by]);
  assert.deepEqual(await shown('calls'), [['2', 2, null]]);
  assert.equal((await act(anna, known, 'taken', { from: 'now' })).status, 204);
  assert.deepEqual(await shown(), [['2', 2, 'Anna']]);
  assert.match(await list(), /Anna since/);
  assert.match(await list(anna), /You since .* Done/);

  const done = await act(anna, known, 'done');
  assert.deepEqual([done.status, done.headers.location], [303, '/call-back?at=customer+1']);
  const { main } = await anna.read(String(done.headers.location));
  assert.match(
    main,
    /<tr [^>]*class="done"[\s\S]*Anna.*called back[\s\S]*autofocus[^>]*>.*Undo/,
    'where it was',
  );
  assert.deepEqual(await shown(), []);
  assert.match(await list(), /Nobody to call back.*Anna called back.*Undo/);
  await act(bert, known, 'reopened');
  assert.deepEqual(await shown(), [['2', 2, 'Anna']]);
  await screen.return(undefined);

  await getsThrough({ post, a }, known);
  assert.match(await list(), /Nobody to call back.*Called again, 1001 answered/);
  const after = screenEvents(url, { cookie: anna.cookie });
  assert.deepEqual((await nextOf(after)('calls')).missed, []);
  await after.return(undefined);
});

test("a person's page has all numbers to dial, and colleagues' notes and the calls of all of them, newest first", async (t) => {
  const served = await scene(t);
  const { anna, bert, list, miss } = served;
  const other = '+493023125000';
  await miss('9', other);
  const stranger = await bert.read(card(other));
  assert.match(stranger.plain, /Unknown caller Add name .*nobody has called back.*I’ll call/);
  assert.match((await bert.read('/call-back')).plain, /23125000/);
  await withStore(served, ({ customers }) =>
    customers.put(1, [customer({ name: 'Ann', segment: 'VIP', numbers: [known, other] })]),
  );
  const answer = await act(anna, other, 'note', { text: 'Wants an offer\n<b>soon</b>', from: 'person' });
  assert.equal(answer.headers.location, `${card(other, '')}&at=note`);
  const { text, plain } = await bert.read(card(known));
  assert.match(text, /href="tel:\+493023125000"[\s\S]*href="tel:\+4930901820"/);
  assert.match(text, /Wants an offer\n&lt;b(>|&gt;)soon/);
  assert.match(
    plain,
    /Ann VIP .*Missed 3 times since .* last 12 weeks 3 calls, 3 missed .* Today, \w+ \d+ \w+ AN Wants an offer .*Anna .*(Missed [\d:]+ ){3}/,
  );
  assert.equal(linksIn(text, '/calls/details?').length, 3);
  await act(bert, known, 'note', { text: `Wants\n\n${'a long offer '.repeat(40)}end` });
  assert.match(await list(anna), /Ann VIP Wants a long offer .*…/);
  assert.doesNotMatch(await list(anna), /end|soon/, 'the newest note, its beginning');

  // Written over by an administrator: agents may not, unless the account says so (see service-people.test.ts).
  const boss = await browse(served, 'Boss');
  const page = (await boss.read(card(known))).text;
  const [id = '', at = ''] = ['id', 'at'].map(
    (name) => new RegExp(`name="${name}" value="(\\d+)"`).exec(page)?.[1] ?? '',
  );
  const edit = { number: known, id, at, user: 'Bert', text: 'No offer' };
  const late = await boss.send('/person/note', { ...edit, read: 'Wants a call' });
  assert.equal(late.status, 409, 'a colleague has changed it');
  const read = `Wants\r\n\r\n${'a long offer '.repeat(40)}end`;
  assert.equal((await boss.send('/person/note', { ...edit, read })).status, 303);
  assert.match((await anna.read(card(other))).plain, /No offer Boss .*Wants an offer .*Anna/);
});

test('of two colleagues who edit a customer, the second sees what the first has changed; nothing is lost', async (t) => {
  const { anna, bert } = await scene(t);
  const edit = '/person?customer=1&edit=';
  const read =
    /name="read" value="([^"]*)"/.exec((await anna.read(edit)).text)?.[1]?.replaceAll('&quot;', '"') ?? '';
  const save = ({ send }: Browsing, number: string, name: string) =>
    send('/person/save', { customer: '1', read, name, segment: 'VIP', number: `${known};${number}` });
  assert.equal((await save(anna, '030 23125001', 'Alpha’s')).status, 303);
  const second = await save(bert, '030 23125002', 'Beta');
  assert.equal(second.status, 409);
  for (const shown of [
    /A colleague has changed this/,
    /Colleague: Alpha’s/,
    /value="Beta"/,
    /23125001/,
    /23125002/,
  ])
    assert.match(second.text, shown);
  assert.match((await bert.read(edit)).text, /value="Alpha’s"/, 'nothing is overwritten yet');
});

test('a person’s page leads back to where one came from, after a note too, and to no other site', async (t) => {
  const { anna } = await scene(t);
  const see = async (path: string) => (await anna.read(path)).main;
  const backIn = (page: string) => {
    const [, path, rest = ''] = /<a class="back" href="([^"]*)">(.*?)<\/a>/s.exec(page) ?? [];
    return [path, rest.replace(/<[^>]*>/g, '').trim()];
  };
  for (const [from, name] of [
    ['/call-back', 'Call back'],
    ['/calls?outcome=missed', 'Calls'],
    ['/customers', 'Customers'],
  ] as const) {
    const page = await see(linksIn(await see(from), '/person?')[0] ?? '');
    assert.deepEqual(backIn(page), [from, name]);
    const [, back = ''] = /name="back" value="([^"]*)"/.exec(page) ?? [];
    const { headers } = await act(anna, known, 'note', { text: 'x', back, from: 'person' });
    assert.deepEqual(backIn(await see(String(headers.location))), [from, name]);
  }
  for (const other of ['', '//evil.example', 'https://evil.example', '/\\evil.example', 'javascript:x'])
    assert.deepEqual(backIn(await see(card(known, other))), ['/calls', 'Calls']);
});

test('all are listed page by page, no one twice or left out when somebody is closed on the way', async (t) => {
  const served = await scene(t);
  const { anna, miss } = served;
  const numbers = Array.from({ length: 230 }, (_, n) => `+493055${1000 + n}`);
  for (const number of numbers) await miss(number, number);
  const seen: string[] = [];
  for (let path: string | undefined = '/call-back', pages = 0; path !== undefined && pages < 5; pages += 1) {
    const { main } = await anna.read(path);
    seen.push(...Array.from(main.matchAll(/<tr [^>]*data-key="([^"]*)"/g), ([, key = '']) => key));
    await act(anna, seen[0] === 'customer 1' ? known : '', 'done');
    path = linksIn(/rel="next"[^>]*>/.exec(main)?.[0] ?? '', 'after')[0];
  }
  assert.deepEqual(seen, ['customer 1', ...numbers]);
});

test('of another account nothing is seen or changed; a program with a token gets no missed calls; nonsense is refused', async (t) => {
  const served = await scene(t);
  const { a, anna, list, url } = served;
  const zoe = await browse(served, 'Zoe', { account: 'Beta' });
  await act(zoe, known, 'done');
  assert.match(await list(), /2× since/);
  assert.match(await list(zoe), /Nobody to call back/);
  assert.deepEqual(await openCalls(url, a.token), []);
  const screen = screenEvents(url, { authorization: `Bearer ${a.token}` });
  assert.deepEqual((await nextOf(screen)('calls')).missed, []);
  await screen.return(undefined);
  for (const [number, kind] of [
    ['abc', 'done'],
    [known, 'burn'],
    ['1'.repeat(300), 'done'],
  ] as const)
    assert.equal((await act(anna, number, kind)).status, 422);
});

test('whom a colleague has taken can be taken over and given on, and is free again when that user is removed', async (t) => {
  const served = await scene(t);
  const { anna, bert, list, a, url } = served;
  const boss = await browse(served, 'Carla');
  const page = await bert.read('/call-back');
  await act(anna, known, 'taken');
  assert.match(await list(), /Anna since .* Take over/);
  const late = await press(bert, page.main, 'I’ll call');
  assert.equal(late.status, 409);
  assert.match(late.text, /role="alert".*Anna is calling back already\./s);
  assert.match(await list(anna), /You since/);
  const over = await press(bert, (await bert.read(card(known))).main, 'Take over');
  assert.equal(over.status, 303);
  const { main, plain } = await bert.read('/call-back');
  assert.match(plain, /You since .* Done/);
  assert.match(await list(anna), /Bert since .* Take over/);

  const users = (await withStore(served, (store) => store.users.list(1))) as { uid: string; name: string }[];
  const uidOf = (name: string) => users.find((user) => user.name === name)?.uid ?? assert.fail(name);
  const give = await giveOn(bert, main);
  assert.match(give.plain, /Alpha's customer Give to Anna Carla $/, 'everybody else, by name');
  assert.deepEqual(linksIn(give.main, 'at='), ['/call-back?at=customer+1'], 'and the way back');
  assert.equal(give.fields.number, known);
  const given = await bert.send('/call-back', { ...give.fields, to: uidOf('Anna') });
  assert.deepEqual([given.status, given.headers.location], [303, '/call-back?at=customer+1']);
  assert.match(await list(), /Anna since .* Take over/);
  const { main: onPerson } = await anna.read(card(known, '/calls?outcome=missed'));
  assert.match(onPerson, /Done/);
  const back = await giveOn(anna, onPerson);
  const givenBack = await anna.send('/call-back', { ...back.fields, to: uidOf('Bert') });
  const { searchParams, pathname } = new URL(String(givenBack.headers.location), url);
  assert.deepEqual(
    [pathname, searchParams.get('customer'), searchParams.get('back')],
    ['/person', '1', '/calls?outcome=missed'],
  );
  assert.match(await list(), /You since .* Done/);
  await act(bert, known, 'taken', { to: uidOf('Anna'), taker: 'Bert' });
  assert.match(await list(anna), /You since .* Done/);
  for (const [number, status] of [
    ['+4930111', 404],
    ['x', 422],
  ] as const)
    assert.equal((await bert.read(`/call-back/give?number=${encodeURIComponent(number)}`)).status, status);

  const screen = screenEvents(url, { cookie: bert.cookie });
  const next = nextOf(screen);
  const taker = async (kind: ScreenEvent['event'] = 'missed') =>
    (await next(kind)).missed.map(({ taken_by }) => taken_by);
  assert.deepEqual(await taker('calls'), ['Anna']);
  assert.equal((await boss.send(`/users/${uidOf('Anna')}/remove`, {})).status, 303);
  assert.deepEqual(await taker(), [null], 'at once, on every screen');
  await screen.return(undefined);
  assert.match(await list(), /I’ll call/);
  assert.doesNotMatch(await list(), /Anna since/);
  const gone = await act(bert, known, 'taken', { to: uidOf('Anna') });
  assert.equal(gone.status, 409);
  assert.match(gone.text, /This colleague is no longer here/);

  await act(bert, known, 'taken');
  const removed = await fetch(`${url}/admin/users/${uidOf('Bert')}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${a.admin}` },
  });
  assert.equal(removed.status, 204);
  assert.match(await list(boss), /I’ll call/);
});

test('the list is as long for an account of many users as for one of two', async (t) => {
  const { anna, list, ...served } = await scene(t);
  const numbers = Array.from({ length: 12 }, (_, n) => `+49309018${30 + n}`);
  for (const number of numbers) {
    await served.miss(number, number);
    assert.equal((await act(anna, number, 'taken', { from: 'now' })).status, 204);
  }
  const sizeOf = async () => {
    const { main } = await anna.read('/call-back');
    assert.equal(main.match(/<tr [^>]*data-key/g)?.length, numbers.length + 1);
    return { forms: main.match(/<form/g)?.length, gives: linksIn(main, '/call-back/give').length };
  };
  const before = await sizeOf();
  assert.equal(before.gives, numbers.length);
  await withStore(served, async (store) => {
    const { accounts } = (await store.directory.read(0))?.directory ?? { accounts: [] };
    const account = accounts[0] ?? assert.fail();
    for (let n = 0; n < 20; n += 1)
      assert.ok(await addUser(store, { account, name: `User ${n}`, role: 'agent', now: 0 }));
  });
  assert.deepEqual(await sizeOf(), before);
});

test('with more missed people than the list takes, the page and the screens say that there are more', async (t) => {
  const { anna, url, ...served } = await scene(t);
  assert.doesNotMatch((await anna.read('/call-back')).plain, /There are more/);
  await withStore({ ...served, url } as Parameters<typeof withStore>[0], (store) =>
    Promise.all(
      Array.from({ length: 4_001 }, (_, n) =>
        report(store, {
          id: `flood ${n}`,
          from: `+4930${2_000_000 + n}`,
          at: Date.now(),
          status: 'completed',
        }),
      ),
    ),
  );
  const { plain, main } = await anna.read('/call-back');
  assert.match(plain, /Only the people who called last are listed\. There are more\./);
  assert.ok(main.length < 1_000_000);
  const screen = screenEvents(url, { cookie: anna.cookie });
  const first = await screen.next();
  assert.ok(!first.done && first.value.event === 'calls');
  assert.deepEqual([first.value.missed.length, first.value.more], [50, true]);
  await screen.return(undefined);
});

test('who was not reached stays with the next try, which comes first for its user once it is due', async (t) => {
  const served = await scene(t);
  const { anna, bert, list, miss } = served;
  const other = '+493023125000';
  await miss('9', other);
  assert.match(await list(), /1 min 2× since /);
  await act(anna, other, 'taken');
  const { main } = await anna.read('/call-back');
  assert.match(main, /<summary[^>]*>Not reached<\/summary>/);
  assert.equal((await act(anna, other, 'tried 15')).status, 303);
  assert.match(await list(anna), /You since \S+ next try \S+ Not reached, /);
  assert.match(await list(bert), /Anna since \S+ next try \S+ Not reached, .*Take over/);
  const story = await bert.read(card(other));
  assert.match(story.plain, /Anna calls back, next try \S+ \. Not reached, \S+ \./);
  assert.match(story.plain, /Today, \w+ \d+ \w+ Not reached: Anna/);

  const noTime = await act(anna, other, 'remind time', { time: '25:00' });
  assert.equal(noTime.status, 422);
  assert.match(noTime.text, /Enter a time of day/);
  for (const kind of ['remind 2', 'tried', 'nothing'])
    assert.equal((await act(anna, other, kind)).status, 422, kind);

  // It is due a second ago.
  await withStore(served, ({ callers }) =>
    callers.act(1, {
      number: other,
      kind: 'remind',
      user: 'Anna',
      at: Date.now(),
      due: Date.now() - 1_000,
      text: null,
    }),
  );
  const first = async (who: Browsing) => /data-key="([^"]*)"/.exec((await who.read('/call-back')).main)?.[1];
  assert.equal(await first(anna), other);
  assert.equal(await first(bert), 'customer 1', 'who has waited longest');
  await act(bert, other, 'taken', { taker: 'Anna' });
  assert.equal(await first(anna), 'customer 1');
  const late = await act(anna, other, 'remind 60', { taker: 'Anna' });
  assert.equal(late.status, 409);
  assert.match(late.text, /Bert is calling back already/);
});

test('the list is searched by name, number and note, and shows mine, the free and a segment, page by page', async (t) => {
  const { anna, bert, miss } = await scene(t);
  const numbers = Array.from({ length: 300 }, (_, n) => `+493055${1000 + n}`);
  for (const number of numbers) await miss(number, number);
  const [first = '', second = ''] = numbers;
  await act(anna, first, 'taken');
  await act(bert, second, 'taken');
  await act(bert, second, 'note', { text: 'Wants a Straßenplan' });
  const keysAt = async (path: string) => {
    const { main } = await anna.read(path);
    return Array.from(main.matchAll(/<tr [^>]*data-key="([^"]*)"/g), ([, key = '']) => key);
  };
  for (const [query, expected] of [
    ['q=alpha', ['customer 1']],
    ['q=055+1001', [second]],
    ['q=strassenplan', [second]],
    ['q=wants+nothing', []],
    ['which=mine', [first]],
    ['which=mine&q=1001', []],
    ['segment=VIP', ['customer 1']],
    ['which=free&segment=VIP&q=customer', ['customer 1']],
    ['which=nonsense&q=alpha', ['customer 1']],
  ] as const)
    assert.deepEqual(await keysAt(`/call-back?${query}`), expected, query);
  const { main, plain } = await anna.read('/call-back?which=free&q=%2B493055');
  assert.match(plain, /All 300 Mine 1 Free 298 /);
  const [next = assert.fail(main)] = linksIn(/rel="next"[^>]*>/.exec(main)?.[0] ?? '', 'after');
  assert.equal((await keysAt(next))[0], numbers[102]);
  assert.match((await anna.read('/call-back?q=nobody')).plain, /Nobody found. Clear filter/);

  // What one has done something about stays, in the same list.
  const back = 'which=free&q=055+1007';
  const person = numbers[7] ?? '';
  const { headers } = await act(anna, person, 'taken', { person, back });
  assert.equal(
    headers.location,
    `/call-back?${new URLSearchParams({ q: '055 1007', which: 'free', at: person })}`,
  );
  assert.deepEqual(await keysAt(String(headers.location)), [person]);
});
