import assert from 'node:assert/strict';
import { testOnEachDatabase as test } from '../tools/servers/each-database.ts';
import { event, serve } from '../tools/service/harness.ts';
import { browse, withStore } from '../tools/service/people.ts';
import { report } from '../tools/service/recorded-request.ts';
import { bearer, type ScreenEvent, screenEvents } from '../tools/service/stream.ts';
import { namesOf, startReceiver } from '../tools/service/webhook-receiver.ts';
import { until } from '../tools/until.ts';

const from = '+493023125000';

test('a call that was closed as missed, and whose bridge then delivers its answer and its end, is an answered one', async (t, database) => {
  const served = { ...(await serve(t, { database, webhookNetworks: ['127.0.0.1'] })), database };
  const { a, post, url } = served;
  const receiver = await startReceiver(t);
  await withStore(served, async (store) => {
    await store.webhooks.add({
      uid: 'w1',
      account: 1,
      url: receiver.url,
      since: 0,
      events: ['call.ringing', 'call.answered', 'call.missed', 'call.ended'],
    });
    await report(store, { id: 'lost', from, at: Date.now() - 240_000 });
  });
  const ada = await browse(served, 'Ada');
  const figures = async () => (await ada.read('/reports.csv')).text;

  const heard: { readonly user: ScreenEvent[]; readonly token: ScreenEvent[] } = { user: [], token: [] };
  const streams = [
    [heard.user, screenEvents(url, { cookie: ada.cookie })],
    [heard.token, screenEvents(url, bearer(a.token))],
  ] as const;
  const listening = streams.map(async ([events, stream]) => {
    for await (const one of stream) events.push(one);
  });
  await until('both streams', () => heard.user.length > 0 && heard.token.length > 0);
  const calls = (events: readonly ScreenEvent[]) =>
    events.flatMap((one) => (one.event === 'call' ? `${one.call.status} ${one.call.missed}` : []));
  const toCallBack = () => heard.user.flatMap((one) => ('count' in one ? one.count : [])).at(-1);

  assert.equal((await ada.send('/calls/close', { id: 'lost', from: 'now' })).status, 204);
  await until('the missed call on screens', () => toCallBack() === 1);
  assert.match((await ada.read('/call-back')).plain, /23125000/);
  const before = await figures();
  await receiver.until((all) => namesOf(all).includes('lost call.missed'));

  for (const status of ['answered', 'completed'])
    assert.equal((await post(a.token, event({ id: 'lost', from, status, caller_id: '1001' }))).status, 200);
  await until('nobody to call back on screens', () => toCallBack() === 0);
  const expected = ['completed true', 'answered null', 'completed false'];
  for (const events of [heard.user, heard.token])
    await until('the call on screens', () => calls(events).length === expected.length);
  assert.deepEqual([calls(heard.user), calls(heard.token)], [expected, expected]);
  assert.match((await ada.read('/call-back')).plain, /Nobody to call back/);
  const page = (await ada.read('/calls/details?id=lost')).plain;
  assert.match(page, /Answered/);
  assert.doesNotMatch(page, /Missed/);
  assert.notEqual(await figures(), before);
  const all = ['ringing', 'missed', 'answered', 'ended'].map((what) => `lost call.${what}`);
  await receiver.until(({ length }) => length >= all.length);
  assert.deepEqual(namesOf(receiver.received), all);
  assert.deepEqual(
    receiver.received.map(({ data }) => [data.status, data.missed]),
    [
      ['ringing', null],
      ['completed', true],
      ['answered', null],
      ['completed', false],
    ],
  );
  for (const [, stream] of streams) void stream.return(undefined);
  await served.service.stop();
  await Promise.all(listening);
});
