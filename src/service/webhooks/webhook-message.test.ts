import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Extensions } from '../accounts/account.ts';
import { noExtensions } from '../accounts/extensions.ts';
import { createKeys } from '../accounts/keys.ts';
import { type CallRecord, noExtras } from '../calls/call-record.ts';
import { type DueDelivery, webhookEvents } from './webhook.ts';
import { signedHeaders, webhookBody } from './webhook-message.ts';

const keys = createKeys(Buffer.alloc(32, 7));
const call: CallRecord = {
  id: 'pbx-1',
  integration: 1,
  status: 'completed',
  from: '030 901820',
  number: '+4930901820',
  customer: { reference: '7', name: 'Ann' },
  segment: 'VIP',
  priority: 9,
  callerId: '101',
  startedAt: 1000,
  ringingAt: 1000,
  answeredAt: 2000,
  completedAt: 3000,
  updatedAt: 3000,
  missed: false,
  closedFrom: null,
  past: false,
  rang: null,
  talked: null,
  extras: noExtras,
};
const delivery = (event: DueDelivery['event'], at = 1000): DueDelivery => ({
  id: 5,
  event,
  at,
  queuedAt: at,
  attempts: 0,
  rejections: 0,
  call: event === 'test' ? null : call,
  person: null,
});
const standard = { shape: null, events: webhookEvents };
const telling = { extensions: noExtensions, integration: null, country: null };
const webhook = { uid: 'w1', secretCounter: 2, oldSecretUntil: null };

test('the same event has the same id each time, and another one for another event, call or webhook', () => {
  const idOf = (of: DueDelivery, uid = 'w1') =>
    signedHeaders(keys, { ...webhook, uid }, of, { body: '', now: 0 })['webhook-id'];
  const first = idOf(delivery('call.ringing'));
  assert.match(`${first}`, /^msg_[0-9a-f]{32}$/);
  assert.equal(idOf({ ...delivery('call.ringing'), id: 6, attempts: 3 }), first);
  const others = [
    idOf(delivery('call.ended')),
    idOf({ ...delivery('call.ringing'), call: { ...call, id: 'pbx-2' } }),
    idOf(delivery('call.ringing'), 'w2'),
    idOf(delivery('test')),
  ];
  assert.equal(new Set([first, ...others]).size, 5);
});

test('the secret before signs, too, until its end, unless that was set while the clock was ahead', () => {
  const signatures = (oldSecretUntil: number) =>
    signedHeaders(keys, { ...webhook, oldSecretUntil }, delivery('test'), { body: '', now: 1_000 })[
      'webhook-signature'
    ]?.split(' ').length;
  assert.deepEqual([1_000, 1_001, 8 * 86_400_000].map(signatures), [1, 2, 1]);
});

test('an event shows the call as it was then', () => {
  const { data, ...rest } = JSON.parse(
    webhookBody(delivery('call.ended', 3000), standard, { ...telling, integration: 'Office' }),
  );
  assert.deepEqual(rest, { type: 'call.ended', timestamp: '1970-01-01T00:00:03.000Z' });
  assert.deepEqual(data, {
    id: 'pbx-1',
    status: 'completed',
    from: '030 901820',
    number: '+4930901820',
    integration: 'Office',
    customer: { reference: '7', name: 'Ann' },
    segment: 'VIP',
    priority: 9,
    caller_id: '101',
    answered_by: '101',
    started_at: 1000,
    ringing_at: 1000,
    answered_at: 2000,
    completed_at: 3000,
    missed: false,
  });
  const at = (event: DueDelivery['event']) =>
    JSON.parse(webhookBody(delivery(event), standard, telling)).data;
  const { status, answered_at, completed_at, missed, caller_id } = at('call.ringing');
  assert.deepEqual(
    [status, answered_at, completed_at, missed, caller_id],
    ['ringing', null, null, null, null],
  );
  const answered = at('call.answered');
  assert.deepEqual([answered.status, answered.answered_at, answered.completed_at], ['answered', 2000, null]);
  assert.deepEqual(at('test'), {});
});

test('how a missed call ended is not in an event before', () => {
  const missed = { where: 'queue', name: 'sales', by: 'caller', after: 9, at: null } as const;
  const extras = { numberCalled: '+4930', line: 'PJSIP/a', missed };
  const of = (event: DueDelivery['event']) => {
    const lost: CallRecord = { ...call, answeredAt: null, missed: true, callerId: null, extras };
    return JSON.parse(webhookBody({ ...delivery(event), call: lost }, standard, telling)).data;
  };
  assert.deepEqual([of('call.missed').missed_where, of('call.missed').number_called], ['queue', '+4930']);
  assert.deepEqual([of('call.ringing').missed_where, of('call.ringing').number_called], [null, '+4930']);
});

test('who talked is only in the end, who rang in what came after', () => {
  const rang = [
    { by: '101', from: 100, for: 900 },
    { by: '102', from: 1500, for: 300 },
  ];
  const talked = [{ by: '101', from: 1000, to: 2000 }];
  const names: Extensions = new Map([
    ['101', { account: 1, extension: '101', name: 'Anna', user: null, userName: null }],
  ]);
  const of = (event: DueDelivery['event']) => {
    const { data } = JSON.parse(
      webhookBody({ ...delivery(event), call: { ...call, rang, talked } }, standard, {
        ...telling,
        extensions: names,
      }),
    );
    return [data.rang, data.talked];
  };
  const anna = { by: '101', name: 'Anna' };
  const whoRang = [{ ...anna, from: 100, for: 900 }];
  assert.deepEqual(of('call.ringing'), [[], undefined]);
  assert.deepEqual(of('call.answered'), [whoRang, undefined]);
  const later = { by: '102', name: '102', from: 1500, for: 300 };
  assert.deepEqual(of('call.ended'), [[...whoRang, later], [{ ...anna, from: 1000, to: 2000 }]]);
});

test('the event of a call that was closed as missed says so, though the call turned out to be answered', () => {
  const later: CallRecord[] = [call, { ...call, status: 'answered', completedAt: null, missed: null }];
  for (const answered of later) {
    const of = { ...delivery('call.missed', 1000), call: answered };
    const { status, missed, ...data } = JSON.parse(webhookBody(of, standard, telling)).data;
    assert.deepEqual([status, missed], ['completed', true]);
    assert.deepEqual([data.caller_id, data.answered_at, data.completed_at], [null, null, 1000]);
  }
});
