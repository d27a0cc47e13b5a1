import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Input } from './input.ts';
import {
  A,
  at,
  C,
  caller,
  created,
  enters,
  hangsUp,
  leaves,
  MISSED,
  phone,
  play,
  R,
  row,
  saysOf,
  snapshot,
  state,
} from './tracker.fixture.ts';

describe('what is reported of a call', () => {
  const local1 = created('1.3', 'Local/s@ring-0001;1');
  const local2 = created('1.4', 'Local/s@ring-0001;2');
  const leg = (channel: string, dialString: string): Input[] => [
    created('1.2', channel),
    { type: 'dialled', at, uniqueid: '1.2', dialString },
    state('1.2', 6),
  ];
  const mobile = leg('PJSIP/trunk-00000002', '0612345678@trunk');
  const other = caller({ uniqueid: '2.1', linkedid: '2.1', callerNumber: '0207654321' } as never);
  const ofOther = (status: string) => `${status} +31207654321`;
  const rows: [string, (Input | Input[])[], string[]][] = [
    ['rings and is given up', [caller(), hangsUp('1.1')], [R, MISSED]],
    [
      'is answered, callee first in the bridge',
      [caller(), phone(), enters('b', '1.2'), enters('b', '1.1')],
      [R, A],
    ],
    [
      'is answered and hung up',
      [caller(), phone(), enters('b', '1.1'), enters('b', '1.2'), hangsUp('1.2'), hangsUp('1.1')],
      [R, A, C],
    ],
    ['a chan_sip trunk: Down first, then Ring', [caller({ state: 0 } as never), state('1.1', 4)], [R]],
    [
      'a trunk leg that we dialled: Down, Ringing, Up',
      [caller({ state: 0 } as never), state('1.1', 5), state('1.1', 6)],
      [],
    ],
    [
      'an extension calls',
      [created('1.1', 'PJSIP/1001-0000000a', { state: 4 } as never), hangsUp('1.1')],
      [],
    ],
    ['a leg made by another call', [caller({ linkedid: '0.9' } as never)], []],
    ['a Local half in an inbound context', [caller({ channel: 'Local/s@from-trunk-1;1' } as never)], []],
    ['an announcement: Up, in no bridge', [caller(), state('1.1', 6), hangsUp('1.1')], [R, MISSED]],
    ['alone in a conference', [caller(), enters('c', '1.1', 'softmix')], [R]],
    [
      'joined in a conference',
      [caller(), enters('c', '1.1', 'softmix'), phone(), enters('c', '1.2', 'softmix')],
      [R, A],
    ],
    [
      "with a conference's announcer",
      [
        caller(),
        enters('c', '1.1', 'softmix'),
        created('1.5', 'CBAnn/1-0001;2'),
        enters('c', '1.5', 'softmix'),
      ],
      [R],
    ],
    [
      'parked beside another parked call',
      [caller(), phone(), enters('p', '1.1', 'holding_bridge'), enters('p', '1.2', 'holding_bridge')],
      [R],
    ],
    [
      'through a Local pair, the far end last',
      [
        caller(),
        local1,
        local2,
        phone(),
        enters('x', '1.3'),
        enters('x', '1.1'),
        enters('y', '1.4'),
        enters('y', '1.2'),
      ],
      [R, A],
    ],
    [
      'through a Local pair, the caller last',
      [
        caller(),
        local1,
        local2,
        phone(),
        enters('y', '1.4'),
        enters('y', '1.2'),
        enters('x', '1.3'),
        enters('x', '1.1'),
      ],
      [R, A],
    ],
    [
      'through two Local pairs',
      [
        caller(),
        local1,
        local2,
        created('1.5', 'Local/t@ring-0002;1'),
        created('1.6', 'Local/t@ring-0002;2'),
        phone(),
        enters('z', '1.6'),
        enters('z', '1.2'),
        enters('x', '1.1'),
        enters('x', '1.3'),
        enters('y', '1.4'),
        enters('y', '1.5'),
      ],
      [R, A],
    ],
    [
      'press 1 to accept: the mobile is in a bridge that the caller is not in',
      [
        caller(),
        local1,
        local2,
        phone(),
        enters('y', '1.4'),
        enters('y', '1.2'),
        hangsUp('1.2'),
        hangsUp('1.1'),
      ],
      [R, MISSED],
    ],
    [
      "a ring group's losers hang up",
      [caller(), phone(), phone(6, '1.7', '1007'), enters('b', '1.2'), enters('b', '1.1'), hangsUp('1.7')],
      [R, A],
    ],
    [
      'transferred: nothing is reported again',
      [
        caller(),
        phone(),
        enters('b', '1.2'),
        enters('b', '1.1'),
        leaves('b', '1.1'),
        hangsUp('1.2'),
        phone(6, '1.8', '1008'),
        enters('d', '1.8'),
        enters('d', '1.1'),
        hangsUp('1.1'),
      ],
      [R, A, C],
    ],
    [
      'picked up: the picker takes the name of the phone that rang',
      [
        caller(),
        phone(),
        { type: 'channel-renamed', at, uniqueid: '1.2', channel: 'PJSIP/1009-00000009' },
        enters('b', '1.2'),
        enters('b', '1.1'),
      ],
      [R, 'answered +31201234567 by 1009'],
    ],
    [
      'a half of a Local pair becomes a phone: the other half leads nowhere any more',
      [
        ...[caller(), local1, local2, enters('y', '1.4'), phone(), enters('y', '1.2')],
        { type: 'channel-renamed', at, uniqueid: '1.4', channel: 'PJSIP/1009-00000009' },
        ...[enters('x', '1.3'), enters('x', '1.1')],
      ],
      [R],
    ],
    [
      'a mobile over the trunk answers: its number',
      [
        caller(),
        created('1.2', 'PJSIP/trunk-00000002', {
          context: 'from-trunk-isp',
          state: 6,
          callerNumber: '0612345678',
        } as never),
        enters('b', '1.2'),
        enters('b', '1.1'),
      ],
      [R, 'answered +31201234567 by +31612345678'],
    ],
    [
      'a mobile dialled straight from the trunk: the number dialled, not our own that the leg bears',
      [
        caller(),
        created('1.2', 'PJSIP/trunk-00000002', {
          context: 'from-trunk-isp',
          state: 6,
          callerNumber: '0205550000',
        } as never),
        { type: 'dialled', at, uniqueid: '1.2', dialString: 'trunk/sip:+31612345678@10.0.0.1:5060' },
        enters('b', '1.2'),
        enters('b', '1.1'),
      ],
      [R, 'answered +31201234567 by +31612345678'],
    ],
    [
      'a mobile behind a trunk on which no call ever came in: the number dialled over it',
      [caller(), leg('PJSIP/out-00000002', '0612345678@out'), enters('b', '1.2'), enters('b', '1.1')],
      [R, 'answered +31201234567 by +31612345678'],
    ],
    [
      'a phone that is dialled by its contact, as FreePBX does: its extension',
      [
        caller(),
        leg('PJSIP/1001-00000002', '1001/sip:1001@192.168.1.5:5060'),
        enters('b', '1.2'),
        enters('b', '1.1'),
      ],
      [R, A],
    ],
    [
      'a phone that registered under another number than its own: its extension',
      [
        caller(),
        leg('PJSIP/1001-00000002', '1001/sip:201234@192.168.1.5:5060'),
        enters('b', '1.2'),
        enters('b', '1.1'),
      ],
      [R, A],
    ],
    [
      'a callee that rings in a bridge with the caller (ARI): no answer before its line is up',
      [caller(), phone(5), enters('b', '1.1'), enters('b', '1.2'), hangsUp('1.2'), hangsUp('1.1')],
      [R, MISSED],
    ],
    [
      'a callee that rings in a bridge with the caller, and is answered there',
      [caller(), phone(5), enters('b', '1.1'), enters('b', '1.2'), state('1.2', 6)],
      [R, A],
    ],
    [
      'two outside callers wait in a conference: neither answers the other',
      [
        caller(),
        other,
        enters('c', '1.1', 'softmix'),
        enters('c', '2.1', 'softmix'),
        hangsUp('1.1'),
        hangsUp('2.1'),
      ],
      [R, ofOther('ringing'), MISSED, ofOther('completed')],
    ],
    [
      'two outside callers wait in a conference: its leader answers both',
      [
        caller(),
        other,
        enters('c', '1.1', 'softmix'),
        enters('c', '2.1', 'softmix'),
        phone(),
        enters('c', '1.2', 'softmix'),
      ],
      [R, ofOther('ringing'), A, `${ofOther('answered')} by 1001`],
    ],
    [
      'a mobile answers, and a person of the house joins: the end names the latter',
      [
        caller(),
        mobile,
        enters('b', '1.2'),
        enters('b', '1.1'),
        phone(6, '1.3'),
        enters('b', '1.3'),
        hangsUp('1.1'),
      ],
      [R, 'answered +31201234567 by +31612345678', C],
    ],
    [
      'a mobile answers and hands the caller on to a person of the house: the mobile answered',
      [
        caller(),
        mobile,
        enters('b', '1.2'),
        enters('b', '1.1'),
        leaves('b', '1.2'),
        phone(6, '1.3'),
        enters('b', '1.3'),
        hangsUp('1.1'),
      ],
      [R, 'answered +31201234567 by +31612345678', 'completed +31201234567 by +31612345678'],
    ],
    [
      'a mobile over the trunk answers, whose number nobody says: the trunk',
      [
        caller(),
        created('1.2', 'PJSIP/trunk-00000002', { context: 'from-trunk-isp', state: 6 } as never),
        ...[enters('b', '1.2'), enters('b', '1.1')],
      ],
      [R, 'answered +31201234567 by trunk'],
    ],
    [
      'a caller who was led to another bridge is in that one alone, though no BridgeLeave was observed',
      [caller(), enters('b', '1.1'), enters('c', '1.1'), phone(), enters('b', '1.2')],
      [R],
    ],
    [
      'a dial of a channel that is not known',
      [{ type: 'dialled', at, uniqueid: '9.9', dialString: '1001' }],
      [],
    ],
    [
      'a bridge destroyed under the caller is not an answer later',
      [
        caller(),
        enters('b', '1.1'),
        { type: 'bridge-destroyed', at, bridge: 'b' },
        phone(),
        enters('b', '1.2'),
      ],
      [R],
    ],
    [
      'everything twice',
      [
        caller(),
        caller(),
        phone(),
        phone(),
        enters('b', '1.2'),
        enters('b', '1.1'),
        enters('b', '1.1'),
        hangsUp('1.1'),
        hangsUp('1.1'),
      ],
      [R, A, C],
    ],
  ];
  for (const [name, inputs, reported] of rows)
    test(`${name}: ${reported.map((text) => text.split(' ')[0]).join(', ') || 'nothing'}`, () =>
      assert.deepEqual(play(inputs.flat()).reported, reported));

  test('the journal says who took over after a transfer, once, and where the caller hung up', () => {
    const inputs = [
      ...[caller(), phone(), enters('b', '1.2'), enters('b', '1.1'), leaves('b', '1.1'), hangsUp('1.2')],
      ...[
        phone(6, '1.8', '1008'),
        enters('d', '1.8'),
        enters('d', '1.1'),
        leaves('d', '1.8'),
        enters('d', '1.8'),
      ],
      { ...hangsUp('1.1'), context: 'ext-queues', exten: '700' } as Input,
    ];
    const lines = play(inputs).effects.flatMap((it) => (it.type === 'journal' ? [it.entry.text] : []));
    assert.deepEqual(
      lines.filter((text) => /takes over|leaves|the caller's channel/.test(text)),
      [
        'the caller leaves the bridge',
        'PJSIP/1008-00000002 takes over: it is in a bridge with the caller',
        "the caller's channel PJSIP/trunk-00000001 hung up, cause 16 (normal), in queue 700 (extension 700 in context ext-queues)",
      ],
    );
  });

  test('the journal says each decision and why, line by line', () => {
    const since = 'inbound, since its context from-trunk-isp matches INBOUND_CONTEXTS';
    const down = caller({ state: 0 } as never);
    const came = (number: string) =>
      `appeared 1.1: channel PJSIP/trunk-00000001 in context from-trunk-isp, extension s, from ${number}: ${since}`;
    const leg = (uniqueid: string, channel: string) =>
      `appeared ${uniqueid}: channel ${channel} in context from-internal, extension s, with no number: a leg that was dialled for the call 1.1`;
    const asked = 'observed 1.1: asked the PBX whether the caller lets the number be shown';
    const allowed = 'observed 1.1 pbx-1.1: the PBX says of showing the number: allowed';
    const rings =
      'reported 1.1 pbx-1.1: ringing, from +31201234567: the trunk presented 0201234567 (as dialled in NL)';
    const hungUp = 'PJSIP/trunk-00000001 hung up, cause 16 (normal)';
    const journals: [(Input | Input[])[], string[]][] = [
      [
        [
          ...[caller(), mobile, enters('b', '1.2'), enters('b', '1.1'), phone(6, '1.3'), enters('b', '1.3')],
          ...[hangsUp('1.2'), hangsUp('1.1')],
        ],
        [
          ...[came('0201234567'), asked, allowed, rings, leg('1.2', 'PJSIP/trunk-00000002')],
          'observed 1.1 pbx-1.1: the caller enters a bridge, with others (simple_bridge)',
          'reported 1.1 pbx-1.1: answered by +31612345678: PJSIP/trunk-00000002 is in a bridge with the caller',
          leg('1.3', 'PJSIP/1001-00000002'),
          'observed 1.1 pbx-1.1: PJSIP/1001-00000002 joins: the end names 1001',
          'observed 1.2: PJSIP/trunk-00000002 hung up, cause 16 (normal)',
          `observed 1.1 pbx-1.1: the caller's channel ${hungUp}`,
          'reported 1.1 pbx-1.1: completed, was answered by 1001',
        ],
      ],
      [
        [caller({ callerNumber: 'alice7' } as never), local1, hangsUp('1.1')],
        [
          came('alice7'),
          `observed 1.1 pbx-1.1: the caller's channel ${hungUp}`,
          'not-reported 1.1 pbx-1.1: alice7 is no number, and neither MISSING_NUMBER nor WITHHELD_NUMBER is set',
        ],
      ],
      [
        [down, hangsUp('1.1')],
        [came('0201234567'), `not-reported 1.1: ${hungUp}; it never rang at us: it never got as far`],
      ],
      [
        [down, state('1.1', 6), hangsUp('1.1')],
        [
          came('0201234567'),
          `not-reported 1.1: ${hungUp}; it never rang at us: it was dialled out over the trunk`,
        ],
      ],
      [
        [snapshot([row('1.1', 'PJSIP/trunk-00000001', { context: 'from-trunk-isp' })]), snapshot([])],
        [
          asked,
          'decided 1.1 pbx-1.1: picked up: is in progress, and its beginning was not observed',
          ...[allowed, rings],
          'decided 1.1 pbx-1.1: ended unobserved: its channel is gone, and its end was not seen',
          'reported 1.1 pbx-1.1: completed, no answer was observed',
        ],
      ],
    ];
    for (const [inputs, expected] of journals) {
      const entries = play(inputs.flat()).effects.flatMap((it) => (it.type === 'journal' ? [it.entry] : []));
      assert.deepEqual(
        entries.map(
          ({ kind, uniqueid, call, text }) => `${kind} ${uniqueid}${call ? ` ${call}` : ''}: ${text}`,
        ),
        expected,
      );
    }
  });

  test('nobody answers in a bridge whose members have hung up', () => {
    const unknown = { ...enters('b', '1.2'), channel: 'PJSIP/1001-00000002' } as Input;
    assert.deepEqual(play([caller(), unknown, hangsUp('1.2'), enters('b', '1.1')]).reported, [R]);
    assert.deepEqual(play([caller(), unknown, enters('b', '1.1')]).reported, [R, A]);
    // The caller's number is still asked for when the caller hangs up in a bridge, and a phone comes after.
    const gone = [caller(), enters('b', '1.1'), hangsUp('1.1'), phone(), enters('b', '1.2')];
    assert.deepEqual(play([...gone, saysOf('1.1', 'allowed')], {}, undefined, 'no answer').reported, [
      R,
      MISSED,
    ]);
  });

  test('ANSWERED_BY=callerid reports the CallerIDNum', () => {
    const inputs = [caller(), phone(), enters('b', '1.2', 'simple_bridge', '600'), enters('b', '1.1')];
    assert.deepEqual(play(inputs, { answeredBy: 'callerid' }).reported, [R, 'answered +31201234567 by 600']);
    assert.deepEqual(play(inputs).reported, [R, A]);
  });

  test('INBOUND_CHANNELS knows a trunk by its name', () => {
    const inputs = [caller({ context: 'default' } as never)];
    assert.deepEqual(play(inputs).reported, []);
    assert.deepEqual(play(inputs, { inboundChannels: ['PJSIP/trunk-*'] }).reported, [R]);
  });
});
