import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Browsing, browse, linksIn } from './people.ts';
import { event, getsThrough, serve } from './service-harness.ts';
import { openCalls, type ScreenEvent, screenEvents } from './service-stream.ts';

const known = '+4930901820';
const card = (number: string, back?: string) =>
  `/callers?${new URLSearchParams({ number, ...(back !== undefined && { back }) })}`;
const act = ({ send }: Browsing, number: string, kind: string, more: Record<string, string> = {}) =>
  send('/call-back', { number, kind, from: 'list', ...more });

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

/** The callers to be called back that a screen is sent next. */
const nextOf = (screen: ReturnType<typeof screenEvents>) => async (kind: ScreenEvent['event']) => {
  const heard: ScreenEvent | undefined = (await screen.next()).value ?? undefined;
  assert.equal(heard?.event, kind);
  return heard && 'missed' in heard ? heard : assert.fail();
};

test('a missed caller is listed once, taken, done and reopened, for all colleagues at once, until the call gets through', async (t) => {
  const { anna, bert, list, url, a, post } = await scene(t);
  assert.match(await list(), /Alpha's customer.*2 times since/);
  const screen = screenEvents(url, { cookie: bert.cookie });
  const next = nextOf(screen);
  const shown = async (kind: ScreenEvent['event'] = 'missed') =>
    (await next(kind)).missed.map(({ id, times, taken_by }) => [id, times, taken_by]);
  assert.deepEqual(await shown('calls'), [['2', 2, null]]);
  assert.equal((await act(anna, known, 'taken', { from: 'bar' })).status, 204);
  assert.deepEqual(await shown(), [['2', 2, 'Anna']]);
  assert.match(await list(), /Anna .*Release/);

  const done = await act(anna, known, 'done');
  assert.deepEqual([done.status, done.headers.location], [303, '/call-back']);
  assert.deepEqual(await shown(), []);
  assert.match(await list(), /Nobody to call back.*Done by Anna.*Undo/);
  await act(bert, known, 'reopened');
  assert.deepEqual(await shown(), [['2', 2, 'Anna']]);
  await screen.return(undefined);

  await getsThrough({ post, a }, known);
  assert.match(await list(), /Nobody to call back.*Called again and was answered by 1001/);
  const after = screenEvents(url, { cookie: anna.cookie });
  assert.deepEqual((await nextOf(after)('calls')).missed, []);
  await after.return(undefined);
});

test("a caller's card has the number to dial, the customer, colleagues' notes and the last calls", async (t) => {
  const { anna, bert, list, miss } = await scene(t);
  const answer = await act(anna, known, 'note', { text: 'Wants an offer\n<b>soon</b>', from: 'caller' });
  assert.equal(answer.headers.location, card(known, ''));
  const { text, plain } = await bert.read(card(known));
  assert.match(text, /href="tel:\+4930901820"/);
  assert.match(text, /Wants an offer\n&lt;b(>|&gt;)soon/);
  assert.match(plain, /customer .*VIP .*Notes Note for colleagues Add note Anna.*Last calls .*missed/);
  await act(bert, known, 'note', { text: `Wants\n\n${'a long offer '.repeat(40)}end` });
  assert.match(await list(anna), /Bert : Wants a long offer .*…/);
  assert.doesNotMatch(await list(anna), /end|soon/, 'the newest note, its beginning');

  await miss('9', '+493023125000');
  const stranger = await bert.read(card('+493023125000'));
  assert.match(stranger.text, /href="\/customers\/new\?number=%2B493023125000">Add as customer/);
  assert.match(stranger.plain, /Missed Not called back yet I’ll call/);
  assert.match(await list(), /23125000/);
});

test("a caller's card leads back to where one came from, after a note too, and to no other site", async (t) => {
  const { anna } = await scene(t);
  const see = async (path: string) => (await anna.read(path)).text;
  const backIn = (page: string) => page.match(/<a href="([^"]*)">← ([^<]*)</)?.slice(1);
  for (const [from, name] of [
    ['/call-back', 'To call back'],
    ['/calls?outcome=missed', 'Calls'],
    ['/calls/details?id=1', 'Calls'],
    ['/customers/edit?reference=1', 'Customers'],
    ['/reports', 'Reports'],
    ['/', 'Dashboard'],
  ] as const) {
    const page = await see(linksIn(await see(from), '/callers?')[0] ?? '');
    assert.deepEqual(backIn(page), [from, name]);
    const [, back = ''] = /name="back" value="([^"]*)"/.exec(page) ?? [];
    const { headers } = await act(anna, known, 'note', { text: 'x', back, from: 'caller' });
    assert.deepEqual(backIn(await see(String(headers.location))), [from, name]);
  }
  for (const other of ['', '//evil.example', 'https://evil.example', '/\\evil.example', 'javascript:x'])
    assert.deepEqual(backIn(await see(card(known, other))), ['/calls', 'Calls']);
});

test('of another account nothing is seen or changed; a program with a token gets no missed calls; nonsense is refused', async (t) => {
  const served = await scene(t);
  const { a, anna, list, url } = served;
  const zoe = await browse(served, 'Zoe', { account: 'Beta' });
  await act(zoe, known, 'done');
  assert.match(await list(), /2 times since/);
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
