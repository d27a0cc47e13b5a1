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

/** `repeated`: whether an event that was applied arrives again; undefined: on a slow machine it may. */
const faults: readonly [name: string, fault: Fault, howOften: number, repeated: boolean | undefined][] = [
  ['500, then works', { kind: 'status', status: 500 }, 30, false],
  ['401, then works', { kind: 'status', status: 401 }, 5, false],
  ['403, then works', { kind: 'status', status: 403 }, 5, false],
  ['302 to the sign-in page', { kind: 'status', status: 302, headers: { location: '/login' } }, 5, false],
  [
    '307 to another host',
    { kind: 'status', status: 307, headers: { location: 'http://127.0.0.1:1/' } },
    5,
    false,
  ],
  ['HTML with 200', { kind: 'html' }, 30, false],
  ['429 with Retry-After', { kind: 'status', status: 429, headers: { 'retry-after': '1' } }, 1, false],
  ['reset before it is applied', { kind: 'reset', when: 'before' }, 30, false],
  ['reset in the middle of the answer', { kind: 'reset', when: 'during' }, 30, true],
  ['reset after it is applied', { kind: 'reset', when: 'after' }, 30, true],
  ['garbage', { kind: 'garbage' }, 30, true],
  ['no answer', { kind: 'hang' }, 5, undefined],
  ['half an answer', { kind: 'stall' }, 5, true],
  ['an answer without an end', { kind: 'huge', bytes: 1_000_000 }, 30, true],
];

for (const [name, fault, howOften, repeated] of faults) {
  test(`${name}: every event of every call arrives, in order`, async (t) => {
    const { farSide, bridge } = await pair(
      t,
      fault.kind === 'hang' || fault.kind === 'stall' ? 300 : undefined,
    );
    farSide.inject(times(howOften, fault));
    for (let n = 0; n < 20; n++) bridge.offer(`c-${n}`, ...callStatuses);
    await bridge.queue.drained();
    const { moved, inverted, repeated: twice } = farSide.counts();
    assert.deepEqual({ moved, inverted }, { moved: 60, inverted: 0 });
    if (repeated !== undefined)
      assert.equal(twice > 0, repeated, 'sent again what had been applied, and only that');
    assert.ok(bridge.queue.rows.every(({ state }) => state === 'delivered'));
  });
}

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

test('random faults in random order: nothing lost, nothing inverted, nothing left', async (t) => {
  const anyFault: fc.Arbitrary<Fault | undefined> = fc.oneof(
    { weight: 6, arbitrary: fc.constant(undefined) },
    { weight: 2, arbitrary: fc.constantFrom<Fault>(...faults.map(([, fault]) => fault)) },
    fc.constantFrom<Fault>(
      { kind: 'slow', ms: 5 },
      { kind: 'status', status: 429, headers: { 'retry-after': '0' } },
    ),
  );
  const quick = (fault: Fault | undefined) =>
    fault?.kind !== 'hang' &&
    fault?.kind !== 'stall' &&
    !(fault?.kind === 'status' && fault.headers?.['retry-after'] === '1');
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyFault.filter(quick), { maxLength: 120 }),
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
  t.diagnostic('60 runs');
});
