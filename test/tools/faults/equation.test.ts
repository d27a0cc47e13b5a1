import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallStatus } from '../../../src/shared/api/contract/call-status.ts';
import { type Evidence, solve } from './equation.ts';

const all: readonly CallStatus[] = ['ringing', 'answered', 'completed'];
const sent = new Map([['a', all]]);
const counters = { queued: 3, delivered: 3, waiting: 0, dead: 0, lost: 0 };
const well: Evidence = { sent, acknowledged: sent, outbox: { counters, kept: new Set() }, received: sent };
const received = (...states: CallStatus[]) => ({ ...well, received: new Map([['a', states]]) });

test('a whole call solves the equation, and so does one of which a state came twice', () => {
  assert.deepEqual(solve(well), {
    counts: { queued: 3, delivered: 3, waiting: 0, dead: 0, lost: 0, inverted: 0, duplicated: 0 },
    broken: [],
  });
  const { counts, broken } = solve(received('ringing', 'ringing', 'answered', 'completed'));
  assert.deepEqual([counts.duplicated, broken], [1, []]);
});

test('what waits or is a dead letter is not lost; what is nowhere is', () => {
  const outbox = {
    counters: { ...counters, delivered: 1, waiting: 1, dead: 1 },
    kept: new Set(['a answered']),
  };
  const { counts, broken } = solve({ ...received('ringing'), outbox });
  assert.equal(counts.lost, 1);
  assert.deepEqual(broken, ['1 lost: completed of a']);
});

test('a state that comes after a later one is out of order', () => {
  const { counts, broken } = solve(received('ringing', 'completed', 'answered'));
  assert.equal(counts.inverted, 1);
  assert.deepEqual(broken, ['1 out of order: answered of a']);
});

test('counters that do not add up, deliveries that did not arrive, and what was never sent', () => {
  const outbox = { ...well.outbox, counters: { ...counters, queued: 5 } };
  assert.deepEqual(solve({ ...well, outbox }).broken, [
    '5 queued, but 3 delivered + 0 waiting + 0 dead letters',
  ]);
  assert.deepEqual(solve({ ...received('ringing'), acknowledged: new Map() }).broken, [
    '3 delivered, but only 1 arrived',
  ]);
  assert.deepEqual(solve({ ...well, sent: new Map([['a', all.slice(0, 2)]]) }).broken, [
    '1 arrived that nobody sent: completed of a',
  ]);
});
