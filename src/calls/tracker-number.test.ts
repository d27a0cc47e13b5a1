import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readTrunkNotation } from '../phone-number/trunk-notation.ts';
import type { Input, Presentation } from './input.ts';
import type { CallSettings } from './rules.ts';
import {
  A,
  C,
  caller,
  enters,
  hangsUp,
  MISSED,
  number,
  phone,
  play,
  R,
  row,
  saysOf,
  snapshot,
  state,
  tick,
} from './tracker.fixture.ts';

describe("the caller's number", () => {
  const silent = caller({ callerNumber: '' } as never);
  const hidden = caller({ callerNumber: 'anonymous' } as never);
  const withheld = { withheldNumber: '+31000000000' };
  const W = 'ringing +31000000000';
  const missing = { missingNumber: '+31999999999' };
  const M = 'ringing +31999999999';
  const sipAddress = caller({ callerNumber: 'alice7' } as never);
  const analogue = caller({ callerNumber: '', channel: 'DAHDI/1-1' } as never);
  const answered = [phone(), enters('b', '1.2'), enters('b', '1.1')];
  const rows: [string, Input[], Partial<CallSettings>, string[]][] = [
    ['comes late', [silent, number('1.1', '0201234567')], {}, [R]],
    ['comes late, with the state', [silent, state('1.1', 6, '0201234567')], {}, [R]],
    [
      'comes after the answer',
      [silent, phone(), enters('b', '1.2'), enters('b', '1.1'), number('1.1', '0201234567')],
      {},
      [R, A],
    ],
    ['does not come', [silent, tick(999), tick(1_000), hangsUp('1.1')], {}, ['(no-number)']],
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
    ['had not come when the caller gave up, no stand-in', [silent, hangsUp('1.1')], {}, ['(no-number)']],
    [
      'comes when all hope was lost',
      [silent, tick(1_000), number('1.1', '0201234567'), hangsUp('1.1')],
      {},
      ['(no-number)', '(reported-late)', R, MISSED],
    ],
    [
      'comes when all hope was lost, and time has passed',
      [silent, tick(1_000), { ...number('1.1', '0201234567'), at: 9_000 } as Input, hangsUp('1.1')],
      {},
      ['(no-number)', '(reported-late)', R, MISSED],
    ],
    ['is anonymous', [hidden, hangsUp('1.1')], {}, ['(no-number)']],
    ['is anonymous, with a stand-in', [hidden, hangsUp('1.1')], withheld, [W, 'completed +31000000000']],
    [
      'is there but must not be shown',
      [silent, number('1.1', '0201234567', 'prohibited'), tick(1_000)],
      {},
      ['(no-number)'],
    ],
    [
      'stays withheld, whatever a snapshot shows',
      [silent, number('1.1', '0201234567', 'prohibited'), snapshot([row('1.1', 'PJSIP/trunk-00000001')])],
      {},
      ['(no-number)'],
    ],
    ['has no digits', [sipAddress, tick(1_000)], {}, ['(no-number)']],
    [
      'has no digits, with a stand-in for that',
      [sipAddress, tick(1_000), hangsUp('1.1')],
      missing,
      [M, `completed ${missing.missingNumber}`],
    ],
    ['has no digits, with one for those who withhold it', [sipAddress, tick(1_000)], withheld, [W]],
    ['has no digits, and comes from the dialplan', [sipAddress, number('1.1', '0201234567')], missing, [R]],
    ['is anonymous, with a stand-in for those who have none', [hidden], missing, ['(no-number)']],
    ['is zeros', [caller({ callerNumber: '0000000000' } as never)], { ...withheld, ...missing }, [W]],
    [
      'comes after a stand-in: what is reported from then on has it',
      [silent, tick(1_000), number('1.1', '0201234567'), ...answered, hangsUp('1.1')],
      withheld,
      [W, '(reported-late)', A, C],
    ],
    [
      'comes after a stand-in, to a call that nobody answers',
      [silent, tick(1_000), number('1.1', '0201234567'), hangsUp('1.1')],
      withheld,
      [W, '(reported-late)', MISSED],
    ],
    [
      'comes after a stand-in, withheld',
      [
        silent,
        tick(1_000),
        number('1.1', '0201234567', 'prohibited'),
        number('1.1', '0201234567'),
        hangsUp('1.1'),
      ],
      { ...withheld, ...missing },
      [M, `completed ${withheld.withheldNumber}`],
    ],
    [
      'of an analogue line comes after three seconds',
      [analogue, tick(1_000), { ...number('1.1', '0201234567'), at: 4_000 } as Input, hangsUp('1.1')],
      withheld,
      [R, MISSED],
    ],
    ['of an analogue line does not come', [analogue, tick(3_999)], withheld, []],
    ['of an analogue line does not come within four seconds', [analogue, tick(4_000)], withheld, [W]],
    [
      'of an analogue line does not come, and the dialplan dials a phone',
      [analogue, tick(500), { ...phone(), at: 1_500 } as Input, tick(1_499), tick(1_500)],
      withheld,
      [W],
    ],
    [
      'of an ISDN line does not come',
      [caller({ callerNumber: '', channel: 'DAHDI/i1/5551234-1' } as never), tick(1_000)],
      withheld,
      [W],
    ],
    [
      'changes after it was reported',
      [caller(), number('1.1', '0209999999'), hangsUp('1.1')],
      {},
      [R, MISSED],
    ],
    ['is awaited while the clock is set back an hour', [silent, tick(-3_600_000)], {}, ['(no-number)']],
  ];
  for (const [name, inputs, overrides, reported] of rows)
    test(name, () => assert.deepEqual(play(inputs, overrides).reported, reported));

  const answers: [string, Input[], Presentation | 'no answer', string[]][] = [
    ['is there, and the PBX says that it may be shown', [caller()], 'allowed', [R]],
    [
      'is there, and the PBX says that it is withheld',
      [caller(), hangsUp('1.1')],
      'prohibited',
      ['(no-number)'],
    ],
    ['is there, and the PBX will not say more', [caller()], 'unknown', [R]],
    [
      'is there, and the PBX takes long to answer: nothing is reported that could be withheld',
      [caller(), tick(999), tick(1_000), tick(30_000)],
      'no answer',
      [],
    ],
    [
      'is there, and the PBX answers after a minute',
      [caller(), tick(60_000), saysOf('1.1', 'allowed')],
      'no answer',
      [R],
    ],
    [
      'is there, and the PBX says after a minute that it is withheld',
      [caller(), tick(60_000), saysOf('1.1', 'prohibited')],
      'no answer',
      ['(no-number)'],
    ],
    [
      'is there, and the call is over before the PBX answers: nothing is reported that could be withheld',
      [caller(), hangsUp('1.1'), tick(999), tick(30_000)],
      'no answer',
      [],
    ],
    [
      'is there, and the link ends without an answer after the call: late, but reported',
      [caller(), hangsUp('1.1'), tick(30_000), snapshot([])],
      'no answer',
      [R, MISSED],
    ],
    ...(['allowed', 'unknown', 'prohibited'] as const).map(
      (said): [string, Input[], 'no answer', string[]] => [
        `is there, and the PBX says after the call that it is ${said}`,
        [caller(), hangsUp('1.1'), saysOf('1.1', said), tick(1_000)],
        'no answer',
        said === 'prohibited' ? ['(no-number)'] : [R, MISSED],
      ],
    ),
    ...([[saysOf('2.1', 'unknown')], [snapshot([])]] as const).map(
      (last): [string, Input[], 'no answer', string[]] => [
        `is there, and was gone before the PBX could say (${last[0].type}), on a trunk that passes on withheld numbers`,
        [
          ...[caller(), saysOf('1.1', 'prohibited'), hangsUp('1.1')],
          ...[caller({ uniqueid: '2.1', linkedid: '2.1' }), hangsUp('2.1'), ...last],
        ],
        'no answer',
        ['(no-number)', '(no-number)'],
      ],
    ),
    ...(
      [
        [true, ['(no-number)', '(no-number)']],
        [false, [R, MISSED, R, MISSED]],
      ] as const
    ).map(([reveals, reported]): [string, Input[], 'no answer', string[]] => [
      `is there, and the PBX has no answer, before it says that the caller hung up, on a trunk that ${reveals ? 'passes on withheld numbers' : 'is not known to'}`,
      [
        ...[caller(), saysOf('1.1', reveals ? 'prohibited' : 'allowed'), hangsUp('1.1')],
        ...[caller({ uniqueid: '2.1', linkedid: '2.1' }), saysOf('2.1', 'unknown'), hangsUp('2.1')],
      ],
      'no answer',
      [...reported],
    ]),
    [
      'is there, and the link breaks before the PBX answers; the call is over then',
      [caller(), snapshot([])],
      'no answer',
      [R, MISSED],
    ],
    [
      'comes late with its presentation: the PBX is asked all the same, since the dialplan may have changed that',
      [silent, number('1.1', '0201234567')],
      'prohibited',
      ['(no-number)'],
    ],
    ...(['prohibited', 'no answer'] as const).map((said): [string, Input[], typeof said, string[]] => [
      `comes when all hope was lost: the PBX is asked as always (${said})`,
      [silent, tick(1_000), { ...number('1.1', '0201234567'), at: 9_000 } as Input, tick(9_000)],
      said,
      said === 'prohibited' ? ['(no-number)', '(no-number)'] : ['(no-number)'],
    ]),
    [
      'comes when all hope was lost, and the call is over before the PBX says that it is withheld',
      [silent, tick(1_000), number('1.1', '0201234567'), hangsUp('1.1'), saysOf('1.1', 'prohibited')],
      'no answer',
      ['(no-number)', '(no-number)'],
    ],
    [
      'is allowed by the dialplan before the PBX answers',
      [caller(), number('1.1', '0201234567', 'allowed'), saysOf('1.1', 'prohibited')],
      'no answer',
      ['(no-number)'],
    ],
    [
      'is prohibited, and then allowed by the dialplan and by the answer',
      [
        ...[caller({ state: 0 } as never), number('1.1', '0201234567', 'prohibited')],
        ...[number('1.1', '0201234567', 'allowed'), state('1.1', 4), saysOf('1.1', 'allowed')],
      ],
      'no answer',
      ['(no-number)'],
    ],
    [
      'is rewritten by the dialplan before the PBX answers: the one that the trunk presented is reported',
      [caller(), number('1.1', '00201234567'), state('1.1', 6, '00201234567'), saysOf('1.1', 'allowed')],
      'no answer',
      [R],
    ],
    [
      'is replaced by a text before the PBX answers',
      [caller(), number('1.1', 'Reception'), saysOf('1.1', 'allowed')],
      'no answer',
      [R],
    ],
    [
      'is rewritten, and then the link breaks',
      [
        ...[caller(), number('1.1', '00442079460123')],
        snapshot([row('1.1', 'PJSIP/trunk-00000001', { callerNumber: '00442079460123' })]),
        saysOf('1.1', 'allowed'),
      ],
      'no answer',
      [R],
    ],
    [
      'is rewritten before the snapshot that the bridge connects with, and its Newchannel comes after that',
      [
        snapshot([
          row('1.1', 'PJSIP/trunk-00000001', {
            ...{ callerNumber: '00201234567', state: 4, context: 'from-trunk-isp' },
          }),
        ]),
        caller(),
        saysOf('1.1', 'allowed'),
      ],
      'no answer',
      ['(picked-up)', R],
    ],
    [
      'is rewritten, and then the link breaks; its BridgeEnter had come before its Newchannel',
      [
        { ...enters('b', '1.1'), channel: 'PJSIP/trunk-00000001' } as Input,
        ...[caller(), number('1.1', '00442079460123')],
        snapshot([row('1.1', 'PJSIP/trunk-00000001', { callerNumber: '00442079460123', bridge: 'b' })]),
        saysOf('1.1', 'allowed'),
      ],
      'no answer',
      [R],
    ],
    [
      'is there, and was gone before the PBX could say, on a trunk that showed a withheld number by its own word',
      [
        ...[caller(), number('1.1', '0201234567', 'prohibited'), hangsUp('1.1')],
        ...[caller({ uniqueid: '2.1', linkedid: '2.1' }), hangsUp('2.1'), saysOf('2.1', 'unknown')],
      ],
      'no answer',
      ['(no-number)', '(no-number)'],
    ],
    ['is withheld by its own word: nobody is asked', [hidden, hangsUp('1.1')], 'no answer', ['(no-number)']],
  ];
  for (const [name, inputs, presentation, reported] of answers)
    test(name, () => assert.deepEqual(play(inputs, {}, undefined, presentation).reported, reported));

  describe('is reported as the dialplan has made it, by setting', () => {
    const dialplan = { reportedNumber: 'dialplan' } as const;
    const rewritten = number('1.1', '00442079460123');
    const L = 'ringing +442079460123';
    const rows: [string, Input[], string[]][] = [
      ['when it dials a phone', [caller(), rewritten, phone(), number('1.1', '00442079460999')], [L]],
      ['when it connects the caller', [caller(), rewritten, enters('b', '1.1')], [L]],
      ['when the caller hangs up', [caller(), rewritten, hangsUp('1.1')], [L, 'completed +442079460123']],
      ['after a second', [caller(), tick(0), rewritten, tick(999), tick(1_000), number('1.1', '1')], [L]],
      ['not before', [caller(), rewritten, tick(999)], []],
      ["and is the trunk's where it has changed nothing", [caller(), phone()], [R]],
      [
        "and is the trunk's where it has made no number of it",
        [caller(), number('1.1', 'Reception'), phone()],
        [R],
      ],
      [
        'but not if the caller withholds it',
        [caller({ callerNumber: 'anonymous' } as never), rewritten, phone()],
        ['(no-number)'],
      ],
    ];
    for (const [name, inputs, reported] of rows)
      test(name, () => assert.deepEqual(play(inputs, dialplan).reported, reported));

    test('the same, however late the PBX says that it may be shown', () => {
      const inputs = [
        caller(),
        rewritten,
        phone(),
        number('1.1', '1'),
        tick(5_000),
        saysOf('1.1', 'allowed'),
      ];
      assert.deepEqual(play(inputs, dialplan, undefined, 'no answer').reported, [L]);
      const early = [caller(), saysOf('1.1', 'allowed'), rewritten, phone(), number('1.1', '1')];
      assert.deepEqual(play(early, dialplan, undefined, 'no answer').reported, [L]);
    });

    test('a tick is asked for until then', () => {
      const { effects } = play([caller()], dialplan);
      assert.deepEqual(
        effects.filter(({ type }) => type === 'wake'),
        [{ type: 'wake', at: 2_000 }],
      );
    });
  });

  describe('is read as its trunk writes it', () => {
    const trunkNumbers = ['PJSIP/trunk-*:national:strip=0', '*:as-is'].flatMap(
      (entry) => readTrunkNotation(entry) ?? [],
    );
    const rows: [string, string, string][] = [
      ['PJSIP/trunk-00000001', '00201234567', 'ringing +31201234567'],
      ['PJSIP/other-00000001', '0201234567', 'ringing 0201234567'],
    ];
    for (const [channel, callerNumber, expected] of rows)
      test(channel, () => {
        const { reported, effects } = play([caller({ channel, callerNumber } as never)], {
          trunkNumbers,
        });
        assert.deepEqual(reported, [expected]);
        const texts = effects.flatMap((effect) => (effect.type === 'journal' ? effect.entry.text : []));
        assert.match(texts.at(-1) ?? '', /: the trunk presented 00?201234567 \(TRUNK_NUMBERS=.*: /);
      });
  });

  test('of a call that is found in progress is the ANI, whatever the dialplan has made of it', () => {
    const found = snapshot([
      row('1.1', 'PJSIP/trunk-00000001', { context: 'from-trunk-isp', callerNumber: '0099' }),
    ]);
    const said = { ...saysOf('1.1', 'allowed'), presented: '0201234567' } as Input;
    assert.deepEqual(play([found, said], {}, undefined, 'no answer').reported, ['(picked-up)', R]);
    const isdn = snapshot([row('1.1', 'DAHDI/i1/5551234-1', { context: 'from-trunk-isp' })]);
    const payer = { ...saysOf('1.1', 'allowed'), presented: '0209999999' } as Input;
    assert.deepEqual(play([isdn, payer], {}, undefined, 'no answer').reported, ['(picked-up)', R]);
  });

  test('is none, on a trunk that passes on withheld numbers: it is not withheld', () => {
    const revealed = [caller(), saysOf('1.1', 'prohibited'), hangsUp('1.1')];
    const silentOne = caller({ uniqueid: '2.1', linkedid: '2.1', callerNumber: 'alice7' } as never);
    const { reported } = play([...revealed, silentOne, hangsUp('2.1')], missing, undefined, 'no answer');
    assert.deepEqual(reported, ['(no-number)', M, `completed ${missing.missingNumber}`]);
  });

  test('a caller who hung up before the PBX answered leaves nothing behind', () => {
    const { state: left } = play(
      [caller(), hangsUp('1.1'), saysOf('1.1', 'allowed')],
      {},
      undefined,
      'no answer',
    );
    assert.deepEqual([left.channels.size, left.calls.size, left.waitingForNumber.size], [0, 0, 0]);
    const crossed = [caller(), hangsUp('1.1'), enters('b', '1.1'), saysOf('1.1', 'allowed')];
    assert.equal(play(crossed, {}, undefined, 'no answer').state.bridges.size, 0);
    const { state: overdue } = play([caller(), hangsUp('1.1'), snapshot([])], {}, undefined, 'no answer');
    assert.deepEqual([overdue.channels.size, overdue.calls.size, overdue.waitingForNumber.size], [0, 0, 0]);
  });

  test('the question is asked once, and again after a reconnect', () => {
    const again = [number('1.1', '0201234567'), state('1.1', 6), number('1.1', '0201234567')];
    const { effects } = play([caller(), ...again], {}, undefined, 'no answer');
    assert.equal(effects.filter(({ type }) => type === 'ask').length, 1, 'asked more than once');
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

  test('is followed in the state, also after the PBX said that it may be shown', () => {
    const inputs = [caller(), state('1.1', 4, '0207654321'), phone(5)];
    const dialplan = { reportedNumber: 'dialplan' } as const;
    assert.deepEqual(play(inputs, dialplan).reported, ['ringing +31207654321']);
  });

  test('is saved once it is decided, and not for an input that changes nothing', () => {
    const saved = (inputs: Input[], said: Presentation | 'no answer') =>
      play(inputs, {}, undefined, said).effects.flatMap((effect) =>
        effect.type === 'save' ? [effect.call.number] : [],
      );
    assert.deepEqual(saved([silent, tick(1_000)], 'allowed'), ['awaited', 'absent']);
    assert.deepEqual(saved([caller(), number('1.1', '0201234567')], 'no answer'), ['awaited']);
  });

  test('the journal says what stands in for it', () => {
    const reported = (inputs: Input[]) =>
      play(inputs, { ...withheld, ...missing }).effects.flatMap((it) =>
        it.type === 'journal' && it.entry.kind === 'reported' ? [it.entry.text] : [],
      );
    assert.deepEqual(reported([hidden]), ['ringing, from +31000000000, for a number that is withheld']);
    assert.deepEqual(reported([silent, tick(1_000)]), [
      'ringing, from +31999999999, for a caller without a number',
    ]);
  });

  describe('is looked up ahead', () => {
    const lookups = (inputs: Input[], said: Presentation | 'no answer') =>
      play(inputs, {}, undefined, said).effects.filter(({ type }) => type === 'prefetch-priority');
    const expected = [{ type: 'prefetch-priority', number: '+31201234567' }];

    test('when the PBX has said that it may be shown, and not before', () => {
      const rewritten = [caller(), number('1.1', '00201234567')];
      assert.deepEqual(lookups(rewritten, 'no answer'), []);
      assert.deepEqual(lookups([...rewritten, saysOf('1.1', 'allowed')], 'no answer'), expected);
    });

    test('when it comes late', () =>
      assert.deepEqual(lookups([silent, number('1.1', '0201234567')], 'allowed'), expected));

    test('not when it is withheld, or the call is over', () => {
      assert.deepEqual(lookups([caller()], 'prohibited'), []);
      assert.deepEqual(lookups([hidden], 'allowed'), []);
      assert.deepEqual(lookups([caller(), hangsUp('1.1'), saysOf('1.1', 'allowed')], 'no answer'), []);
    });

    test('not for a call that was in progress when the bridge connected', () => {
      const found = snapshot([row('1.1', 'PJSIP/trunk-00000001', { context: 'from-trunk-isp' })]);
      assert.deepEqual(lookups([found], 'allowed'), []);
    });
  });
});
