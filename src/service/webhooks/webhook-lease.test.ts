import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Lease, leaseRequest, nextLease } from './webhook-lease.ts';

const none: Lease = { state: 'none' };
const idle: Lease = { state: 'idle' };
const held: Lease = { state: 'held', until: 15_000, place: '7', savedPlace: '7' };
const moved: Lease = { ...held, place: '8' };

test('the lease is asked for until it is held, and renewed with the place after five seconds', () => {
  const rows: [
    lease: Lease,
    now: number,
    shared: boolean,
    request: { place: string | undefined } | undefined,
  ][] = [
    [none, 0, false, { place: undefined }],
    [idle, 0, true, { place: undefined }],
    [held, 4_999, true, undefined],
    [held, 5_000, true, { place: '7' }],
    [{ ...held, place: null }, 5_000, true, { place: undefined }],
    // A single process has no one to tell that it is alive.
    [held, 5_000, false, undefined],
    [moved, 4_999, false, undefined],
    [moved, 5_000, false, { place: '8' }],
    // The clock was set back.
    [held, -5_000, true, { place: '7' }],
  ];
  for (const [lease, now, shared, request] of rows)
    assert.deepEqual(leaseRequest(lease, { now, shared }), request, JSON.stringify({ lease, now, shared }));
});

test('who gets the lease goes on at the saved place, and who renews it at its own', () => {
  const answer = { type: 'answered', held: { place: '5' }, until: 20_000 } as const;
  const taken = { state: 'held', until: 20_000, place: '5', savedPlace: '5' };
  assert.deepEqual(nextLease(none, answer), taken);
  assert.deepEqual(nextLease(moved, answer), { ...taken, place: '8', savedPlace: '8' });
});

test('what changed while no webhook was enabled is not sent, however long the lease takes', () => {
  const refused = nextLease(nextLease(held, { type: 'no-webhooks' }), {
    type: 'answered',
    held: undefined,
    until: 20_000,
  });
  assert.deepEqual(refused, idle);
  const taken = nextLease(refused, { type: 'answered', held: { place: '5' }, until: 20_000 });
  assert.deepEqual(taken, { state: 'held', until: 20_000, place: null, savedPlace: null });
});

test('another process that took the lease ends it, and only a holder moves the place', () => {
  assert.deepEqual(nextLease(held, { type: 'answered', held: undefined, until: 20_000 }), none);
  assert.deepEqual(nextLease(held, { type: 'queued', place: '8' }), moved);
  assert.deepEqual(nextLease(none, { type: 'queued', place: '8' }), none);
});
