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

  const given = { reference: '7', name: 'Maria Stern', segment: 'VIP', numbers: '030 23125000' };
  await anna.send('/customers/save', given);
  await isKnown('Maria Stern', 'VIP');
  await anna.send('/customers/save', { ...given, before: '7', numbers: '030 999' });
  await isKnown(null);
  const table = 'reference,name,segment,numbers\n7,Eva Stern,VIP,030 23125000\n';
  await anna.send('/customers/import', { table, confirmed: 'yes' });
  await isKnown('Eva Stern', 'VIP');
  await ask(`${url}/admin/segments/VIP`, { token: a.admin, method: 'DELETE' });
  await isKnown('Eva Stern');
  await anna.send('/customers/remove', { reference: '7' });
  await isKnown(null);
});
