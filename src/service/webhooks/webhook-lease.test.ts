import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Lease, leaseRequest, nextLease } from './webhook-lease.ts';

const none: Lease = { state: 'none' };
const idle: Lease = { state: 'idle' };
const held: Lease = { state: 'held', until: 15_000, cursor: '7', savedCursor: '7' };
const moved: Lease = { ...held, cursor: '8' };

test('the lease is asked for until it is held, and renewed with the cursor after five seconds', () => {
  const rows: [
    lease: Lease,
    now: number,
    shared: boolean,
    request: { cursor: string | undefined } | undefined,
  ][] = [
    [none, 0, false, { cursor: undefined }],
    [idle, 0, true, { cursor: undefined }],
    [held, 4_999, true, undefined],
    [held, 5_000, true, { cursor: '7' }],
    [{ ...held, cursor: null }, 5_000, true, { cursor: undefined }],
    // A single process has no one to tell that it is alive.
    [held, 5_000, false, undefined],
    [moved, 4_999, false, undefined],
    [moved, 5_000, false, { cursor: '8' }],
    // The clock was set back.
    [held, -5_000, true, { cursor: '7' }],
  ];
  for (const [lease, now, shared, request] of rows)
    assert.deepEqual(leaseRequest(lease, { now, shared }), request, JSON.stringify({ lease, now, shared }));
});

test('who gets the lease goes on at the saved cursor, and who renews it at its own', () => {
  const answer = { type: 'answered', held: { cursor: '5' }, until: 20_000 } as const;
  const taken = { state: 'held', until: 20_000, cursor: '5', savedCursor: '5' };
  assert.deepEqual(nextLease(none, answer), taken);
  assert.deepEqual(nextLease(moved, answer), { ...taken, cursor: '8', savedCursor: '8' });
});

test('what changed while no webhook was enabled is not sent, however long the lease takes', () => {
  const refused = nextLease(nextLease(held, { type: 'no-webhooks' }), {
    type: 'answered',
    held: undefined,
    until: 20_000,
  });
  assert.deepEqual(refused, idle);
  const taken = nextLease(refused, { type: 'answered', held: { cursor: '5' }, until: 20_000 });
  assert.deepEqual(taken, { state: 'held', until: 20_000, cursor: null, savedCursor: null });
});

test('another process that took the lease ends it, and only a holder moves the cursor', () => {
  assert.deepEqual(nextLease(held, { type: 'answered', held: undefined, until: 20_000 }), none);
  assert.deepEqual(nextLease(held, { type: 'queued', cursor: '8' }), moved);
  assert.deepEqual(nextLease(none, { type: 'queued', cursor: '8' }), none);
});
