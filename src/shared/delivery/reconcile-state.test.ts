import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Comparison, Delivered } from './compare.ts';
import { applyToReconcile, newReconcile, type ReconcileEffect } from './reconcile-state.ts';

const hour = 3_600_000;

const delivered = (seq: number, at = 0): Delivered => ({ seq, callId: `c-${seq}`, status: 'ringing', at });
const comparison = (lists: Partial<Comparison>): Comparison => ({
  there: [],
  missing: [],
  overtaken: [],
  unread: [],
  ...lists,
});

function stateWith(...events: Delivered[]) {
  const state = newReconcile();
  applyToReconcile(state, { type: 'delivered', events });
  return state;
}

const codes = (effects: readonly ReconcileEffect[]) =>
  effects.map((effect) => (effect.type === 'log' ? effect.code : effect.type));

test('what was delivered long enough ago is due; what is older than an hour is skipped', () => {
  const state = stateWith(delivered(1, 0), delivered(2, 1), delivered(3, hour), delivered(4, hour + 1));
  const effects = applyToReconcile(state, { type: 'time', at: hour + 1, deliveredBy: hour });
  assert.deepEqual(effects, [{ type: 'compare', due: [delivered(2, 1), delivered(3, hour)] }]);
  assert.equal(state.status.skipped, 1);
});

test('nothing is compared when nothing is due', () => {
  const state = stateWith(delivered(1, 5));
  assert.deepEqual(applyToReconcile(state, { type: 'time', at: 6, deliveredBy: 4 }), []);
});

test('what was found is forgotten; what is missing is sent again, and waits if it cannot be', () => {
  const [a, b, c] = [delivered(1), delivered(2), delivered(3)];
  const state = stateWith(a, b, c);
  const found = comparison({ there: [a], missing: [b, c] });
  const effects = applyToReconcile(state, { type: 'compared', at: 9, comparison: found, due: 3 });
  assert.deepEqual(effects, [{ type: 'send-again', again: [b, c], due: 3 }]);
  assert.deepEqual([...state.waiting.keys()], []);

  const sent = new Set([2]);
  const lines = applyToReconcile(state, { type: 'sent-again', at: 9, again: [b, c], sent, due: 3 });
  const fields = { count: 1, compared: 3, status: 'ringing', call: 'c-2' };
  assert.deepEqual(lines, [{ type: 'log', code: 'reconcile.sent-again', fields }]);
  assert.deepEqual([...state.waiting.keys()], [3]);
  assert.deepEqual([state.resends.get(2)?.count, state.resends.get(3)?.count], [1, 0]);
  assert.deepEqual([state.status.compared, state.status.sentAgain, state.status.lastAt], [1, 1, 9]);
});

test('what is still missing after five times is given up', () => {
  const event = delivered(1);
  const state = stateWith(event);
  state.resends.set(1, { count: 5, at: 0 });
  const effects = applyToReconcile(state, {
    type: 'compared',
    at: 9,
    due: 1,
    comparison: comparison({ missing: [event] }),
  });
  assert.deepEqual(codes(effects), ['reconcile.gave-up']);
  assert.deepEqual([state.waiting.size, state.resends.size, state.status.gaveUp], [0, 0, 1]);
});

test('a problem is logged when it begins and when it changes, and its end', () => {
  const state = stateWith(delivered(1));
  const meet = (problem: 'unreadable' | 'not-understood') =>
    codes(applyToReconcile(state, { type: 'problem', problem, reason: 'HTTP 503' }));
  assert.deepEqual(
    [meet('unreadable'), meet('unreadable'), meet('not-understood')],
    [['reconcile.unreadable'], [], ['reconcile.not-understood']],
  );
  assert.equal(state.status.reason, 'HTTP 503');
  const found = comparison({ there: [delivered(1)] });
  const effects = applyToReconcile(state, { type: 'compared', at: 9, comparison: found, due: 1 });
  assert.deepEqual(codes(effects), ['reconcile.working']);
  assert.deepEqual([state.status.state, state.status.reason], ['ok', undefined]);
});

test('a history in which more than half is missing changes nothing', () => {
  const events = Array.from({ length: 21 }, (_, seq) => delivered(seq));
  const state = stateWith(...events);
  const found = comparison({ missing: events });
  const effects = applyToReconcile(state, { type: 'compared', at: 9, comparison: found, due: 21 });
  assert.deepEqual(codes(effects), ['reconcile.too-much-missing']);
  assert.equal(state.waiting.size, 21);
});
