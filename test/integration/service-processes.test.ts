import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createKeys, serverSecret } from '../../src/service/accounts/keys.ts';
import { openPostgresStore } from '../../src/service/database/postgres-store.ts';
import { customer } from '../../src/service/people/customer.fixture.ts';
import { forgetNumber } from '../../src/service/people/forget-number.ts';
import { type CallStatus, callStatuses } from '../../src/shared/api/contract/call-status.ts';
import { freePort } from '../tools/free-port.ts';
import { seededRandom } from '../tools/player/seeded-random.ts';
import { type Cluster, postgresImpossible, startCluster } from '../tools/servers/cluster.ts';
import { allCalls, everything, replay } from '../tools/servers/replay.ts';
import { type ServiceProcess, startProcess, startSite, storeOf, watch } from '../tools/servers/site.ts';
import { callers, event, stateFolder } from '../tools/service/harness.ts';
import { until } from '../tools/until.ts';

const skip = (await postgresImpossible()) ?? false;
const CALLS = 400;
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

  for (const processes of [2, 4])
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

  test("an operator's token that is replaced is refused at every process", async (t) => {
    const { stateDir, services, store } = await startSite(t, await cluster.database(), 2);
    const keys = createKeys(serverSecret(stateDir));
    const answers = (counter: number) =>
      Promise.all(
        services.map(async ({ url }) => {
          const { ask } = callers(url);
          return (await ask(`${url}/admin/accounts`, { token: keys.operatorToken(counter) })).status;
        }),
      );
    assert.deepEqual([await answers(0), await answers(1)].flat(), [200, 200, 401, 401]);
    const both = await Promise.allSettled([1, 2].map(() => store.directory.rotateSiteToken('operator', 0)));
    assert.deepEqual(both.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
    assert.equal(await store.directory.rotateSiteToken('operator', 1), 2);
    await until('all take the new token', async () => (await answers(2)).join() === '200,200');
    assert.deepEqual([await answers(0), await answers(1)].flat(), [401, 401, 401, 401]);
  });

  test('what is changed at one process is known at the others: call backs, customers, new integrations', async (t) => {
    const database = await cluster.database();
    const open = () => openPostgresStore({ url: database, connections: 4, secretMark: 'x' });
    const [here, there] = [await open(), await open()];
    t.after(() => Promise.all([here.close(), there.close()]));
    const { id: account } = await here.directory.addAccount({ uid: 'a', name: 'A', country: null });
    const heard: unknown[] = [];
    let listening = Promise.withResolvers<void>();
    let news = Promise.withResolvers<void>();
    const stop = there.otherProcesses.follow(() => [account], {
      moved: () => {},
      missed: () => {},
      directory: () => listening.resolve(),
      calledBack: (of) => {
        heard.push(of);
        news.resolve();
      },
      customers: (of) => {
        heard.push(`customers of ${of}`);
        news.resolve();
      },
      who: (of, calls) => {
        heard.push([of, ...calls]);
        news.resolve();
      },
    });
    t.after(stop);
    await listening.promise;
    // All are read again when the connection that listens is new.
    assert.deepEqual(heard.splice(0), [`customers of ${account}`]);
    listening = Promise.withResolvers();
    await here.directory.addIntegration({ uid: 'i', account, name: 'New', createdAt: 0 });
    await listening.promise;
    news = Promise.withResolvers();
    await here.callers.act(account, { number: '110', at: 50, user: 'Ann', kind: 'done', text: null });
    await news.promise;
    news = Promise.withResolvers();
    await forgetNumber(here, account, '+4930901820');
    await news.promise;
    const { customers } = here;
    for (const change of [
      () => customers.put(account, [customer({ reference: '1', numbers: ['110'] })]),
      () => customers.putSegment(account, { name: 'Gold', priority: 5 }),
      () => customers.removeSegment(account, 'Gold'),
      () => customers.remove(account, '1'),
    ]) {
      news = Promise.withResolvers();
      await change();
      await news.promise;
    }
    // A notification of PostgreSQL holds 8000 bytes: the second call is too large for one.
    const people = (of: string) => Array.from({ length: 50 }, (_, n) => `${n} ${of}`.padEnd(63, '李😀'));
    const now = [
      { id: 'a', rings: ['1 [2], "x"', '+49'], talks: [] },
      { id: 'b', rings: people('r'), talks: people('t') },
      { id: 'c', rings: [], talks: ['3'] },
    ];
    await here.otherProcesses.tellWho(account, now);
    await here.otherProcesses.tellWho(account, now.slice(2));
    await until('the other process to know', () => heard.length === 8);
    assert.deepEqual(heard.splice(6), [
      [account, ...now],
      [account, now[2]],
    ]);
    assert.deepEqual(heard, [account, account, ...Array(4).fill(`customers of ${account}`)]);
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
    assert.equal((await fetch(`${services[0]?.url}/healthz`)).status, 200);
    await assert.rejects(storeOf(stateFolder(t), database), /server secret is not the one/);
  });
});

/** What the clients send: events of every call, by several clients, in any order, some again. */
function events(seed: number): string[][] {
  const random = seededRandom(seed);
  const pick = <T>(items: readonly T[]) => items[Math.floor(random() * items.length)] as T;
  const queues: string[][] = Array.from({ length: CLIENTS }, () => []);
  for (let call = 0; call < CALLS; call += 1) {
    const count = 1 + Math.floor(random() * 5);
    for (let n = 0; n < count; n += 1) {
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

const byOrder = (x: CallStatus, y: CallStatus) => callStatuses.indexOf(x) - callStatuses.indexOf(y);
