import assert from 'node:assert/strict';
import { test } from 'node:test';
import { customer } from '../../src/service/store/customer.fixture.ts';
import { person, visitor } from './people.ts';
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
  await person(served, { name: 'Jana', role: 'agent' });
  const { cookie } = await visitor(served, 'Jana');
  const read = async (path: string) => {
    const { text } = await served.ask(`${served.url}${path}`, { headers: { cookie } });
    const main = (/<main[\s\S]*<\/main>/.exec(text)?.[0] ?? text).replaceAll('&amp;', '&');
    const plain = main.replace(/<option[\s\S]*?<\/option>|<[^>]*>/g, ' ').replace(/\s+/g, ' ');
    return { text, main, plain };
  };
  const times = 'start=09:00&end=11:00';
  const oneDay = `/reports?from=${day}&to=${day}`;
  const { main, plain } = await read(`${oneDay}&${times}`);
  assert.match(plain, /Calls of Alpha , 3 Mar 2026, 09:00–11:00 \./);
  assert.match(plain, /Calls 4 Before: 1 Answered 1 .*Missed 3 /);
  assert.match(plain, /Before: 24 Feb 2026, 09:00–11:00/);
  assert.match(plain, /Busiest callers .*\+49 3012 3 2 \+49 3011 1 1 /);
  assert.match(main, /name="start"[^>]*value="09:00"/);

  const hrefs = [...main.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => decodeURIComponent(href));
  const listed = async (part: string) => {
    const href = hrefs.find((one) => one.startsWith('/calls?') && one.includes(part));
    assert.ok(href, `${part} in ${hrefs.join('\n')}`);
    return [...(await read(href)).main.matchAll(/details\?id=([\w-]+)/g)].map(([, id]) => id);
  };
  assert.deepEqual(await listed('outcome=missed'), ['call-4', 'call-3', 'call-1']);
  assert.deepEqual(await listed('extension=1001'), ['call-2']);
  assert.deepEqual(await listed(`from=${day}T10:00`), ['call-4', 'call-3']);
  for (const path of ['/reports?', '/reports.csv?'])
    for (const href of hrefs.filter((one) => one.startsWith(path) && one.includes(`from=${day}`)))
      assert.ok(href.includes(times), href);
  const csv = await read(`/reports.csv?from=${day}&to=${day}&${times}&table=callers`);
  assert.match(csv.text, /\+493012"?,3,2\r\n.*\+493011"?,1,1\r\n$/);

  // Parts of hours: the link of an hour is of what is left of it.
  assert.match(
    (await read(`${oneDay}&start=09:30&end=10:15`)).main,
    /from=2026-03-03T09%3A30&to=2026-03-03T10%3A00/,
  );
  assert.match((await read(`${oneDay}&start=11:00`)).plain, /3 Mar 2026, 11:00–00:00 \. .*Calls 3 /);
  for (const wrong of [
    `${oneDay}&start=11:00&end=09:00`,
    `${oneDay}&start=09:00&end=09:00`,
    `${oneDay}&start=09:07`,
    `${oneDay}&end=noon`,
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
  await person(served, { name: 'Jana' });
  const { cookie } = await visitor(served, 'Jana');
  const read = async (path: string) => (await served.ask(served.url + path, { headers: { cookie } })).text;
  const report = await read(`/reports?from=${day}&to=${day}`);
  const [, busiest = ''] = /<section id="t-callers">([\s\S]*?)<\/table>/.exec(report) ?? [];
  assert.match(busiest.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' '), / Grace 3 0 \+49 3013 2 0 $/);
  const [, link = ''] = /href="(\/calls[^"]*)"/.exec(busiest) ?? [];
  assert.equal((await read(link.replaceAll('&amp;', '&'))).match(/data-key="of-/g)?.length, 3);
});
