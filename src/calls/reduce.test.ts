import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { dialledNumber } from './channel.ts';
import type { Effect } from './effect.ts';
import type { Input, Presentation, SnapshotChannel } from './input.ts';
import { normaliseNumber } from './number.ts';
import { reduce } from './reduce.ts';
import { type CallSettings, createRules } from './rules.ts';
import { initialState, type OpenCall } from './state.ts';

const settings: CallSettings = {
  pbxId: 'pbx',
  inboundContexts: ['from-trunk*'],
  inboundChannels: [],
  defaultCountry: 'NL',
  answeredBy: 'endpoint',
};

/** A line of what is told: `ringing +31201234567`, `answered +31201234567 by 1001`. */
function line(effect: Effect): string {
  if (effect.type === 'tell')
    return `${effect.status} ${effect.from}${effect.callerId ? ` by ${effect.callerId}` : ''}`;
  if (effect.type === 'note') return `(${effect.decision})`;
  return '';
}

/**
 * Plays inputs, and answers each `ask` with `presentation`; gives what is told and noted, in order, and the state
 * that is left.
 */
function play(
  inputs: readonly Input[],
  overrides: Partial<CallSettings> = {},
  saved: { calls: OpenCall[]; trunks: string[] } = { calls: [], trunks: [] },
  presentation: Presentation | 'no answer' = 'allowed',
  dnid: string | undefined = '0201000000',
  more: { holdsVanished?: boolean } = {},
) {
  const rules = createRules({ ...settings, ...overrides }, more);
  let state = initialState(saved);
  const effects: Effect[] = [];
  const hear = (input: Input) => {
    const step = reduce(rules, state, input);
    state = step.state;
    effects.push(...step.effects);
    for (const effect of step.effects)
      if (effect.type === 'ask' && presentation !== 'no answer')
        hear({ type: 'presentation', at: input.at, uniqueid: effect.uniqueid, presentation, dnid });
  };
  inputs.forEach(hear);
  return { told: effects.map(line).filter(Boolean), effects, state };
}

const at = 1_000;
const created = (uniqueid: string, channel: string, more: Partial<Input> = {}): Input =>
  ({
    type: 'channel-created',
    at,
    uniqueid,
    linkedid: '1.1',
    channel,
    state: 0,
    context: 'from-internal',
    exten: 's',
    callerNumber: '',
    ...more,
  }) as Input;
const caller = (more: Partial<Input> = {}): Input =>
  created('1.1', 'PJSIP/trunk-00000001', {
    context: 'from-trunk-isp',
    state: 4,
    callerNumber: '0201234567',
    ...more,
  } as Partial<Input>);
const phone = (uniqueid = '1.2', extension = '1001'): Input =>
  created(uniqueid, `PJSIP/${extension}-00000002`);
const enters = (
  bridge: string,
  uniqueid: string,
  technology = 'simple_bridge',
  callerNumber = '',
): Input => ({
  type: 'bridge-entered',
  at,
  bridge,
  technology,
  uniqueid,
  channel: '',
  callerNumber,
});
const leaves = (bridge: string, uniqueid: string): Input => ({ type: 'bridge-left', at, bridge, uniqueid });
const hangsUp = (uniqueid: string): Input => ({ type: 'hung-up', at, uniqueid, cause: 16 });
const state = (uniqueid: string, channelState: number, callerNumber = ''): Input => ({
  type: 'channel-state',
  at,
  uniqueid,
  channel: '',
  state: channelState,
  callerNumber,
});
const number = (
  uniqueid: string,
  callerNumber: string,
  presentation: 'allowed' | 'prohibited' | 'unavailable' = 'allowed',
): Input => ({ type: 'caller-number', at, uniqueid, callerNumber, presentation });
const saysOf = (uniqueid: string, presentation: Presentation): Input => ({
  type: 'presentation',
  at,
  uniqueid,
  presentation,
  dnid: '0201000000',
});
const tick = (later: number): Input => ({ type: 'tick', at: at + later });
const row = (uniqueid: string, channel: string, more: Partial<SnapshotChannel> = {}): SnapshotChannel => ({
  uniqueid,
  linkedid: '1.1',
  channel,
  state: 6,
  context: 'ivr',
  exten: 's',
  callerNumber: '0201234567',
  application: 'Dial',
  bridge: '',
  ...more,
});
const snapshot = (
  channels: readonly SnapshotChannel[],
  bridges: { bridge: string; technology: string }[] = [],
): Input => ({ type: 'snapshot', at, channels, bridges });

const R = 'ringing +31201234567';
const A = 'answered +31201234567 by 1001';
const C = 'completed +31201234567 by 1001';
const MISSED = 'completed +31201234567';

describe('what is told of a call', () => {
  const local1 = created('1.3', 'Local/s@ring-0001;1');
  const local2 = created('1.4', 'Local/s@ring-0001;2');
  const rows: [string, Input[], string[]][] = [
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
      [caller(), phone(), phone('1.7', '1007'), enters('b', '1.2'), enters('b', '1.1'), hangsUp('1.7')],
      [R, A],
    ],
    [
      'transferred: nothing is told again',
      [
        caller(),
        phone(),
        enters('b', '1.2'),
        enters('b', '1.1'),
        leaves('b', '1.1'),
        hangsUp('1.2'),
        phone('1.8', '1008'),
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
      'a mobile over the trunk answers: its number',
      [
        caller(),
        created('1.2', 'PJSIP/trunk-00000002', {
          context: 'from-trunk-isp',
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
          callerNumber: '0205550000',
        } as never),
        { type: 'dialled', at, uniqueid: '1.2', dialString: 'trunk/sip:+31612345678@10.0.0.1:5060' },
        enters('b', '1.2'),
        enters('b', '1.1'),
      ],
      [R, 'answered +31201234567 by +31612345678'],
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
  for (const [name, inputs, told] of rows)
    test(`${name}: ${told.map((text) => text.split(' ')[0]).join(', ') || 'nothing'}`, () =>
      assert.deepEqual(play(inputs).told, told));

  test('ANSWERED_BY=callerid tells the CallerIDNum', () => {
    const inputs = [caller(), phone(), enters('b', '1.2', 'simple_bridge', '600'), enters('b', '1.1')];
    assert.deepEqual(play(inputs, { answeredBy: 'callerid' }).told, [R, 'answered +31201234567 by 600']);
    assert.deepEqual(play(inputs).told, [R, A]);
  });

  test('INBOUND_CHANNELS knows a trunk by its name', () => {
    const inputs = [caller({ context: 'default' } as never)];
    assert.deepEqual(play(inputs).told, []);
    assert.deepEqual(play(inputs, { inboundChannels: ['PJSIP/trunk-*'] }).told, [R]);
  });
});

test('what is told as a number', () => {
  const rows = [
    ['0201234567', 'NL', '+31201234567'],
    ['0031201234567', 'NL', '+31201234567'],
    ['+31 20 123-4567', undefined, '+31201234567'],
    ['0201234567', undefined, '0201234567'],
    ['1001', 'DE', '1001'],
    ['112', 'DE', '112'],
    ['tel:+31201234567', 'DE', '+31201234567'],
    ['sip:0201234567@10.0.0.1', 'NL', '+31201234567'],
    ['alice7', 'DE', ''],
    ['anonymous', 'DE', ''],
    ['', 'DE', ''],
  ] as const;
  for (const [raw, country, told] of rows) assert.equal(normaliseNumber(raw, country), told, raw);
});

test('the number in a dial string', () => {
  const rows = [
    ['1001', '1001'],
    ['0612345678@trunk', '0612345678'],
    ['g0/0612345678', '0612345678'],
    ['trunk/sip:+31612345678@10.0.0.1:5060', '+31612345678'],
    ['i1/0612345678', '0612345678'],
    ['reception@10.0.0.1', ''],
    ['', ''],
  ] as const;
  for (const [dialString, number] of rows) assert.equal(dialledNumber(dialString), number, dialString);
});

describe("the caller's number", () => {
  const silent = caller({ callerNumber: '' } as never);
  const hidden = caller({ callerNumber: 'anonymous' } as never);
  const withheld = { withheldNumber: '+31000000000' };
  const W = 'ringing +31000000000';
  const rows: [string, Input[], Partial<CallSettings>, string[]][] = [
    ['comes late', [silent, number('1.1', '0201234567')], {}, [R]],
    ['comes late, with the state', [silent, state('1.1', 6, '0201234567')], {}, [R]],
    [
      'comes after the answer',
      [silent, phone(), enters('b', '1.2'), enters('b', '1.1'), number('1.1', '0201234567')],
      {},
      [R, A],
    ],
    ['does not come', [silent, tick(999), tick(1_000), hangsUp('1.1')], {}, ['(not-told)']],
    [
      'does not come, with a stand-in',
      [silent, tick(1_000), hangsUp('1.1')],
      withheld,
      [W, 'completed +31000000000'],
    ],
    [
      'had not come when the caller gave up',
      [silent, hangsUp('1.1')],
      withheld,
      [W, 'completed +31000000000'],
    ],
    ['had not come when the caller gave up, no stand-in', [silent, hangsUp('1.1')], {}, ['(not-told)']],
    [
      'comes when all hope was lost',
      [silent, tick(1_000), number('1.1', '0201234567'), hangsUp('1.1')],
      {},
      ['(not-told)', '(told-late)', R, MISSED],
    ],
    ['is anonymous', [hidden, hangsUp('1.1')], {}, ['(not-told)']],
    ['is anonymous, with a stand-in', [hidden, hangsUp('1.1')], withheld, [W, 'completed +31000000000']],
    [
      'is there but must not be shown',
      [silent, number('1.1', '0201234567', 'prohibited'), tick(1_000)],
      {},
      ['(not-told)'],
    ],
    [
      'stays withheld, whatever a snapshot shows',
      [silent, number('1.1', '0201234567', 'prohibited'), snapshot([row('1.1', 'PJSIP/trunk-00000001')])],
      {},
      ['(not-told)'],
    ],
    ['has no digits', [caller({ callerNumber: 'reception' } as never)], {}, ['(not-told)']],
    ['changes after it was told', [caller(), number('1.1', '0209999999'), hangsUp('1.1')], {}, [R, MISSED]],
    ['is awaited while the clock is set back an hour', [silent, tick(-3_600_000)], {}, ['(not-told)']],
  ];
  for (const [name, inputs, overrides, told] of rows)
    test(name, () => assert.deepEqual(play(inputs, overrides).told, told));

  const answers: [string, Input[], Presentation | 'no answer', string[]][] = [
    ['is there, and the PBX says that it may be shown', [caller()], 'allowed', [R]],
    [
      'is there, and the PBX says that it is withheld',
      [caller(), hangsUp('1.1')],
      'prohibited',
      ['(not-told)'],
    ],
    ['is there, and the PBX will not say more', [caller()], 'unknown', [R]],
    ['is there, and the PBX does not answer in time', [caller(), tick(999), tick(1_000)], 'no answer', [R]],
    [
      'is there, and the call is over before the PBX answers: nothing is told that could be withheld',
      [caller(), hangsUp('1.1'), tick(999)],
      'no answer',
      [],
    ],
    [
      'is there, and the PBX never says whether it may be shown: late, but told',
      [caller(), hangsUp('1.1'), tick(999), tick(1_000)],
      'no answer',
      [R, MISSED],
    ],
    ...(['allowed', 'unknown', 'prohibited'] as const).map(
      (said): [string, Input[], 'no answer', string[]] => [
        `is there, and the PBX says after the call that it is ${said}`,
        [caller(), hangsUp('1.1'), saysOf('1.1', said), tick(1_000)],
        'no answer',
        said === 'prohibited' ? ['(not-told)'] : [R, MISSED],
      ],
    ),
    ...([[saysOf('2.1', 'unknown')], [tick(1_000)], [snapshot([])]] as const).map(
      (last): [string, Input[], 'no answer', string[]] => [
        `is there, and was gone before the PBX could say (${last[0].type}), on a trunk that passes on withheld numbers`,
        [
          ...[caller(), saysOf('1.1', 'prohibited'), hangsUp('1.1')],
          ...[caller({ uniqueid: '2.1', linkedid: '2.1' }), hangsUp('2.1'), ...last],
        ],
        'no answer',
        ['(not-told)', '(not-told)'],
      ],
    ),
    [
      'is there, and the link breaks before the PBX answers; the call is over then',
      [caller(), snapshot([])],
      'no answer',
      [R, MISSED],
    ],
    ['comes with its presentation: nobody is asked', [silent, number('1.1', '0201234567')], 'no answer', [R]],
    ['is withheld by its own word: nobody is asked', [hidden, hangsUp('1.1')], 'no answer', ['(not-told)']],
  ];
  for (const [name, inputs, presentation, told] of answers)
    test(name, () => assert.deepEqual(play(inputs, {}, undefined, presentation).told, told));

  test('a caller who hung up before the PBX answered leaves nothing behind', () => {
    const { state: left } = play(
      [caller(), hangsUp('1.1'), saysOf('1.1', 'allowed')],
      {},
      undefined,
      'no answer',
    );
    assert.deepEqual([left.channels.size, left.calls.size, left.awaiting.size], [0, 0, 0]);
    const { state: overdue } = play([caller(), hangsUp('1.1'), tick(1_000)], {}, undefined, 'no answer');
    assert.deepEqual([overdue.channels.size, overdue.calls.size, overdue.awaiting.size], [0, 0, 0]);
  });

  test('the question is asked again after a reconnect', () => {
    const asks = play([caller(), snapshot([row('1.1', 'PJSIP/trunk-00000001')])], {}, undefined, 'no answer');
    const ask = { type: 'ask', uniqueid: '1.1', channel: 'PJSIP/trunk-00000001' };
    assert.deepEqual(
      asks.effects.filter(({ type }) => type === 'ask'),
      [ask, ask],
    );
  });

  test('a tick is asked for while it is awaited, and again if it comes too early', () => {
    const wakes = play([silent, tick(500)]).effects.filter((effect) => effect.type === 'wake');
    assert.deepEqual(wakes, [
      { type: 'wake', at: 2_000 },
      { type: 'wake', at: 2_000 },
    ]);
  });

  test('the priority lookup hears of it at once', () => {
    const numbers = (input: Input) => play([input]).effects.filter(({ type }) => type === 'expect');
    assert.deepEqual(numbers(caller({ state: 0 } as never)), [{ type: 'expect', number: '0201234567' }]);
    assert.deepEqual(numbers(hidden), []);
  });
});

describe('a call that is gone after (re)connecting, when its record is to say how it ended', () => {
  const ended = (more: object = {}): Input => ({ type: 'ended-unseen', at, uniqueid: '1.1', ...more });
  const held = (inputs: Input[]) =>
    play(inputs, {}, undefined, 'allowed', undefined, { holdsVanished: true });
  const gone = [caller(), snapshot([])];
  const rows: [string, Input[], string[]][] = [
    ['nothing is told of its end by then', gone, [R]],
    ['it was missed', [...gone, ended()], [R, '(vanished)', MISSED]],
    ['somebody answered it', [...gone, ended({ callerId: '1001' })], [R, '(vanished)', A, C]],
    ['an end is told once', [...gone, ended(), ended({ callerId: '1001' })], [R, '(vanished)', MISSED]],
    [
      'its number was still awaited',
      [caller({ callerNumber: '' } as never), snapshot([]), ended({ from: '+31201234567' })],
      [R, MISSED],
    ],
    ['a call that nobody knows', [ended({ callerId: '1001' })], []],
  ];
  for (const [what, inputs, told] of rows) test(what, () => assert.deepEqual(held(inputs).told, told));
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
    ['a call that goes on is not told again', [caller(), snapshot([trunkRow]), hangsUp('1.1')], [R, MISSED]],
    ['a call answered in the meantime is answered', [caller(), snapshot([talking, person])], [R, A]],
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
      'adopted while it talks, and its end names nobody: somebody else may have been first, and another bridge has told of that one',
      [snapshot([{ ...talking, context: 'from-trunk-isp' }, person]), hangsUp('1.1')],
      ['(adopted)', R, A, MISSED],
    ],
    [
      'adopted while it waits in a queue, answered afterwards: the same, since it may come back from a person',
      [
        snapshot([{ ...trunkRow, context: 'from-trunk-isp' }]),
        phone(),
        enters('b', '1.2'),
        enters('b', '1.1'),
        hangsUp('1.1'),
      ],
      ['(adopted)', R, A, MISSED],
    ],
    [
      'adopted while it rings, answered afterwards: nobody was before',
      [
        snapshot([{ ...trunkRow, context: 'from-trunk-isp', state: 4 }]),
        phone(),
        enters('b', '1.2'),
        enters('b', '1.1'),
        hangsUp('1.1'),
      ],
      ['(adopted)', R, A, C],
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
      'an unknown call in an inbound context is adopted',
      [snapshot([{ ...trunkRow, context: 'from-trunk-isp' }])],
      ['(adopted)', R],
    ],
    [
      'a trunk leg that Asterisk dialled is not adopted',
      [snapshot([{ ...trunkRow, context: 'from-trunk-isp', application: 'AppDial' }])],
      [],
    ],
    [
      'a trunk leg of another call is not adopted',
      [snapshot([{ ...trunkRow, context: 'from-trunk-isp', linkedid: '0.9' }])],
      [],
    ],
    [
      'events that the snapshot had overtaken change nothing',
      [snapshot([{ ...trunkRow, context: 'from-trunk-isp' }]), caller(), state('1.1', 6)],
      ['(adopted)', R],
    ],
    [
      'a Newchannel that comes after the snapshot tells the context',
      [snapshot([{ ...trunkRow, state: 4 }]), caller()],
      [R],
    ],
    [
      'a leg over the trunk that we saw being dialled (Originate) is not adopted, though it is a call of its own',
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
      'a leg of another call is not adopted',
      [
        caller({ state: 0, linkedid: '0.9' } as never),
        snapshot([{ ...trunkRow, context: 'from-trunk-isp' }]),
      ],
      [],
    ],
  ];
  for (const [name, inputs, told] of rows) test(name, () => assert.deepEqual(play(inputs).told, told));

  test('how it went, in words: whether anybody answered is not known of a call that ended unheard', () => {
    const outcome = (inputs: Input[]) =>
      play(inputs).effects.flatMap((effect) => (effect.type === 'tell' ? (effect.outcome ?? []) : []));
    assert.deepEqual(outcome([caller(), hangsUp('1.1')]), ['missed']);
    assert.deepEqual(outcome([caller(), snapshot([])]), ['nobody was heard to answer']);
    assert.deepEqual(outcome([caller(), snapshot([talking, person]), hangsUp('1.1')]), [
      'was answered by 1001',
    ]);
  });

  test('what a wrong INBOUND_CHANNELS took for a trunk is none any more when it is corrected', () => {
    const call = caller({ channel: 'PJSIP/1001-00000001', context: 'from-internal' } as never);
    const wrong = play([call, hangsUp('1.1')], { inboundChannels: ['PJSIP/*'] });
    assert.deepEqual(wrong.told, [R, MISSED]);
    assert.deepEqual(
      wrong.effects.filter(({ type }) => type === 'trunk'),
      [],
    );
    const saved = { calls: [], trunks: [...wrong.state.trunks] };
    const later = snapshot([row('1.1', 'PJSIP/1001-00000003')]);
    assert.deepEqual(play([later], { inboundChannels: ['PJSIP/trunk-*'] }, saved).told, []);
    assert.deepEqual(play([later], { inboundChannels: ['PJSIP/*'] }, saved).told, ['(adopted)', R]);
  });

  test('an unknown call on an endpoint that inbound calls come in on is adopted, also after a restart', () => {
    const saved = { calls: [], trunks: ['PJSIP/trunk'] };
    assert.deepEqual(play([snapshot([trunkRow])], {}, saved).told, ['(adopted)', R]);
    assert.deepEqual(play([snapshot([{ ...trunkRow, application: 'AppDial2' }])], {}, saved).told, []);
  });

  test('a call that the PBX made itself over a trunk is not adopted: nobody dialled a number to reach it', () => {
    const inTrunk = snapshot([{ ...trunkRow, context: 'from-trunk-isp' }]);
    const { told, state } = play([inTrunk, hangsUp('1.1')], {}, undefined, 'allowed', '');
    assert.deepEqual(told, ['(adopted)', '(not-inbound)']);
    assert.deepEqual([state.calls.size, state.channels.size, state.awaiting.size], [0, 0, 0]);
    assert.deepEqual(play([inTrunk], {}, undefined, 'allowed', undefined).told, ['(adopted)', R]);
    assert.deepEqual(play([caller()], {}, undefined, 'allowed', '').told, [R], 'its Newchannel was heard');
  });

  test('an analogue line has no number that was dialled, and is adopted all the same', () => {
    const line = snapshot([row('1.1', 'DAHDI/1-1', { context: 'from-analog' })]);
    const overrides = { inboundContexts: ['from-analog'] };
    assert.deepEqual(play([line], overrides, undefined, 'allowed', '').told, ['(adopted)', R]);
  });

  test("a mobile found after a restart is told by the trunk's name rather than by our own number", () => {
    const inBridge = [
      { ...trunkRow, context: 'from-trunk-isp', exten: '0205550000', bridge: 'b' },
      row('1.2', 'PJSIP/trunk-00000002', {
        context: 'from-trunk-isp',
        callerNumber: '0205550000',
        application: 'AppDial',
        bridge: 'b',
      }),
    ];
    assert.deepEqual(play([snapshot(inBridge)]).told, ['(adopted)', R, 'answered +31201234567 by trunk']);
  });

  test('a restart of the bridge tells nothing twice and forgets nothing', () => {
    const inputs = [caller(), phone(), enters('b', '1.2'), enters('b', '1.1'), hangsUp('1.1')];
    const whole = play(inputs).told;
    for (let cut = 1; cut < inputs.length; cut += 1) {
      const before = play(inputs.slice(0, cut));
      const saved = {
        calls: JSON.parse(JSON.stringify(before.state.calls.entries().map(([, call]) => call))) as OpenCall[],
        trunks: [...before.state.trunks],
      };
      const after = play([snapshot([]), ...inputs.slice(cut)], {}, saved);
      const told = [...before.told, ...after.told].filter((text) => !text.startsWith('('));
      assert.equal(new Set(told).size, told.length, `cut at ${cut}: told twice`);
      assert.equal(told[0], whole[0]);
      assert.match(told.at(-1) ?? '', /^completed/);
    }
  });

  test('a number awaited across a restart is waited for on', () => {
    const before = play([caller({ callerNumber: '' } as never)]);
    const saved = { calls: before.state.calls.entries().map(([, call]) => call), trunks: [] };
    const after = play(
      [snapshot([{ ...trunkRow, callerNumber: '' }]), tick(1_000)],
      { withheldNumber: '00' },
      saved,
    );
    assert.deepEqual(after.told, ['ringing 00']);
  });
});
