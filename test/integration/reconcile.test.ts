import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { keepingLog, opened, temporaryFolder } from '../../src/bridge/outbox/outbox.fixture.ts';
import { openReader } from '../../src/bridge/outbox/reader.ts';
import { createReconciliation } from '../../src/bridge/reconciliation.ts';
import { createApiClient } from '../../src/shared/api/client.ts';
import { callStatuses } from '../../src/shared/api/contract/call-status.ts';
import { classify } from '../../src/shared/delivery/classify.ts';
import { createDispatcher } from '../../src/shared/delivery/dispatcher.ts';
import { startFakeApi } from '../tools/fakes/fake-api.ts';
import { share } from '../tools/fakes/fake-api-faults.ts';
import { seededRandom } from '../tools/player/seeded-random.ts';
import { runCommand } from '../tools/program/operator.ts';
import { createStand, markerCall } from '../tools/program/stand.ts';
import { until } from '../tools/until.ts';

const minute = 60_000;

test('1 % of what is confirmed is discarded in silence: every call is right within 15 minutes', async (t) => {
  const fakeApi = await startFakeApi({ token: 'a-token' });
  t.after(() => fakeApi.close());
  const api = { baseUrl: fakeApi.baseUrl, token: 'a-token' };
  const outbox = await opened(t, { directory: join(temporaryFolder(t), 'state') });
  const client = createApiClient({ ...api, connections: 32 });
  t.after(() => client.close());
  const log = keepingLog();
  /** The clock of the comparison is set forward by hand. */
  let ahead = 0;
  const dispatcher = createDispatcher({
    queue: outbox,
    async send(event) {
      const result = await client.postCallEvent(event.body);
      if (classify(result, Date.now()).verdict === 'delivered') reconciliation.delivered(event);
      return result;
    },
    log,
    now: Date.now,
    monotonic: () => performance.now(),
    random: Math.random,
  });
  const reconciliation = createReconciliation(
    { api, pbxId: 'pbx', everyMs: 5 * minute },
    { outbox, dispatcher, keepsJournal: true, log, now: () => Date.now() + ahead },
  );
  dispatcher.start();
  t.after(async () => {
    await reconciliation.stop();
    await dispatcher.stop();
  });

  const calls = 2_000;
  const discard = share(0.01, { kind: 'discard' }, seededRandom(7));
  let discarded = 0;
  fakeApi.inject((request) => {
    const fault = request.path === '/voice/call' ? discard(request) : undefined;
    if (fault) discarded += 1;
    return fault;
  });
  const began = Math.floor(Date.now() / 1_000) - 300;
  for (const status of callStatuses) {
    const events = Array.from({ length: calls }, (_, nth) => {
      const callId = `pbx-${began + Math.floor(nth / 7)}.${nth}`;
      const body = JSON.stringify({ id: callId, direction: 'inbound', status, from: '+4940669690' });
      return { callId, status, body, queuedAt: Date.now() };
    });
    dispatcher.offer((await outbox.append({ calls: [], trunks: [], events })).nextEvents);
  }
  const allDelivered = () =>
    until('all to be delivered', async () => (await outbox.counters()).waiting === 0, {
      state: outbox.counters,
    });
  const wrong = () =>
    calls - [...fakeApi.calls().values()].filter(({ state }) => state === 'completed').length;
  await allDelivered();
  assert.ok(discarded > 40, `${discarded} discarded`);
  assert.ok(wrong() > 0, 'some calls are not right');

  const posts = () => fakeApi.requests().filter(({ method }) => method === 'POST').length;
  const gets = () => fakeApi.requests().filter(({ method }) => method === 'GET').length;
  // As the timer has it: five minutes, and a little more than one for as long as something was sent again.
  for (const pause of [6, 1.2, 1.2, 5]) {
    ahead += pause * minute;
    await reconciliation.compare();
    await allDelivered();
  }
  assert.ok(ahead < 15 * minute);
  assert.equal(wrong(), 0);
  assert.equal(fakeApi.counts().inverted, 0);
  assert.ok(posts() < calls * 3 * 1.03, `${posts()} events sent`);
  assert.ok(gets() <= 250, `${gets()} requests for the history`);
  const { state, gaveUp, skipped } = reconciliation.status();
  assert.deepEqual({ state, gaveUp, skipped }, { state: 'ok', gaveUp: 0, skipped: 0 });
});

test('a running bridge mends it by itself, and explain, status and metrics show it', async (t) => {
  const stand = await createStand(t, { RECONCILE_EVERY: '500ms', STATUS_LISTEN: '127.0.0.1:0' });
  await stand.start();
  const [good, bad] = [markerCall(), markerCall()];
  // Each event the first time: on a busy machine one may be sent again before the other is sent at all.
  const discarded = new Set<unknown>();
  stand.fakeApi.inject(({ payload: { id, status } }) => {
    if (id !== bad.id || discarded.has(status)) return undefined;
    discarded.add(status);
    return { kind: 'discard' };
  });
  for (const { frames } of [good, bad]) for (const frame of frames) stand.pbx.send(frame);
  await stand.fakeApi.waitFor((it) => it.calls().get(bad.id)?.state === 'completed');
  assert.deepEqual(stand.fakeApi.calls().get(bad.id)?.received, ['ringing', 'completed']);

  const reader = openReader(stand.env.STATE_DIR ?? '');
  t.after(() => reader?.close());
  await until('all to be delivered', () => reader?.counters().waiting === 0, {
    state: () => reader?.counters(),
  });

  const words = async (args: string[], more = {}) =>
    (await runCommand(args, { ...stand.env, ...more })).text.replaceAll(/\s+/g, ' ');
  const text = await words(['explain', bad.id]);
  assert.match(text, /decided ringing was confirmed by the API and is not in its history: sent again /);
  assert.match(
    text,
    / REPORTED: ringing, completed; the API confirmed each, and its request history contains them The same call elsewhere: /,
  );
  const page = async (path: string) => (await fetch(`http://127.0.0.1:${stand.statusPort()}${path}`)).text();
  const metrics = await page('/metrics');
  assert.match(metrics, /^pbx_bridge_reconcile_events_total\{fate="sent_again"\} 2$/m);
  assert.match(metrics, /^pbx_bridge_reconcile_ok 1$/m);
  const status = await words(['status'], { STATUS_LISTEN: `127.0.0.1:${stand.statusPort()}` });
  assert.match(
    status,
    / API history last comparison .*; 2 events MISSING and sent again, 0 overtaken by a later state, 0 given up /,
  );
});

test('RECONCILE_EVERY=0s asks for no history', async (t) => {
  const stand = await createStand(t, { RECONCILE_EVERY: '0s' });
  await stand.start();
  await stand.caughtUp();
  await stand.stop();
  assert.deepEqual(
    stand.fakeApi.requests().filter(({ method }) => method === 'GET'),
    [],
  );
});
