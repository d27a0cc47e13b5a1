import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PriorityResult } from '../../src/shared/api/contract/phone-number.ts';
import { event, serve } from '../tools/service/harness.ts';
import { bearer, openCalls, screenEvents } from '../tools/service/stream.ts';

test('two accounts with the same call ids, numbers and searches see nothing of each other', async (t) => {
  const { a, b, url, post, ask, history, page } = await serve(t);
  const streams = [a, b].map(({ token }) => screenEvents(url, bearer(token)));
  for (const stream of streams) await stream.next();

  for (const status of ['ringing', 'answered']) {
    await post(a.token, event({ id: 'same', status, caller_id: 'of a' }));
    await post(b.token, event({ id: 'same', status, caller_id: 'of b' }));
  }
  await post(a.token, event({ id: 'same', status: 'completed' }));
  await post(b.token, event({ id: 'last of b' }));

  const heard = async (
    stream: (typeof streams)[number] | undefined,
    last: (id: string, status: string) => boolean,
  ) => {
    const calls: string[] = [];
    for await (const message of stream ?? []) {
      if (message.event !== 'call') continue;
      const { id, status, caller_id, customer, segment } = message.call;
      assert.equal(customer, null, 'a phone system does not need the customers');
      calls.push(`${id} ${status} ${caller_id} ${segment}`);
      if (last(id, status)) return calls;
    }
    return calls;
  };
  assert.deepEqual(await heard(streams[0], (_id, status) => status === 'completed'), [
    'same ringing of a VIP',
    'same answered of a VIP',
    'same completed of a VIP',
  ]);
  assert.deepEqual(await heard(streams[1], (id) => id === 'last of b'), [
    'same ringing of b null',
    'same answered of b null',
    'last of b ringing null null',
  ]);

  assert.deepEqual(await openCalls(url, a.token), []);
  assert.deepEqual(
    (await openCalls(url, b.token)).map(({ id }) => id),
    ['same', 'last of b'],
  );
  assert.equal((await history(a.token)).length, 3);
  assert.equal((await page(a.token, '?search=request&search_term=same&limit=9')).meta.total, 3);
  assert.equal((await page(b.token, '?search=request&search_term=of&limit=9')).meta.total, 3);
  const found = async (token: string) => {
    const { json } = await ask('/voice/priority?number=030901820', { token });
    const { priority, segment, name, last_extension } = json as PriorityResult;
    return [priority, segment, name, last_extension];
  };
  assert.deepEqual(await found(a.token), [10, 'VIP', "Alpha's customer", 'of a']);
  assert.deepEqual(await found(b.token), [null, null, null, 'of b']);

  const admin = (path: string, token: string, method = 'GET') =>
    ask(`${url}/admin${path}`, { token, method, ...(method === 'PATCH' && { body: { enabled: false } }) });
  assert.match((await admin('/customers', b.admin)).text, /Beta/);
  assert.doesNotMatch((await admin('/customers', b.admin)).text, /Alpha/);
  const [own] = (await admin('/integrations', a.admin)).json as { uid: string }[];
  for (const [method, path] of [
    ['GET', ''],
    ['PATCH', ''],
    ['POST', '/rotate'],
  ] as const) {
    assert.equal((await admin(`/integrations/${own?.uid}${path}`, b.admin, method)).status, 404);
  }
  for (const token of [a.token, '', `${a.admin.slice(0, -1)}x`])
    assert.equal((await admin('/account', token)).status, 401);
  assert.equal(
    (await ask('/voice', { token: a.admin })).status,
    401,
    'an administration token posts nothing',
  );
  const stranger = await ask(`${url}/events`, { token: a.admin });
  assert.equal(stranger.status, 401);
});

test('a rotated or switched off token ends at once, and the others go on', async (t) => {
  const { a, url, ask, post } = await serve(t);
  const admin = (path: string, method = 'GET', body?: unknown) =>
    ask(`${url}/admin${path}`, { token: a.admin, method, body });
  const list = (await admin('/integrations')).json as { uid: string; name: string }[];
  const uid = list.find(({ name }) => name === 'PBX 1')?.uid;
  const screen = screenEvents(url, bearer(a.token));
  await screen.next();
  const { token } = (await admin(`/integrations/${uid}/rotate`, 'POST')).json as { token: string };
  assert.equal((await post(a.token, event())).status, 401);
  assert.equal((await post(token, event())).status, 200);
  assert.equal((await screen.next()).done, true, 'a screen that the old token opened receives nothing more');
  await admin(`/integrations/${uid}`, 'PATCH', { enabled: false });
  assert.equal((await post(token, event())).status, 401);
  assert.equal((await post(a.secondToken, event())).status, 200);
  await admin(`/integrations/${uid}`, 'PATCH', { enabled: true });
  assert.equal((await post(token, event())).status, 200);
});
