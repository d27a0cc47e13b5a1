import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browse } from './people.ts';
import { event, serve } from './service-harness.ts';
import { type ScreenEvent, screenEvents } from './service-stream.ts';

const stranger = '+493023125000';

test('whoever has a number now is who called, at once and on every page, however the customer was changed', async (t) => {
  const served = await serve(t);
  const { a, ask, url } = served;
  const anna = await browse(served, 'Anna');
  const bert = await browse(served, 'Bert');
  // Answered before, missed before, and ringing now.
  for (const [id, ...statuses] of [
    ['before', 'ringing', 'answered', 'completed'],
    ['missed', 'ringing', 'completed'],
    ['now', 'ringing'],
  ] as const)
    for (const status of statuses) await served.post(a.token, event({ id, from: stranger, status }));

  const screen = screenEvents(url, { cookie: bert.cookie });
  t.after(() => screen.return(undefined));
  async function next<E extends ScreenEvent['event']>(wanted: E) {
    for await (const heard of { [Symbol.asyncIterator]: () => ({ next: () => screen.next() }) })
      if (heard.event === wanted) return heard as Extract<ScreenEvent, { event: E }>;
    throw new Error('the stream has ended');
  }
  await next('calls');

  /** Bert's screen and pages show the calls of the stranger with this name and segment. */
  async function isKnown(name: string | null, segment: string | null = null): Promise<void> {
    type Shown = { id: string; customer: { name: string } | null; segment: string | null };
    const who = (calls: readonly Shown[], id: string) => {
      const call = calls.find((one) => one.id === id);
      return [call?.customer?.name ?? null, call?.segment];
    };
    assert.deepEqual(who((await next('customers')).calls, 'now'), [name, segment], 'while it rings');
    assert.deepEqual(who((await next('missed')).missed, 'missed'), [name, segment], 'to be called back');
    for (const [path, count] of [
      ['/calls', 3],
      ['/call-back', 1],
      [`/callers?${new URLSearchParams({ number: stranger })}`, 4],
      ['/calls/details?id=before', 3],
      ['/calls?q=stern', 3],
      ['/calls?customer=7', 3],
      ['/calls?segment=VIP', segment === 'VIP' ? 3 : 0],
    ] as const) {
      const links = /href="\/customers\/edit\?reference=[^"]*"><bdi>([^<]*)</g;
      const names = Array.from((await bert.read(path)).text.matchAll(links), ([, shown]) => shown);
      assert.deepEqual(names, Array(name === null ? 0 : count).fill(name), path);
    }
    assert.equal((await bert.read('/reports')).text.includes('Stern'), name !== null);
  }

  const administer = async (method: string, path: string, body?: unknown) => {
    const headers = typeof body === 'string' ? { 'content-type': 'text/csv' } : {};
    const { status } = await ask(`${url}/admin${path}`, { token: a.admin, method, body, headers });
    assert.ok(status === 200 || status === 204, `${path}: ${status}`);
  };
  const csv = (name: string) => `reference,name,segment,numbers\n7,${name},VIP,030 23125000\n`;
  const given = { reference: '7', name: 'Maria Stern', segment: 'VIP', numbers: '030 23125000' };
  const change = { ...given, before: '7' };

  assert.equal((await anna.send('/customers/save', given)).status, 303);
  await isKnown('Maria Stern', 'VIP');
  await anna.send('/customers/save', { ...change, name: 'Anna Stern', segment: '' });
  await isKnown('Anna Stern');
  await anna.send('/customers/save', { ...change, numbers: '030 999' });
  await isKnown(null);
  await administer('POST', '/customers', csv('Eva Stern'));
  await isKnown('Eva Stern', 'VIP');
  await administer('DELETE', '/segments/VIP');
  await isKnown('Eva Stern');
  await administer('PUT', '/segments/VIP', { priority: 3 });
  await isKnown('Eva Stern');
  await anna.send('/customers/import', { table: csv('Olga Stern'), confirmed: 'yes' });
  await isKnown('Olga Stern', 'VIP');
  await anna.send('/customers/remove', { reference: '7' });
  await isKnown(null);
});
