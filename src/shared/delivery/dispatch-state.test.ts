import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answer } from '../../../test/tools/fakes/delivery-lab.ts';
import type { Classified } from './classify.ts';
import {
  type DispatchInput,
  type DispatchState,
  deliveryStatus,
  isOpen,
  mayProbe,
  newDispatch,
  nextDispatch,
} from './dispatch-state.ts';
import type { Flow } from './flow.ts';
import { defaultLimits } from './limits.ts';
import { event } from './queue.fixture.ts';
import { priorities, type QueuedEvent } from './queue.ts';

const limits = { ...defaultLimits, pollMs: 5_000, expireEveryMs: 60_000, probeGapMs: 1_000 };
const running: DispatchState = { ...newDispatch(0, limits), phase: 'running' };
const paused: Flow = {
  state: 'paused',
  since: 0,
  reason: '401',
  attempts: 1,
  nextTryAt: 900,
  named: false,
  reachable: true,
};
const outage: Flow = { ...paused, state: 'outage' };
const read = { type: 'read', priorities } as const;

function next(state: DispatchState, input: DispatchInput) {
  return nextDispatch(state, input, { limits, random: () => 1 });
}

function ended(state: DispatchState, classified: Classified, more: Partial<QueuedEvent> = {}) {
  return next(state, {
    type: 'attempt-ended',
    event: { ...event, ...more },
    result: answer(200),
    classified,
    isProbe: false,
    startedAt: 990,
    endedAt: 1_000,
    unixAt: 1_800_000_000_000,
  });
}

test('the queue is read at once and at each poll; old events are looked for when that is due', () => {
  const first = next(running, { type: 'time', at: 0 });
  assert.deepEqual(first.effects, [read, { type: 'wake', at: 5_000 }]);
  const later = next(first.state, { type: 'time', at: 60_000 });
  assert.deepEqual(later.effects, [read, { type: 'expire' }, { type: 'wake', at: 65_000 }]);
  assert.equal(later.state.dueAt.expire, 120_000);
});

test('the earliest retry wakes it, and is read once', () => {
  const polled = next(running, { type: 'time', at: 0 }).state;
  const early = next(polled, { type: 'retry-at', at: 700 });
  const late = next(early.state, { type: 'retry-at', at: 800 });
  assert.deepEqual(late.effects, [{ type: 'wake', at: 700 }]);
  const due = next(late.state, { type: 'time', at: 700 });
  assert.deepEqual(due.effects, [
    { type: 'read', priorities: ['retry'] },
    { type: 'wake', at: 5_000 },
  ]);
});

test('while delivery is stopped, a probe is sent when it is due', () => {
  const stopped = { ...next(running, { type: 'time', at: 0 }).state, flow: paused };
  assert.deepEqual(next(stopped, { type: 'time', at: 899 }).effects, [{ type: 'wake', at: 900 }]);
  const due = next(stopped, { type: 'time', at: 900 });
  assert.deepEqual(due.effects, [{ type: 'probe' }, { type: 'wake', at: 5_000 }]);
});

test('a new call brings a probe forward in an outage only, and not right after another', () => {
  const unreachable: Flow = { ...outage, reachable: false };
  const rows: [flow: Flow, at: number, probedAt: number, probes: boolean][] = [
    [running.flow, 2_000, 0, false],
    [unreachable, 800, -200, true],
    [unreachable, 800, -199, false],
    [unreachable, 900, 899, true],
    [{ ...unreachable, named: true }, 800, -200, false],
    [paused, 800, -200, false],
    [outage, 2_000, 0, false], // it is sent itself
  ];
  for (const [flow, at, probedAt, probes] of rows) {
    const { effects } = next({ ...running, flow }, { type: 'offered', at, probedAt });
    assert.deepEqual(effects, probes ? [{ type: 'probe' }] : [], JSON.stringify({ flow, at, probedAt }));
  }
});

test('an attempt that succeeds is counted and reported; one that fails while delivery is stopped is only counted', () => {
  const delivered = ended(running, { verdict: 'delivered', reason: '' });
  const [conclusion] = delivered.effects;
  assert.ok(delivered.effects.length === 1 && conclusion?.type === 'conclude');
  assert.deepEqual([conclusion.outcome.outcome, conclusion.isReported], ['delivered', true]);
  assert.equal(delivered.state.lastDeliveredAt, 1_800_000_000_000);

  const refused = ended(delivered.state, { verdict: 'pause', reason: '401' });
  assert.deepEqual(
    refused.effects.map(({ type }) => type),
    ['report-flow', 'wake', 'read', 'conclude'],
  );
  assert.deepEqual(refused.effects[1], { type: 'wake', at: 2_000 });
  const last = refused.effects.at(-1);
  assert.ok(last?.type === 'conclude' && !last.isReported);

  const rejections = limits.maxRejections - 1;
  const dead = ended(refused.state, { verdict: 'reject', reason: '422' }, { rejections }).state;
  assert.deepEqual(dead.counts, { delivered: 1, failedAttempts: 2, deadLetters: 1 });
});

test('what is open: everything while it flows, only new calls in an outage that answers, nothing after a stop', () => {
  const open = (state: DispatchState) => priorities.filter((priority) => isOpen(state, priority));
  assert.deepEqual(open(running), [...priorities]);
  assert.deepEqual(open({ ...running, flow: outage }), ['fresh']);
  assert.deepEqual(open({ ...running, flow: { ...outage, named: true } }), []);
  assert.deepEqual(open({ ...running, flow: paused }), []);
  const { state } = next(running, { type: 'phase', phase: 'stopping' });
  assert.deepEqual(open(state), []);
});

test('a probe that is asked for obeys a time that the API has named', () => {
  const allowed = (flow: Flow) => mayProbe({ ...running, flow });
  assert.deepEqual(
    [running.flow, paused, outage, { ...outage, named: true }, { ...paused, state: 'held' } as const].map(
      allowed,
    ),
    [false, true, true, false, false],
  );
  assert.equal(mayProbe({ ...running, phase: 'stopping', flow: paused }), false);
});

test('the status has Unix times, and what keeps failing', () => {
  const { state } = ended(running, { verdict: 'retry', reason: '500' });
  const now = { inFlight: 1, unrecorded: 2 };
  assert.deepEqual(
    deliveryStatus(state, now, (at) => at + 1_000_000),
    {
      state: 'ok',
      since: 1_000_000,
      retrying: { since: 1_001_000, reason: '500', failures: 1 },
      inFlight: 1,
      unrecorded: 2,
      delivered: 0,
      failedAttempts: 1,
      deadLetters: 0,
    },
  );
});
