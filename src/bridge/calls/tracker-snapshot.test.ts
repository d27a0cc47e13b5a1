import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { table } from '../../../test/table.ts';
import type { EndedUnseen, Input } from './input.ts';
import { readOpenCall } from './open-call.ts';
import {
  at,
  caller,
  enters,
  heard,
  heardAs,
  MISSED,
  play,
  R,
  reportedAs,
  row,
  snapshot,
} from './tracker.fixture.ts';

describe('a call that is gone after (re)connecting, when its record is to say how it ended', () => {
  const ended = (more: Partial<EndedUnseen> = {}): Input => ({
    type: 'ended-unseen',
    at,
    uniqueid: '1.1',
    ...more,
  });
  const number = { from: '+31201234567', how: 'national' };
  const inputs: Record<string, Input> = {
    silent: caller({ callerNumber: '' } as never),
    missed: ended(),
    answered: ended({ callerId: '1001' }),
    unknownAnswered: ended({ callerId: '' }),
    missedWithNumber: ended({ number }),
    answeredWithNumber: ended({ number, callerId: '1001' }),
    missedWithheld: ended({ number: { reason: 'no-number', why: 'withheld' } }),
    missedOtherNumber: ended({ number: { ...number, from: '+31209999999' } }),
  };
  const held = (script: string) =>
    play(heardAs(script, inputs), {}, undefined, 'allowed', undefined, { hasGapFiller: true });
  const rows = table<[string, string, string]>(`
    its end is not reported by then                            | caller gone                                | R
    it was missed                                              | caller gone missed                         | R (vanished) M
    somebody answered it                                       | caller gone answered                       | R (vanished) A C
    an end is reported once                                    | caller gone missed answered                | R (vanished) M
    its number was still awaited                               | silent gone missedWithNumber               | R M
    the same, and the wait is over                             | silent gone@10000 +9000 missedWithNumber   | R M
    the same, and its hang-up comes after the snapshot         | silent gone -1.1 missedWithNumber          | R M
    its hang-up comes after the snapshot                       | caller gone -1.1 missed                    | R (vanished) M
    the same, and somebody answered it before that             | caller gone -1.1 answered                  | R (vanished) A C
    the same, and who answered was observed                    | caller talk gone -1.1                      | R A C
    its number was awaited, and there is no record             | silent gone missed                         | (no-number)
    its record has another number than it was reported with    | caller gone missedOtherNumber              | R (vanished) M
    the PBX dials for it, though its channel is gone           | silent gone phone missedWithNumber         | R M
    a call that nobody knows                                   | answered                                   |
  `);
  for (const [what, script, reported] of rows)
    test(what, () => assert.deepEqual(held(script).reported, reportedAs(reported)));
  test('a number that its record says is withheld is not one that is missing', () => {
    const inputsHeard = heardAs('silent gone missedWithheld', inputs);
    const { reported } = play(
      inputsHeard,
      { missingNumber: '+31999999999' },
      undefined,
      'allowed',
      undefined,
      {
        hasGapFiller: true,
      },
    );
    assert.deepEqual(reported, ['(no-number)']);
  });
  test('the journal says who answered by the record, of whom no channel is there', () => {
    const reported = (script: string) =>
      held(script).effects.flatMap((it) =>
        it.type === 'journal' && it.entry.kind === 'reported' ? [it.entry.text] : [],
      );
    assert.deepEqual(reported('silent gone answeredWithNumber'), [
      'ringing, from +31201234567',
      'answered by 1001',
      'completed, was answered by 1001',
    ]);
    assert.equal(reported('caller gone unknownAnswered').at(-1), 'completed, was answered by ?');
  });
});

describe('after (re)connecting', () => {
  const trunkRow = row('1.1', 'PJSIP/trunk-00000001');
  const talking = { ...trunkRow, bridge: 'b' };
  const person = row('1.2', 'PJSIP/1001-00000002', { bridge: 'b' });
  const inbound = (more: object = {}) => snapshot([{ ...trunkRow, context: 'from-trunk-isp', ...more }]);
  const inputs: Record<string, Input> = {
    down: caller({ state: 0 } as never),
    legOfAnother: caller({ state: 0, linkedid: '0.9' } as never),
    dialledOut: { type: 'dialled', at, uniqueid: '1.1', dialString: '0612345678@trunk' },
    entersUnseen: { ...enters('b', '1.1'), channel: trunkRow.channel } as Input,
    elsewhere: snapshot([trunkRow]),
    elsewhereRinging: snapshot([{ ...trunkRow, state: 4 }]),
    inBridge: snapshot([talking, person]),
    inNoBridge: snapshot([trunkRow, { ...person, bridge: '' }]),
    parked: snapshot(
      [
        { ...trunkRow, bridge: 'p' },
        { ...person, bridge: 'p' },
      ],
      [{ bridge: 'p', technology: 'holding_bridge' }],
    ),
    behindLocal: snapshot([
      { ...trunkRow, bridge: 'x' },
      row('1.3', 'Local/s@ring-0001;1', { bridge: 'x' }),
      row('1.4', 'Local/s@ring-0001;2', { bridge: 'y' }),
      { ...person, bridge: 'y' },
    ]),
    withAnother: snapshot([talking, row('1.3', 'PJSIP/1002-00000003', { bridge: 'b' })]),
    inbound: inbound(),
    inboundRinging: inbound({ state: 4 }),
    inboundDown: inbound({ state: 0 }),
    inboundDialled: inbound({ application: 'AppDial' }),
    inboundLeg: inbound({ linkedid: '0.9' }),
    inboundInBridge: snapshot([{ ...talking, context: 'from-trunk-isp' }, person]),
  };
  const rows = table<[string, string, string]>(`
    a call that is gone is completed                                   | caller gone                 | R (vanished) M
    one that was only Down is not decided, but for its record          | down gone                   |
    a call that goes on is not reported again                          | caller elsewhere -1.1       | R M
    an answered call that is gone is completed                         | caller talk gone            | R A (vanished) C
    a call answered in the meantime is answered                        | caller inBridge             | R A
    a call that is in no bridge is not, though a phone is in none either | caller inNoBridge         | R
    a call parked in the meantime is not                               | caller parked               | R
    answered through a Local pair in the meantime                      | caller behindLocal          | R A
    answered in the gap, and its end says by whom                      | caller inBridge -1.1        | R A C
    picked up while it talks: its end names no answerer, another bridge may have reported one | inboundInBridge -1.1 | (picked-up) R A M
    picked up in a queue, answered afterwards: the same                | inbound talk -1.1           | (picked-up) R A M
    picked up while it rings, answered afterwards: by the first answerer | inboundRinging talk -1.1  | (picked-up) R A C
    answered before the gap, by whomever it talks to after it          | caller talk withAnother -1.1 | R A C
    an unknown call, its context already elsewhere, on no known trunk  | elsewhere                   |
    an unknown call in an inbound context is picked up                 | inbound                     | (picked-up) R
    a trunk leg that Asterisk dialled is not picked up                 | inboundDialled              |
    one that was only Down rings, and its beginning is observed        | inboundDown 1.1=4           | R
    a trunk leg of another call is not picked up                       | inboundLeg                  |
    events that the snapshot had overtaken change nothing              | inbound caller 1.1=6        | (picked-up) R
    a Newchannel that comes after the snapshot reports the context     | elsewhereRinging caller     | R
    the same after one in which somebody has answered: the end names who | inBridge caller 1.1>b -1.1 | R A C
    a leg that we saw being dialled (Originate) is not picked up       | down dialledOut 1.1=5 1.1=6 inbound |
    a caller whose Newchannel was lost, though its BridgeEnter was heard | entersUnseen inbound      | (picked-up) R
    a leg of another call is not picked up                             | legOfAnother inbound        |
  `);
  for (const [name, script, reported] of rows)
    test(name, () => assert.deepEqual(play(heardAs(script, inputs)).reported, reportedAs(reported)));

  test('how it went, in words: whether anybody answered is not known of a call that ended unheard', () => {
    const outcome = (inputs: Input[]) =>
      play(inputs).effects.flatMap((effect) => (effect.type === 'report' ? (effect.outcome ?? []) : []));
    assert.deepEqual(outcome([...heardAs('caller -1.1')]), ['missed: ended after 0 s']);
    assert.deepEqual(outcome([caller(), snapshot([])]), ['no answer was observed']);
    assert.deepEqual(outcome([caller(), snapshot([talking, person]), ...heardAs('-1.1')]), [
      'was answered by 1001',
    ]);
  });

  test('a channel that was not reported before a restart is not picked up, unless its call is open', () => {
    const later = snapshot([{ ...trunkRow, context: 'from-trunk-isp' }]);
    const saved = { calls: [], trunks: [], unreported: ['1.1'] };
    assert.deepEqual(play([later], {}, saved).reported, []);
    assert.deepEqual(play([later], {}, { ...saved, unreported: [] }).reported, ['(picked-up)', R]);
    const [call] = play([caller()]).state.calls.values();
    assert.deepEqual(
      play([later, ...heardAs('-1.1')], {}, { ...saved, calls: call ? [call] : [] }).reported,
      [MISSED],
    );
  });

  test('what a wrong INBOUND_CHANNELS took for a trunk is none any more when it is corrected', () => {
    const call = caller({ channel: 'PJSIP/1001-00000001', context: 'from-internal' } as never);
    const wrong = play([call, ...heardAs('-1.1')], { inboundChannels: ['PJSIP/*'] });
    assert.deepEqual(wrong.reported, [R, MISSED]);
    const saved = { calls: [], trunks: [...wrong.state.trunks.values()] };
    const later = snapshot([row('1.1', 'PJSIP/1001-00000003')]);
    assert.deepEqual(play([later], { inboundChannels: ['PJSIP/trunk-*'] }, saved).reported, []);
    assert.deepEqual(play([later], { inboundChannels: ['PJSIP/*'] }, saved).reported, ['(picked-up)', R]);
  });

  test('an unknown call on an endpoint that inbound calls come in on is picked up, also after a restart', () => {
    const saved = { calls: [], trunks: [heard('PJSIP/trunk')] };
    assert.deepEqual(play([snapshot([trunkRow])], {}, saved).reported, ['(picked-up)', R]);
    assert.deepEqual(play([snapshot([{ ...trunkRow, application: 'AppDial2' }])], {}, saved).reported, []);
  });

  test('a call that the PBX made itself over a trunk is not picked up: nobody dialled a number to reach it', () => {
    const inTrunk = snapshot([{ ...trunkRow, context: 'from-trunk-isp' }]);
    const { reported, state } = play([inTrunk, inTrunk, ...heardAs('-1.1')], {}, undefined, 'allowed', '');
    assert.deepEqual(reported, ['(picked-up)', '(not-inbound)']);
    assert.deepEqual([state.calls.size, state.channels.size, state.waitingForNumber.size], [0, 0, 0]);
    assert.deepEqual(play([inTrunk], {}, undefined, 'allowed', undefined).reported, ['(picked-up)', R]);
    assert.deepEqual(
      play([caller()], {}, undefined, 'allowed', '').reported,
      [R],
      'its Newchannel was heard',
    );
  });

  test('an analogue line has no number that was dialled, and is picked up all the same', () => {
    const line = snapshot([row('1.1', 'DAHDI/1-1', { context: 'from-analog' })]);
    const overrides = { inboundContexts: ['from-analog'] };
    assert.deepEqual(play([line], overrides, undefined, 'allowed', '').reported, ['(picked-up)', R]);
  });

  test("a mobile found after a restart is reported by the trunk's name rather than by our own number", () => {
    const inBridge = [
      { ...trunkRow, context: 'from-trunk-isp', exten: '0205550000', bridge: 'b' },
      row('1.2', 'PJSIP/trunk-00000002', {
        context: 'from-trunk-isp',
        callerNumber: '0205550000',
        application: 'AppDial',
        bridge: 'b',
      }),
    ];
    assert.deepEqual(play([snapshot(inBridge)]).reported, [
      '(picked-up)',
      R,
      'answered +31201234567 by trunk',
    ]);
  });

  test('a saved call is read back, and what another version wrote is none', () => {
    const [call] = play([caller()]).state.calls.values();
    assert.deepEqual(readOpenCall(JSON.stringify(call)), call);
    for (const text of ['', '{}', JSON.stringify({ ...call, number: 'x' })])
      assert.equal(readOpenCall(text), undefined);
  });

  test('a number awaited across a restart is waited for on', () => {
    const before = play([caller({ callerNumber: '' } as never)]);
    const saved = { calls: [...before.state.calls.values()], trunks: [] };
    const after = play(
      [snapshot([{ ...trunkRow, callerNumber: '' }]), ...heardAs('+1000')],
      { withheldNumber: '00' },
      saved,
    );
    assert.deepEqual(after.reported, ['ringing 00']);
  });
});
