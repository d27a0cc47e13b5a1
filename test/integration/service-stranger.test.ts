import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { form, person, visitor } from './people.ts';
import { event, serve } from './service-harness.ts';
import { type ScreenEvent, screenEvents } from './service-stream.ts';

const stranger = '+493023125000';

/** A service with a colleague's screen, and a stranger who was answered before, was missed before, and rings now. */
async function scene(t: TestContext) {
  const served = await serve(t);
  const { a, url, ask } = served;
  for (const name of ['Anna', 'Bert']) await person(served, { name, role: 'administrator' });
  const [anna, bert] = [await visitor(served, 'Anna'), await visitor(served, 'Bert')];
  for (const [id, statuses] of [
    ['before', ['ringing', 'answered', 'completed']],
    ['missed', ['ringing', 'completed']],
    ['now', ['ringing']],
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

  const read = async (path: string) => (await ask(url + path, { headers: { cookie: bert.cookie } })).text;
  /** The customers that a page has links to. */
  const onPage = async (path: string) =>
    Array.from(
      (await read(path)).matchAll(/href="\/customers\/edit\?reference=[^"]*"><bdi>([^<]*)</g),
      ([, name]) => name,
    );
  return {
    ...served,
    save: (fields: Record<string, string>, path = '/customers/save') =>
      ask(url + path, form(url, { token: anna.token, ...fields }, { cookie: anna.cookie })),
    /** The colleague's screen and pages show the calls of the stranger with this name and segment. */
    async isKnown(name: string | null, segment: string | null = null): Promise<void> {
      const who = (
        calls: readonly { id: string; customer: { name: string } | null; segment: string | null }[],
        of: string,
      ) => {
        const call = calls.find(({ id }) => id === of);
        return [call?.customer?.name ?? null, call?.segment];
      };
      assert.deepEqual(who((await next('customers')).calls, 'now'), [name, segment], 'while it rings');
      assert.deepEqual(who((await next('missed')).missed, 'missed'), [name, segment], 'to be called back');
      const times = (count: number) => Array(name === null ? 0 : count).fill(name);
      assert.deepEqual(await onPage('/calls'), times(3));
      assert.deepEqual(await onPage('/call-back'), times(1));
      assert.deepEqual(await onPage(`/callers?${new URLSearchParams({ number: stranger })}`), times(4));
      assert.deepEqual(await onPage('/calls/details?id=before'), times(3));
      assert.deepEqual(await onPage('/calls?q=stern'), times(3));
      assert.deepEqual(await onPage('/calls?customer=7'), times(3));
      assert.deepEqual(await onPage('/calls?segment=VIP'), segment === 'VIP' ? times(3) : []);
      assert.equal((await read('/reports')).includes('Stern'), name !== null);
    },
  };
}

test('whoever has a number now is who called, at once and on every page, however the customer was changed', async (t) => {
  const { isKnown, save, a, ask, url } = await scene(t);
  const administer = (method: string, path: string, body?: unknown) =>
    ask(`${url}/admin${path}`, {
      ...{ token: a.admin, method, body },
      ...(typeof body === 'string' && { headers: { 'content-type': 'text/csv' } }),
    });
  const given = { reference: '7', name: 'Maria Stern', segment: 'VIP', numbers: '030 23125000' };
  const change = { ...given, before: '7' };

  assert.equal((await save(given)).status, 303);
  await isKnown('Maria Stern', 'VIP');
  await save({ ...change, name: 'Anna Stern', segment: '' });
  await isKnown('Anna Stern');
  await save({ ...change, numbers: '030 999' });
  await isKnown(null);
  const csv = (name: string) => `reference,name,segment,numbers\n7,${name},VIP,030 23125000\n`;
  assert.equal((await administer('POST', '/customers', csv('Eva Stern'))).status, 200);
  await isKnown('Eva Stern', 'VIP');
  assert.equal((await administer('DELETE', '/segments/VIP')).status, 204);
  await isKnown('Eva Stern');
  assert.equal((await administer('PUT', '/segments/VIP', { priority: 3 })).status, 200);
  await isKnown('Eva Stern');
  await save({ table: csv('Olga Stern'), confirmed: 'yes' }, '/customers/import');
  await isKnown('Olga Stern', 'VIP');
  await save({ reference: '7' }, '/customers/remove');
  await isKnown(null);
});
