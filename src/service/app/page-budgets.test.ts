import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { until } from '../../../test/until.ts';
import type { Session } from '../accounts/user.ts';
import type { Store } from '../database/store.ts';
import { appOn, directoryOf } from './app.fixture.ts';

/** A service with one account and two users, whose large reads wait until the test lets them go on. */
async function serve(t: TestContext) {
  const go = Promise.withResolvers<void>();
  const reads = { begun: 0, running: 0, most: 0 };
  async function slowly() {
    reads.begun += 1;
    reads.running += 1;
    reads.most = Math.max(reads.most, reads.running);
    await go.promise;
    reads.running -= 1;
    return [];
  }
  const user = (id: number) => ({
    ...{ id, uid: String(id).repeat(16), account: 1, name: `User ${id}`, signInName: `user${id}` },
    ...{ role: 'administrator' as const, language: 'en', password: 'x', secondFactor: null },
    ...{ createdAt: 0, bar: null },
  });
  const session: Session = {
    ...{ id: 's', user: user(1), openedAt: 0, usedAt: 0, address: '', browser: '' },
  };
  const store = {
    directory: directoryOf(),
    requests: { use: async () => [] },
    users: { session: async () => session, list: async () => [user(1), user(2)] },
    audit: { write: async () => {} },
    calls: {
      distinct: async () => [],
      page: async () => ({ calls: await slowly(), next: null, back: null }),
    },
    customers: {
      offeredSegments: async () => [],
      async *all() {
        yield await slowly();
      },
    },
    reports: {
      // biome-ignore lint/correctness/useYield: the test ends before there are figures.
      async *figures() {
        await slowly();
        throw new Error('no figures');
      },
    },
    callers: { missedCallers: slowly, actions: async () => [] },
  } as unknown as Store;
  const { app } = await appOn(store);
  t.after(() => app.close());
  t.after(() => go.resolve());
  const base = await app.listen({ port: 0, host: '127.0.0.1' });
  const get = (path: string, signal?: AbortSignal) =>
    fetch(base + path, {
      headers: { cookie: 'pbx-bridge-session=x' },
      ...(signal && { signal }),
    });
  return { get, reads, go: () => go.resolve() };
}

/** Long enough for what should not begin. */
const pause = () => new Promise((resolve) => setTimeout(resolve, 300));

for (const path of ['/call-back', '/reports', '/reports.csv'])
  test(`${path} is read for two of an account at a time, and not for who has left`, async (t) => {
    const { get, reads, go } = await serve(t);
    const left = new AbortController();
    const stay = [get(path), get(path)];
    await until('two reads', async () => reads.begun === 2);
    const gone = [get(path, left.signal), get(path, left.signal)].map((one) => one.catch(() => 'gone'));
    await pause();
    assert.equal(reads.most, 2);
    left.abort();
    assert.deepEqual(await Promise.all(gone), ['gone', 'gone']);
    await pause();
    go();
    await Promise.all(stay.map(async (one) => (await one).text()));
    const { begun } = reads;
    assert.equal((await get(path)).status, (await Promise.all(stay))[0]?.status);
    assert.equal(begun, 2);
  });

for (const path of ['/calls.csv', '/customers/export'])
  test(`${path} is downloaded four times at a time at most, and again when one has ended`, async (t) => {
    const { get, reads, go } = await serve(t);
    const four = Array.from({ length: 4 }, () => get(path));
    await until('the downloads', async () => reads.begun >= (path === '/calls.csv' ? 4 : 0));
    await pause();
    const refused = await Promise.race([get(path), pause().then(() => null)]);
    assert.equal(refused?.status, 429);
    assert.match(await refused.text(), /Too many at a time \(at most 4\)/);
    go();
    for (const one of four) assert.equal((await (await one).text()).length > 0, true);
    await until('room for a download', async () => (await get(path)).status === 200);
  });
