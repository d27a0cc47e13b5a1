import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  checkpointText,
  type GapEvent,
  type GapState,
  isThorough,
  ledgerLimit,
  newGapState,
  nextGap,
} from './gap-state.ts';

const now = 1_800_000_100_500;
const day = 86_400_000;
const fromNow: GapEvent = { type: 'from-now', position: 1, now };
const quiet: GapEvent = { type: 'read-ended', isQuiet: true, snapshots: 0 };
const failed: GapEvent = { type: 'failed', error: 'cannot', now };
const count = (what: 'reported' | 'known'): GapEvent => ({ type: 'count', what });

/** The state after these events, and the codes that were logged. */
function apply(...events: readonly GapEvent[]) {
  let state: GapState = newGapState('Master.csv');
  const said: string[] = [];
  for (const event of events) {
    const [next, ...lines] = nextGap(state, event);
    state = next;
    said.push(...lines.map(({ code }) => code));
  }
  return { state, said };
}

test('gap: without a checkpoint, reading begins at the end, and only calls from now on are reported', () => {
  const { state, said } = apply(fromNow);
  assert.deepEqual([state.position, state.since, state.stored.text], [1, 1_800_000_100_000, '']);
  assert.deepEqual(said, ['cdr.from-now']);
  assert.deepEqual(JSON.parse(checkpointText(state, undefined)), {
    source: 'Master.csv',
    since: 1_800_000_100_000,
    position: 1,
  });
});

test('gap: with a checkpoint, reading goes on there', () => {
  const checkpoint = { source: 'Master.csv', since: 5, position: 2 };
  const { state, said } = apply({ type: 'going-on', text: 'text', checkpoint });
  assert.deepEqual([state.position, state.since, state.stored], [2, 5, { text: 'text', since: 5 }]);
  assert.deepEqual(said, ['cdr.going-on']);
});

test('gap: a checkpoint in the future is moved back', () => {
  const early = apply(fromNow, { type: 'check-since', now });
  assert.deepEqual([early.state.since, early.said.length], [1_800_000_100_000, 1]);
  const { state, said } = apply(fromNow, { type: 'check-since', now: now - 10 * day });
  assert.ok(state.since <= now - 12 * day);
  assert.deepEqual(said, ['cdr.from-now', 'cdr.clock-was-ahead']);
});

test('gap: calls that the ledger forgets are too old once all records were read, and not before', () => {
  const chunk = { type: 'chunk-read', next: 2, pending: [], now: now + 5 * day, keepMs: 2 * day } as const;
  assert.equal(apply(fromNow, { ...chunk, atEnd: false }).state.since, 1_800_000_100_000);
  const { state } = apply(fromNow, { ...chunk, atEnd: true });
  assert.ok(state.since > now && state.since <= now + 3 * day);
  assert.equal(state.position, 2);
  assert.deepEqual(JSON.parse(checkpointText(state, 7)).position, 7, 'the oldest pending call is read again');
});

test('gap: what was done is logged once all is read, and after a gap even if nothing was', () => {
  const busy: GapEvent = { ...quiet, isQuiet: false };
  assert.deepEqual(apply(count('reported'), busy).said, []);
  const { state, said } = apply(count('reported'), busy, quiet, quiet);
  assert.deepEqual(said, ['cdr.filled']);
  assert.equal(state.counts.reported, 0);
  assert.deepEqual(apply(count('known'), quiet).said, [], 'what was known is worth no line');
  const afterGap: GapEvent = { ...quiet, snapshots: 1 };
  assert.deepEqual(apply(afterGap, afterGap).said, ['cdr.filled']);
});

test('gap: records that cannot be read are said once, and that they can be again', () => {
  const { state, said } = apply(failed, { ...failed, error: 'again', now: now + 1 });
  assert.deepEqual(state.unreadable, { source: 'Master.csv', error: 'cannot', since: now });
  assert.deepEqual(said, ['cdr.unreadable']);
  const after = apply(failed, count('reported'), quiet, quiet);
  assert.equal(after.state.unreadable, undefined);
  assert.deepEqual(after.said, ['cdr.unreadable', 'cdr.filled', 'cdr.readable']);
});

test('gap: the first read, every 300th, and those after a gap are thorough', () => {
  const read: GapEvent = { type: 'read-begins' };
  const reads = Array.from({ length: 301 }, (_, i) => apply(...Array(i + 1).fill(read)).state);
  const thorough = reads.flatMap((state, i) => (isThorough(state, 0) ? i : []));
  assert.deepEqual(thorough, [0, 300]);
  assert.equal(isThorough(apply(read, read).state, 1), true);
});

test('gap: the ledger need not keep calls longer than 90 days', () => {
  assert.equal(ledgerLimit(now - day, now), now - day);
  assert.equal(ledgerLimit(0, now), now - 90 * day);
});
