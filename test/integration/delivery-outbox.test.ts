import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { openOperator } from '../../src/bridge/outbox/operator.ts';
import { openOutbox } from '../../src/bridge/outbox/outbox.ts';
import { databasePath } from '../../src/bridge/outbox/tables/database.ts';
import { createApiClient } from '../../src/shared/api/client.ts';
import { callStatuses } from '../../src/shared/api/contract/call-status.ts';
import { createDispatcher } from '../../src/shared/delivery/dispatcher.ts';
import { type DeliveryLimits, defaultLimits } from '../../src/shared/delivery/limits.ts';
import { silentLog } from '../../src/shared/log/log.ts';
import { type FakeApi, startFakeApi } from '../tools/fakes/fake-api.ts';
import { always, share } from '../tools/fakes/fake-api-faults.ts';
import { seededRandom } from '../tools/player/seeded-random.ts';
import { until } from '../tools/until.ts';

const token = 'test-token';

function folder(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'delivery-outbox-'));
  t.after(() => rmSync(directory, { recursive: true }));
  return directory;
}

type Options = {
  readonly limits?: Partial<DeliveryLimits>;
  /** A request goes out when this has resolved. */
  readonly hold?: (callId: string) => Promise<unknown>;
};

async function start(t: TestContext, directory: string, baseUrl: string, { limits, hold }: Options = {}) {
  const outbox = await openOutbox({ directory }, { log: silentLog });
  const client = createApiClient({ baseUrl, token });
  const dispatcher = createDispatcher({
    queue: outbox,
    async send({ callId, body }) {
      await hold?.(callId);
      return client.postCallEvent(body);
    },
    log: silentLog,
    now: Date.now,
    monotonic: () => performance.now(),
    random: () => 0,
    limits: { pollMs: 100, probeGapMs: 0, ...limits },
  });
  dispatcher.start();
  let stopping: Promise<void> | undefined;
  const stop = async (limitMs?: number) => {
    await dispatcher.stop(limitMs);
    await client.close();
    await outbox.close();
  };
  // Also when the test failed: what is left running would keep the file from ending.
  t.after(() => (stopping ??= stop(0)));
  return {
    directory,
    outbox,
    dispatcher,
    async report(callId: string, status: (typeof callStatuses)[number]) {
      const body = JSON.stringify({ id: callId, direction: 'inbound', status, from: '+4930901820' });
      const event = { callId, status, body, queuedAt: Date.now() };
      const { nextEvents } = await outbox.append({ calls: [], trunks: [], events: [event] });
      dispatcher.offer(nextEvents);
    },
    stop: (limitMs?: number) => (stopping ??= stop(limitMs)),
  };
}

function completed(count: number): (fakeApi: FakeApi) => boolean {
  return (it) => [...it.calls().values()].filter((call) => call.state === 'completed').length === count;
}

/** The outbox's counters, which must be what a look at the rows from elsewhere finds. */
async function counted({ directory, outbox }: Awaited<ReturnType<typeof start>>) {
  const db = new DatabaseSync(databasePath(directory), { readOnly: true });
  try {
    const { lost, ...counters } = await outbox.counters();
    const rows = db.prepare('SELECT state, count(*) AS count FROM event GROUP BY state').all();
    const [waiting = 0, delivered = 0, dead = 0] = [0, 1, 2].map(
      (state) => rows.find((row) => row.state === state)?.count as number | undefined,
    );
    assert.deepEqual(counters, { queued: waiting + delivered + dead, waiting, delivered, dead });
    assert.equal(lost, 0);
    return counters;
  } finally {
    db.close();
  }
}

test('from disk to the API, through faults: all of it, in order, and marked', async (t) => {
  const fakeApi = await startFakeApi({ token });
  t.after(() => fakeApi.close());
  const bridge = await start(t, folder(t), fakeApi.baseUrl);
  const random = seededRandom(7);
  fakeApi.inject(
    (request) =>
      share(0.05, { kind: 'reset', when: 'after' }, random)(request) ??
      share(0.05, { kind: 'status', status: 503 }, random)(request) ??
      share(0.02, { kind: 'status', status: 401 }, random)(request),
  );
  const calls = 200;
  for (const status of callStatuses) {
    await Promise.all(Array.from({ length: calls }, (_, n) => bridge.report(`c-${n}`, status)));
  }
  await fakeApi.waitFor(completed(calls));
  fakeApi.inject(undefined);
  // An answer that was lost after the last event of a call was applied leaves that one waiting.
  await until('nothing to wait', async () => (await bridge.outbox.waiting()) === 0);
  await bridge.dispatcher.stop();
  const { moved, inverted } = fakeApi.counts();
  assert.deepEqual({ moved, inverted }, { moved: 3 * calls, inverted: 0 });
  const all = 3 * calls;
  assert.deepEqual(await counted(bridge), { queued: all, delivered: all, waiting: 0, dead: 0 });
  await bridge.stop();
});

test('stopped in mid-delivery and started again: what was on disk goes on where it was', async (t) => {
  const fakeApi = await startFakeApi({ token });
  t.after(() => fakeApi.close());
  const directory = folder(t);
  const calls = 300;
  let bridge = await start(t, directory, fakeApi.baseUrl);
  // Applied at once, but it takes a while until the bridge hears of it.
  fakeApi.inject(always({ kind: 'slow', ms: 50 }));
  for (const status of callStatuses) {
    const { requests } = fakeApi.counts();
    await Promise.all(Array.from({ length: calls }, (_, n) => bridge.report(`c-${n}`, status)));
    // Looked at when a request arrives: between answers and the disk nothing may be under way.
    const isUnderWay = () => bridge.dispatcher.status().inFlight > 0;
    await fakeApi.waitFor((it) => it.counts().requests > requests && isUnderWay());
    await bridge.stop(0);
    bridge = await start(t, directory, fakeApi.baseUrl);
  }
  fakeApi.inject(undefined);
  await fakeApi.waitFor(completed(calls));
  await until('nothing to wait', async () => (await bridge.outbox.waiting()) === 0);
  await bridge.dispatcher.stop();
  assert.ok(fakeApi.counts().repeated > 0, 'what was under way is reported again');
  assert.deepEqual(await counted(bridge), { queued: 900, delivered: 900, waiting: 0, dead: 0 });
  assert.equal(fakeApi.counts().inverted, 0);
  await bridge.stop();
});

test('an operator sends an older event again, from another connection: it goes before a newer one that waits', async (t) => {
  const fakeApi = await startFakeApi({ token });
  t.after(() => fakeApi.close());
  const directory = folder(t);
  const fresh = { ...defaultLimits.priorities.fresh, concurrency: 1, turnMs: 600_000 };
  let go = () => {};
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  const bridge = await start(t, directory, fakeApi.baseUrl, {
    limits: { priorities: { ...defaultLimits.priorities, fresh } },
    hold: async (callId) => callId === 'b' && held,
  });
  fakeApi.inject(({ payload }) =>
    payload.status === 'answered' ? { kind: 'status', status: 422 } : undefined,
  );
  await bridge.report('a', 'ringing');
  await bridge.report('a', 'answered');
  await until('the dead letter', async () => (await bridge.outbox.counters()).dead > 0);
  fakeApi.inject(undefined);
  // The only place is taken, so the newer event waits.
  await bridge.report('b', 'ringing');
  await bridge.report('a', 'completed');
  const operator = openOperator(directory);
  assert.equal(operator?.resend([2]), 1);
  operator?.close();
  go();
  const ofCall = () =>
    fakeApi.requests().flatMap(({ payload }) => (payload.id === 'a' ? [payload.status] : []));
  await fakeApi.waitFor(() => ofCall().length === 6);
  await bridge.stop();
  assert.deepEqual(ofCall(), ['ringing', 'answered', 'answered', 'answered', 'answered', 'completed']);
  assert.equal(fakeApi.counts().inverted, 0);
});
