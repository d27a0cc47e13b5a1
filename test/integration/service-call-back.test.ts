import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { form, person, visitor } from './people.ts';
import { event, getsThrough, type Served, serve } from './service-harness.ts';
import { openCalls, type ScreenEvent, screenEvents } from './service-stream.ts';
import { MISSED, storeMissed } from './stored-calls.ts';

const known = '+4930901820';

/** A service with two colleagues, and a customer who was missed twice. */
async function scene(t: TestContext) {
  const served = await serve(t);
  for (const name of ['Anna', 'Bert']) await person(served, { name });
  const [anna, bert] = [await visitor(served, 'Anna'), await visitor(served, 'Bert')];
  const miss = async (id: string, from = known) => {
    for (const status of ['ringing', 'completed'])
      await served.post(served.a.token, event({ id, from, status }));
  };
  await miss('1');
  await miss('2');
  const act = (who: typeof anna, fields: Record<string, string>, from = 'list') =>
    served.ask(`${served.url}/call-back`, form(served.url, { token: who.token, from, ...fields }, who));
  const read = async (who: typeof anna, path: string) =>
    textOf((await served.ask(served.url + path, { headers: { cookie: who.cookie } })).text);
  return { ...served, anna, bert, miss, act, read };
}

/** The text of a page's main part, in one line. */
const textOf = (page: string) =>
  (/<main[^>]*>([\s\S]*)<\/main>/.exec(page)?.[1] ?? '').replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');

test('a missed caller is listed once, taken, done and reopened, for all colleagues at once', async (t) => {
  const { anna, bert, act, read, url } = await scene(t);
  assert.match(await read(bert, '/call-back'), /Alpha&#39;s customer|Alpha's customer/);
  assert.match(await read(bert, '/call-back'), /2 times since/);

  const screen = screenEvents(url, { cookie: bert.cookie });
  const next = async (): Promise<ScreenEvent | undefined> => (await screen.next()).value ?? undefined;
  const first = await next();
  const shown = (event: ScreenEvent | undefined) =>
    event && 'missed' in event && event.missed.map(({ id, times, taken_by }) => [id, times, taken_by]);
  assert.deepEqual([first?.event, shown(first)], ['calls', [['2', 2, null]]]);
  assert.equal((await act(anna, { number: known, kind: 'taken' }, 'bar')).status, 204);
  assert.deepEqual(shown(await next()), [['2', 2, 'Anna']]);
  assert.match(await read(bert, '/call-back'), /Anna .*Release/);

  const done = await act(anna, { number: known, kind: 'done' });
  assert.deepEqual([done.status, done.headers.location], [303, '/call-back']);
  assert.deepEqual((await screen.next()).value, { event: 'missed', missed: [], others: [] });
  assert.match(await read(bert, '/call-back'), /Nobody to call back.*Done by Anna.*Undo/);

  await act(bert, { number: known, kind: 'reopened' });
  assert.deepEqual(shown(await next()), [['2', 2, 'Anna']]);
  await screen.return(undefined);
});

test('300 people and 600 calls of another number: everybody is on the pages, counted by every screen, until done', {
  timeout: 120_000,
}, async (t) => {
  const served = await serve(t);
  await storeMissed(served, Date.now());
  await person(served, { name: 'Anna' });
  const { cookie, token } = await visitor(served, 'Anna');
  const { url, ask, a, post } = served;
  const see = async (path: string) => (await ask(url + path, { headers: { cookie } })).text;
  const act = (number: string, kind: string, back: string) =>
    ask(`${url}/call-back`, form(url, { token, number, kind, back, from: 'list' }, { cookie }));

  /** The numbers of all pages, and the addresses of the pages. */
  async function read() {
    const [numbers, pages] = [[] as string[], [] as string[]];
    for (let path: string | undefined = '/call-back'; path; ) {
      const page: string = await see(path);
      pages.push(path);
      const [, open = ''] = /<table[^>]*>([\s\S]*?)<\/table>/.exec(page) ?? [];
      numbers.push(...Array.from(open.matchAll(/data-key="([^"]*)"/g), ([, key]) => key as string));
      assert.match(textOf(page), new RegExp(` ${MISSED.people - done.size} callers `));
      const at = /<a rel="prev" href="([^"]*)">/.exec(page)?.[1];
      assert.equal(at, pages.at(-2), 'the page before');
      path = /<a rel="next" href="([^"]*)">/.exec(page)?.[1];
    }
    return { numbers, pages };
  }
  /** By the calls themselves: none was answered. */
  const csv = await see('/calls.csv?outcome=missed');
  const missed = new Set(Array.from(csv.matchAll(/\+4930\d+/g), ([number]) => number));
  assert.equal(missed.size, MISSED.people);
  const done = new Set<string>();
  const isRight = async () => {
    const { numbers, pages } = await read();
    assert.equal(numbers.length, missed.size - done.size);
    assert.deepEqual(new Set(numbers), missed.difference(done));
    return pages;
  };
  const pages = await isRight();
  assert.equal(pages.length, 4);

  const screen = screenEvents(url, { cookie });
  const next = async (): Promise<ScreenEvent | undefined> => (await screen.next()).value ?? undefined;
  const isCounted = async (kind: ScreenEvent['event']) => {
    const event = await next();
    assert.equal(event?.event, kind);
    assert.ok('missed' in event);
    const counted = [...event.missed, ...event.others].map(({ number }) => number);
    assert.equal(counted.length, missed.size - done.size);
    assert.deepEqual(new Set(counted), missed.difference(done));
    return event;
  };
  const { missed: shown } = await isCounted('calls');
  assert.deepEqual([shown[0]?.number, shown[0]?.times], [MISSED.often, 600]);
  for (const number of [MISSED.often, '+493055510000', '+493055510150']) {
    const { headers } = await act(number, 'done', pages[2] ?? '');
    assert.equal(headers.location, pages[2], 'back to the same page');
    done.add(number);
    await isCounted('missed');
    await isRight();
  }
  await act(MISSED.often, 'reopened', '');
  done.delete(MISSED.often);
  await isCounted('missed');
  await getsThrough({ post, a }, '+493055510001');
  done.add('+493055510001');
  await isRight();
  assert.match(textOf(await see('/callers?number=%2B493055510002')), /Missed Not called back yet/);
  assert.match(
    textOf(await see('/callers?number=%2B493055510001')),
    /Missed Called again and was answered by 1001/,
  );
  await screen.return(undefined);
});

test('who calls again and is answered needs no call back, and the page says who answered', async (t) => {
  const { anna, read, post, a, url } = await scene(t);
  for (const status of ['ringing', 'answered'])
    await post(
      a.token,
      event({ id: '3', from: known, status, ...(status === 'answered' && { caller_id: '1001' }) }),
    );
  assert.match(await read(anna, '/call-back'), /Nobody to call back.*Called again and was answered by 1001/);
  for await (const { event: kind, ...rest } of screenEvents(url, { cookie: anna.cookie })) {
    assert.deepEqual([kind, 'missed' in rest && rest.missed], ['calls', []]);
    break;
  }
});

test("a caller's card has the number to dial, the customer, colleagues' notes and the last calls", async (t) => {
  const { anna, bert, act, ask, read, miss, url } = await scene(t);
  const path = `/callers?${new URLSearchParams({ number: known })}`;
  const answer = await act(
    anna,
    { number: known, kind: 'note', text: 'Wants an offer\n<b>soon</b>' },
    'caller',
  );
  assert.equal(answer.headers.location, `${path}&back=`);
  const { text } = await ask(url + path, { headers: { cookie: bert.cookie } });
  assert.match(text, /href="tel:\+4930901820"/);
  assert.match(text, /Wants an offer\n&lt;b>soon|Wants an offer\n&lt;b&gt;soon/);
  assert.match(textOf(text), /customer .*VIP .*Notes Note for colleagues Add note Anna.*Last calls .*missed/);
  await act(bert, { number: known, kind: 'note', text: `Wants\n\n${'a long offer '.repeat(40)}end` });
  const list = await read(anna, '/call-back');
  assert.match(list, /Bert : Wants a long offer .*…/);
  assert.doesNotMatch(list, /end|soon/, 'the newest note, its beginning');

  await miss('9', '+493023125000');
  const stranger = await ask(`${url}/callers?${new URLSearchParams({ number: '+493023125000' })}`, {
    headers: { cookie: bert.cookie },
  });
  assert.match(stranger.text, /href="\/customers\/new\?number=%2B493023125000">Add as customer/);
  assert.match(textOf(stranger.text), /Missed Not called back yet I’ll call/);
  assert.match(await read(bert, '/call-back'), /23125000/);
});

test("a caller's card leads back to where one came from, after a note too, and to no other site", async (t) => {
  const { anna, act, ask, url } = await scene(t);
  const see = async (path: string) => (await ask(url + path, { headers: { cookie: anna.cookie } })).text;
  const linkIn = (page: string) => page.match(/"(\/callers\?[^"]+)"/)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const backIn = (page: string) => page.match(/<a href="([^"]*)">← ([^<]*)</)?.slice(1);
  for (const [from, name] of [
    ['/call-back', 'To call back'],
    ['/calls?outcome=missed', 'Calls'],
    ['/calls/details?id=1', 'Calls'],
    ['/customers/edit?reference=1', 'Customers'],
    ['/reports', 'Reports'],
    ['/', 'Dashboard'],
  ] as const) {
    const card = await see(linkIn(await see(from)));
    assert.deepEqual(backIn(card), [from, name]);
    const [, back = ''] = /name="back" value="([^"]*)"/.exec(card) ?? [];
    const { headers } = await act(anna, { number: known, kind: 'note', text: 'x', back }, 'caller');
    assert.deepEqual(backIn(await see(String(headers.location))), [from, name]);
  }
  for (const other of ['', '//evil.example', 'https://evil.example', '/\\evil.example', 'javascript:x'])
    assert.deepEqual(backIn(await see(`/callers?${new URLSearchParams({ number: known, back: other })}`)), [
      ...['/calls', 'Calls'],
    ]);
});

test('of another account nothing is seen or changed; a program with a token gets no missed calls', async (t) => {
  const served: Served & Awaited<ReturnType<typeof scene>> = await scene(t);
  const { a, url, read, act, b, post } = served;
  await person(served, { name: 'Zoe', account: 'Beta' });
  const zoe = await visitor(served, 'Zoe');
  await act(zoe, { number: known, kind: 'done' });
  assert.match(await read(served.anna, '/call-back'), /2 times since/);
  assert.match(await read(zoe, '/call-back'), /Nobody to call back/);
  assert.deepEqual(await openCalls(url, a.token), []);
  for await (const first of screenEvents(url, { authorization: `Bearer ${a.token}` })) {
    assert.deepEqual(first.event === 'calls' && first.missed, []);
    break;
  }
  await post(b.token, event({ id: 'theirs', status: 'ringing' }));
});

test('what is no such number or action is refused', async (t) => {
  const { anna, act } = await scene(t);
  for (const fields of [
    { number: 'abc', kind: 'done' },
    { number: known, kind: 'burn' },
    { number: '1'.repeat(300), kind: 'done' },
  ])
    assert.equal((await act(anna, fields)).status, 422);
});
