import assert from 'node:assert/strict';
import { test } from 'node:test';
import { customer } from '../../src/service/people/customer.fixture.ts';
import { browse, linksIn, textOf } from './people.ts';
import { serve } from './service-harness.ts';
import { storeCalls } from './stored-calls.ts';

/** A Tuesday, and the one before. */
const [day, before] = ['2026-03-03', '2026-02-24'];
const calls = [
  { from: '+493011', at: '08:59', answered: true },
  { from: '+493011', at: '09:00' },
  { from: '+493012', at: '09:40', answered: true },
  { from: '+493012', at: '10:05' },
  { from: '+493012', at: '10:59' },
  { from: '+493011', at: '11:00' },
  { from: '+493011', at: '11:30' },
  { from: '+493011', at: '11:45' },
];

test('the report of some hours of a day: its figures, busiest callers, links and CSV are of these hours alone', async (t) => {
  const served = await serve(t);
  await storeCalls(served, async (report) => {
    for (const [n, { from, at, answered }] of calls.entries()) {
      const [id, start] = [`call-${n}`, Date.parse(`${day}T${at}Z`)];
      await report({ id, from, status: 'ringing', at: start });
      if (answered) await report({ id, from, status: 'answered', at: start + 3_000, callerId: '1001' });
      await report({ id, from, status: 'completed', at: start + 9_000 });
    }
    for (const at of ['08:00', '09:30', '12:00'])
      await report({ id: at, from: '+493013', status: 'ringing', at: Date.parse(`${before}T${at}Z`) });
  });
  const { read } = await browse(served, 'Jana', { role: 'agent' });
  const times = 'start=09:00&end=11:00';
  const oneDay = `/reports?from=${day}&to=${day}`;
  const { main, plain } = await read(`${oneDay}&${times}`);
  assert.match(plain, /Calls of Alpha , 3 Mar 2026, 09:00–11:00 \./);
  assert.match(plain, /Calls 4 Before: 1 Answered 1 .*Missed 3 /);
  assert.match(plain, /Before: 24 Feb 2026, 09:00–11:00/);
  assert.match(plain, /Busiest callers .*\+49 3012 3 2 \+49 3011 1 1 /);
  assert.match(main, /name="start"[^>]*value="09:00"/);

  const hrefs = linksIn(main, '').map(decodeURIComponent);
  for (const [part, listed] of [
    ['outcome=missed', 'call-4 call-3 call-1'],
    ['extension=1001', 'call-2'],
    [`from=${day}T10:00`, 'call-4 call-3'],
  ] as const) {
    const [href = assert.fail(part)] = hrefs.filter((one) => one.startsWith('/calls?') && one.includes(part));
    const found = [...(await read(href)).main.matchAll(/details\?id=([\w-]+)/g)].map(([, id]) => id);
    assert.equal(found.join(' '), listed, part);
  }
  for (const href of hrefs)
    if (/^\/reports(\.csv)?\?/.test(href) && href.includes(`from=${day}`))
      assert.ok(href.includes(times), href);
  const csv = await read(`/reports.csv?from=${day}&to=${day}&${times}&table=callers`);
  assert.match(csv.text, /\+493012"?,3,2\r\n.*\+493011"?,1,1\r\n$/);

  // Parts of hours: the link of an hour is of what is left of it.
  const parts = (await read(`${oneDay}&start=09:30&end=10:15`)).main;
  assert.match(parts, /from=2026-03-03T09%3A30&amp;to=2026-03-03T10%3A00/);
  assert.match((await read(`${oneDay}&start=11:00`)).plain, /3 Mar 2026, 11:00–00:00 \. .*Calls 3 /);
  for (const wrong of [
    ...['start=11:00&end=09:00', 'start=09:00&end=09:00', 'start=09:07', 'end=noon'].map(
      (it) => `${oneDay}&${it}`,
    ),
    `/reports?from=${before}&to=${day}&${times}`,
  ]) {
    const page = await read(wrong);
    assert.match(
      page.plain,
      /The times were not used\. Choose one day, and times in quarters of an hour/,
      wrong,
    );
    assert.doesNotMatch(page.plain, /2026, \d\d:\d\d–/, wrong);
  }
  assert.doesNotMatch((await read(oneDay)).plain, /The times were not used/);
  // They are in every report, which says that they are of one day.
  assert.match((await read(`/reports?from=${before}&to=${day}`)).main, /name="start"/);
});

test('a customer with two numbers is one of the busiest callers, and leads to the calls of both', async (t) => {
  const served = await serve(t);
  await storeCalls(served, async (report, store) => {
    const [office, mobile] = ['+493011', '+493012'];
    await store.customers.put(1, [customer({ reference: 'g', name: 'Grace', numbers: [office, mobile] })]);
    for (const [n, from] of [office, '+493013', mobile, '+493013', mobile].entries())
      await report({ id: `of-${n}`, from, status: 'ringing', at: Date.parse(`${day}T10:00Z`) + n });
  });
  const { read } = await browse(served, 'Jana', { role: 'agent' });
  const { text } = await read(`/reports?from=${day}&to=${day}`);
  const [, busiest = ''] = /<section id="t-callers">([\s\S]*?)<\/table>/.exec(text) ?? [];
  assert.match(textOf(busiest), / Grace 3 0 \+49 3013 2 0 $/);
  const [link = ''] = linksIn(busiest, '/calls');
  assert.equal((await read(link)).text.match(/data-key="of-/g)?.length, 3);
});
