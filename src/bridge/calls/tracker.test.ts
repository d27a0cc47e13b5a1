import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { table } from '../../../test/table.ts';
import type { Input } from './input.ts';
import {
  A,
  at,
  caller,
  created,
  enters,
  heardAs,
  phone,
  play,
  R,
  reportedAs,
  row,
  snapshot,
  state,
} from './tracker.fixture.ts';

const leg = (channel: string, dialString: string): Input[] => [
  created('1.2', channel),
  { type: 'dialled', at, uniqueid: '1.2', dialString },
  state('1.2', 6),
];
const overTrunk = (callerNumber: string, trunk = 'trunk') =>
  created('1.2', `PJSIP/${trunk}-00000002`, { context: 'from-trunk-isp', state: 6, callerNumber } as never);
const renamed = (uniqueid: string, oldName: string, endpoint = '1009'): Input => ({
  ...{ type: 'channel-renamed', at, uniqueid, oldName, channel: `PJSIP/${endpoint}-00000009` },
});
const inputs: Record<string, Input | Input[]> = {
  down: caller({ state: 0 } as never),
  other: caller({ uniqueid: '2.1', linkedid: '2.1', callerNumber: '0207654321' } as never),
  local: [created('1.3', 'Local/s@ring-0001;1'), created('1.4', 'Local/s@ring-0001;2')],
  local2: [created('1.5', 'Local/t@ring-0002;1'), created('1.6', 'Local/t@ring-0002;2')],
  announcer: created('1.5', 'CBAnn/1-0001;2'),
  extension: created('1.1', 'PJSIP/1001-0000000a', { state: 4 } as never),
  legOfAnother: caller({ linkedid: '0.9' } as never),
  localInbound: caller({ channel: 'Local/s@from-trunk-1;1' } as never),
  phone1007: phone(6, '1.7', '1007'),
  phone1008: phone(6, '1.8', '1008'),
  joins: [phone(6, '1.3'), enters('b', '1.3')],
  mobile: leg('PJSIP/trunk-00000002', '0612345678@trunk'),
  mobileByNumber: overTrunk('0612345678'),
  mobileNoNumber: overTrunk(''),
  mobileOtherTrunk: [overTrunk('0612345678', 'out'), renamed('1.2', 'PJSIP/out-00000002', 'out')],
  mobileOwnNumber: [
    overTrunk('0205550000'),
    { type: 'dialled', at, uniqueid: '1.2', dialString: 'trunk/sip:+31612345678@10.0.0.1:5060' },
  ],
  mobileBehindNewTrunk: leg('PJSIP/out-00000002', '0612345678@out'),
  byContact: leg('PJSIP/1001-00000002', '1001/sip:1001@192.168.1.5:5060'),
  byOtherNumber: leg('PJSIP/1001-00000002', '1001/sip:201234@192.168.1.5:5060'),
  anna: { type: 'endpoints', at, contexts: [['PJSIP/anna', 'from-internal']] },
  byLongContact: leg('PJSIP/anna-00000002', 'anna/sip:12345678@192.168.1.5:5060'),
  phoneRenamed: renamed('1.2', 'PJSIP/1001-00000002'),
  mobileRenamed: renamed('1.2', 'PJSIP/trunk-00000002'),
  localRenamed: renamed('1.4', 'Local/s@ring-0001;2'),
  unknownRenamed: renamed('9.9', 'x'),
  forgedRename: [renamed('1.1', '', 'x'), renamed('1.2', 'x')],
  unknownDial: { type: 'dialled', at, uniqueid: '9.9', dialString: '1001' },
  bridgeDestroyed: { type: 'bridge-destroyed', at, bridge: 'b' },
};

describe('what is reported of a call', () => {
  const rows = table<[string, string, string]>(`
    rings and is given up                         | caller -1.1                                        | R M
    is answered, callee first in the bridge       | caller talk                                        | R A
    is answered and hung up                       | caller phone 1.1>b 1.2>b -1.2 -1.1                 | R A C
    a chan_sip trunk: Down first, then Ring       | down 1.1=4                                         | R
    a trunk leg that we dialled: Down, Ringing, Up | down 1.1=5 1.1=6                                  |
    an extension calls                            | extension -1.1                                     |
    a leg made by another call                    | legOfAnother                                       |
    a Local half in an inbound context            | localInbound                                       |
    an announcement: Up, in no bridge             | caller 1.1=6 -1.1                                  | R M
    alone in a conference                         | caller 1.1>c                                       | R
    joined in a conference                        | caller 1.1>c phone 1.2>c                           | R A
    with a conference's announcer                 | caller 1.1>c announcer 1.5>c                       | R
    parked beside another parked call             | caller phone 1.1>p 1.2>p                           | R
    through a Local pair, the far end last        | caller local phone 1.3>x 1.1>x 1.4>y 1.2>y         | R A
    through a Local pair, the caller last         | caller local phone 1.4>y 1.2>y 1.3>x 1.1>x         | R A
    through two Local pairs       | caller local local2 phone 1.6>z 1.2>z 1.1>x 1.3>x 1.4>y 1.5>y      | R A
    press 1 to accept: the mobile is in a bridge without the caller | caller local phone 1.4>y 1.2>y -1.2 -1.1 | R M
    a ring group's losers hang up                 | caller phone phone1007 1.2>b 1.1>b -1.7            | R A
    transferred: nothing is reported again        | caller talk 1.1<b -1.2 phone1008 1.8>d 1.1>d -1.1  | R A C
    picked up: the picker takes the name of the phone that rang | caller phone phoneRenamed 1.2>b 1.1>b | R A:1009
    a new name for a channel with another name: forged  | caller phone forgedRename 1.2>b 1.1>b | R A
    a phone takes over the leg of a mobile: its name | caller mobileByNumber mobileRenamed 1.2>b 1.1>b | R A:1009
    the leg of a mobile gets another name on its trunk | caller mobileOtherTrunk 1.2>b 1.1>b   | R A:+31612345678
    half of a Local pair becomes a phone: the other leads nowhere | caller local 1.4>y phone 1.2>y localRenamed 1.3>x 1.1>x | R
    a mobile over the trunk answers: its number   | caller mobileByNumber 1.2>b 1.1>b                  | R A:+31612345678
    a mobile over the trunk whose number nobody says: the trunk | caller mobileNoNumber 1.2>b 1.1>b    | R A:trunk
    the number dialled, not our own that the leg bears | caller mobileOwnNumber 1.2>b 1.1>b            | R A:+31612345678
    a mobile behind a trunk on which no call ever came in | caller mobileBehindNewTrunk 1.2>b 1.1>b    | R A:+31612345678
    a phone that is dialled by its contact, as FreePBX does | caller byContact 1.2>b 1.1>b             | R A
    a phone that registered under another number than its own | caller byOtherNumber 1.2>b 1.1>b       | R A
    a phone by its configuration, registered under a long number | anna caller byLongContact 1.2>b 1.1>b | R A:anna
    a callee that rings in a bridge with the caller (ARI): no answer | caller rings 1.1>b 1.2>b -1.2 -1.1 | R M
    the same, answered there                      | caller rings 1.1>b 1.2>b 1.2=6                     | R A
    two outside callers in a conference: neither answers the other | caller other 1.1>c 2.1>c -1.1 -2.1 | R R@+31207654321 M M@+31207654321
    the same: its leader answers both             | caller other 1.1>c 2.1>c phone 1.2>c               | R R@+31207654321 A A@+31207654321
    a mobile answers, a person joins: the end names the latter | caller mobile 1.2>b 1.1>b joins -1.1  | R A:+31612345678 C
    a mobile answers and hands the caller on      | caller mobile 1.2>b 1.1>b 1.2<b joins -1.1         | R A:+31612345678 C:+31612345678
    led to another bridge, though no BridgeLeave was observed | caller 1.1>b 1.1>c phone 1.2>b         | R
    a dial of a channel that is not known         | unknownDial                                        |
    a new name, and a hang-up, of a channel that is not known | unknownRenamed -9.9                    |
    a bridge whose id is used again before its end is told | caller 1.1>b 1.1<b 1.1>b bridgeDestroyed phone 1.2>b | R A
    the same, with both in it already              | caller phone 1.2>b 1.1>p 1.2<b 1.1>b bridgeDestroyed 1.2>b | R A
    a bridge destroyed under the caller is not an answer later | caller 1.1>b bridgeDestroyed phone 1.2>b | R
    everything twice                              | caller caller phone phone 1.2>b 1.1>b 1.1>b -1.1 -1.1 | R A C
  `);
  for (const [name, script, reported] of rows)
    test(`${name}: ${reported || 'nothing'}`, () =>
      assert.deepEqual(play(heardAs(script, inputs)).reported, reportedAs(reported)));

  test('the journal names who takes over after a transfer: an extension, or the number of a mobile', () => {
    const takers = (script: string) =>
      play(heardAs(script, inputs)).effects.flatMap((effect) =>
        effect.type === 'journal' && /takes over/.test(effect.entry.text) ? effect.entry.text : [],
      );
    const after = 'caller phone1007 1.7>a 1.1>a 1.1<a 1.7<a';
    assert.deepEqual(takers(`${after} phone1008 1.8>b 1.1>b`), [
      '1008 takes over, and talks with the caller',
    ]);
    assert.deepEqual(takers(`${after} mobile 1.2>b 1.1>b`), [
      '+31612345678 takes over, and talks with the caller',
    ]);
  });

  test('the journal says each decision and why, line by line', () => {
    const since = 'inbound, since its context from-trunk-isp matches INBOUND_CONTEXTS';
    const came = (number: string) =>
      `appeared 1.1: channel PJSIP/trunk-00000001 in context from-trunk-isp, extension s, from ${number}: ${since}`;
    const dialled = (uniqueid: string, channel: string) =>
      `appeared ${uniqueid}: channel ${channel} in context from-internal, extension s, with no number: a leg that was dialled for the call 1.1`;
    const asked = 'observed 1.1: asked the PBX whether the caller lets the number be shown';
    const allowed = 'observed 1.1 pbx-1.1: the PBX says of showing the number: allowed';
    const rings =
      'reported 1.1 pbx-1.1: ringing, from +31201234567: the trunk presented 0201234567 (as dialled in NL)';
    const hungUp = 'PJSIP/trunk-00000001 hung up, cause 16 (normal)';
    const more = {
      ...inputs,
      unknownNumber: caller({ callerNumber: 'alice7' } as never),
      found: snapshot([row('1.1', 'PJSIP/trunk-00000001', { context: 'from-trunk-isp' })]),
      unseen: { ...enters('b', '1.2'), channel: 'PJSIP/1001-00000002' } as Input,
    };
    const journals: [string, string[]][] = [
      [
        'caller mobile 1.2>b 1.1>b joins -1.2 -1.1',
        [
          ...[came('0201234567'), asked, allowed, rings, dialled('1.2', 'PJSIP/trunk-00000002')],
          'observed 1.1 pbx-1.1: the caller enters a bridge, with others (simple_bridge)',
          'reported 1.1 pbx-1.1: answered by +31612345678: PJSIP/trunk-00000002 is in a bridge with the caller',
          dialled('1.3', 'PJSIP/1001-00000002'),
          'observed 1.1 pbx-1.1: 1001 joins: the end names 1001',
          'observed 1.2: PJSIP/trunk-00000002 hung up, cause 16 (normal)',
          `observed 1.1 pbx-1.1: the caller's channel ${hungUp}`,
          'reported 1.1 pbx-1.1: completed, was answered by 1001',
        ],
      ],
      [
        'caller talk phone1008 1.8>b 1.1<b -1.2 1.1>d 1.8>d -1.1',
        [
          ...[came('0201234567'), asked, allowed, rings, dialled('1.2', 'PJSIP/1001-00000002')],
          'observed 1.1 pbx-1.1: the caller enters a bridge, with others (simple_bridge)',
          'reported 1.1 pbx-1.1: answered by 1001: PJSIP/1001-00000002 is in a bridge with the caller',
          dialled('1.8', 'PJSIP/1008-00000002'),
          'observed 1.1 pbx-1.1: the caller leaves the bridge',
          'observed 1.2: PJSIP/1001-00000002 hung up, cause 16 (normal)',
          'observed 1.1 pbx-1.1: the caller enters a bridge, alone (simple_bridge)',
          'observed 1.1 pbx-1.1: 1008 takes over, and talks with the caller',
          `observed 1.1 pbx-1.1: the caller's channel ${hungUp}`,
          'reported 1.1 pbx-1.1: completed, was answered by 1001',
        ],
      ],
      [
        'unknownNumber local -1.1',
        [
          came('alice7'),
          `observed 1.1 pbx-1.1: the caller's channel ${hungUp}`,
          'not-reported 1.1 pbx-1.1: alice7 is no number, and neither MISSING_NUMBER nor WITHHELD_NUMBER is set',
        ],
      ],
      [
        'down -1.1',
        [came('0201234567'), `not-reported 1.1: ${hungUp}; it never rang at us: it never got as far`],
      ],
      [
        'down 1.1=6 -1.1',
        [
          came('0201234567'),
          `not-reported 1.1: ${hungUp}; it never rang at us: it was dialled out over the trunk`,
        ],
      ],
      ['unseen -1.2', ['observed 1.2: PJSIP/1001-00000002 hung up, cause 16 (normal)']],
      [
        'found gone',
        [
          asked,
          'decided 1.1 pbx-1.1: picked up: is in progress, and its beginning was not observed',
          ...[allowed, rings],
          'decided 1.1 pbx-1.1: ended unobserved: its channel is gone, and its end was not seen',
          'reported 1.1 pbx-1.1: completed, no answer was observed',
        ],
      ],
    ];
    for (const [script, expected] of journals) {
      const { effects } = play(heardAs(script, more));
      const entries = effects.flatMap((it) => (it.type === 'journal' ? [it.entry] : []));
      const texts = entries.map(
        ({ kind, uniqueid, call, text }) => `${kind} ${uniqueid}${call ? ` ${call}` : ''}: ${text}`,
      );
      assert.deepEqual(texts, expected);
    }
  });

  test('nobody answers in a bridge whose members have hung up', () => {
    const unknown = { ...enters('b', '1.2'), channel: 'PJSIP/1001-00000002' } as Input;
    assert.deepEqual(play(heardAs('caller unknown -1.2 1.1>b', { unknown })).reported, [R]);
    assert.deepEqual(play(heardAs('caller unknown 1.1>b', { unknown })).reported, [R, A]);
    // The caller's number is still asked for when the caller hangs up in a bridge, and a phone comes after.
    const gone = heardAs('caller 1.1>b -1.1 phone 1.2>b 1.1?allowed');
    assert.deepEqual(play(gone, {}, undefined, 'no answer').reported, reportedAs('R M'));
  });

  test('ANSWERED_BY=callerid reports the CallerIDNum', () => {
    const answered = [caller(), phone(), enters('b', '1.2', 'simple_bridge', '600'), enters('b', '1.1')];
    assert.deepEqual(play(answered, { answeredBy: 'callerid' }).reported, reportedAs('R A:600'));
    assert.deepEqual(play(answered).reported, [R, A]);
  });

  test('ANSWERED_BY=callerid leaves a mobile behind a trunk as it is: its CallerIDNum can be our own number', () => {
    const ownNumber = heardAs('caller mobileOwnNumber 1.2>b 1.1>b', inputs);
    assert.deepEqual(play(ownNumber, { answeredBy: 'callerid' }).reported, reportedAs('R A:+31612345678'));
  });

  describe('a machine that NOT_A_PERSON lists has not answered', () => {
    const notAPerson = ['pjsip/Bot', 'IAX2/branch-*', 'PJSIP/FAX*'];
    const more = {
      ...inputs,
      bot: phone(6, '1.2', 'bot'),
      robot: phone(6, '1.2', 'bother'),
      branch: created('1.2', 'IAX2/branch-1234', { state: 6 } as never),
      fax: phone(6, '1.4', 'fax1'),
      callerListed: caller({ channel: 'PJSIP/bot-00000001' } as never),
    };
    const machines = table<[string, string, string]>(`
      a bot, by its endpoint                  | caller bot 1.1>b 1.2>b -1.1                             | R M
      another PBX, by its channel's name      | caller branch 1.1>b 1.2>b -1.1                          | R M
      a bot, then a person                    | caller bot 1.1>b 1.2>b 1.2<b -1.2 phone1007 1.7>b -1.1  | R A:1007 C:1007
      a bot and a person in one bridge        | caller bot phone1007 1.1>b 1.2>b 1.7>b -1.1             | R A:1007 C:1007
      a bot, then a fax machine               | caller bot 1.1>b 1.2>b 1.2<b fax 1.4>b -1.1             | R M
      a person, then a machine: still answered | caller phone1007 1.1>b 1.7>b 1.7<b bot 1.2>b -1.1      | R A:1007 C:1007
      a mobile, then a bot joins              | caller mobile 1.2>b 1.1>b fax 1.4>b -1.1                | R A:+31612345678 C:+31612345678
      another endpoint whose name begins so   | caller robot 1.1>b 1.2>b                                | R A:bother
      a machine that calls in is a caller     | callerListed phone1007 1.1>b 1.7>b                      | R A:1007
    `);
    for (const [name, script, reported] of machines)
      test(name, () =>
        assert.deepEqual(play(heardAs(script, more), { notAPerson }).reported, reportedAs(reported)),
      );

    test('the journal names it, once', () => {
      const { effects } = play(heardAs('caller bot 1.1>b 1.2>b 1.1<b 1.1>b -1.1', more), { notAPerson });
      const texts = effects.flatMap((it) => (it.type === 'journal' ? it.entry.text : []));
      assert.deepEqual(
        texts.filter((text) => /NOT_A_PERSON/.test(text)),
        ['PJSIP/bot-00000002 answered, but NOT_A_PERSON lists it: no person has answered'],
      );
    });
  });

  test('INBOUND_CHANNELS knows a trunk by its name', () => {
    const elsewhere = [caller({ context: 'default' } as never)];
    assert.deepEqual(play(elsewhere).reported, []);
    assert.deepEqual(play(elsewhere, { inboundChannels: ['PJSIP/trunk-*'] }).reported, [R]);
  });
});
