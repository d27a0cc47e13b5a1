import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { until } from '../../../test/tools/until.ts';
import type { Session } from '../accounts/user.ts';
import type { CallSlice } from '../calls/call-slices.ts';
import type { Store } from '../database/store.ts';
import { appOn, directoryOf, keys } from './app.fixture.ts';

/** A service with one account and two users, whose large reads wait until the test lets them go on. */
async function serve(t: TestContext, { numbers = [] as readonly string[] } = {}) {
  const go = Promise.withResolvers<void>();
  const reads = { asked: 0, begun: 0, running: 0, most: 0 };
  async function slowly() {
    reads.begun += 1;
    reads.running += 1;
    reads.most = Math.max(reads.most, reads.running);
    await go.promise;
    reads.running -= 1;
    return [];
  }
  /** How many numbers each question about callers was asked with. */
  const questions: number[] = [];
  function asked<T>(given: readonly string[], answer: T): T {
    questions.push(given.length);
    return answer;
  }
  /** In which turn of the event loop each page with a missed person was made. */
  const made: number[] = [];
  let turn = 0;
  let isOver = false;
  const count = () => {
    turn += 1;
    if (!isOver) setImmediate(count);
  };
  count();
  t.after(() => {
    isOver = true;
  });
  const missedCaller = {
    call: {
      number: '+4930901820',
      customer: null,
      priority: null,
      startedAt: 1,
      completedAt: 2,
      get segment() {
        made.push(turn);
        return null;
      },
    },
    calls: [{ since: 1, until: 2, count: 1 }],
    answered: null,
  };
  const user = (id: number) => ({
    id,
    uid: String(id).repeat(16),
    account: 1,
    name: `User ${id}`,
    signInName: `user${id}`,
    role: 'administrator' as const,
    language: 'en',
    password: 'x',
    secondFactor: null,
    createdAt: 0,
    linkCounter: 0,
    bar: null,
  });
  const session: Session = {
    id: 's',
    user: user(1),
    openedAt: 0,
    usedAt: 0,
    address: '',
    browser: '',
  };
  const store = {
    directory: directoryOf(),
    requests: { use: async () => [] },
    users: { session: async () => session, list: async () => [user(1), user(2)] },
    audit: { write: async () => {} },
    calls: {
      distinct: async () => [],
      page: async ({ filter }: CallSlice) => ({
        calls: filter.customer || filter.number ? [] : await slowly(),
        next: null,
        back: null,
      }),
    },
    customers: {
      async offeredSegments() {
        reads.asked += 1;
        return [];
      },
      segments: async () => [],
      get: async () => ({ reference: 'k', name: 'K', segment: null, numbers }),
      page: async () => ({ customers: await slowly(), next: null }),
      put: async () => [null],
      matching: slowly,
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
    callers: {
      missedCallers: async () => ({ callers: [missedCaller, ...(await slowly())], more: false }),
      missedAmong: async (_account: number, _since: number, given: readonly string[]) => asked(given, []),
      newestNotes: async (_account: number, given: readonly string[]) => asked(given, []),
      promises: async (_account: number, { among: given = [] as readonly string[] }) => asked(given, []),
      actions: async (_account: number, { numbers: given = [] as readonly string[] }) => asked(given, []),
      callTimes: async (_account: number, given: readonly string[]) => asked(given, []),
      lastCalls: async (_account: number, given: readonly string[]) => asked(given, new Map()),
    },
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
  /** Looks at a table before it is imported. `csv`: a stream is sent as it comes. */
  const preview = (csv: string | ReadableStream, signal?: AbortSignal) =>
    fetch(`${base}/customers/import`, {
      method: 'POST',
      headers: {
        cookie: 'pbx-bridge-session=x',
        origin: base,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body:
        typeof csv === 'string'
          ? `${new URLSearchParams({ token: keys.sign('form', 's'), table: csv })}`
          : csv,
      ...(typeof csv !== 'string' && { duplex: 'half' as const }),
      ...(signal && { signal }),
    });
  const post = (path: string, fields: Record<string, string>, signal?: AbortSignal) =>
    fetch(base + path, {
      method: 'POST',
      headers: { cookie: 'pbx-bridge-session=x', origin: base },
      body: new URLSearchParams({ ...fields, token: keys.sign('form', session.id) }),
      ...(signal && { signal }),
    });
  const connections = () => promisify(app.server.getConnections.bind(app.server))();
  return { get, post, preview, reads, questions, made, connections, go: () => go.resolve() };
}

/** Long enough for what should not begin. */
const pause = () => new Promise((resolve) => setTimeout(resolve, 300));

/** Has `count` requests worked on and two more that leave: shows that no others begin, nor work for clients that left. */
async function atATime(
  most: number,
  { reads, connections, go }: Pick<Awaited<ReturnType<typeof serve>>, 'reads' | 'connections' | 'go'>,
  send: (signal?: AbortSignal) => Promise<Response>,
): Promise<Response[]> {
  const left = new AbortController();
  const stay = Array.from({ length: most }, () => send());
  await until('the reads', async () => reads.begun === most);
  const gone = [send(left.signal), send(left.signal)].map((one) =>
    one.then((answer) => answer.text()).catch(() => 'gone'),
  );
  await until('all requests', async () => (await connections()) === most + 2);
  await pause();
  assert.equal(reads.most, most);
  left.abort();
  assert.deepEqual(await Promise.all(gone), ['gone', 'gone']);
  await until('the end of two', async () => (await connections()) === most);
  await pause();
  go();
  const answers = await Promise.all(stay);
  await Promise.all(answers.map((answer) => answer.text()));
  assert.equal(reads.begun, most);
  return answers;
}

for (const path of ['/reports', '/reports.csv'])
  test(`${path} is read for three of an account at a time, and not for who has left`, async (t) => {
    const { get, ...served } = await serve(t);
    const [first] = await atATime(3, served, (signal) => get(path, signal));
    assert.equal((await get(path)).status, first?.status);
  });

const searches = ['/customers?q=word', '/person?customer=k&edit&same=word'] as const;
for (const path of searches)
  test(`${path} searches for three of an account at a time, and not for who has left`, async (t) => {
    const { get, ...served } = await serve(t);
    await atATime(3, served, (signal) => get(path, signal));
  });

test('POST /person/name is done for one of an account at a time, and not for who has left', async (t) => {
  const { post, ...served } = await serve(t);
  await atATime(1, served, (signal) => post('/person/name', { number: '+4930901820', name: 'word' }, signal));
});

test('the page of a person asks few questions, about two hundred numbers at most', async (t) => {
  const numbers = Array.from({ length: 10_000 }, (_, n) => `+49309${10_000_000 + n}`);
  const { get, questions } = await serve(t, { numbers });
  const forms = ['/person?customer=k', '/person?customer=k&edit'];
  for (const path of forms) {
    const answer = await get(path);
    assert.equal(answer.status, 200);
    assert.ok((await answer.text()).split('+49309').length <= 1_000);
    assert.deepEqual(questions.splice(0).toSorted(), [0, 0, 200, 200, 200, 200, 200]);
  }
});

test('all who ask for /call-back while it is read share the next reading, and a page has a turn of its own', async (t) => {
  const { get, reads, made, go } = await serve(t);
  const first = get('/call-back');
  await until('a reading', async () => reads.begun === 1);
  const others = Array.from({ length: 2 }, () => get('/call-back'));
  await until('all others', async () => reads.asked === 3);
  go();
  for (const page of await Promise.all([first, ...others])) assert.match(await page.text(), /30 901820/);
  assert.deepEqual([reads.begun, reads.most], [2, 1]);
  assert.equal(made.length, 3);
  assert.equal(new Set(made).size, 3);
});

for (const path of ['/calls.csv', '/customers/export'])
  test(`${path} is downloaded four times at a time at most, and again when one has ended`, async (t) => {
    const { get, reads, go } = await serve(t);
    const four = Array.from({ length: 4 }, () => get(path));
    await until('the downloads', () => reads.begun === 4);
    const refused = await get(path);
    assert.equal(refused.status, 429);
    assert.match(await refused.text(), /Too many at a time \(at most 4\)/);
    go();
    for (const one of four) assert.equal((await (await one).text()).length > 0, true);
    await until('room for a download', async () => (await get(path)).status === 200);
  });

test('an import is one at a time, also while it goes on for somebody who has left', async (t) => {
  const { preview, reads, connections, go } = await serve(t);
  const table = 'reference,numbers\n7,110\n';
  const left = new AbortController();
  const first = preview(table, left.signal).catch(() => 'gone');
  await until('the first to be read', async () => reads.begun === 1);
  left.abort();
  assert.equal(await first, 'gone');
  await until('its end at the service', async () => (await connections()) === 0);
  assert.equal((await preview(table)).status, 429);
  go();
  await until('its end', async () => (await preview(table)).status === 200);

  // One that breaks off while its table arrives has not begun.
  const gone = new AbortController();
  const arriving = new ReadableStream({
    start: (controller) => controller.enqueue(Buffer.from('table=reference')),
  });
  const broken = preview(arriving, gone.signal).catch(() => 'gone');
  await until('the beginning of a table', async () => (await preview(table)).status === 429);
  gone.abort();
  assert.equal(await broken, 'gone');
  await until('room for an import', async () => (await preview(table)).status === 200);
});
