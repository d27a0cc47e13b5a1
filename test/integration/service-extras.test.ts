import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { form, person, visitor } from './people.ts';
import { event, type Served, serve } from './service-harness.ts';
import { openCalls } from './service-stream.ts';
import { storeCalls } from './stored-calls.ts';

const sales = { number_called: '089 1234567', line: 'PJSIP/provider' };

/** Three calls: one missed in a queue, one answered, one of a bridge without extras. */
async function withCalls(t: test.TestContext, change: Parameters<typeof serve>[1] = {}) {
  const served = await serve(t, change);
  const { a, post } = served;
  const send = async (fields: Record<string, unknown>) =>
    assert.equal((await post(a.token, event(fields))).status, 200);
  await send({ id: 'missed', from: '+493011', extras: sales });
  const missed = { where: 'queue', name: 'sales', by: 'caller', after: 35 };
  const at = '2026-01-05T09:00:00.000Z';
  await send({ id: 'missed', from: '+493011', status: 'completed', extras: { ...sales, at, missed } });
  await send({ id: 'talks', from: '+493012', extras: { ...sales, number_called: '089 7654321' } });
  await send({ id: 'talks', from: '+493012', status: 'answered', caller_id: '1001' });
  await send({ id: 'plain', from: '+493013' });
  await send({ id: 'odd', from: '+493014', extras: { missed: { where: 'cellar' } } });
  await person(served, { name: 'Boss', role: 'administrator' });
  const boss = await visitor(served, 'Boss');
  return { ...served, ...reader(served, boss), boss };
}

function reader({ ask, url }: Pick<Served, 'ask' | 'url'>, boss: { cookie: string; token: string }) {
  const page = async (path: string) => {
    const answer = await ask(`${url}${path}`, { headers: { cookie: boss.cookie } });
    const main = /<main[\s\S]*<\/main>/.exec(answer.text)?.[0] ?? answer.text;
    const plain = main
      .replace(/<option[\s\S]*?<\/option>/g, '')
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ');
    return { ...answer, main, plain };
  };
  const submit = (path: string, fields: Record<string, string>) =>
    ask(`${url}${path}`, form(url, { token: boss.token, ...fields }, { cookie: boss.cookie }));
  return { read: page, submit };
}

test('the number called, the line and how a missed call ended are shown, named, filtered and exported', async (t) => {
  const { read, submit, url, boss, ask } = await withCalls(t);
  const details = await read('/calls/details?id=missed');
  assert.match(details.plain, /Number called \+49 89 1234567 .*Line PJSIP\/provider/);
  assert.match(details.plain, /Missed at Queue sales, caller hung up after 0:35/);
  assert.match(details.plain, /Ended, by the bridge’s clock Mon 5 Jan 2026/);
  assert.doesNotMatch((await read('/calls/details?id=plain')).plain, /Number called|Line|Missed at/);

  assert.match((await read('/extensions')).plain, /Numbers called .*\+49891234567 .*\+49897654321/);
  await submit('/extensions', { extension: '+49891234567', name: 'Sales line', user: '' });
  const list = await read('/calls');
  assert.match(list.plain, /Queue sales, caller hung up after 0:35 .*Sales line \(\+49 89 1234567\)/);
  assert.match(list.main, /<option value="\+49891234567">Sales line/);
  const filtered = await read(`/calls?called=${encodeURIComponent('+49891234567')}`);
  assert.match(filtered.plain, /\+49 3011 /);
  assert.doesNotMatch(filtered.plain, /\+49 3012|\+49 3013/);
  assert.match((await read('/calls?called=1&place=queue')).plain, /Number called: 1 .*Missed at: Queue/);
  assert.match((await read('/calls?place=queue')).plain, /\+49 3011 /);
  assert.doesNotMatch((await read('/calls?q=0891234567')).plain, /\+49 3011 /, 'a search is for callers');
  const csv = parse((await read('/calls.csv')).text, { bom: true, columns: true }) as Record<
    string,
    string
  >[];
  assert.deepEqual(
    csv.map((row) => [row.number_called, row.number_called_name, row.missed_at, row.missed_after_seconds]),
    [
      ['', '', '', ''],
      ['', '', '', ''],
      ['+49897654321', '', '', ''],
      ['+49891234567', 'Sales line', 'queue', '35'],
    ],
  );
  const stream = await fetch(`${url}/events`, { headers: { cookie: boss.cookie } });
  let text = '';
  for await (const chunk of stream.body as ReadableStream<Uint8Array>) {
    text += Buffer.from(chunk).toString();
    if (text.includes('\n\n') && text.includes('event: calls')) break;
  }
  assert.match(text, /"called":"Sales line \(\+49 89 1234567\)"/, 'a caller to call back');
  assert.match(text, /"called":"\+49 89 7654321"/);

  assert.match((await read('/api-log')).plain, /200 Accepted extras left out/);
  const entry = /href="(\/api-log\/entry[^"]+)"/.exec((await read('/api-log?in=call&term=odd')).main)?.[1];
  assert.match((await read(entry ?? '')).plain, /Accepted without its extras, .*extras\.missed\.where/);
  assert.equal((await ask('/voice?limit=9', { token: '' })).status, 401);
});

test('an account whose bridges send no extras sees nothing of them', async (t) => {
  const served = await serve(t);
  const { a, post, url } = served;
  await post(a.token, event({ id: 'x' }));
  const [open] = await openCalls(url, a.token);
  assert.deepEqual(
    Object.keys(open ?? {}).filter((name) => /called|line|missed_|ended/.test(name)),
    [],
  );
  await post(a.token, event({ id: 'x', status: 'completed' }));
  await person(served, { name: 'Boss', role: 'administrator' });
  const { read } = reader(served, await visitor(served, 'Boss'));
  for (const path of ['/calls', '/calls/details?id=x', '/extensions', '/reports', '/api-log'])
    assert.doesNotMatch(
      (await read(path)).main,
      /Number called|Numbers called|Missed at|where they ended|Opening|extras/,
      path,
    );
  assert.doesNotMatch((await read('/calls.csv')).text, /number_called/);
});

test('reports and the call list separate calls in opening hours from calls out of them', async (t) => {
  const served = await serve(t);
  const { stateDir } = served;
  await storeCalls({ stateDir }, async (report) => {
    const calls = { early: '06:15', open: '09:00', late: '17:00', night: '23:59' };
    for (const [id, time] of Object.entries(calls))
      for (const [n, day] of ['2026-03-02', '2026-03-03', '2026-03-07'].entries()) {
        const at = Date.parse(`${day}T${time}Z`);
        const call = {
          id: `${id}-${n}`,
          from: `+4930${at % 99}`,
          extras: n === 0 ? extrasOf(id) : undefined,
        };
        await report({ ...call, status: 'ringing', at });
        await report({ ...call, status: 'completed', at: at + 9_000 });
      }
  });
  await person(served, { name: 'Boss', role: 'administrator' });
  const { read, submit } = reader(served, await visitor(served, 'Boss'));
  const month = 'from=2026-03-01&to=2026-03-31';
  assert.doesNotMatch((await read(`/reports?${month}`)).main, /opening hours/);
  assert.equal((await submit('/opening-hours', { 'from-1': '9' })).status, 422);
  const week = Object.fromEntries(
    [1, 2, 3, 4, 5].flatMap((day) => [
      [`from-${day}`, '09:00'],
      [`to-${day}`, '17:00'],
    ]),
  );
  const saved = await submit('/opening-hours', { ...week, closed: '2026-03-03' });
  assert.equal(saved.headers.location, '/opening-hours?done');
  assert.match((await read('/opening-hours')).main, /value="17:00"[\s\S]*2026-03-03<\/textarea>/);
  assert.match((await read('/account')).plain, /Opening hours : on/i);

  const all = await read(`/reports?${month}`);
  assert.match(all.plain, /During opening hours 1 0 1 100\.0% Outside opening hours 11 0 11/);
  assert.match(all.plain, /Calls by number called .*\+49 89 1234567 4 0 /);
  assert.match(
    all.plain,
    /Missed calls by where they ended .*Voicemail 3 0 0:09 .*Place unknown 1 0 0:09 0:09 Not reported 8 0 – – /,
  );
  const links = [...all.main.matchAll(/href="(\/calls\?[^"]*)"/g)].map(([, href = '']) =>
    href.replaceAll('&amp;', '&'),
  );
  const found = async (part: string) => {
    const href = links.find((one) => one.includes(part));
    assert.ok(href, part);
    return [...(await read(href)).main.matchAll(/details\?id=([\w-]+)/g)].map(([, id]) => id);
  };
  const out = [
    'night-2',
    'late-2',
    'open-2',
    'early-2',
    'night-1',
    'late-1',
    'open-1',
    'early-1',
    'night-0',
    'late-0',
    'early-0',
  ];
  assert.deepEqual(await found('hours=in'), ['open-0']);
  assert.deepEqual(await found('hours=out'), out);
  assert.deepEqual(await found('place=voicemail'), ['night-0', 'late-0', 'early-0']);
  assert.deepEqual(await found('called='), ['night-0', 'late-0', 'open-0', 'early-0']);
  const csv = parse((await read('/calls.csv?hours=out')).text, { bom: true, columns: true }) as {
    id: string;
  }[];
  assert.deepEqual(
    csv.map(({ id }) => id),
    out,
  );

  for (const [of, calls] of [
    ['hours:in', 1],
    ['hours:out', 11],
    ['place:voicemail', 3],
    [`called:${encodeURIComponent('+49891234567')}`, 4],
  ] as const) {
    const page = await read(`/reports?${month}&of=${of}`);
    assert.match(page.plain, new RegExp(`Calls of Alpha , .*Calls ${calls} Before:`), of);
    assert.match(page.plain, /Busiest callers/, of);
  }
  assert.doesNotMatch((await read(`/reports?${month}&of=hours:out`)).plain, /\d Calls by hour .* 09:00 3/);
});

const extrasOf = (id: string) => ({
  numberCalled: '+49891234567',
  line: null,
  missed: { where: id === 'open' ? null : ('voicemail' as const), name: null, by: null, after: 9, at: null },
});

test('a caller’s number is forgotten; the number called, which is the office’s own, stays', async (t) => {
  const { read, submit } = await withCalls(t);
  await submit('/calls/forget', { id: 'missed' });
  const { plain } = await read('/calls/details?id=missed');
  assert.doesNotMatch(plain, /493011|"extras|quot;extras/);
  assert.match(plain, /Number called \+49 89 1234567 .*Missed at Queue sales/);
});
