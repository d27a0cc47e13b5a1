import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { table } from '../../../test/table.ts';
import type { Input, SnapshotChannel } from './input.ts';
import { caller, heardAs, phone, play, reportedAs, row } from './tracker.fixture.ts';

/** A list of what is on the PBX, asked for at a time; each channel in a bridge or in none. */
const list = (at: number, ...channels: SnapshotChannel[]): Input => ({
  ...{ type: 'channels-listed', at, askedAt: at, channels },
  bridges: [{ bridge: 'parked', technology: 'holding_bridge' }],
});
const ofCaller = (bridge = '', state = 6) =>
  row('1.1', 'PJSIP/trunk-00000001', { bridge, state, context: 'from-trunk-isp' });
const ofPhone = (bridge = '') => row('1.2', 'PJSIP/1001-00000002', { bridge });

const inputs: Record<string, Input> = {
  empty: list(20_000),
  again: list(40_000),
  early: list(1_000),
  here: list(20_000, ofCaller(), ofPhone()),
  hereAgain: list(40_000, ofCaller('', 4), ofPhone()),
  onlyCaller: list(20_000, ofCaller()),
  onlyCallerAgain: list(40_000, ofCaller()),
  connected: list(20_000, ofCaller('b'), ofPhone('b')),
  parked: list(20_000, ofCaller('parked'), ofPhone('parked')),
  later: caller({ at: 30_000 } as Partial<Input>),
  up: phone(6),
};

describe('events that never came', () => {
  for (const [what = '', script = '', reported = ''] of table(`
    a Hangup: missing in two lists               | caller empty again             | R (vanished) M
    a Hangup that may be on the way              | caller empty                   | R
    a Hangup that came after the first list      | caller empty -1.1              | R M
    a channel that was missing once              | caller empty hereAgain         | R
    a channel that came after the question       | early later empty              | R
    a Hangup of a call that was answered         | caller talk empty again        | R A (vanished) C
    a Hangup of the phone: it answers no later call of its bridge | caller up 1.2>b onlyCaller onlyCallerAgain 1.1>b | R
    a Newchannel: in two lists                   | here hereAgain                 | (picked-up) R
    a Newchannel that may be on the way          | onlyCaller caller              | R
    BridgeEnter of both                          | caller up 1.1=6 connected      | R A
    BridgeEnter of both, and Newchannel of the phone | caller 1.1=6 here hereAgain connected | R A
    BridgeEnter into a bridge that lets nobody talk | caller up 1.1=6 parked      | R
    none                                         | caller up 1.1=6 here hereAgain | R
  `))
    test(what, () => assert.deepEqual(play(heardAs(script, inputs)).reported, reportedAs(reported)));

  test('a call whose Hangup was lost is left to its record, if there are any', () => {
    const more = { hasGapFiller: true };
    const { reported, state } = play(
      heardAs('caller empty again', inputs),
      {},
      undefined,
      'allowed',
      '',
      more,
    );
    assert.deepEqual(reported, reportedAs('R'));
    assert.deepEqual([state.calls.size, state.channels.size], [1, 0]);
  });

  test('the channels are asked for 2 s after caller and phone have both picked up, if nothing connects them', () => {
    const asks = (script: string) =>
      play(heardAs(script, { ...inputs, rings: phone(5) })).effects.filter(
        ({ type }) => type === 'ask-channels',
      ).length;
    assert.equal(asks('caller rings 1.2=6 1.1=6 +1999'), 0);
    assert.equal(asks('caller rings 1.2=6 1.1=6 +2000'), 1);
    assert.equal(asks('caller 1.1=6 rings 1.2=6 +2000'), 1, 'in a queue');
    assert.equal(asks('caller rings 1.1=6 +2000'), 0, 'it still rings');
    assert.equal(asks('caller rings 1.2=6 1.1=6 1.2>b 1.1>b +2000'), 0);
    assert.equal(asks('caller rings 1.2=6 1.1=6 -1.2 +2000'), 0);
  });

  test('an unseen bridge is told once, and only if no event said that the channel is in one', () => {
    const unseen = (script: string) =>
      play(heardAs(script, inputs)).effects.filter(({ type }) => type === 'bridge-unseen').length;
    assert.equal(unseen('caller up 1.1=6 connected'), 2);
    assert.equal(unseen('caller up 1.1>b 1.2>b connected'), 0);
  });
});

test('without a Linkedid a channel is no leg, and DialBegin says whose it is', () => {
  const none = { linkedid: '' } as Partial<Input>;
  const leg = { ...phone(5), ...none } as Input;
  const dialled: Input = { type: 'dialled', at: 1_000, uniqueid: '1.2', dialString: '1001', by: '1.1' };
  const inputsWithout = [caller(none), leg, dialled];
  const { reported, state } = play(inputsWithout);
  assert.deepEqual(reported, reportedAs('R'));
  assert.equal(state.channels.get('1.2')?.dialledFor, '1.1');
});
