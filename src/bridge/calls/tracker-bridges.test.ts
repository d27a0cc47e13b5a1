import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { journalText } from '../../cli/explain/journal-text.ts';
import {
  answered,
  answeredBy,
  becomes,
  caller,
  callerAs,
  completed,
  completedBy,
  conference,
  dialled,
  enters,
  hangsUp,
  join,
  leaves,
  local,
  missed,
  number,
  other,
  phone,
  phone1007,
  phone1008,
  play,
  ringing,
  row,
  snapshot,
  talk,
  testReports,
  tick,
} from './tracker.fixture.ts';

const OTHER = '+31207654321';
const NONE = '+31000000000';

describe('without Newstate, the events of a bridge say who has picked up', () => {
  const rings = [caller, { ...phone, state: 5 }];
  const entersAs = (state: number, channel: { uniqueid: string }) => ({ ...enters('b', channel), state });
  const analogue = { ...caller, state: 9 };
  // biome-ignore format: one case a line
  testReports([
    ['when they enter', [rings, entersAs(6, phone), entersAs(6, caller), hangsUp(caller)], [ringing, answered, completed]],
    ['when the phone leaves it, in which it rang',
      [rings, entersAs(5, phone), entersAs(4, caller), { ...leaves('b', phone), state: 6 }, hangsUp(phone), hangsUp(caller)], [ringing, answered, completed]],
    ['not while it rings', [rings, entersAs(5, phone), entersAs(6, caller), hangsUp(phone), hangsUp(caller)], [ringing, missed]],
    ['not a phone that nothing else has shown, and that rings', [caller, { ...entersAs(5, phone), channel: phone.channel }, entersAs(6, caller), hangsUp(caller)], [ringing, missed]],
    ['and an older state is none', [caller, phone, entersAs(5, phone), entersAs(4, caller)], [ringing, answered]],
    ['an analogue line rings when the dialplan dials',
      [analogue, { ...phone, state: 5 }, { ...dialled(phone, '1001'), by: caller.uniqueid, byState: 4 }], [ringing]],
    ['a caller with whom a queue has talked is answered at no other line',
      [caller, { ...hangsUp(caller), state: 6, cause: 26 }], [ringing, missed]],
  ]);
});

describe('a far end that another replaces (INVITE with Replaces) goes on with the call', () => {
  const takes = (bridge: Parameters<typeof enters>[0], by: { uniqueid: string }, replaced = caller) => ({
    ...enters(bridge, by),
    replaces: replaced.uniqueid,
  });
  const third = callerAs('3.1');
  const unknown = callerAs('9.9');
  const silent = { ...caller, callerNumber: '' };
  // biome-ignore format: one case a line
  testReports([
    ['to its end',
      [caller, talk, other, leaves('b', caller), takes('b', other), hangsUp(caller), tick(100), hangsUp(phone), hangsUp(other)], [ringing, answered, completed]],
    ['if the caller leaves the bridge after it',
      [caller, talk, other, takes('b', other), leaves('b', caller), hangsUp(caller), tick(100), hangsUp(other)], [ringing, answered, completed]],
    ['with a channel that never rings',
      [caller, talk, { ...callerAs('2.1'), state: 0 }, becomes(other, 'up'), takes('b', other), hangsUp(caller), tick(100), hangsUp(other)], [ringing, answered, completed]],
    ["under the first number, also if the PBX has not said whether it may be shown",
      [caller, talk, other, takes('b', other), hangsUp(caller), hangsUp(phone), hangsUp(other)], [ringing, answered, completed], { presentation: 'no answer' }],
    ['and is transferred then',
      [caller, talk, other, takes('b', other), hangsUp(caller), leaves('b', other), hangsUp(phone), phone1008, join('d', phone1008, other), hangsUp(other)], [ringing, answered, completed]],
    ['and is replaced again',
      [caller, talk, other, takes('b', other), hangsUp(caller), third, takes('b', third, other), hangsUp(other), hangsUp(third)], [ringing, answered, completed]],
    ['without a number, if its first caller had none',
      [silent, talk, tick(1_000), other, takes('b', other), hangsUp(silent), number(other, '0207654321'), hangsUp(phone), hangsUp(other)], ['no-number']],
    ['under the number for those who have none',
      [silent, talk, tick(1_000), other, takes('b', other), hangsUp(silent), hangsUp(phone), hangsUp(other)],
      [{ ...ringing, from: NONE }, { ...answered, from: NONE }, { ...completed, from: NONE }], { settings: { missingNumber: NONE } }],
    ['that waits alone in a conference',
      [caller, enters(conference, caller), other, takes(conference, other), hangsUp(caller), phone, enters(conference, phone), hangsUp(other)], [ringing, answered, completed]],
    ['that is given up there',
      [caller, enters(conference, caller), other, takes(conference, other), hangsUp(caller), hangsUp(other)], [ringing, missed]],
    ['unless it was reported as a call before',
      [caller, talk, other, tick(100), takes('b', other), hangsUp(caller), hangsUp(other)], [ringing, answered, { ...ringing, from: OTHER }, { ...answered, from: OTHER }, completed, { ...completed, from: OTHER }]],
    ['but not with a phone',
      [caller, talk, phone1008, takes('b', phone1008), hangsUp(caller), hangsUp(phone1008)], [ringing, answered, completed]],
    ['but not if nobody knows whom it replaces',
      [caller, talk, other, takes('b', other, unknown), hangsUp(caller), hangsUp(other)], [ringing, answered, { ...ringing, from: OTHER }, { ...answered, from: OTHER }, completed, { ...completed, from: OTHER }]],
    ['but another call that comes in rings',
      [caller, talk, other, tick(99), tick(100), hangsUp(other), hangsUp(caller)], [ringing, answered, { ...ringing, from: OTHER }, { ...missed, from: OTHER }, completed]],
    ['and it is reported when it ends before',
      [caller, talk, other, hangsUp(other), hangsUp(caller)], [ringing, answered, { ...ringing, from: OTHER }, { ...missed, from: OTHER }, completed]],
  ]);

  const mobile = { ...callerAs('1.5'), channel: 'PJSIP/trunk-00000005', state: 5, linkedid: '1.1' };
  const calledOut = [dialled({ uniqueid: '1.5' }, 'trunk/sip:+31612345678@10.0.0.1'), becomes(mobile, 'up')];
  const [byMobile, mobilesEnd] = [answeredBy('+31612345678'), completedBy('+31612345678')];
  // biome-ignore format: one case a line
  testReports([
    ['of a leg that the PBX has dialled: nobody calls in',
      [{ ...phone, linkedid: '1.2' }, { ...mobile, linkedid: '1.2' }, calledOut, join('b', mobile, phone), other, takes('b', other, mobile), hangsUp(mobile), tick(100), hangsUp(other)], []],
    ['of such a leg, again',
      [phone, { ...mobile, linkedid: '1.2' }, calledOut, join('b', mobile, phone), other, takes('b', other, mobile), hangsUp(mobile), third, takes('b', third, other), tick(100), hangsUp(third)], []],
    ['of a mobile that has answered',
      [caller, mobile, calledOut, join('b', mobile, caller), other, leaves('b', mobile), takes('b', other, mobile), hangsUp(mobile), tick(100), hangsUp(caller), hangsUp(other)], [ringing, byMobile, mobilesEnd]],
    ['of a mobile, and an extension joins',
      [caller, mobile, calledOut, join('b', mobile, caller), other, takes('b', other, mobile), hangsUp(mobile), phone, enters('b', phone), hangsUp(caller)], [ringing, byMobile, completed]],
    ['but not in place of a phone',
      [{ ...phone, linkedid: '1.2' }, phone1008, join('b', phone, phone1008), other, leaves('b', phone), takes('b', other, phone), tick(100), hangsUp(other)], [{ ...ringing, from: OTHER }, { ...answeredBy('1008'), from: OTHER }, { ...completedBy('1008'), from: OTHER }]],
    ['and who calls in while somebody talks rings',
      [phone, phone1008, join('b', phone, phone1008), caller, tick(99), tick(100), hangsUp(caller)], [ringing, missed]],
  ]);

  test('across a restart', () => {
    const { state, effects } = play([caller, talk, other, takes('b', other)]);
    const calls = [...state.calls.values()];
    assert.deepEqual(
      calls.map(({ id, uniqueid }) => [id, uniqueid]),
      [['pbx-1.1', '2.1']],
    );
    const rows = [
      row('2.1', 'PJSIP/trunk-00000001', { linkedid: '1.1', bridge: 'b' }),
      row('1.2', 'PJSIP/1001-00000002', { bridge: 'b' }),
    ];
    const found = snapshot(rows, [{ bridge: 'b', technology: 'simple_bridge' }]);
    const { reported } = play([found, hangsUp(other)], { saved: { calls, trunks: [] } });
    assert.deepEqual(reported, [completed]);
    const unreported = effects.flatMap((effect) =>
      effect.type === 'journal' && effect.entry.kind === 'not-reported' ? effect.entry.uniqueid : [],
    );
    assert.deepEqual(unreported, ['2.1']);
  });

  test('a call that has not been reported before a restart is reported after it', () => {
    const calls = [...play([caller, talk, other]).state.calls.values()].slice(1);
    const after = snapshot([row('2.1', 'PJSIP/trunk-00000001', { state: 4, linkedid: '2.1' })]);
    const { reported } = play([after], { saved: { calls, trunks: [] } });
    assert.deepEqual(reported, [{ ...ringing, from: OTHER }]);
  });
});

describe('a phone that was paged has not answered', () => {
  const pbxDials = dialled(phone, '1001');
  const paged = {
    ...enters(conference, phone),
    creator: 'ConfBridge',
    bridgeName: '1509541301',
    context: 'from-internal',
    exten: 's',
  };
  const handsOn = [{ ...paged, bridge: 'd', creator: '<unknown>' }, enters('d', caller)];
  // biome-ignore format: one case a line
  testReports([
    ['the caller waits in the conference', [caller, enters(conference, caller), phone, pbxDials, paged, hangsUp(caller)], [ringing, missed]],
    ['it is there before the caller', [caller, phone, pbxDials, paged, enters(conference, caller), hangsUp(caller)], [ringing, missed]],
    ['over a Local channel',
      [caller, enters(conference, caller), local, phone, dialled(local[0], '1001'), join('y', phone, local[1]), { ...paged, uniqueid: '1.3' }, hangsUp(caller)], [ringing, missed]],
    ['over a Local channel, the phone last',
      [caller, enters(conference, caller), local, phone, dialled(local[0], '1001'), { ...paged, uniqueid: '1.3' }, join('y', local[1], phone), hangsUp(caller)], [ringing, missed]],
    ['but a person who joins has',
      [caller, enters(conference, caller), phone, pbxDials, paged, phone1007, enters(conference, phone1007), hangsUp(caller)], [ringing, answeredBy('1007'), completedBy('1007')]],
    ['but who rings later has',
      [caller, enters(conference, caller), phone, pbxDials, paged, leaves('c', caller), hangsUp(phone), phone1007, join('b', phone1007, caller), hangsUp(caller)], [ringing, answeredBy('1007'), completedBy('1007')]],
    ['but who talks with the caller elsewhere has',
      [caller, enters(conference, caller), phone, pbxDials, paged, leaves('c', caller), handsOn, hangsUp(caller)], [ringing, answered, completed]],
    ['but who was invited to the conference has',
      [caller, enters(conference, caller), phone, pbxDials, { ...paged, exten: '8000' }, hangsUp(caller)], [ringing, answered, completed]],
    ['but who picked up at a key system has',
      [caller, enters(conference, caller), phone, pbxDials, { ...paged, bridgeName: 'SLA_line1' }, hangsUp(caller)], [ringing, answered, completed]],
    ['but whom a program has connected has',
      [caller, enters(conference, caller), phone, pbxDials, { ...paged, creator: 'Stasis' }, hangsUp(caller)], [ringing, answered, completed]],
    ["but whom the caller's Dial rang has",
      [caller, enters(conference, caller), phone, { ...pbxDials, by: '1.1' }, paged, hangsUp(caller)], [ringing, answered, completed]],
    ['but who was rung for no caller has',
      [caller, enters(conference, caller), { ...phone, linkedid: '1.2' }, pbxDials, paged, hangsUp(caller)], [ringing, answered, completed]],
  ]);

  test('the journal says so', () => {
    const { effects } = play([caller, enters(conference, caller), phone, pbxDials, paged]);
    const texts = effects.flatMap((it) => (it.type === 'journal' ? journalText(it.entry) : []));
    assert.equal(texts.at(-1), 'PJSIP/1001-00000002 was paged (Page): no person has picked it up');
  });
});
