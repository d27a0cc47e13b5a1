import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Cluster, postgresImpossible, startCluster } from '../tools/servers/cluster.ts';
import { type ServiceProcess, startProcess, startSite } from '../tools/servers/site.ts';
import { callers, event } from '../tools/service/harness.ts';
import { namesOf, startReceiver } from '../tools/service/webhook-receiver.ts';

const skip = (await postgresImpossible()) ?? false;

describe('webhooks of several processes on one database', { skip }, () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await startCluster();
  });
  after(() => cluster.remove());

  test('one delivers, each event once; when it is killed, another takes over, and nothing is lost', async (t) => {
    const receiver = await startReceiver(t);
    const database = await cluster.database();
    const { store, token, stateDir, services } = await startSite(t, database, 1);
    const [first] = services as [ServiceProcess];
    const [account] = (await store.directory.read(0))?.directory.accounts ?? [];
    await store.webhooks.add({
      uid: 'w1',
      account: account?.id ?? 0,
      url: receiver.url,
      events: ['call.ringing', 'call.missed'],
      since: Date.now(),
    });
    const report = async ({ url }: ServiceProcess, id: string) => {
      for (const status of ['ringing', 'completed'])
        assert.equal((await callers(url).post(token, event({ id, status }))).status, 200);
    };
    await report(first, 'one');
    await receiver.until(({ length }) => length === 2); // the first process has the right to deliver
    const second = await startProcess(stateDir, database);
    t.after(() => second.stop());
    await Promise.all([report(first, 'two'), report(second, 'three')]);
    await receiver.until(({ length }) => length === 6);
    assert.equal(new Set(namesOf(receiver.received)).size, 6, 'each once');

    receiver.answer(() => {}); // what is under way is not answered
    await report(second, 'four');
    await receiver.until((all) => namesOf(all).includes('four call.ringing'));
    first.process.kill('SIGKILL');
    receiver.answer((_, response) => response.end());
    await report(second, 'five');
    const expected = ['four', 'five'].flatMap((id) => [`${id} call.ringing`, `${id} call.missed`]);
    await receiver.until((all) => expected.every((name) => namesOf(all).includes(name)));
    const ids = new Map(receiver.received.map(({ type, call, id }) => [`${call} ${type}`, id]));
    for (const { type, call, id } of receiver.received) assert.equal(ids.get(`${call} ${type}`), id);
    assert.equal(ids.size, 10);
  });

  test('the database is killed while events come: what got its 200 is delivered', async (t) => {
    const receiver = await startReceiver(t);
    const site = await startSite(t, await cluster.database(), 2);
    const [account] = (await site.store.directory.read(0))?.directory.accounts ?? [];
    await site.store.webhooks.add({
      uid: 'w2',
      account: account?.id ?? 0,
      url: receiver.url,
      events: ['call.ringing'],
      since: Date.now(),
    });
    const accepted: string[] = [];
    for (let n = 0; accepted.length < 60; n += 1) {
      if (n === 20) {
        await cluster.kill();
        await cluster.start();
      }
      const { status } = await callers(site.url).post(
        site.token,
        event({ id: `call-${n}`, status: 'ringing' }),
      );
      if (status === 200) accepted.push(`call-${n} call.ringing`);
    }
    await receiver.until((all) => {
      const names = new Set(namesOf(all));
      return accepted.every((name) => names.has(name));
    });
  });
});
