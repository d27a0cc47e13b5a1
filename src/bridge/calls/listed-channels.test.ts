import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { callerOf } from './channel.ts';
import type { Input, SnapshotChannel } from './input.ts';
import {
  answered,
  becomes,
  caller,
  completed,
  dialled,
  enters,
  hangsUp,
  join,
  missed,
  phone,
  play,
  ringing,
  ringingPhone,
  row,
  talk,
  testReports,
  tick,
} from './tracker.fixture.ts';

/** A list of what is on the PBX, asked for at a time; each channel in a bridge or in none. */
const list = (at: number, ...channels: SnapshotChannel[]): Input => ({
  type: 'channels-listed',
  at,
  askedAt: at,
  channels,
  bridges: [{ bridge: 'parked', technology: 'holding_bridge' }],
});
const ofCaller = (bridge = '', state = 6) =>
  row('1.1', 'PJSIP/trunk-00000001', { bridge, state, context: 'from-trunk-isp' });
const ofPhone = (bridge = '') => row('1.2', 'PJSIP/1001-00000002', { bridge });

const [early, empty, again] = [list(1_000), list(20_000), list(40_000)];
const here = list(20_000, ofCaller(), ofPhone());
const hereAgain = list(40_000, ofCaller('', 4), ofPhone());
const [onlyCaller, onlyCallerAgain] = [list(20_000, ofCaller()), list(40_000, ofCaller())];
const connected = list(20_000, ofCaller('b'), ofPhone('b'));
const parked = list(20_000, ofCaller('parked'), ofPhone('parked'));

describe('events that never came', () => {
  // biome-ignore format: one case a line
  testReports([
    ['a Hangup: missing in two lists', [caller, empty, again], [ringing, 'vanished', missed]],
    ['a Hangup that may be on the way', [caller, empty], [ringing]],
    ['a Hangup that came after the first list', [caller, empty, hangsUp(caller)], [ringing, missed]],
    ['a channel that was missing once', [caller, empty, hereAgain], [ringing]],
    ['a channel that came after the question', [early, { ...caller, at: 30_000 }, empty], [ringing]],
    ['a Hangup of a call that was answered', [caller, talk, empty, again], [ringing, answered, 'vanished', completed]],
    ['a Hangup of the phone: it answers no later call of its bridge',
      [caller, phone, enters('b', phone), onlyCaller, onlyCallerAgain, enters('b', caller)], [ringing]],
    ['a Newchannel: in two lists', [here, hereAgain], ['picked-up', ringing]],
    ['a Newchannel that may be on the way', [onlyCaller, caller], [ringing]],
    ['BridgeEnter of both', [caller, phone, becomes(caller, 'up'), connected], [ringing, answered]],
    ['BridgeEnter of both, and Newchannel of the phone', [caller, becomes(caller, 'up'), here, hereAgain, connected], [ringing, answered]],
    ['BridgeEnter into a bridge that lets nobody talk', [caller, phone, becomes(caller, 'up'), parked], [ringing]],
    ['Newstate of a phone that rang in its bridge', [caller, ringingPhone, join('b', ringingPhone, caller), here], [ringing, answered]],
    ['none', [caller, phone, becomes(caller, 'up'), here, hereAgain], [ringing]],
  ]);

  test('a Newchannel of a call to which no number was dialled', () => {
    const listed = row('1.1', 'SIP/provider-00000001', { state: 4, context: 'from-trunk-isp' });
    const { reported } = play([list(20_000, listed), list(40_000, listed)], { dnid: '' });
    assert.deepEqual(reported, ['picked-up', ringing]);
  });

  test('a call whose Hangup was lost is left to its record, if there are any', () => {
    const { reported, state } = play([caller, empty, again], { dnid: '', hasGapFiller: true });
    assert.deepEqual(reported, [ringing]);
    assert.deepEqual([state.calls.size, state.channels.size], [1, 0]);
  });

  test('the channels are asked for 2 s after caller and phone have both picked up, if nothing connects them', () => {
    const asks = (...heard: Input[]) =>
      play([caller, ...heard]).effects.filter(({ type }) => type === 'ask-channels').length;
    const [callerUp, phoneUp] = [becomes(caller, 'up'), becomes(phone, 'up')];
    assert.equal(asks(ringingPhone, phoneUp, callerUp, tick(1_999)), 0);
    assert.equal(asks(ringingPhone, phoneUp, callerUp, tick(2_000)), 1);
    assert.equal(asks(callerUp, ringingPhone, phoneUp, tick(2_000)), 1, 'in a queue');
    assert.equal(asks(ringingPhone, callerUp, tick(2_000)), 0, 'it still rings');
    assert.equal(asks(ringingPhone, phoneUp, callerUp, ...join('b', phone, caller), tick(2_000)), 0);
    assert.equal(asks(ringingPhone, phoneUp, callerUp, hangsUp(phone), tick(2_000)), 0);
  });

  test('an unseen bridge is told once, and only if no event said that the channel is in one', () => {
    const unseen = (...heard: Input[]) =>
      play([caller, phone, ...heard, connected]).effects.filter(({ type }) => type === 'bridge-unseen')
        .length;
    assert.equal(unseen(becomes(caller, 'up')), 2);
    assert.equal(unseen(...join('b', caller, phone)), 0);
  });
});

test('without a Linkedid a channel is no leg, and DialBegin says whose it is', () => {
  const none = { linkedid: '' };
  const leg = { ...ringingPhone, ...none };
  const { reported, state } = play([{ ...caller, ...none }, leg, { ...dialled(leg, '1001'), by: '1.1' }]);
  assert.deepEqual(reported, [ringing]);
  const phoneNow = state.channels.get('1.2');
  assert.equal(phoneNow && callerOf(phoneNow), '1.1');
});
