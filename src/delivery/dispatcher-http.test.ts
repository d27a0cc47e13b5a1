import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { type FarSide, startFarSide } from '../../test/fakes/far-side.ts';
import { type Fault, times } from '../../test/fakes/far-side-faults.ts';
import { createMemoryQueue } from '../../test/fakes/memory-queue.ts';
import { freePort } from '../../test/free-port.ts';
import { createApiClient } from '../api/client.ts';
import { callStatuses } from '../api/contract/call-status.ts';
import { silentLog } from '../log/log.ts';
import { createDispatcher } from './dispatcher.ts';

const token = 'test-token';

/** The dispatcher and the client over real HTTP. `random` is 0: no waits but those that the far side asks for. */
async function bridgeTo(baseUrl: string, answerTimeoutMs = 10_000) {
  const queue = createMemoryQueue();
  const client = createApiClient({ baseUrl, token, answerTimeoutMs });
  const dispatcher = createDispatcher({
    queue,
    send: (event) => client.postCallEvent(event.body),
    log: silentLog,
    now: Date.now,
    monotonic: () => performance.now(),
    random: () => 0,
    limits: { pollMs: 20, probeGapMs: 0 },
  });
  dispatcher.start();
  return {
    queue,
    dispatcher,
    offer(callId: string, ...statuses: (typeof callStatuses)[number][]) {
      dispatcher.offer(queue.append(statuses.map((status) => ({ callId, status, queuedAt: Date.now() }))));
    },
    async close() {
      await dispatcher.stop();
      await client.close();
    },
  };
}

async function pair(t: TestContext, answerTimeoutMs?: number) {
  const farSide = await startFarSide({ token });
  const bridge = await bridgeTo(farSide.baseUrl, answerTimeoutMs);
  t.after(async () => {
    await bridge.close();
    await farSide.close();
  });
  return { farSide, bridge };
}

function completed(count: number): (farSide: FarSide) => boolean {
  return (it) => [...it.calls().values()].filter((call) => call.state === 'completed').length === count;
}

const faults: readonly Fault[] = [
  ...[500, 401, 403].map((status): Fault => ({ kind: 'status', status })),
  { kind: 'status', status: 302, headers: { location: '/login' } },
  { kind: 'status', status: 307, headers: { location: 'http://127.0.0.1:1/' } },
  { kind: 'status', status: 429, headers: { 'retry-after': '0' } },
  ...(['before', 'during', 'after'] as const).map((when): Fault => ({ kind: 'reset', when })),
  ...([
    { kind: 'html' },
    { kind: 'garbage' },
    { kind: 'huge', bytes: 1_000_000 },
    { kind: 'slow', ms: 5 },
  ] as const),
];

test('a redirect never gets the event or the token', async (t) => {
  const { farSide, bridge } = await pair(t);
  const elsewhere = await startFarSide({ token });
  t.after(() => elsewhere.close());
  const location = `${elsewhere.baseUrl}/voice/call`;
  farSide.inject(times(3, { kind: 'status', status: 307, headers: { location } }));
  bridge.offer('a', ...callStatuses);
  await farSide.waitFor(completed(1));
  assert.equal(elsewhere.counts().connections, 0);
});

test('the API is away for a whole call and comes back: the call is reported, in order', async (t) => {
  const first = await startFarSide({ token, port: await freePort() });
  await first.close();
  const bridge = await bridgeTo(first.baseUrl);
  t.after(() => bridge.close());
  for (let n = 0; n < 20; n++) bridge.offer(`c-${n}`, ...callStatuses);
  const back = await startFarSide({ token, port: first.port });
  t.after(() => back.close());
  await back.waitFor(completed(20));
  assert.equal(back.counts().inverted, 0);
});

test('random faults in random order: nothing lost, nothing inverted, nothing left', async () => {
  const anyFault = fc.oneof(
    { weight: 6, arbitrary: fc.constant(undefined) },
    { weight: 3, arbitrary: fc.constantFrom<Fault>(...faults) },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyFault, { maxLength: 120 }),
      fc.integer({ min: 1, max: 20 }),
      async (script, calls) => {
        const farSide = await startFarSide({ token });
        const bridge = await bridgeTo(farSide.baseUrl);
        try {
          farSide.inject(({ nth }) => script[nth - 1]);
          for (const status of callStatuses) for (let n = 0; n < calls; n++) bridge.offer(`c-${n}`, status);
          await bridge.queue.drained();
          const { moved, inverted } = farSide.counts();
          assert.deepEqual({ moved, inverted }, { moved: 3 * calls, inverted: 0 });
          assert.ok(bridge.queue.rows.every(({ state }) => state === 'delivered'));
        } finally {
          await bridge.close();
          await farSide.close();
        }
      },
    ),
    { numRuns: 60 },
  );
});
