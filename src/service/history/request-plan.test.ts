import assert from 'node:assert/strict';
import { test } from 'node:test';
import { durationOf, planRequest } from './request-plan.ts';
import type { RecordedRequest } from './request-store.ts';

const request: RecordedRequest = {
  account: 1,
  integration: 2,
  at: 1_000,
  began: 5,
  method: 'POST',
  path: '/voice/call',
  request: '{}',
  status: 200,
  response: '{}',
  callId: 'c',
  fromNumber: '110',
  event: { id: 'c', status: 'ringing', from: '110', number: '110', callerId: null },
};

const unknownCaller = (number: string) => ({ number, customer: null, segment: null, priority: null });
const ringing = planRequest(request, undefined, unknownCaller).call;

test('an event that moves its call is use, and says of whom the call is', () => {
  assert.deepEqual(planRequest(request, undefined, unknownCaller), {
    call: ringing,
    effect: 'moved',
    isUse: true,
  });
  assert.equal(ringing?.number, '110');
  assert.equal(ringing?.startedAt, 1_000);
});

test('an event that comes again moves nothing', () => {
  const { call, isUse } = planRequest(request, ringing, unknownCaller);
  assert.deepEqual([call, isUse], [undefined, true]);
});

test('a request without an event is use alone; the end that the service makes up is not', () => {
  const lookup = planRequest({ ...request, event: null }, undefined, unknownCaller);
  assert.deepEqual(lookup, { call: undefined, effect: null, isUse: true });
  const event = { ...request.event, status: 'completed', closes: 'ringing' } as RecordedRequest['event'];
  const { call, isUse } = planRequest({ ...request, event }, ringing, unknownCaller);
  assert.deepEqual([call?.status, isUse], ['completed', false]);
});

test('a duration is of microseconds, and not below 0', () => {
  assert.equal(durationOf(request, 5.123_456), 0.123);
  assert.equal(durationOf(request, 4), 0);
});
