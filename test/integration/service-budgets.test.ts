import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { event, serve } from '../tools/service/harness.ts';
import { form, person, visitor } from '../tools/service/people.ts';
import { storeCalls } from '../tools/service/stored-calls.ts';
import { until } from '../tools/until.ts';

/** The status of a response whose body is not read; the connection stays open. */
function opened(
  url: string,
  path: string,
  header: string,
  onEnd: (end: () => void) => void,
  method = 'GET',
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  onEnd(() => socket.destroy());
  socket.write(
    `${method} ${path} HTTP/1.1\r\nHost: ${new URL(url).host}\r\nAccept: application/json\r\n${header}\r\n\r\n`,
  );
  socket.once('error', reject);
  socket.once('data', (head) => {
    socket.pause();
    resolve(Number(head.toString('latin1').split(' ')[1]));
  });
  return promise;
}

for (const path of ['/events', '/api-log/stream'])
  test(`open screens of one user are limited (${path}); other users and accounts have their own limit`, async (t) => {
    const served = await serve(t);
    const { a, b, url } = served;
    await person(served, { name: 'Eve', role: 'administrator' });
    const { cookie } = await visitor(served, 'Eve');
    const open = (header: string, which = '/events') => opened(url, which, header, t.after.bind(t));
    const statuses = await Promise.all(Array.from({ length: 60 }, () => open(`Cookie: ${cookie}`, path)));
    assert.deepEqual(
      [200, 429].map((status) => statuses.filter((one) => one === status).length),
      [50, 10],
    );
    for (const { token } of [a, b]) assert.equal(await open(`Authorization: Bearer ${token}`), 200);
  });

test('one account reads its whole history four times at a time at most, and again when a reader has gone', async (t) => {
  const { a, b, url, ask, post } = await serve(t);
  const long = 'x'.repeat(60_000);
  // More than the buffers of a connection hold, so that the reader stands still.
  await Promise.all(Array.from({ length: 400 }, (_, n) => post(a.token, event({ id: `c${n}`, note: long }))));
  const ends: (() => void)[] = [];
  t.after(() => {
    for (const end of ends) end();
  });
  const header = `Authorization: Bearer ${a.token}`;
  const open = () => opened(url, '/api/v1/voice', header, (end) => ends.push(end));
  const statuses = await Promise.all(Array.from({ length: 6 }, open));
  assert.deepEqual(statuses.sort(), [200, 200, 200, 200, 429, 429]);
  const refused = await ask('/voice', a);
  assert.deepEqual(
    [refused.status, refused.json],
    [429, { message: 'Too many reads of the whole history at a time (4). Try again later.' }],
  );
  assert.equal((await ask('/voice', b)).status, 200);
  assert.equal((await ask('/voice?limit=1', a)).status, 200);
  for (const end of ends) end();
  await until('room for a reader', async () => (await ask('/voice', a)).status === 200);
});

test('an import takes turns: events of other accounts are answered while it goes on, and there is one at a time', async (t) => {
  const served = await serve(t);
  const { a, b, ask, post, url } = served;
  await person(served, { name: 'Eve', role: 'administrator' });
  const { cookie, token } = await visitor(served, 'Eve');
  const table = `numbers\n${Array.from({ length: 30_000 }, (_, n) => `+4930${1_000_000 + n}`).join('\n')}`;
  let over = false;
  const preview = ask(`${url}/customers/import`, form(url, { token, table }, { cookie }));
  void preview.then(() => {
    over = true;
  });
  let answered = 0;
  let second: number | undefined;
  for (let n = 0; !over; n += 1) {
    assert.equal((await post(b.token, event({ id: `b-${n}` }))).status, 200);
    if (!over) answered += 1;
    if (answered === 5)
      second = (
        await ask(`${url}/admin/customers`, {
          token: a.admin,
          method: 'POST',
          body: 'numbers\n110\n',
          headers: { 'content-type': 'text/csv' },
        })
      ).status;
  }
  assert.match((await preview).text, /30000 new/);
  assert.ok(answered >= 10, `${answered} events were answered meanwhile`);
  assert.equal(second, 429);
});

test('a large form is read only for an administrator who is signed in', async (t) => {
  const served = await serve(t);
  await person(served, { name: 'Bob' });
  const { cookie } = await visitor(served, 'Bob');
  const head = 'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 16000000';
  // Who is not signed in is asked to, as at all forms.
  for (const [from, status] of [
    ['', 303],
    [`\r\nCookie: ${cookie}`, 403],
  ] as const) {
    const header = `${head}\r\nOrigin: ${served.url}${from}`;
    assert.equal(await opened(served.url, '/customers/import', header, t.after.bind(t), 'POST'), status);
  }
});

test('readers that stop reading are disconnected when nothing has moved for a while', async (t) => {
  const served = await serve(t, { stalledMs: 2_000 });
  const { a, url, ask } = served;
  const also = { note: 'x'.repeat(60_000) };
  // Past the service: a connection whose event waits for the disk has no traffic, too.
  await storeCalls(served, async (report) => {
    const ids = Array.from({ length: 400 }, (_, n) => `c${n}`);
    await Promise.all(ids.map((id) => report({ id, from: '110', status: 'ringing', at: 1, also })));
  });
  const header = `Authorization: Bearer ${a.token}`;
  const open = () => opened(url, '/api/v1/voice', header, t.after.bind(t));
  // The fifth at once: while the four hold the budget.
  const statuses = await Promise.all(Array.from({ length: 5 }, open));
  assert.deepEqual(statuses.sort(), [200, 200, 200, 200, 429]);
  const isAnswered = async () => (await ask('/voice?search=request&search_term=c399', a)).status === 200;
  await until('the readers that stand still to be disconnected', isAnswered);
});
