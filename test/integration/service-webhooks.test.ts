import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import { createKeys, serverSecret } from '../../src/service/accounts/keys.ts';
import { type DatabaseSettings, openStore } from '../../src/service/database/open-store.ts';
import type { ServiceOptions } from '../../src/service/service.ts';
import { type Delivery, type Webhook, webhookEvents } from '../../src/service/webhooks/webhook.ts';
import { webhookSecret } from '../../src/service/webhooks/webhook-message.ts';
import { freePort } from '../tools/free-port.ts';
import { testOnEachDatabase as test } from '../tools/servers/each-database.ts';
import { callers, event, prepare, serve, stateFolder } from '../tools/service/harness.ts';
import { namesOf, startReceiver } from '../tools/service/webhook-receiver.ts';
import { until } from '../tools/until.ts';

const allowed = { webhookNetworks: ['127.0.0.1'] };

/** A service with a webhook of account Alpha. */
async function withWebhook(
  t: TestContext,
  database: DatabaseSettings,
  url: string,
  change: Partial<ServiceOptions> = allowed,
) {
  const served = await serve(t, { ...change, database });
  const events = async (id: string, ...statuses: string[]) => {
    for (const status of statuses) await served.post(served.a.token, event({ id, status }));
  };
  return { ...served, events, ...(await add(t, served.stateDir, database, url)) };
}

/** A webhook of account Alpha for all events, and the storage, opened beside the service. */
async function add(t: TestContext, stateDir: string, database: DatabaseSettings, url: string) {
  const keys = createKeys(serverSecret(stateDir));
  const store = await openStore({ stateDir, database, retention: {} }, keys);
  t.after(() => store.close());
  const { accounts = [] } = (await store.directory.read(0))?.directory ?? {};
  const account = accounts.find(({ name }) => name === 'Alpha')?.id ?? 0;
  await store.webhooks.add({ uid: 'w1', account, url, events: webhookEvents, since: Date.now() });
  const webhook = async () => (await store.webhooks.list(null))[0] as Webhook;
  const { id } = await webhook();
  const deliveries = async () => {
    const query = { webhook: id, failed: false, before: null, limit: 50 };
    return (await store.webhooks.page(query)).deliveries.reverse();
  };
  return {
    id,
    webhook,
    webhooks: store.webhooks,
    /** Writes a note about a caller. */
    note: (number: string, at: number, text: string) =>
      store.callers.act(account, { number, at, user: 'Eve', kind: 'note', text }),
    secret: (secretCounter = 1) => webhookSecret(keys, { uid: 'w1', secretCounter }),
    /** Resolves with the deliveries, oldest first, when this is true. */
    until: (isSo: (deliveries: readonly Delivery[], webhook: Webhook) => boolean): Promise<Delivery[]> =>
      until(
        `${isSo}`,
        async () => {
          const now = await deliveries();
          return isSo(now, await webhook()) && now;
        },
        { state: async () => [await deliveries(), await webhook()] },
      ),
  };
}

test('a receiver hears of each call in order, and verifies it with the library of the convention', async (t, database) => {
  const receiver = await startReceiver(t);
  const { events, secret, until, note } = await withWebhook(t, database, receiver.url);
  receiver.secrets.push(secret());
  await Promise.all([
    events('one', 'ringing', 'answered', 'completed'),
    events('two', 'ringing', 'completed'),
  ]);
  await receiver.until(({ length }) => length === 5);
  // What happens to people, too: a failure holds up the next event of the same person alone.
  const texts: unknown[] = [];
  let failures = 0;
  receiver.answer(({ type, data }, response) => {
    if (data.text === 'first' && failures++ < 2) return void response.writeHead(500).end();
    if (type === 'note.added') texts.push(data.text);
    response.end('ok');
  });
  const now = Date.now();
  for (const [n, text] of ['first', 'second'].entries()) await note('+493090182044', now + n, text);
  await note('+493090182055', now + 2, 'of another');
  await receiver.until(() => texts.length === 3);
  assert.deepEqual(texts, ['of another', 'first', 'second']);
  receiver.received.splice(5);
  const of = (call: string) => namesOf(receiver.received.filter((one) => one.call === call));
  assert.deepEqual(of('one'), ['one call.ringing', 'one call.answered', 'one call.ended']);
  assert.deepEqual(of('two'), ['two call.ringing', 'two call.missed']);
  for (const { type, call, headers, verifiedBy } of receiver.received) {
    assert.deepEqual(verifiedBy, [0], type);
    assert.equal(headers['webhook-call-id'], call);
  }
  assert.equal(new Set(receiver.received.map(({ id }) => id)).size, 5);
  assert.equal(receiver.received[0]?.data.integration, 'PBX 1');
  const done = await until((all) => all.every(({ state }) => state === 'delivered'));
  assert.deepEqual(
    new Set(done.map(({ answer, httpStatus }) => `${httpStatus} ${answer}`)),
    new Set(['200 200 ok']),
  );
});

test('what fails is tried again with the same id, and later events of its call wait; other calls do not', async (t, database) => {
  const receiver = await startReceiver(t);
  let failures = 0;
  receiver.answer(({ call }, response) => {
    if (call === 'bad' && failures++ < 3) response.writeHead(500).end('not now');
    else response.end();
  });
  const { events } = await withWebhook(t, database, receiver.url);
  await events('bad', 'ringing', 'completed');
  await events('good', 'ringing', 'completed');
  await receiver.until((all) =>
    ['bad', 'good'].every((call) => namesOf(all).includes(`${call} call.missed`)),
  );
  const bad = receiver.received.filter(({ call }) => call === 'bad');
  assert.deepEqual(namesOf(bad), [...Array(4).fill('bad call.ringing'), 'bad call.missed']);
  assert.equal(new Set(bad.map(({ id }) => id)).size, 2);
  assert.deepEqual(namesOf(receiver.received.filter(({ call }) => call === 'good')).length, 2);
});

test('a receiver that fails the first request of each event gets every event, those of a call in order', async (t, database) => {
  const receiver = await startReceiver(t);
  const failed = new Set<string>();
  const delivered: string[] = [];
  receiver.answer(({ id, call, type }, response) => {
    if (failed.has(id)) {
      delivered.push(`${call} ${type}`);
      response.end();
    } else {
      failed.add(id);
      response.writeHead(500).end();
    }
  });
  const { events, until } = await withWebhook(t, database, receiver.url);
  const calls = ['one', 'two', 'three'];
  await Promise.all(calls.map((call) => events(call, 'ringing', 'answered', 'completed')));
  await until((all) => all.length === 9 && all.every(({ state }) => state === 'delivered'));
  for (const call of calls)
    assert.deepEqual(
      delivered.filter((one) => one.startsWith(`${call} `)),
      ['ringing', 'answered', 'ended'].map((what) => `${call} call.${what}`),
    );
});

test('what the receiver refuses is given up after three tries; redirects and huge answers are harmless', async (t, database) => {
  const elsewhere = await startReceiver(t);
  const receiver = await startReceiver(t);
  receiver.answer(({ call }, response) => {
    if (call === 'refused') response.writeHead(422).end('no such customer');
    else if (call === 'huge') {
      response.writeHead(200);
      const pour = (error?: Error | null) => {
        if (!error && !response.destroyed) response.write('x'.repeat(65_536), pour);
      };
      pour(); // for ever
    } else response.writeHead(307, { location: elsewhere.url }).end();
  });
  const { events, until } = await withWebhook(t, database, receiver.url);
  await events('refused', 'ringing');
  const [refused] = await until(([one]) => one?.state === 'failed');
  assert.deepEqual([refused?.tries, refused?.answer], [3, '422 no such customer']);
  await events('huge', 'ringing');
  const huge = (await until((all) => all[1]?.state === 'delivered'))[1];
  assert.equal(huge?.answer?.length, 500);
  await events('moved', 'ringing');
  const moved = (await until((all) => (all[2]?.tries ?? 0) > 1))[2];
  assert.deepEqual([moved?.state, moved?.httpStatus], ['new', 307]);
  assert.deepEqual(elsewhere.received, []);
});

test('the status of an answer counts, whatever happens to its body', async (t, database) => {
  const receiver = await startReceiver(t);
  const replies: Record<string, (response: ServerResponse) => void> = {
    open: (response) => void response.writeHead(200).write('some'),
    silent: (response) => void response.writeHead(200).flushHeaders(),
    cut: (response) => {
      response.writeHead(200, { 'content-length': 1_000 }).write('some');
      setImmediate(() => response.destroy());
    },
    chunk: (response) => {
      response.socket?.end(
        'HTTP/1.1 206 Partial Content\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nno chunk',
      );
    },
    short: (response) => {
      response.socket?.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nlonger than that');
    },
    long: (response) => {
      response.socket?.end('HTTP/1.1 200 OK\r\ncontent-length: 200\r\n\r\nshorter');
    },
    drip: (response) => {
      response.writeHead(200);
      const drops = setInterval(() => response.write('.'), 50);
      response.once('close', () => clearInterval(drops));
    },
    headers: (response) => void response.writeHead(200, { 'x-long': 'x'.repeat(100_000) }).end(),
    refused: (response) => void response.writeHead(422).write('some'),
  };
  receiver.answer(({ call = '' }, response) => replies[call]?.(response));
  const { events, until } = await withWebhook(t, database, receiver.url);
  for (const call of Object.keys(replies)) await events(call, 'ringing', 'completed');
  const delivered = (
    await until(
      (all) => all.length === 18 && all.every(({ state }) => ['delivered', 'failed'].includes(state)),
    )
  ).filter(({ state }) => state === 'delivered');
  const accepted = Object.keys(replies).filter((call) => call !== 'refused');
  assert.deepEqual(
    namesOf(receiver.received.filter(({ call }) => call !== 'refused')).sort(),
    accepted.flatMap((call) => [`${call} call.missed`, `${call} call.ringing`]).sort(),
    'each once',
  );
  assert.equal(delivered.length, 2 * accepted.length);
  for (const { tries } of delivered) assert.equal(tries, 1);
});

test('a receiver that answers 410 is switched off, and what waited can be sent again', async (t, database) => {
  const receiver = await startReceiver(t);
  receiver.answer((_, response) => response.writeHead(410).end());
  const { id, events, until, webhook, webhooks, said } = await withWebhook(t, database, receiver.url);
  await events('one', 'ringing', 'completed');
  await until(([one], { failure }) => failure === 'gone' && one?.httpStatus === 410);
  assert.equal((await webhook()).enabled, false);
  await until(() => said.includes('webhook.switched-off'));
  await events('while-off', 'ringing');
  receiver.answer((_, response) => response.end());
  await webhooks.switchOn(id, Date.now());
  await webhooks.sendAgain(id, null, Date.now());
  await until((all) => all.length > 0 && all.every(({ state }) => state === 'delivered'));
  assert.ok(!namesOf(receiver.received).includes('while-off call.ringing'));
});

test('a receiver that fails for too long is switched off; one that is slow or down is waited for', async (t, database) => {
  const receiver = await startReceiver(t, await freePort()); // which it stops and starts at
  receiver.answer((one, response) => {
    if (one.call !== 'slow') response.end();
  });
  const change = { ...allowed, webhookTimes: { answerMs: 200, lastingMs: 3_000 } };
  const { events, until, webhook } = await withWebhook(t, database, receiver.url, change);
  await events('slow', 'ringing');
  const [slow] = await until(([one]) => (one?.tries ?? 0) > 0);
  assert.deepEqual([slow?.state, slow?.answer], ['retry', 'no answer in time (0.2 s)']);
  receiver.answer((_, response) => response.end());
  await until(([one], { failingSince }) => one?.state === 'delivered' && failingSince === null);

  await receiver.stop();
  await events('down', 'ringing');
  await until((_, { failingSince }) => failingSince !== null);
  const again = await startReceiver(t, receiver.port);
  await again.until(({ length }) => length === 1);
  await until((_, { failingSince }) => failingSince === null);
  await again.stop();
  await events('for-ever', 'ringing');
  await until((_, { failure }) => failure === 'failing');
  assert.equal((await webhook()).enabled, false);
});

test('a webhook that failed before the service stood still for days is tried again before it is switched off', async (t, database) => {
  const receiver = await startReceiver(t);
  const { id, events, until, webhook, webhooks } = await withWebhook(t, database, receiver.url);
  await webhooks.change(id, { failingSince: Date.now() - 4 * 86_400_000 });
  await events('one', 'ringing');
  await until(([one], { enabled }) => one?.state === 'delivered' || !enabled);
  await until((_, { enabled, failingSince }) => failingSince === null || !enabled);
  assert.equal((await webhook()).enabled, true);
});

test('a webhook with nothing to send is not switched off for what failed days ago; one that goes on failing is', async (t, database) => {
  const receiver = await startReceiver(t);
  const change = { ...allowed, webhookTimes: { lastingMs: 5_000 } }; // longer than three tries take
  const { id, events, until, webhook, webhooks, post, a } = await withWebhook(
    t,
    database,
    receiver.url,
    change,
  );
  receiver.answer((_, response) => response.writeHead(422).end());
  await events('refused', 'ringing');
  await until(([one], { failingSince }) => one?.state === 'failed' && failingSince !== null);
  await webhooks.change(id, { failingSince: Date.now() - 4 * 86_400_000 });
  const { account } = await webhook();
  const other = await startReceiver(t);
  await webhooks.add({ uid: 'w2', account, url: other.url, events: webhookEvents, since: Date.now() });
  // Each is found by another look, at which the first has nothing to send.
  await webhooks.change(id, { events: ['call.missed'] });
  for (const n of [1, 2, 3, 4]) {
    await post(a.token, event({ id: `other-${n}`, status: 'ringing' }));
    await other.until(({ length }) => length === n);
  }
  assert.equal((await webhook()).enabled, true);
  receiver.answer((_, response) => response.writeHead(503).end());
  await post(a.token, event({ id: 'missed', status: 'completed' }));
  await until((_, { failure }) => failure === 'failing');
  assert.equal((await webhook()).enabled, false);
});

test('an address in our own network is not connected to, by its number or by a name, unless a setting allows it', async (t, database) => {
  const receiver = await startReceiver(t);
  const { id, events, until, webhooks } = await withWebhook(t, database, receiver.url, {});
  const hosts = ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '2130706433'];
  for (const [n, host] of hosts.entries()) {
    await webhooks.change(id, { url: `http://${host}:${receiver.port}/` });
    await events(host, 'ringing');
    const one = (await until((all) => (all[n]?.tries ?? 0) > 0))[n];
    assert.match(one?.answer ?? '', /not on the Internet/, host);
  }
  assert.deepEqual(receiver.received, []);
});

test('an address in our own network is connected to by its name, if a setting allows it', async (t, database) => {
  const receiver = await startReceiver(t);
  const { events } = await withWebhook(t, database, `http://localhost:${receiver.port}/`);
  await events('one', 'ringing');
  await receiver.until(({ length }) => length === 1);
});

test('kill -9 between the answer to an event and its delivery: nothing is lost, and what is sent twice has one id', async (t, database) => {
  const stateDir = stateFolder(t);
  const { a } = await prepare(stateDir, database);
  const receiver = await startReceiver(t);
  const start = async () => {
    const child = fork(new URL('../tools/service/process.ts', import.meta.url), [
      stateDir,
      ...(database === null ? [] : [database.url]),
    ]);
    const [url] = (await once(child, 'message')) as [string];
    return { child, post: callers(url).post };
  };
  const kill = async ({ child }: Awaited<ReturnType<typeof start>>) => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  let service = await start();
  await add(t, stateDir, database, receiver.url);
  // At once, before anything looks for new events; then while the receiver does not answer; then after some have gone.
  for (const id of ['k1', 'k2', 'k3']) await service.post(a.token, event({ id, status: 'ringing' }));
  await kill(service);
  service = await start();
  receiver.answer(() => {}); // no answer
  await service.post(a.token, event({ id: 'k4', status: 'ringing' }));
  await receiver.until(({ length }) => length > 0);
  await kill(service);
  receiver.answer((_, response) => response.end());
  service = await start();
  await service.post(a.token, event({ id: 'k1', status: 'completed' }));
  await receiver.until((all) => {
    const names = new Set(namesOf(all));
    return (
      ['k1', 'k2', 'k3', 'k4'].every((id) => names.has(`${id} call.ringing`)) && names.has('k1 call.missed')
    );
  });
  const ids = new Map(receiver.received.map(({ id, type, call }) => [`${call} ${type}`, id]));
  for (const { id, type, call } of receiver.received) assert.equal(ids.get(`${call} ${type}`), id);
  assert.equal(new Set(ids.values()).size, ids.size);
  await kill(service);
});
