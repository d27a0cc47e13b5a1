import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPendingRequests, MOST_PENDING } from './pending-requests.ts';
import { StoreUnavailable } from './storage-error.ts';
import { noAnswers, type ThreadRequest } from './thread-messages.ts';

/** This number of requests, and how each was settled so far. */
function pendingOf(count: number) {
  const pending = createPendingRequests();
  const requests: ThreadRequest[] = [];
  const settled: unknown[] = [];
  for (let nth = 0; nth < count; nth++)
    pending
      .add('double', [nth], (request) => requests.push(request))
      .then(
        (value) => settled.push(value),
        (error) => settled.push(error),
      );
  return { pending, requests, settled };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('answers find their requests by number: without a value, with one, or an error', async () => {
  const { pending, requests, settled } = pendingOf(4);
  assert.deepEqual(requests.at(-1), { id: 4, name: 'double', args: [3] });
  pending.answered({
    done: [2],
    values: [1, 'one'],
    errors: [
      { id: 3, message: 'refused', isUnavailable: false },
      { id: 4, message: 'disk full', isUnavailable: true },
    ],
    commits: 1,
  });
  assert.equal(pending.settle(), false);
  await turn();
  assert.deepEqual(settled.slice(0, 2), [undefined, 'one']);
  assert.deepEqual(settled.slice(2), [new Error('refused'), new StoreUnavailable('disk full')]);
});

test('a limited number of answers is handed on at a time, in their order', async () => {
  const { pending, settled } = pendingOf(3);
  pending.answered({ ...noAnswers(), values: [3, 'c', 1, 'a', 2, 'b'] });
  assert.equal(pending.settle(2), true);
  await turn();
  assert.deepEqual(settled, ['c', 'a']);
  assert.equal(pending.settle(2), false);
  await turn();
  assert.deepEqual(settled, ['c', 'a', 'b']);
});

test('after an end nothing is taken, and what was not answered is rejected with the first reason', async () => {
  const { pending, requests, settled } = pendingOf(2);
  const crashed = new Error('crashed');
  pending.answered({ ...noAnswers(), done: [1] });
  assert.deepEqual([pending.refuse(crashed), pending.refuse(new Error('ended'))], [true, false]);
  await assert.rejects(
    pending.add('double', [3], (request) => requests.push(request)),
    crashed,
  );
  pending.settle();
  pending.rejectAll();
  await turn();
  assert.deepEqual([settled, requests.length], [[undefined, crashed], 2]);
});

test('more requests than a thread should hold are refused, until some are answered', async () => {
  const { pending, requests } = pendingOf(MOST_PENDING);
  const add = () => pending.add('double', [], (request) => requests.push(request));
  await assert.rejects(add(), StoreUnavailable);
  pending.answered({ ...noAnswers(), done: [1] });
  pending.settle();
  void add();
  assert.equal(requests.length, MOST_PENDING + 1);
});
