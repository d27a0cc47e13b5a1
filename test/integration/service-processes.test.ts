import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { mulberry } from '../../src/ami/mulberry.ts';
import { type CallStatus, callStatuses } from '../../src/api/contract/call-event.ts';
import { makeKeys } from '../../src/service/keys.ts';
import type { SpanFigures } from '../../src/service/reports/tally.ts';
import { serverSecret } from '../../src/service/server-secret.ts';
import { openStore } from '../../src/service/store/open-store.ts';
import { openSqliteStore } from '../../src/service/store/sqlite-store.ts';
import type { CallFilter, Store } from '../../src/service/store/store.ts';
import { type Cluster, freePort, postgresImpossible, startCluster } from '../postgres/cluster.ts';
import { type ServiceProcess, startNginx, startProcess } from '../postgres/site.ts';
import { callers, event, stateFolder } from './service-harness.ts';
import { bearer, screenEvents } from './service-stream.ts';

const skip = (await postgresImpossible()) ?? false;
const CALLS = 1000;
const CLIENTS = 50;

/**
 * Several service processes on one database, behind nginx: events of the same calls come from many clients, in any
 * order, again and again, and reach different processes at the same moment.
 */
describe('several processes on one database are as one', { skip }, () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await startCluster();
  });
  after(() => cluster.remove());

  for (const processes of [2, 3, 4])
    test(`${processes} processes: calls, activity and figures are those of one that replays the history`, async (t) => {
      const site = await startSite(t, await cluster.database(), processes);
      const screens = site.services.map((service) => watch(t, service.url, site.token));
      await Promise.all(screens.map(({ open }) => open));

      const { post } = callers(site.url);
      const queues = events(processes);
      await Promise.all(
        queues.map(async (queue) => {
          for (const body of queue) {
            const { status, text } = await post(site.token, body);
            assert.equal(status, 200, text);
          }
        }),
      );

      const { store } = site;
      const replayed = await replay(t, store);
      assert.deepEqual(await everything(store), await everything(replayed));
      const calls = await allCalls(store);
      assert.equal(calls.length, CALLS);
      for (const { saw, seen } of screens) {
        await saw(calls);
        for (const states of seen.values())
          assert.deepEqual(states, [...new Set(states)].sort(byOrder), 'a call moves forward only');
      }
    });

  test('with no notification at all, a screen sees every call all the same', async (t) => {
    const nobody = `postgres://pbx@127.0.0.1:${await freePort()}/none`;
    const site = await startSite(t, await cluster.database(), 2, nobody);
    const [first, second] = site.services as [ServiceProcess, ServiceProcess];
    const screen = watch(t, second.url, site.token);
    await screen.open;
    const { post } = callers(first.url);
    for (const status of callStatuses) await post(site.token, event({ id: 'one', status }));
    await screen.saw([{ id: 'one', status: 'completed' }]);
  });

  test('processes that start at the same moment make one first account, and another secret is refused', async (t) => {
    const database = await cluster.database();
    const stateDir = stateFolder(t);
    serverSecret(stateDir);
    const services = await Promise.all([1, 2, 3].map(() => startProcess(stateDir, database)));
    t.after(() => Promise.all(services.map((service) => service.stop())));
    const store = await storeOf(stateDir, database);
    t.after(() => store.close());
    assert.equal((await store.directory.read(0))?.directory.accounts.length, 1);
    await assert.rejects(storeOf(stateFolder(t), database), /server secret is not the one/);
  });
});

const storeOf = (stateDir: string, url: string) =>
  openStore(
    { stateDir, database: { url, listenUrl: undefined, connections: 4 }, retention: {} },
    makeKeys(serverSecret(stateDir)),
  );

/** Processes on one database and one secret, behind nginx; stopped after the test. */
async function startSite(t: TestContext, database: string, processes: number, listenUrl?: string) {
  const stateDir = stateFolder(t);
  const keys = makeKeys(serverSecret(stateDir));
  const services = await Promise.all(
    Array.from({ length: processes }, () => startProcess(stateDir, database, listenUrl)),
  );
  const nginx = await startNginx(services.map(({ url }) => url));
  const store = await storeOf(stateDir, database);
  t.after(async () => {
    await store.close();
    await nginx.stop();
    await Promise.all(services.map((service) => service.stop()));
  });
  await addCustomers(store);
  const [integration] = (await store.directory.read(0))?.directory.integrations ?? [];
  assert.ok(integration);
  return {
    services,
    url: nginx.url,
    token: keys.integrationToken(integration),
    store,
  };
}

async function addCustomers(store: Store): Promise<void> {
  await store.customers.putSegment(1, { name: 'VIP', priority: 10 });
  await store.customers.put(1, [
    { reference: '1', name: 'Ann', segment: 'VIP', numbers: ['+4930901820'] },
    { reference: '2', name: 'Bob', segment: null, numbers: ['110'] },
  ]);
}

/** What the clients send: events of every call, by several clients, in any order, some again. */
function events(seed: number): string[][] {
  const random = mulberry(seed);
  const pick = <T>(items: readonly T[]) => items[Math.floor(random() * items.length)] as T;
  const queues: string[][] = Array.from({ length: CLIENTS }, () => []);
  for (let call = 0; call < CALLS; call += 1) {
    const told = 1 + Math.floor(random() * 5);
    for (let n = 0; n < told; n += 1) {
      const body = {
        id: `call-${call}`,
        status: pick(callStatuses),
        from: pick(['+4930901820', '110', '+31201234567']),
        ...(random() < 0.5 && { caller_id: pick(['1001', '1002']) }),
      };
      // Beside each other in time, so that they meet.
      pick(queues).push(JSON.stringify(event(body)));
    }
  }
  return queues;
}

/** A screen of one process; `saw` waits until it has seen how far each of the calls is. */
function watch(t: TestContext, url: string, token: string) {
  const seen = new Map<string, CallStatus[]>();
  const { promise: open, resolve } = Promise.withResolvers<void>();
  const stream = screenEvents(url, bearer(token));
  let look = () => {};
  const listening = (async () => {
    for await (const heard of stream) {
      if (heard.event === 'calls') resolve();
      else seen.set(heard.call.id, [...(seen.get(heard.call.id) ?? []), heard.call.status as CallStatus]);
      look();
    }
  })();
  t.after(() => listening);
  const saw = (calls: readonly { id: string; status: CallStatus }[]) =>
    new Promise<void>((done) => {
      look = () => {
        if (calls.every(({ id, status }) => seen.get(id)?.at(-1) === status)) done();
      };
      look();
    });
  return { seen, open, saw };
}

/** The history, told again to one process on SQLite, in the order in which it was recorded. */
async function replay(t: TestContext, store: Store): Promise<Store> {
  const replayed = await openSqliteStore(join(stateFolder(t), 'service.db'));
  t.after(() => replayed.close());
  await replayed.directory.addAccount({ uid: 'a', name: 'Main', country: 'DE' });
  await replayed.directory.addIntegration({ uid: 'i', account: 1, name: 'Phone system', createdAt: 0 });
  await addCustomers(replayed);
  const entries = await Array.fromAsync(store.requests.all({ account: 1, search: null, order: 'oldest' }));
  for (const entry of entries.flat().sort((a, b) => a.id - b.id)) {
    const { id, status, from, caller_id } = JSON.parse(entry.request as string);
    await replayed.requests.record({
      ...entry,
      account: 1,
      began: 0,
      callId: id,
      event: { id, status, from, country: 'DE', callerId: caller_id ?? null },
      watched: false,
    });
  }
  return replayed;
}

const any: CallFilter = {
  number: null,
  customer: null,
  extension: null,
  outcome: null,
  since: null,
  until: null,
};

async function allCalls(store: Store) {
  const calls = [];
  let from = null;
  do {
    const page = await store.calls.page({ account: 1, filter: any, towards: 'newer', from, limit: 500 });
    calls.push(...page.calls);
    from = page.next;
  } while (from !== null);
  return calls.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** All that the screens, the activity and the reports show, and how much history there is. */
async function everything(store: Store) {
  const calls = await allCalls(store);
  const since = Math.min(...calls.map(({ startedAt }) => startedAt));
  const spans = [-2, -1, 0, 1].map((hour) => ({
    since: (Math.floor(since / 3_600_000) + hour) * 3_600_000,
    until: (Math.floor(since / 3_600_000) + hour + 1) * 3_600_000,
  }));
  const figures = await Array.fromAsync(store.reports.figures(1, spans));
  const { total } = await store.requests.page({
    account: 1,
    search: null,
    order: 'oldest',
    offset: 0,
    limit: 1,
  });
  return { calls, figures: figures.map(sorted), total, use: await store.requests.use(1, 0) };
}

/** Groups are in no order. */
function sorted(figures: SpanFigures): SpanFigures {
  const byName = (groups: SpanFigures['segments']) => groups.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { ...figures, extensions: byName(figures.extensions), segments: byName(figures.segments) };
}

const byOrder = (x: CallStatus, y: CallStatus) => callStatuses.indexOf(x) - callStatuses.indexOf(y);
