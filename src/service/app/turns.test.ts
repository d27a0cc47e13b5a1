import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { certificate } from '../../../test/tools/service/certificate.ts';
import { until } from '../../../test/tools/until.ts';
import type { Store } from '../database/store.ts';
import { appOn, directoryOf, keys, phoneSystem } from './app.fixture.ts';

/** A service with two accounts: what the first reads and changes waits until the test lets it go on. */
async function serve(t: TestContext) {
  const go = Promise.withResolvers<void>();
  const work = { begun: [] as string[], running: 0, most: 0 };
  async function slowly<T>(account: number, what: string, answer: T): Promise<T> {
    work.begun.push(`${account} ${what}`);
    if (account !== 1) return answer;
    work.running += 1;
    work.most = Math.max(work.most, work.running);
    await go.promise;
    work.running -= 1;
    return answer;
  }
  const store = {
    directory: {
      ...directoryOf(phoneSystem),
      saveBridgeReport: () => slowly(1, 'change', undefined),
      saveCertificate: () => slowly(1, 'change', undefined),
    },
    requests: { use: async () => [], record: async () => ({ moved: true, call: undefined }) },
    audit: { write: async () => {} },
    calls: { byId: (account: number) => slowly(account, 'read', []) },
    otherProcesses: { tellWho: (account: number) => slowly(account, 'change', undefined) },
    callers: {
      missedCallers: (account: number) => slowly(account, 'read', { callers: [], more: false }),
      promises: async () => [],
      newestNotes: async () => [],
      actions: async () => [],
      hasReport: (account: number) => slowly(account, 'change', true),
    },
    customers: {
      segments: (account: number) => slowly(account, 'read', []),
      segment: async () => undefined,
      putSegment: (account: number) => slowly(account, 'change', undefined),
      removeSegment: (account: number) => slowly(account, 'long', true),
      whoCalls: async () => ({ name: null }),
    },
  } as unknown as Store;
  const { app } = await appOn(store);
  t.after(() => app.close());
  t.after(() => go.resolve());
  const base = await app.listen({ port: 0, host: '127.0.0.1' });
  const adminToken = (uid: string) => keys.adminToken({ uid, tokenCounter: 1 });
  const tokens = { a: adminToken('0'.repeat(16)), b: adminToken('9'.repeat(16)) };
  const ask = (token: string, method: string, path: string, also: RequestInit = {}) =>
    fetch(base + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'application/json',
        'content-type': 'application/json',
      },
      ...also,
    });
  const admin = (of: 'a' | 'b', method: string, path: string, also?: RequestInit) =>
    ask(tokens[of], method, `/admin${path}`, also);
  const bridge = (method: string, path: string, also?: RequestInit) =>
    ask(keys.integrationToken({ uid: '1'.repeat(16), tokenCounter: 1 }), method, `/api/v1${path}`, also);
  const lookUp = () => bridge('GET', '/voice/priority?number=%2B4930901820');
  const connections = () => promisify(app.server.getConnections.bind(app.server))();
  return { admin, bridge, lookUp, work, connections, go: () => go.resolve() };
}

const times = <T>(count: number, send: () => T): T[] => Array.from({ length: count }, send);

test('many requests of one account wait for each other, and those of others do not', async (t) => {
  const { admin, lookUp, work, connections, go } = await serve(t);
  const body = JSON.stringify({ priority: 1 });
  const all = [
    ...times(10, () => admin('a', 'GET', '/segments')),
    ...times(10, () => admin('a', 'PUT', '/segments/x', { body })),
    ...times(10, () => admin('a', 'DELETE', '/segments/x')),
  ];
  await until('all requests', async () => (await connections()) === all.length);
  await until('the first of them', () => work.running === 6);
  assert.equal((await admin('b', 'GET', '/segments')).status, 200);
  assert.equal((await admin('b', 'PUT', '/segments/x', { body })).status, 200);
  assert.equal((await admin('b', 'DELETE', '/segments/x')).status, 204);
  assert.equal((await lookUp()).status, 200);
  assert.deepEqual(
    ['read', 'change', 'long'].map((what) => work.begun.filter((one) => one === `1 ${what}`).length),
    [3, 1, 2],
  );
  go();
  const statuses = (await Promise.all(all)).map(({ status }) => status);
  assert.deepEqual(Map.groupBy(statuses, String).keys().toArray().sort(), ['200', '204']);
  assert.equal(work.most, 6);
});

test('what a client has left is not begun, and a HEAD takes one turn', async (t) => {
  const { admin, work, connections, go } = await serve(t);
  const running = times(3, () => admin('a', 'HEAD', '/segments'));
  await until('the first', () => work.running === 3);
  const left = new AbortController();
  const gone = times(4, () => admin('a', 'GET', '/segments', { signal: left.signal }).catch(() => 'gone'));
  await until('the others', async () => (await connections()) === 7);
  left.abort();
  assert.deepEqual(
    await Promise.all(gone),
    times(4, () => 'gone'),
  );
  await until('their end at the service', async () => (await connections()) === 3);
  assert.equal((await admin('b', 'GET', '/segments')).status, 200);
  go();
  assert.deepEqual(
    (await Promise.all(running)).map(({ status }) => status),
    [200, 200, 200],
  );
  assert.equal((await admin('a', 'GET', '/segments')).status, 200);
  assert.deepEqual(work.begun, ['1 read', '1 read', '1 read', '2 read', '1 read']);
});

test('when too many wait, the others get a time to retry after', async (t) => {
  const { admin, work, go } = await serve(t);
  const answers: Response[] = [];
  const all = times(210, async () => answers.push(await admin('a', 'DELETE', '/segments/x')));
  await until('those that are too many', () => answers.length === 8);
  const [refused] = answers;
  assert.deepEqual([refused?.status, refused?.headers.get('retry-after')], [429, '5']);
  assert.deepEqual(await refused?.json(), { message: 'Too many at the moment. Try again.' });
  assert.equal(work.running, 2);
  go();
  await Promise.all(all);
  const statuses = answers.map(({ status }) => status);
  assert.deepEqual(statuses, [...Array(8).fill(429), ...Array(202).fill(204)]);
});

const outcome = { id: 'o', number: '+4930901820', ended_ago: 0 };
for (const [method, path, running, body] of [
  ['POST', '/bridge/health', 1, { problems: [] }],
  ['POST', '/bridge/calls', 1, { calls: [] }],
  ['POST', '/bridge/call-backs', 1, outcome],
  ['POST', '/bridge/certificate', 1, certificate()],
  ['GET', '/bridge/calls?from=a&to=b', 3],
  ['GET', '/bridge/call-backs', 3],
] as const)
  test(`${method} ${path} takes a turn, and too many are refused`, async (t) => {
    const { bridge, lookUp, work, go } = await serve(t);
    const answers: Response[] = [];
    const send = async () =>
      answers.push(await bridge(method, path, body === undefined ? {} : { body: JSON.stringify(body) }));
    const all = times(running + 200 + 8, send);
    await until('those that are too many', () => answers.length === 8);
    assert.equal(answers[0]?.headers.get('retry-after'), '5');
    assert.ok(work.running > 0);
    assert.equal((await lookUp()).status, 200);
    go();
    await Promise.all(all);
    const statuses = answers.map(({ status }) => status);
    assert.deepEqual(statuses, [...Array(8).fill(429), ...Array(running + 200).fill(200)]);
  });
