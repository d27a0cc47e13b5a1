import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browse } from './people.ts';
import { event, serve } from './service-harness.ts';
import { type ScreenEvent, screenEvents } from './service-stream.ts';

const stranger = '+493023125000';

/** Which calls show it, `service-store-who-calls.ts` tries. */
test('whoever has a number now is who called, on screens at once, however the customer was changed', async (t) => {
  const served = await serve(t);
  const { a, ask, url, post } = served;
  const anna = await browse(served, 'Anna');
  for (const [id, status] of [
    ['missed', 'completed'],
    ['now', 'ringing'],
  ])
    await post(a.token, event({ id, status, from: stranger }));
  const screen = screenEvents(url, { cookie: anna.cookie });
  t.after(() => screen.return(undefined));
  async function next<E extends ScreenEvent['event']>(wanted: E) {
    for await (const heard of { [Symbol.asyncIterator]: () => ({ next: () => screen.next() }) })
      if (heard.event === wanted) return heard as Extract<ScreenEvent, { event: E }>;
    throw new Error('the stream has ended');
  }
  await next('calls');
  async function isKnown(name: string | null, segment: string | null = null): Promise<void> {
    const shown = [...(await next('customers')).calls, ...(await next('missed')).missed];
    assert.deepEqual(
      shown.map((call) => [call.id, call.customer?.name ?? null, call.segment]),
      ['now', 'missed'].map((id) => [id, name, segment]),
    );
    assert.equal((await anna.read('/call-back')).plain.includes(name ?? 'Stern'), name !== null);
  }

  const given = { reference: '7', name: 'Maria Stern', segment: 'VIP', number: '030 23125000' };
  await anna.send('/person/save', given);
  await isKnown('Maria Stern', 'VIP');
  await anna.send('/person/save', { ...given, customer: '7', number: '030 999' });
  await isKnown(null);
  const table = 'reference,name,segment,numbers\n7,Eva Stern,VIP,030 23125000\n';
  await anna.send('/customers/import', { table, confirmed: 'yes' });
  await isKnown('Eva Stern', 'VIP');
  await ask(`${url}/admin/segments/VIP`, { token: a.admin, method: 'PUT', body: { priority: 20 } });
  assert.equal((await next('customers')).calls[0]?.priority, 20);
  await ask(`${url}/admin/segments/VIP`, { token: a.admin, method: 'DELETE' });
  await isKnown('Eva Stern');
  // A stranger gets a name in two presses: a new one, or that of a customer with another number.
  await anna.send('/person/save', { customer: '7', number: '' });
  await isKnown(null);
  const asked = await anna.send('/person/name', { number: stranger, name: 'eva stern' });
  assert.equal(asked.status, 200, 'the number is added after a question');
  assert.match(asked.text, /name="join" value="7"/);
  const joined = await anna.send('/person/name', { number: stranger, name: 'eva stern', join: '7' });
  assert.equal(joined.status, 303);
  await isKnown('Eva Stern');
  await anna.send('/person/save', { customer: '7', number: '' });
  await isKnown(null);
  await anna.send('/person/name', { number: stranger, name: 'Eva Stern', new: '1' });
  await isKnown('Eva Stern');
  const [, other = ''] = /customer=([0-9a-f]{16})/.exec((await anna.read('/customers')).text) ?? [];
  await anna.send('/person/merge', { customer: '7', other });
  assert.equal((await anna.read(`/person?customer=${other}`)).status, 404);
  await isKnown('Eva Stern');
  await anna.send('/person/remove', { customer: '7' });
  await isKnown(null);
});
