import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Dialled, Input } from './input.ts';
import { createOutgoingCalls, type OutgoingCall } from './outgoing-calls.ts';
import { callSettings } from './rules.fixture.ts';
import { createRules } from './rules.ts';
import {
  at,
  becomes,
  caller,
  created,
  enters,
  gone,
  hangsUp,
  heard,
  join,
  leaves,
  row,
  snapshot,
} from './tracker.fixture.ts';
import { createTracker } from './tracker.ts';

const wanted = '+31209876543';
type Inputs = readonly (Input | readonly Input[])[];

/** Plays inputs, each a second after the one before, and returns the calls that are over, and how many are followed still. */
function play(inputs: Inputs, settings: Partial<typeof callSettings> = {}, extensions?: readonly string[]) {
  const tracker = createTracker(createRules({ ...callSettings, ...settings }), {
    calls: [],
    trunks: [heard('PJSIP/trunk')],
  });
  const outgoing = createOutgoingCalls(tracker.state, (number) => number === wanted, extensions);
  const over: OutgoingCall[] = [];
  for (const [nth, input] of inputs.flat().entries()) {
    const later = { ...input, at: at + nth * 1_000 };
    tracker.apply(later);
    over.push(...outgoing.apply(later));
  }
  return { over, following: outgoing.count() };
}

/** Phone 1001 dials out: its own channel, and that of the trunk. */
const anna = { ...created('5.1', 'PJSIP/1001-00000005', 4), linkedid: '5.1', exten: '0209876543' };
const leg = { ...created('5.2', 'PJSIP/out-00000006'), linkedid: '5.1' };
const dials = (to = leg, dialString = '0209876543@out', by: string | null = '5.1'): Input => {
  const input: Dialled = { type: 'dialled', at, uniqueid: to.uniqueid, dialString };
  return by === null ? input : { ...input, by };
};
const guest = { ...created('8.1', 'PJSIP/anonymous-00000008', 4), linkedid: '8.1', context: 'from-guest' };
const sipGuest = { ...created('8.2', 'SIP/1001-00000008', 4), linkedid: '8.2', context: 'from-guest' };
const configured: Input = {
  type: 'endpoints',
  at,
  contexts: [['SIP/1001', 'from-internal']],
  guestContext: 'from-guest',
};
/** A mobile: of the house, or a stranger's. */
const ben = { ...created('5.4', 'PJSIP/out-00000009'), linkedid: '5.4' };
const begins = [anna, leg, dials()];
const talks = [becomes(leg, 'up'), becomes(anna, 'up'), ...join('b', leg, anna)];
const call = { uniqueid: '5.2', number: wanted, by: '1001' };
const unreached = { ...call, talkedMs: undefined };

// biome-ignore format: one case a line
const cases: [name: string, inputs: Inputs, over: OutgoingCall[], settings?: Partial<typeof callSettings>][] = [
  ['called, and not reached', [...begins, becomes(leg, 'ringing'), hangsUp(leg), hangsUp(anna)], [unreached]],
  ['called, and given up', [...begins, hangsUp(anna), hangsUp(leg)], [unreached]],
  ['called, and talked', [...begins, ...talks, leaves('b', leg), hangsUp(leg), hangsUp(anna)], [{ ...call, talkedMs: 1_000 }]],
  ['answered, but not connected with anybody', [...begins, becomes(leg, 'up'), hangsUp(leg), hangsUp(anna)], [unreached]],
  ['on hold for a while', [...begins, ...talks, leaves('b', anna), enters('b', anna), leaves('b', anna), hangsUp(leg), hangsUp(anna)], [{ ...call, talkedMs: 2_000 }]],
  ['over a second trunk, when the first fails', [...begins, hangsUp(leg), { ...leg, uniqueid: '5.3' }, dials({ ...leg, uniqueid: '5.3' }, 'g0/0209876543'),
    becomes({ uniqueid: '5.3' }, 'up'), becomes(anna, 'up'), ...join('b', { uniqueid: '5.3' }, anna), hangsUp(anna), hangsUp({ uniqueid: '5.3' })], [{ ...call, talkedMs: 1_000 }]],
  ['handed on to a colleague', [...begins, ...talks, created('6.1', 'PJSIP/1002-00000007', 6), enters('b', { uniqueid: '6.1' }), leaves('b', anna), hangsUp(anna),
    hangsUp(leg)], [{ ...call, talkedMs: 5_000 }]],
  ['handed on to somebody outside', [...begins, ...talks, ben, dials(ben, '0612345678@out'), becomes(ben, 'up'), leaves('b', anna), enters('b', ben), hangsUp(anna)], [{ ...call, talkedMs: 4_000 }]],
  ['handed on to somebody outside, and back', [...begins, ...talks, ben, dials(ben, '0612345678@out'), becomes(ben, 'up'), leaves('b', anna), enters('b', ben), enters('b', anna), leaves('b', leg),
    hangsUp(leg)], [{ ...call, talkedMs: 5_000 }]],
  ['by somebody outside, whom a program has called first', [ben, dials(ben, '0612345678@out', null), becomes(ben, 'up'), { ...leg, linkedid: '5.4' }, dials(leg, '0209876543@out', '5.4'), becomes(leg, 'up'),
    ...join('b', leg, ben), hangsUp(ben), hangsUp(leg)], [{ ...call, by: undefined, talkedMs: 1_000 }]],
  ['in E.164, by the address of an endpoint', [anna, leg, dials(leg, 'out/sip:+31209876543@192.0.2.1:5060'), hangsUp(leg), hangsUp(anna)], [unreached]],
  ['with the digit that the trunk wants', [anna, leg, dials(leg, '90209876543@out'), hangsUp(leg), hangsUp(anna)], [unreached], { trunkNumbers: [{ glob: 'PJSIP/out-*', notation: { kind: 'auto', strip: '9', rule: 'PJSIP/out-*:strip=9' } }] }],
  ['another number', [anna, leg, dials(leg, '0201112223@out'), ...talks, hangsUp(leg), hangsUp(anna)], []],
  ['an extension', [anna, leg, dials(leg, '1002'), ...talks, hangsUp(leg), hangsUp(anna)], []],
  ['a program rings the phone first', [{ ...anna, state: 0 }, dials(anna, '1001', null), becomes(anna, 'up'), leg, dials(), ...talks, hangsUp(leg), hangsUp(anna)], [{ ...call, talkedMs: 1_000 }]],
  ['a program calls the customer first', [{ ...leg, linkedid: '5.2' }, dials(leg, '0209876543@out', null), becomes(leg, 'up'),
    anna, becomes(anna, 'up'), ...join('b', anna, leg), hangsUp(anna), hangsUp(leg)], [{ ...call, talkedMs: 1_000 }]],
  ['a program calls the customer first, who does not answer', [{ ...leg, linkedid: '5.2' }, dials(leg, '0209876543@out', null), hangsUp(leg)], [{ ...unreached, by: undefined }]],
  ['a program plays a message to the customer', [{ ...leg, linkedid: '5.2' }, dials(leg, '0209876543@out', null), becomes(leg, 'up'), hangsUp(leg)], []],
  ['a program calls by a Local channel', [created('5.7', 'Local/1001@ring-0001;1'), created('5.8', 'Local/1001@ring-0001;2'), anna, becomes(anna, 'up'), ...join('l', { uniqueid: '5.8' }, anna),
    { ...leg, linkedid: '5.7' }, dials(leg, '0209876543@out', '5.7'), hangsUp(leg), hangsUp({ uniqueid: '5.7' })], [unreached]],
  ['a mobile that rings for a caller is no call back', [caller, { ...leg, linkedid: '1.1' }, dials(leg, '0209876543@out', '1.1'), becomes(leg, 'up'), ...join('b', leg, caller),
    hangsUp(leg), hangsUp(caller)], []],
  ['nor for one who is led there by a Local channel', [caller, { ...created('5.8', 'Local/s@ring-0001;2'), linkedid: '1.1' }, { ...leg, linkedid: '1.1' }, dials(leg, '0209876543@out', '5.8'),
    hangsUp(leg), hangsUp({ uniqueid: '5.8' })], []],
  ['a caller who is connected with the number is nobody from here', [...begins, becomes(leg, 'up'), caller, ...join('b', leg, caller), hangsUp(leg), hangsUp(anna)], [unreached]],
  ['a guest whom the dialplan leads to a mobile is nobody from here', [guest, { ...leg, linkedid: '8.1' }, dials(leg, '0209876543@out', '8.1'), becomes(leg, 'up'), becomes(guest, 'up'),
    ...join('b', leg, guest), hangsUp(leg), hangsUp(guest)], []],
  ['nor is a guest of chan_sip under the name of a phone', [configured, sipGuest, { ...leg, linkedid: '8.2' }, dials(leg, '0209876543@out', '8.2'), becomes(leg, 'up'), becomes(sipGuest, 'up'),
    ...join('b', leg, sipGuest), hangsUp(leg), hangsUp(sipGuest)], []],
  ['nor one whom a Local channel leads there', [guest, { ...created('5.8', 'Local/s@ring-0001;2'), linkedid: '8.1' }, { ...leg, linkedid: '8.1' }, dials(leg, '0209876543@out', '5.8'),
    hangsUp(leg), hangsUp({ uniqueid: '5.8' }), hangsUp(guest)], []],
  ['by the caller id of the phone', [{ ...anna, callerNumber: '180' }, { type: 'caller-number', at, uniqueid: '5.1', callerNumber: '0201000000', presentation: 'allowed' }, leg, dials(),
    hangsUp(leg), hangsUp(anna)], [{ ...unreached, by: '180' }], { answeredBy: 'callerid' }],
  ['by the phone, if it has no caller id', [{ ...anna, callerNumber: '' }, leg, dials(), hangsUp(leg), hangsUp(anna)], [unreached], { answeredBy: 'callerid' }],
  ['by the phone that a program rings first, whose caller id is the program\'s', [{ ...anna, state: 0, callerNumber: '0201000000' }, dials(anna, '1001', null), becomes(anna, 'up'), leg, dials(), ...talks,
    hangsUp(leg), hangsUp(anna)], [{ ...call, talkedMs: 1_000 }], { answeredBy: 'callerid' }],
  ['forgotten after a gap', [...begins, ...talks, gone], []],
  ['forgotten after a gap, also if it goes on', [...begins, ...talks, snapshot([row('5.1', anna.channel), row('5.2', leg.channel)]), hangsUp(leg), hangsUp(anna)], []],
];
for (const [name, inputs, over, settings] of cases)
  test(`an outgoing call: ${name}`, () => assert.deepEqual(play(inputs, settings), { over, following: 0 }));

test('an outgoing call is told only of the phones that are named, if some are', () => {
  const unanswered = [...begins, hangsUp(leg), hangsUp(anna)];
  const program = [
    { ...leg, linkedid: '5.2' },
    dials(leg, '0209876543@out', null),
    becomes(leg, 'up'),
    anna,
    becomes(anna, 'up'),
    ...join('b', anna, leg),
    hangsUp(anna),
    hangsUp(leg),
  ];
  const told = (inputs: Inputs, extensions: readonly string[], settings = {}) =>
    play(inputs, settings, extensions).over.length;
  for (const inputs of [unanswered, program]) {
    for (const extensions of [['10*'], ['2001', '1001'], ['*']]) assert.equal(told(inputs, extensions), 1);
    for (const extensions of [['2*'], ['100'], ['001'], []]) assert.equal(told(inputs, extensions), 0);
  }
  // Nobody here is known to have called.
  assert.equal(told([leg, dials(leg, '0209876543@out', null), hangsUp(leg)], ['*']), 0);
  // Phones can choose what they show.
  const shown = [{ ...anna, callerNumber: '200' }, leg, dials(), hangsUp(leg), hangsUp(anna)];
  assert.equal(told(shown, ['200'], { answeredBy: 'callerid' }), 0);
  assert.equal(told(shown, ['1001'], { answeredBy: 'callerid' }), 1);
  const named = { ...anna, channel: 'PJSIP/Anna-WS-00000005' };
  assert.equal(told([named, leg, dials(), hangsUp(leg), hangsUp(named)], ['anna-ws']), 1);
});

test('an outgoing call is followed until it is over, and at most a hundred are', () => {
  assert.deepEqual(play([...begins, ...talks]), { over: [], following: 1 });
  const many = Array.from({ length: 110 }, (_, n) => {
    const one = { ...leg, uniqueid: `7.${n}`, linkedid: `7.${n}` };
    return [one, dials(one, '0209876543@out', null)];
  });
  assert.equal(play(many.flat()).following, 100);
});
