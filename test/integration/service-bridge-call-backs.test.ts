import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { command } from '../tools/service/commands.ts';
import { event, getsThrough, serve } from '../tools/service/harness.ts';
import { browse, withStore } from '../tools/service/people.ts';
import { report as recordEvent } from '../tools/service/recorded-request.ts';
import { screenEvents } from '../tools/service/stream.ts';
import { until } from '../tools/until.ts';

const known = '+4930901820';
const path = '/bridge/call-backs';

/** A service with a missed customer, and what a bridge of the account asks and reports. */
async function scene(t: TestContext) {
  const served = await serve(t);
  const { ask, post, a } = served;
  const boss = await browse(served, 'Boss');
  await boss.send('/extensions', { extension: '101', name: 'Anna', user: '' });
  const miss = async (id: string, from = known, token = a.token) => {
    for (const status of ['ringing', 'completed']) await post(token, event({ id, from, status }));
  };
  await withStore(served, async (store) => {
    for (const status of ['ringing', 'completed'] as const)
      await recordEvent(store, { account: 1, id: '1', from: known, status, at: Date.now() - 600_000 });
  });
  const waiting = async (query = '', token = a.token) => {
    const { status, json } = await ask(`${path}${query}`, { token });
    assert.equal(status, 200);
    return json as { version: string; numbers?: string[] };
  };
  const report = async (outcome: object, token = a.token) => {
    const body = { id: 'pbx-1.5', number: known, ended_ago: 0, ...outcome };
    const { status, json } = await ask(path, { method: 'POST', token, body });
    return status === 200 ? (json as { taken: boolean }).taken : status;
  };
  const list = async () => (await boss.read('/call-back')).plain;
  const person = async () => (await boss.read(`/person?number=${encodeURIComponent(known)}`)).plain;
  return { ...served, boss, miss, waiting, report, list, person };
}

test('a bridge gets the numbers that wait, of its account only, and none again while they are the same', async (t) => {
  const { waiting, miss, a, b, ask, boss, post } = await scene(t);
  const { version, numbers } = await waiting();
  assert.deepEqual(numbers, [known]);
  assert.deepEqual(await waiting(`?known=${version}`), { version }, 'nothing has changed');
  assert.deepEqual(await waiting('', a.secondToken), { version, numbers }, 'of the account, not of the PBX');
  assert.deepEqual((await waiting('', b.token)).numbers, []);

  await miss('2', '+4930901821');
  await miss('3', '112');
  await miss('4', 'anonymous');
  assert.deepEqual((await waiting(`?known=${version}`)).numbers?.toSorted(), [known, '+4930901821']);
  await boss.send('/call-back', { number: known, kind: 'done', from: 'list' });
  assert.deepEqual((await waiting(`?known=${version}`)).numbers, ['+4930901821']);
  await getsThrough({ post, a }, '+4930901821');
  assert.deepEqual((await waiting()).numbers, []);
  assert.equal((await ask(path, { token: 'nobody' })).status, 401);
});

test('of very many numbers those that were missed last are given, a thousand', async (t) => {
  const served = await scene(t);
  const { waiting } = served;
  await withStore(served, async (store) => {
    const now = Date.now();
    for (let n = 0; n < 1_100; n += 1) {
      const call = { account: 1, id: `many-${n}`, from: `+4940${1_000_000 + n}` };
      const at = now - 3_600_000 + n * 1_000;
      await recordEvent(store, { ...call, status: 'ringing', at });
      await recordEvent(store, { ...call, status: 'completed', at: at + 500 });
    }
  });
  const { numbers = [] } = await waiting();
  assert.equal(numbers.length, 1_000);
  assert.deepEqual([numbers[0], numbers[1], numbers.at(-1)], [known, '+49401001099', '+49401000101']);
});

test('a call back that somebody has made closes itself, says who and how long, and can be undone', async (t) => {
  const { boss, report, list, person, url, waiting } = await scene(t);
  const screen = screenEvents(url, { cookie: boss.cookie });
  t.after(() => screen.return(undefined));
  const shown = async () => {
    const { value } = await screen.next();
    return value && 'missed' in value
      ? value.missed.map((one: { number: string }) => one.number)
      : assert.fail();
  };
  assert.deepEqual(await shown(), [known]);
  assert.equal(await report({ talked: 130, by: '101' }), true);
  assert.deepEqual(await shown(), [], 'the screens of the account');
  assert.match(await list(), /Nobody to call back.*Anna called back, 2:10 .*Undo/);
  assert.match(await person(), /Anna called back, 2:10 .*Undo .* Save .* Anna called back, 2:10/);
  assert.deepEqual((await waiting()).numbers, []);
  assert.match((await boss.read('/reports')).plain, /Called back after \d/);

  // A mailbox may have answered.
  await boss.send('/call-back', { number: known, kind: 'reopened', from: 'list' });
  assert.match(await list(), /Alpha's customer .* I’ll call/);
  assert.deepEqual((await waiting()).numbers, [known]);
  assert.equal(await report({ id: 'pbx-1.6', talked: 5 }), true);
  assert.match(await list(), /Nobody to call back.*Called back, 0:05/, 'by an unknown extension');
});

test('who is missed while a colleague talks with somebody else at the number still waits', async (t) => {
  const { miss, report, list, waiting } = await scene(t);
  await miss('2');
  assert.equal(await report({ talked: 300, by: '101' }), true);
  assert.deepEqual((await waiting()).numbers, [known]);
  assert.match(await list(), /Alpha's customer .* I’ll call/);
  assert.doesNotMatch(await list(), /2× since/);
  assert.equal(await report({ id: 'pbx-1.6', talked: 300, by: '101' }), false, 'it began before the call');
});

test('who was called and not reached stays, with the last attempt, until a call gets through', async (t) => {
  const { boss, report, list, person, miss, post, a, waiting } = await scene(t);
  await boss.send('/call-back', { number: known, kind: 'taken', from: 'list' });
  assert.equal(await report({ by: '101' }), true);
  assert.equal(await report({ by: '101' }), true, 'the same, sent once more');
  assert.match(await list(), /You since .*Not reached: Anna ,/);
  assert.equal(await report({ id: 'pbx-1.6' }), true);
  assert.match(await list(), /Not reached 2×, /);
  assert.match(
    await person(),
    /you call back\. Not reached 2×, .* Save .* Not reached \d.*Not reached: Anna \d/,
  );
  assert.deepEqual((await waiting()).numbers, [known]);
  await miss('2');
  assert.match(await list(), /2× since .*Not reached 2×/);
  await getsThrough({ post, a }, known);
  assert.match(await list(), /Nobody to call back.*Called again, 1001 answered/);
});

test('a number that does not wait, and a wrong report, are refused, and nothing is stored', async (t) => {
  const served = await scene(t);
  const { boss, report, list, person, a, b, history, post } = served;
  const other = '+4930901829';
  assert.equal(await report({ number: other, talked: 9, by: '101' }), false, 'nobody has called from it');
  assert.equal(await report({ talked: 9, by: '101' }, b.token), false, 'it waits in another account');
  assert.equal(await report({ talked: 9, ended_ago: 3_600 }), false, 'the call was before the missed one');
  for (const wrong of [
    { number: '030901820' },
    { number: '112' },
    { number: `+${'1'.repeat(16)}` },
    { number: null },
    { id: '' },
    { id: 'x'.repeat(300) },
    { id: 'pbx\0' },
    { ended_ago: -1 },
    { ended_ago: 86_401 },
    { ended_ago: 1.5 },
    { talked: -1 },
    { talked: 604_801 },
    { talked: '9' },
    { by: 'x'.repeat(65) },
    { by: 'An\u0000na' },
  ])
    assert.equal(await report(wrong), 422, JSON.stringify(wrong));
  assert.equal(await report({}, 'nobody'), 401);
  assert.match(await list(), /Alpha's customer .* I’ll call/);
  assert.doesNotMatch(await list(), /Not reached|called back/);
  assert.doesNotMatch(await person(), /Not reached|Anna/);
  await withStore(served, async ({ callers }) => {
    for (const account of [1, 2]) assert.deepEqual(await callers.actions(account, { since: 0 }, 9), []);
  });
  const logged = await history(a.token, '?search=request&search_term=bridge');
  assert.deepEqual(logged, [], 'not in the API log');

  await boss.send('/call-back', { number: known, kind: 'done', from: 'list' });
  assert.equal(await report({ talked: 9 }), false, 'a colleague pressed Done first');
  assert.match(await list(), /Boss called back/);
  await getsThrough({ post, a }, known);
  assert.equal(await report({ id: 'later' }), false);
});

test('of attempts to reach a number, 200 are stored in a week, and then it can still be reached', async (t) => {
  const served = await scene(t);
  const { report, boss, list } = served;
  await withStore(served, async ({ callers }) => {
    const tried = { number: known, user: '', kind: 'tried', text: null } as const;
    const act = (at: number, id: string) => callers.act(boss.user.account, { ...tried, at, report: id });
    const now = Date.now();
    await act(now - 8 * 86_400_000, 'of the week before');
    for (let n = 1; n < 200; n += 1) await act(now, `stored-${n}`);
  });
  assert.equal(await report({ id: 'last' }), true);
  assert.equal(await report({ id: 'one more' }), false);
  assert.equal(await report({ id: 'last' }), true, 'it is stored already');
  assert.match(await list(), /Not reached 200×/);
  assert.equal(await report({ id: 'reached', talked: 9 }), true);
  assert.match(await list(), /Nobody to call back/);
});

test('a report is forgotten with its number', async (t) => {
  const { boss, report, person } = await scene(t);
  assert.equal(await report({ by: '101' }), true);
  assert.match(await person(), /Not reached: Anna/);
  await boss.send('/calls/forget', { id: '1' });
  assert.doesNotMatch(await person(), /Not reached/);
});

test('a number that a command forgets, in a process of its own, is given to no bridge and no new screen', async (t) => {
  const served = await scene(t);
  const { waiting, miss, boss, url, b } = served;
  await miss('2', '+4930901821');
  await miss('3', known, b.token);
  const onNewScreen = async () => {
    const screen = screenEvents(url, { cookie: boss.cookie });
    const { value } = await screen.next();
    await screen.return(undefined);
    return (value as { missed: { number: string }[] }).missed.map(({ number }) => number);
  };
  assert.deepEqual((await waiting()).numbers?.toSorted(), [known, '+4930901821']);
  assert.deepEqual((await onNewScreen()).toSorted(), [known, '+4930901821']);
  await command(served, 'forget', known, '--account', 'Alpha');
  await until('the number to be gone', async () => (await waiting()).numbers?.length === 1);
  assert.deepEqual((await waiting()).numbers, ['+4930901821']);
  assert.deepEqual(await onNewScreen(), ['+4930901821']);
  assert.deepEqual((await waiting('', b.token)).numbers, [known], 'of another account');
});
