import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { event, serve } from '../tools/service/harness.ts';
import { browse, form } from '../tools/service/people.ts';
import { type ScreenEvent, screenEvents } from '../tools/service/stream.ts';
import { until } from '../tools/until.ts';

const stranger = '+493023125000';

test('a link signs in once; the screens then show the calls of the account', async (t) => {
  const { ask, url, service, a, b, post } = await serve(t);
  const open = (link = '') => ask(`${url}/sign-in/link`, form(url, { link }));
  const [, link] = (await service.link()).split('#');
  const entered = await open(link);
  assert.equal(entered.status, 204);
  const cookie = String(entered.headers['set-cookie']).split(';')[0] as string;
  for (const used of [link, '']) assert.equal((await open(used)).status, 401);

  const page = await ask(`${url}/welcome`, { headers: { cookie } });
  assert.deepEqual([page.status, page.headers['content-type']], [200, 'text/html; charset=utf-8']);
  await post(b.token, event({ id: 'theirs' }));
  await post(a.token, event({ id: 'ours' }));
  for await (const first of screenEvents(url, { cookie })) {
    const calls = first.event === 'calls' ? first.calls : assert.fail(first.event);
    assert.deepEqual(
      calls.map(({ id, customer }) => [id, customer?.name]),
      [['ours', "Alpha's customer"]],
    );
    break;
  }
});

test('a screen that does not read is disconnected, and the others get every event', async (t) => {
  const served = await serve(t);
  const { a, url, post, said } = served;
  const anna = await browse(served, 'Anna');
  // A change of one customer is then an event of 100 kB: a machine keeps some MB for who does not read.
  const ids = Array.from({ length: 300 }, (_, n) => `${n}`);
  await Promise.all(ids.map((id) => post(a.token, event({ id, from: stranger }))));
  const sleepy = connect(Number(new URL(url).port), '127.0.0.1');
  t.after(() => sleepy.destroy());
  sleepy.write(`GET /events HTTP/1.1\r\nHost: localhost\r\nCookie: ${anna.cookie}\r\n\r\n`);
  await once(sleepy, 'data');
  sleepy.pause();
  const gone = once(sleepy, 'close');
  const stream = screenEvents(url, { cookie: anna.cookie });
  await stream.next();
  let changes = 0;
  await until('the sleepy one to be cut off', async () => {
    const name = `${++changes} `.padEnd(200, 'x');
    const table = `reference,name,segment,numbers\n7,${name},VIP,${stranger}\n`;
    await anna.send('/customers/import', { table, confirmed: 'yes' });
    for (let left = ids.length; left > 0; ) {
      const heard: ScreenEvent = (await stream.next()).value;
      if (heard.event !== 'customers') continue;
      assert.ok(heard.calls.every(({ customer }) => customer?.name === name));
      left -= heard.calls.length;
    }
    return said.includes('service.screen-too-slow');
  });
  sleepy.resume();
  await gone;
  await stream.return(undefined);
});
