import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { event, serve } from '../tools/service/harness.ts';
import { type Browsing, browse, linksIn } from '../tools/service/people.ts';
import { storeCalls } from '../tools/service/stored-calls.ts';
import { openCalls, type ScreenCall, screenEvents } from '../tools/service/stream.ts';

const sales = { number_called: '089 1234567', line: 'PJSIP/provider' };
const csvOf = async ({ read }: Browsing, path: string): Promise<Record<string, string>[]> =>
  parse((await read(path)).text, { bom: true, columns: true });

/** Calls: one missed in a queue, one that is answered, one of a bridge without extras, and one with odd ones. */
async function withCalls(t: TestContext) {
  const served = await serve(t);
  const missed = { where: 'queue', name: 'sales', by: 'caller', after: 35 };
  const end = { ...sales, at: '2026-01-05T09:00:00.000Z', missed };
  for (const fields of [
    { id: 'missed', from: '+493011', extras: sales },
    { id: 'missed', from: '+493011', status: 'completed', extras: end },
    { id: 'talks', from: '+493012', extras: { ...sales, number_called: '089 7654321' } },
    { id: 'talks', from: '+493012', status: 'answered', caller_id: '1001' },
    { id: 'plain', from: '+493013' },
    { id: 'odd', from: '+493014', extras: { missed: { where: 'cellar' } } },
  ])
    assert.equal((await served.post(served.a.token, event(fields))).status, 200);
  return { ...served, boss: await browse(served, 'Boss') };
}

test('the number called, the line and how a missed call ended are shown, named, filtered and exported', async (t) => {
  const { url, boss } = await withCalls(t);
  const plain = async (path: string) => (await boss.read(path)).plain;
  const details = await plain('/calls/details?id=missed');
  assert.match(details, /Number called \+49 89 1234567 .*Line PJSIP\/provider/);
  assert.match(details, /Missed at Queue sales, caller hung up after 0:35/);
  assert.match(details, /Ended, by the bridge’s clock Mon 5 Jan 2026/);
  assert.doesNotMatch(await plain('/calls/details?id=plain'), /Number called|Line|Missed at/);

  assert.match(await plain('/users'), /Numbers called .*\+49891234567 .*\+49897654321/);
  await boss.send('/extensions', { extension: '+49891234567', name: 'Sales line', user: '' });
  const list = await boss.read('/calls');
  assert.match(list.plain, /Queue sales, caller hung up after 0:35 .*Sales line \(\+49 89 1234567\)/);
  assert.match(list.main, /<option value="\+49891234567">Sales line/);
  const called = await plain(`/calls?called=${encodeURIComponent('+49891234567')}`);
  assert.match(called, /\+49 3011 /);
  assert.doesNotMatch(called, /\+49 3012|\+49 3013/);
  assert.match(await plain('/calls?called=1&place=queue'), /Missed at: Queue .*Number called: 1/);
  assert.match(await plain('/calls?place=queue'), /\+49 3011 /);
  assert.doesNotMatch(await plain('/calls?q=0891234567'), /\+49 3011 /, 'a search is for callers');
  const rows = (await csvOf(boss, '/calls.csv')).map((row) =>
    [row.number_called, row.number_called_name, row.missed_at, row.missed_after_seconds].join(),
  );
  assert.deepEqual(rows, [',,,', ',,,', '+49 89 7654321,,,', '+49 89 1234567,Sales line,queue,35']);
  for await (const first of screenEvents(url, { cookie: boss.cookie })) {
    const text = JSON.stringify(first);
    assert.match(text, /"called":"Sales line \(\+49 89 1234567\)"/, 'a caller to call back');
    assert.match(text, /"called":"\+49 89 7654321"/);
    break;
  }

  assert.match(await plain('/api-log'), /200 Accepted extras left out/);
  const [entry = ''] = linksIn((await boss.read('/api-log?in=call&term=odd')).main, '/api-log/entry');
  assert.match(await plain(entry), /Accepted without its extras, .*extras\.missed\.where/);

  await boss.send('/calls/forget', { id: 'missed' });
  const forgotten = await plain('/calls/details?id=missed');
  assert.doesNotMatch(forgotten, /493011|"extras/);
  assert.match(
    forgotten,
    /Number called Sales line .*Missed at Queue sales/,
    'the number of the office stays',
  );
});

test('an account whose bridges send no extras sees nothing of them', async (t) => {
  const served = await serve(t);
  const { a, post, url } = served;
  await post(a.token, event({ id: 'x' }));
  const [open] = await openCalls(url, a.token);
  assert.doesNotMatch(Object.keys(open ?? {}).join(), /called|line|missed_|ended/);
  await post(a.token, event({ id: 'x', status: 'completed' }));
  const { read } = await browse(served, 'Boss');
  const words =
    /Number called|Numbers called|Missed at|where they ended|Opening|extras|number_called|[Oo]ffered/;
  for (const path of ['/calls', '/calls/details?id=x', '/reports', '/calls.csv'])
    assert.doesNotMatch((await read(path)).main, words, path);
});

test('reports and the call list separate calls in opening hours from calls out of them', async (t) => {
  const served = await serve(t);
  await storeCalls(served, async (report) => {
    const calls = { early: '06:15', open: '09:00', late: '17:00', night: '23:59' };
    for (const [id, time] of Object.entries(calls))
      for (const [n, day] of ['2026-03-02', '2026-03-03', '2026-03-07'].entries()) {
        const at = Date.parse(`${day}T${time}Z`);
        const where = id === 'open' ? null : 'voicemail';
        const missed = { where, name: null, by: null, after: 9, at: null } as const;
        const extras = n === 0 ? { numberCalled: '+49891234567', line: null, missed } : undefined;
        const call = { id: `${id}-${n}`, from: `+4930${at % 99}`, extras };
        await report({ ...call, status: 'ringing', at });
        await report({ ...call, status: 'completed', at: at + 9_000 });
      }
  });
  const boss = await browse(served, 'Boss');
  const month = '/reports?from=2026-03-01&to=2026-03-31';
  assert.doesNotMatch((await boss.read(month)).main, /opening hours/);
  assert.equal((await boss.send('/opening-hours', { 'from-1': '9' })).status, 422);
  const days = [1, 2, 3, 4, 5];
  const hours = days.flatMap((day) => [
    [`from-${day}`, '09:00'],
    [`to-${day}`, '17:00'],
  ]);
  const saved = await boss.send('/opening-hours', { ...Object.fromEntries(hours), closed: '2026-03-03' });
  assert.equal(saved.headers.location, '/opening-hours?done');
  assert.match((await boss.read('/opening-hours')).main, /value="17:00"[\s\S]*2026-03-03<\/textarea>/);
  const late = await boss.send('/opening-hours', { read: '', closed: '2026-12-24' });
  assert.equal(late.status, 409, 'somebody else has saved meanwhile');
  assert.match(late.text, /changed this at the same time[\s\S]*2026-12-24[\s\S]*2026-03-03<\/textarea>/);
  assert.match((await boss.read('/account')).plain, /Account settings/);

  const all = await boss.read(month);
  assert.match(all.plain, /During opening hours 1 0 1 100\.0% Outside opening hours 11 0 11/);
  assert.match(all.plain, /Number called .*\+49 89 1234567 4 0 /);
  assert.match(all.plain, /Segment none: 12 Segment /);
  const places = /Voicemail 3 0 0:09 .*Place unknown 1 0 0:09 0:09 Not reported 8 0 – – /;
  assert.match(all.plain, new RegExp(`Missed at .*${places.source}`));
  const found = async (part: string) => {
    const ids: (string | undefined)[] = [];
    let href = linksIn(all.main, part).find((one) => one.startsWith('/calls?'));
    assert.ok(href, part);
    // A page is searched for so long; a slow machine finds the rest on further ones.
    while (href !== undefined) {
      const { main } = await boss.read(href);
      ids.push(...Array.from(main.matchAll(/<tr[^>]* data-key="([\w-]+)"/g), ([, id]) => id));
      href = linksIn(main, 'older=')[0];
    }
    return ids.join(' ');
  };
  const onOther = ['2', '1'].flatMap((day) => ['night', 'late', 'open', 'early'].map((id) => `${id}-${day}`));
  const out = [...onOther, 'night-0', 'late-0', 'early-0'].join(' ');
  assert.equal(await found('hours=in'), 'open-0');
  assert.equal(await found('hours=out'), out);
  assert.equal(await found('place=voicemail'), 'night-0 late-0 early-0');
  assert.equal(await found('called='), 'night-0 late-0 open-0 early-0');
  assert.equal((await csvOf(boss, '/calls.csv?hours=out')).map(({ id }) => id).join(' '), out);
  for (const [of, calls] of [
    ['hours:in', 1],
    ['hours:out', 11],
    ['place:voicemail', 3],
    [`called:${encodeURIComponent('+49891234567')}`, 4],
  ] as const) {
    const { plain } = await boss.read(`${month}&of=${of}`);
    assert.match(plain, new RegExp(`Calls ${calls} .* before.*Busiest callers`), of);
    assert.doesNotMatch(plain, /Number called .*\+49 89 1234567 4 0 /, of);
  }
});

test('who rings and talks now is on the screens of users while it changes; in the end the call says who rang and who talked', async (t) => {
  const served = await serve(t);
  const { a, b, url, ask, post } = served;
  const boss = await browse(served, 'Boss');
  await boss.send('/extensions', { extension: '101', name: 'Anna', user: '' });
  const tell = (calls: unknown, token = a.token) =>
    ask('/bridge/calls', { method: 'POST', body: { calls }, token });
  const frames = screenEvents(url, { cookie: boss.cookie });
  t.after(() => frames.return(undefined));
  /** The calls of the next event of this kind. */
  const next = async (event: 'calls' | 'call' | 'who') => {
    for (;;) {
      const { value } = await frames.next();
      if (value?.event === event) return value.event === 'call' ? [value.call] : value.calls;
    }
  };
  const pick = ([first]: readonly { rings?: unknown; talks?: unknown }[]) => [first?.rings, first?.talks];
  await next('calls');

  const call = { id: 'c', from: '+493011' };
  const anna = { by: '101', name: 'Anna' };
  const mobile = { by: '+491713920011', name: '+491713920011' };
  await post(a.token, event({ ...call, extras: { rang: [] } }));
  assert.deepEqual(pick(await next('call')), [[], []], 'nobody yet, and this bridge says it');
  await tell([{ id: 'c', rings: ['101', '+491713920011'], talks: [] }]);
  assert.deepEqual(await next('who'), [{ id: 'c', rings: [anna, mobile], talks: [] }]);
  const rang = [
    { by: '101', from: 2_000, for: 15_000 },
    { by: '+491713920011', from: 2_000, for: 20_400 },
  ];
  await post(a.token, event({ ...call, status: 'answered', caller_id: '101', extras: { rang } }));
  assert.deepEqual(pick(await next('call')), [[], [anna]], 'the event says that');
  await tell([{ id: 'c', rings: [], talks: ['102'] }]);
  await next('who');
  for await (const first of screenEvents(url, { cookie: boss.cookie })) {
    assert.deepEqual(pick(first.event === 'calls' ? first.calls : []), [[], [{ by: '102', name: '102' }]]);
    break;
  }
  assert.deepEqual(pick(await openCalls(url, a.token)), [undefined, undefined], 'for users');

  const talked = [
    { by: '101', from: 17_000, to: 37_000 },
    { by: '102', from: 37_000, to: 287_000 },
    { by: '103', from: 280_000 },
  ];
  await post(a.token, event({ ...call, status: 'completed', extras: { rang, talked } }));
  const ended = await next('call');
  assert.deepEqual(pick(ended), [undefined, undefined]);
  assert.deepEqual((ended as ScreenCall[])[0]?.talked?.[0], { by: '101', from: 17_000, to: 37_000 });
  const { plain } = await boss.read('/calls/details?id=c');
  assert.match(plain, /Rang Anna 0:15, \+491713920011 0:20 Talked Anna 0:20, then 102 4:10, 103 /);
  await post(a.token, event({ id: 'd', from: '+493012', extras: sales }));
  const rows = (await csvOf(boss, '/calls.csv')).map(({ id, rang, talked }) => [id, rang, talked]);
  assert.deepEqual(rows, [
    ['d', '', ''],
    ['c', 'Anna 0:15, +491713920011 0:20', 'Anna 0:20, then 102 4:10, 103'],
  ]);
  const people = (await csvOf(boss, '/reports.csv?table=people')).map(
    ({ person, offered, answered, taken_by_others, missed, total_talk_seconds }) =>
      [person, offered, answered, taken_by_others, missed, total_talk_seconds].join(),
  );
  assert.deepEqual(people.sort(), [
    '+49 171 3920011,1,0,1,0,0',
    '102,1,1,0,0,250',
    '103,1,1,0,0,0',
    'Anna (101),1,1,0,0,20',
  ]);
  assert.match((await boss.read('/reports')).plain, /Person Offered Answered Before Taken by others Missed /);

  assert.equal(
    (await tell([{ id: 'c', rings: ['101'], talks: [] }], b.token)).status,
    200,
    'of another account',
  );
  for (const wrong of [undefined, [{ id: 'c' }], Array.from({ length: 101 }, () => ({}))])
    assert.equal((await tell(wrong)).status, 422);
  assert.equal((await tell([], 'nobody')).status, 401);
  const logged = await served.history(a.token, '?search=request&search_term=bridge');
  assert.deepEqual(logged, [], 'not in the API log');
});
