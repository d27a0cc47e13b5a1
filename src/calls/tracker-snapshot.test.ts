import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Input } from './input.ts';
import { type OpenCall, readOpenCall } from './open-call.ts';
import {
  A,
  at,
  C,
  caller,
  enters,
  hangsUp,
  heard,
  MISSED,
  phone,
  play,
  R,
  row,
  snapshot,
  state,
  tick,
} from './tracker.fixture.ts';

describe('a call that is gone after (re)connecting, when its record is to say how it ended', () => {
  const ended = (more: object = {}): Input => ({ type: 'ended-unseen', at, uniqueid: '1.1', ...more });
  const held = (inputs: Input[]) => play(inputs, {}, undefined, 'allowed', undefined, { hasGapFiller: true });
  const gone = [caller(), snapshot([])];
  const silent = caller({ callerNumber: '' } as never);
  const rows: [string, Input[], string[]][] = [
    ['its end is not reported by then', gone, [R]],
    ['it was missed', [...gone, ended()], [R, '(vanished)', MISSED]],
    ['somebody answered it', [...gone, ended({ callerId: '1001' })], [R, '(vanished)', A, C]],
    ['an end is reported once', [...gone, ended(), ended({ callerId: '1001' })], [R, '(vanished)', MISSED]],
    ['its number was still awaited', [silent, snapshot([]), ended({ from: '+31201234567' })], [R, MISSED]],
    [
      'its number was still awaited, and the wait is over',
      [silent, { ...snapshot([]), at: at + 9_000 }, tick(9_000), ended({ from: '+31201234567' })],
      [R, MISSED],
    ],
    [
      'its number was still awaited, and its hang-up comes after the snapshot',
      [silent, snapshot([]), hangsUp('1.1'), ended({ from: '+31201234567' })],
      [R, MISSED],
    ],
    ['its hang-up comes after the snapshot', [...gone, hangsUp('1.1'), ended()], [R, '(vanished)', MISSED]],
    [
      'its hang-up comes after the snapshot, and somebody answered it before that',
      [...gone, hangsUp('1.1'), ended({ callerId: '1001' })],
      [R, '(vanished)', A, C],
    ],
    [
      'its hang-up comes after the snapshot, and who answered was observed',
      [caller(), phone(), enters('b', '1.2'), enters('b', '1.1'), snapshot([]), hangsUp('1.1')],
      [R, A, C],
    ],
    ['its number was awaited, and there is no record', [silent, snapshot([]), ended()], ['(no-number)']],
    [
      'its record has another number than it was reported with',
      [...gone, ended({ from: '+31209999999' })],
      [R, '(vanished)', MISSED],
    ],
    [
      'the PBX dials for it, though its channel is gone',
      [silent, snapshot([]), phone(), ended({ from: '+31201234567' })],
      [R, MISSED],
    ],
    ['a call that nobody knows', [ended({ callerId: '1001' })], []],
  ];
  for (const [what, inputs, reported] of rows)
    test(what, () => assert.deepEqual(held(inputs).reported, reported));
  test('the journal says who answered by the record, of whom no channel is there', () => {
    const reported = (inputs: Input[]) =>
      held(inputs).effects.flatMap((it) =>
        it.type === 'journal' && it.entry.kind === 'reported' ? [it.entry.text] : [],
      );
    assert.deepEqual(reported([silent, snapshot([]), ended({ from: '+31201234567', callerId: '1001' })]), [
      'ringing, from +31201234567',
      'answered by 1001',
      'completed, was answered by 1001',
    ]);
    assert.match(
      reported([...gone, ended({ callerId: '' })]).at(-1) ?? '',
      /^completed, was answered by \?$/,
    );
  });
  test('it stays open until then, and is freed then', () => {
    assert.equal(held(gone).state.calls.size, 1);
    assert.equal(held([...gone, ended()]).state.calls.size, 0);
  });
});

describe('after (re)connecting', () => {
  const trunkRow = row('1.1', 'PJSIP/trunk-00000001');
  const talking = { ...trunkRow, bridge: 'b' };
  const person = row('1.2', 'PJSIP/1001-00000002', { bridge: 'b' });
  const rows: [string, Input[], string[]][] = [
    ['a call that is gone is completed', [caller(), snapshot([])], [R, '(vanished)', MISSED]],
    [
      'one that was only Down is not decided, but for its record',
      [caller({ state: 0 } as never), snapshot([])],
      [],
    ],
    [
      'a call that goes on is not reported again',
      [caller(), snapshot([trunkRow]), hangsUp('1.1')],
      [R, MISSED],
    ],
    [
      'an answered call that is gone is completed',
      [caller(), phone(), enters('b', '1.2'), enters('b', '1.1'), snapshot([])],
      [R, A, '(vanished)', C],
    ],
    ['a call answered in the meantime is answered', [caller(), snapshot([talking, person])], [R, A]],
    [
      'a call that is in no bridge is not, though a phone is in none either',
      [caller(), snapshot([trunkRow, { ...person, bridge: '' }])],
      [R],
    ],
    [
      'a call parked in the meantime is not',
      [
        caller(),
        snapshot(
          [{ ...trunkRow, bridge: 'p' }, row('1.2', 'PJSIP/1001-00000002', { bridge: 'p' })],
          [{ bridge: 'p', technology: 'holding_bridge' }],
        ),
      ],
      [R],
    ],
    [
      'answered through a Local pair in the meantime',
      [
        caller(),
        snapshot([
          { ...trunkRow, bridge: 'x' },
          row('1.3', 'Local/s@ring-0001;1', { bridge: 'x' }),
          row('1.4', 'Local/s@ring-0001;2', { bridge: 'y' }),
          row('1.2', 'PJSIP/1001-00000002', { bridge: 'y' }),
        ]),
      ],
      [R, A],
    ],
    [
      'answered in the gap, and its end says by whom',
      [caller(), snapshot([talking, person]), hangsUp('1.1')],
      [R, A, C],
    ],
    [
      'picked up while it talks: its end names no answerer, since another bridge may have reported an earlier one',
      [snapshot([{ ...talking, context: 'from-trunk-isp' }, person]), hangsUp('1.1')],
      ['(picked-up)', R, A, MISSED],
    ],
    [
      'picked up while it waits in a queue, answered afterwards: the same, since it may come back from a person',
      [
        snapshot([{ ...trunkRow, context: 'from-trunk-isp' }]),
        phone(),
        enters('b', '1.2'),
        enters('b', '1.1'),
        hangsUp('1.1'),
      ],
      ['(picked-up)', R, A, MISSED],
    ],
    [
      'picked up while it rings, answered afterwards: by the first answerer',
      [
        snapshot([{ ...trunkRow, context: 'from-trunk-isp', state: 4 }]),
        phone(),
        enters('b', '1.2'),
        enters('b', '1.1'),
        hangsUp('1.1'),
      ],
      ['(picked-up)', R, A, C],
    ],
    [
      'answered before the gap, by whomever it talks to after it',
      [
        caller(),
        phone(),
        enters('b', '1.2'),
        enters('b', '1.1'),
        snapshot([talking, row('1.3', 'PJSIP/1002-00000003', { bridge: 'b' })]),
        hangsUp('1.1'),
      ],
      [R, A, C],
    ],
    ['an unknown call, its context already elsewhere, on no known trunk', [snapshot([trunkRow])], []],
    [
      'an unknown call in an inbound context is picked up',
      [snapshot([{ ...trunkRow, context: 'from-trunk-isp' }])],
      ['(picked-up)', R],
    ],
    [
      'a trunk leg that Asterisk dialled is not picked up',
      [snapshot([{ ...trunkRow, context: 'from-trunk-isp', application: 'AppDial' }])],
      [],
    ],
    [
      'one that was only Down rings, and its beginning is observed',
      [snapshot([{ ...trunkRow, context: 'from-trunk-isp', state: 0 }]), state('1.1', 4)],
      [R],
    ],
    [
      'a trunk leg of another call is not picked up',
      [snapshot([{ ...trunkRow, context: 'from-trunk-isp', linkedid: '0.9' }])],
      [],
    ],
    [
      'events that the snapshot had overtaken change nothing',
      [snapshot([{ ...trunkRow, context: 'from-trunk-isp' }]), caller(), state('1.1', 6)],
      ['(picked-up)', R],
    ],
    [
      'a Newchannel that comes after the snapshot reports the context',
      [snapshot([{ ...trunkRow, state: 4 }]), caller()],
      [R],
    ],
    [
      'a Newchannel that comes after a snapshot in which somebody has answered: the end names who',
      [snapshot([talking, person]), caller(), enters('b', '1.1'), hangsUp('1.1')],
      [R, A, C],
    ],
    [
      'a leg over the trunk that we saw being dialled (Originate) is not picked up, though it is a call of its own',
      [
        caller({ state: 0 } as never),
        { type: 'dialled', at, uniqueid: '1.1', dialString: '0612345678@trunk' },
        state('1.1', 5),
        state('1.1', 6),
        snapshot([{ ...trunkRow, context: 'from-trunk-isp' }]),
      ],
      [],
    ],
    [
      'a caller whose Newchannel was lost, though its BridgeEnter was heard, is picked up',
      [
        { ...enters('b', '1.1'), channel: trunkRow.channel } as Input,
        snapshot([{ ...trunkRow, context: 'from-trunk-isp' }]),
      ],
      ['(picked-up)', R],
    ],
    [
      'a leg of another call is not picked up',
      [
        caller({ state: 0, linkedid: '0.9' } as never),
        snapshot([{ ...trunkRow, context: 'from-trunk-isp' }]),
      ],
      [],
    ],
  ];
  for (const [name, inputs, reported] of rows)
    test(name, () => assert.deepEqual(play(inputs).reported, reported));

  test('how it went, in words: whether anybody answered is not known of a call that ended unheard', () => {
    const outcome = (inputs: Input[]) =>
      play(inputs).effects.flatMap((effect) => (effect.type === 'report' ? (effect.outcome ?? []) : []));
    assert.deepEqual(outcome([caller(), hangsUp('1.1')]), ['missed: ended after 0 s']);
    assert.deepEqual(outcome([caller(), snapshot([])]), ['no answer was observed']);
    assert.deepEqual(outcome([caller(), snapshot([talking, person]), hangsUp('1.1')]), [
      'was answered by 1001',
    ]);
  });

  test('a channel that was not reported before a restart is not picked up, unless its call is open', () => {
    const later = snapshot([{ ...trunkRow, context: 'from-trunk-isp' }]);
    const saved = { calls: [], trunks: [], unreported: ['1.1'] };
    assert.deepEqual(play([later], {}, saved).reported, []);
    assert.deepEqual(play([later], {}, { ...saved, unreported: [] }).reported, ['(picked-up)', R]);
    const [call] = play([caller()]).state.calls.values();
    assert.deepEqual(play([later, hangsUp('1.1')], {}, { ...saved, calls: call ? [call] : [] }).reported, [
      MISSED,
    ]);
  });

  test('what a wrong INBOUND_CHANNELS took for a trunk is none any more when it is corrected', () => {
    const call = caller({ channel: 'PJSIP/1001-00000001', context: 'from-internal' } as never);
    const wrong = play([call, hangsUp('1.1')], { inboundChannels: ['PJSIP/*'] });
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
    const { reported, state } = play([inTrunk, inTrunk, hangsUp('1.1')], {}, undefined, 'allowed', '');
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

  test('a restart of the bridge reports nothing twice and forgets nothing', () => {
    const inputs = [caller(), phone(), enters('b', '1.2'), enters('b', '1.1'), hangsUp('1.1')];
    const whole = play(inputs).reported;
    for (let cut = 1; cut < inputs.length; cut += 1) {
      const before = play(inputs.slice(0, cut));
      const saved = {
        calls: JSON.parse(JSON.stringify([...before.state.calls.values()])) as OpenCall[],
        trunks: [...before.state.trunks.values()],
      };
      const after = play([snapshot([]), ...inputs.slice(cut)], {}, saved);
      const reported = [...before.reported, ...after.reported].filter((text) => !text.startsWith('('));
      assert.equal(new Set(reported).size, reported.length, `cut at ${cut}: reported twice`);
      assert.equal(reported[0], whole[0]);
      assert.match(reported.at(-1) ?? '', /^completed/);
    }
  });

  test('a call that was saved ends with a hang-up before any snapshot', () => {
    const [call] = play([caller()]).state.calls.values();
    const saved = { calls: call ? [call] : [], trunks: [] };
    assert.deepEqual(play([hangsUp('1.1')], {}, saved).reported, [MISSED]);
  });

  test('snapshots are counted', () =>
    assert.deepEqual(
      [[], [snapshot([])], [snapshot([]), snapshot([])]].map((inputs) => play(inputs).state.snapshots),
      [0, 1, 2],
    ));

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
      [snapshot([{ ...trunkRow, callerNumber: '' }]), tick(1_000)],
      { withheldNumber: '00' },
      saved,
    );
    assert.deepEqual(after.reported, ['ringing 00']);
  });
});
