import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AmiFailure } from './failure.ts';
import { ConnectionEnded, createPendingRequests } from './pending-requests.ts';

const late: AmiFailure = { kind: 'silent', detail: 'Status' };
const limits = { deadlineMs: 100, longestMs: 250 };

/** A clock that a test turns, and what arrives meanwhile. */
function setUp() {
  let bytes = 0;
  let timer: { ms: number; callback: () => void } | undefined;
  const failures: AmiFailure[] = [];
  const waits: number[] = [];
  const clock = {
    now: () => 0,
    setTimer(callback: () => void, ms: number) {
      waits.push(ms);
      const mine = { ms, callback };
      timer = mine;
      return () => {
        if (timer === mine) timer = undefined;
      };
    },
  };
  const pending = createPendingRequests(
    clock,
    () => bytes,
    (failure) => {
      failures.push(failure);
      pending.rejectAll(failure);
    },
  );
  return {
    pending,
    failures,
    waits,
    isWaiting: () => timer !== undefined,
    /** The timer runs out after this number of bytes; the socket is read before the decision. */
    async runOut(arrived: { before?: number; inTheSocket?: number }) {
      const due = timer;
      timer = undefined;
      bytes += arrived.before ?? 0;
      due?.callback();
      bytes += arrived.inTheSocket ?? 0;
      await new Promise(setImmediate);
    },
  };
}

test('silence ends the wait; what is in the socket already is no silence', async () => {
  const { pending, failures, runOut } = setUp();
  const asked = pending.add(() => {}, limits, late);
  const ended = assert.rejects(asked, ConnectionEnded);
  await runOut({ inTheSocket: 1 });
  assert.deepEqual(failures, []);
  await runOut({});
  assert.deepEqual(failures, [late]);
  await ended;
});

test('an answer behind what arrives is waited for, but not for ever', async () => {
  const { pending, failures, waits, isWaiting, runOut } = setUp();
  const ended = assert.rejects(
    pending.add(() => {}, limits, late),
    ConnectionEnded,
  );
  for (const expected of [0, 0, 1]) {
    await runOut({ before: 1 });
    assert.equal(failures.length, expected);
  }
  await ended;
  assert.deepEqual(waits, [100, 100, 50]);
  assert.equal(isWaiting(), false);
});
