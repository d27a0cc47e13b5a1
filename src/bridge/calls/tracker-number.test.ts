import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { table } from '../../../test/table.ts';
import { readTrunkNotation } from '../../shared/phone-number/trunk-notation.ts';
import type { Input, Presentation } from './input.ts';
import type { CallSettings } from './rules.ts';
import {
  caller,
  enters,
  heardAs,
  number,
  play,
  R,
  reportedAs,
  row,
  saysOf,
  snapshot,
} from './tracker.fixture.ts';

const given = (callerNumber: string, channel = 'PJSIP/trunk-00000001') =>
  caller({ callerNumber, channel } as never);
const [silent, hidden] = [given(''), given('anonymous')];
const rewritten = number('1.1', '00442079460123');
const found = (more: object) => snapshot([row('1.1', 'PJSIP/trunk-00000001', more)]);
const inputs: Record<string, Input> = {
  ...{ silent, hidden, rewritten },
  sipAddress: given('alice7'),
  zeros: given('0000000000'),
  analogue: given('', 'DAHDI/1-1'),
  isdn: given('', 'DAHDI/i1/5551234-1'),
  down: caller({ state: 0 } as never),
  caller2: caller({ uniqueid: '2.1', linkedid: '2.1' }),
  snapshot: found({}),
  foundRewritten: found({ callerNumber: '00442079460123' }),
  foundRinging: found({ callerNumber: '00201234567', state: 4, context: 'from-trunk-isp' }),
  foundInBridge: found({ callerNumber: '00442079460123', bridge: 'b' }),
  entersUnseen: { ...enters('b', '1.1'), channel: 'PJSIP/trunk-00000001' } as Input,
};
const heard = (script: string) => heardAs(script, inputs);

describe("the caller's number", () => {
  const withheld = { withheldNumber: '+31000000000' };
  const missing = { missingNumber: '+31999999999' };
  const standIns: Record<string, Partial<CallSettings>> = {
    none: {},
    ...{ withheld, missing, both: { ...withheld, ...missing } },
  };
  /** What is heard, which numbers stand in, and what is reported; `W` and `X` are the numbers that stand in. */
  const rows = table<[string, string, string, string]>(`
    comes late                                 | silent 1.1#0201234567                               | none | R
    comes after the answer                     | silent talk 1.1#0201234567                          | none | R A
    does not come                              | silent +999 +1000 -1.1                              | none | (no-number)
    does not come, with a stand-in             | silent +1000 -1.1                                   | withheld | R@W M@W
    had not come when the caller gave up       | silent -1.1                                         | withheld | R@W M@W
    the same, no stand-in                      | silent -1.1                                         | none | (no-number)
    comes when all hope was lost               | silent +1000 1.1#0201234567 -1.1         | none | (no-number) (reported-late) R M
    the same, and time has passed              | silent +1000 1.1#0201234567@9000 -1.1    | none | (no-number) (reported-late) R M
    is anonymous                               | hidden -1.1                                         | none | (no-number)
    is anonymous, with a stand-in              | hidden -1.1                                         | withheld | R@W M@W
    is there but must not be shown             | silent 1.1#!0201234567 +1000                        | none | (no-number)
    stays withheld, whatever a snapshot shows  | silent 1.1#!0201234567 snapshot                     | none | (no-number)
    has no digits                              | sipAddress +1000                                    | none | (no-number)
    has no digits, with a stand-in for that    | sipAddress +1000 -1.1                               | missing | R@X M@X
    has no digits, with one for the withheld   | sipAddress +1000                                    | withheld | R@W
    has no digits, and comes from the dialplan | sipAddress 1.1#0201234567                           | missing | R
    is anonymous, with one for the missing     | hidden                                              | missing | (no-number)
    is zeros                                   | zeros                                               | both | R@W
    comes after a stand-in: what is reported then has it | silent +1000 1.1#0201234567 talk -1.1     | withheld | R@W (reported-late) A C
    the same, nobody answers                   | silent +1000 1.1#0201234567 -1.1                    | withheld | R@W (reported-late) M
    comes after a stand-in, withheld           | silent +1000 1.1#!0201234567 1.1#0201234567 -1.1    | both | R@X M@W
    of an analogue line comes after three seconds | analogue +1000 1.1#0201234567@4000 -1.1          | withheld | R M
    of an analogue line does not come          | analogue +3999                                      | withheld |
    the same within four seconds               | analogue +4000                                      | withheld | R@W
    the same, and the dialplan dials a phone   | analogue +500 phone@1500 +1499 +1500                | withheld | R@W
    of an ISDN line does not come              | isdn +1000                                          | withheld | R@W
    changes after it was reported              | caller 1.1#0209999999 -1.1                          | none | R M
    is awaited while the clock is set back an hour | silent +-3600000                                | none | (no-number)
  `);
  for (const [name, script, stand, reported] of rows)
    test(name, () => {
      const expected = reported.replaceAll('@W', '@+31000000000').replaceAll('@X', '@+31999999999');
      assert.deepEqual(play(heard(script), standIns[stand]).reported, reportedAs(expected));
    });

  /** What is heard, what the PBX says when it is asked (or nothing), and what is reported. */
  const answers = table<[string, string, string, string]>(`
    is there, and the PBX says that it may be shown       | caller                              | allowed | R
    is there, and the PBX says that it is withheld        | caller -1.1                         | prohibited | (no-number)
    is there, and the PBX will not say more               | caller                              | unknown | R
    the PBX takes long: nothing is reported that could be withheld | caller +999 +1000 +30000   | no answer |
    the PBX answers after a minute                        | caller +60000 1.1?allowed           | no answer | R
    the PBX says after a minute that it is withheld       | caller +60000 1.1?prohibited        | no answer | (no-number)
    the call is over before the PBX answers               | caller -1.1 +999 +30000             | no answer |
    the link ends without an answer after the call: late, but reported | caller -1.1 +30000 gone | no answer | R M
    the PBX says after the call: allowed                  | caller -1.1 1.1?allowed +1000       | no answer | R M
    the PBX says after the call: unknown                  | caller -1.1 1.1?unknown +1000       | no answer | R M
    the PBX says after the call: prohibited               | caller -1.1 1.1?prohibited +1000    | no answer | (no-number)
    gone before the PBX could say, on a trunk that passes on withheld numbers | caller 1.1?prohibited -1.1 caller2 -2.1 2.1?unknown | no answer | (no-number) (no-number)
    the same, and the link breaks                         | caller 1.1?prohibited -1.1 caller2 -2.1 gone | no answer | (no-number) (no-number)
    no answer before the hang-up is said, on such a trunk | caller 1.1?prohibited -1.1 caller2 2.1?unknown -2.1 | no answer | (no-number) (no-number)
    the same on a trunk that is not known to              | caller 1.1?allowed -1.1 caller2 2.1?unknown -2.1 | no answer | R M R M
    on a trunk that showed a withheld number by its own word | caller 1.1#!0201234567 -1.1 caller2 -2.1 2.1?unknown | no answer | (no-number) (no-number)
    the link breaks before the PBX answers; the call is over then | caller gone                 | no answer | R M
    comes late with its presentation: the PBX is asked all the same | silent 1.1#0201234567     | prohibited | (no-number)
    comes when all hope was lost: the PBX is asked        | silent +1000 1.1#0201234567@9000 +9000 | prohibited | (no-number) (no-number)
    the same, and it does not answer                      | silent +1000 1.1#0201234567@9000 +9000 | no answer | (no-number)
    the same, and the call is over before it says withheld | silent +1000 1.1#0201234567 -1.1 1.1?prohibited | no answer | (no-number) (no-number)
    is allowed by the dialplan before the PBX answers     | caller 1.1#0201234567 1.1?prohibited | no answer | (no-number)
    is prohibited, then allowed by dialplan and answer    | down 1.1#!0201234567 1.1#0201234567 1.1=4 1.1?allowed | no answer | (no-number)
    is rewritten before the answer: what the trunk presented counts | caller 1.1#00201234567 1.1?allowed | no answer | R
    is replaced by a text before the PBX answers          | caller 1.1#Reception 1.1?allowed    | no answer | R
    is rewritten, and then the link breaks                | caller rewritten foundRewritten 1.1?allowed | no answer | R
    is rewritten before the first snapshot, and its Newchannel comes after | foundRinging caller 1.1?allowed | no answer | (picked-up) R
    rewritten, the link breaks; its BridgeEnter had come before its Newchannel | entersUnseen caller rewritten foundInBridge 1.1?allowed | no answer | R
    is withheld by its own word: nobody is asked          | hidden -1.1                         | no answer | (no-number)
  `);
  for (const [name, script, presentation, reported] of answers)
    test(name, () =>
      assert.deepEqual(
        play(heard(script), {}, undefined, presentation as Presentation).reported,
        reportedAs(reported),
      ),
    );

  describe('is reported as the dialplan has made it, by setting', () => {
    const dialplan = { reportedNumber: 'dialplan' } as const;
    const rows = table<[string, string, string]>(`
      when it dials a phone                                 | caller rewritten phone 1.1#00442079460999   | R@+442079460123
      when it connects the caller                           | caller rewritten 1.1>b                      | R@+442079460123
      when the caller hangs up                              | caller rewritten -1.1       | R@+442079460123 M@+442079460123
      after a second                                        | caller +0 rewritten +999 +1000 1.1#1        | R@+442079460123
      not before                                            | caller rewritten +999                       |
      and is the trunk's where it has changed nothing       | caller phone                                | R
      and is the trunk's where it has made no number of it  | caller 1.1#Reception phone                  | R
      but not if the caller withholds it                    | hidden rewritten phone                      | (no-number)
      also after the PBX said that it may be shown          | caller 1.1#0207654321 rings                 | R@+31207654321
    `);
    for (const [name, script, reported] of rows)
      test(name, () => assert.deepEqual(play(heard(script), dialplan).reported, reportedAs(reported)));

    test('a tick is asked for until then', () => {
      const wakes = play(heard('caller'), dialplan).effects.filter(({ type }) => type === 'wake');
      assert.deepEqual(wakes, [{ type: 'wake', at: 2_000 }]);
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
    const revealed = [caller(), saysOf('1.1', 'prohibited'), ...heardAs('-1.1')];
    const silentOne = caller({ uniqueid: '2.1', linkedid: '2.1', callerNumber: 'alice7' } as never);
    const { reported } = play([...revealed, silentOne, ...heardAs('-2.1')], missing, undefined, 'no answer');
    assert.deepEqual(reported, [
      '(no-number)',
      `ringing ${missing.missingNumber}`,
      `completed ${missing.missingNumber}`,
    ]);
  });

  test('the question is asked once, and again after a reconnect', () => {
    const again = [number('1.1', '0201234567'), ...heardAs('1.1=6'), number('1.1', '0201234567')];
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
    const wakes = play([silent, ...heardAs('+500')]).effects.filter((effect) => effect.type === 'wake');
    assert.deepEqual(wakes, [
      { type: 'wake', at: 2_000 },
      { type: 'wake', at: 2_000 },
    ]);
  });

  test('is saved once it is decided, and not for an input that changes nothing', () => {
    const saved = (inputs: Input[], said: Presentation | 'no answer') =>
      play(inputs, {}, undefined, said).effects.flatMap((effect) =>
        effect.type === 'save' ? [effect.call.number] : [],
      );
    assert.deepEqual(saved([silent, ...heardAs('+1000')], 'allowed'), ['awaited', 'absent']);
    assert.deepEqual(saved([caller(), number('1.1', '0201234567')], 'no answer'), ['awaited']);
  });

  test('the journal says what stands in for it', () => {
    const reported = (inputs: Input[]) =>
      play(inputs, { ...withheld, ...missing }).effects.flatMap((it) =>
        it.type === 'journal' && it.entry.kind === 'reported' ? [it.entry.text] : [],
      );
    assert.deepEqual(reported([hidden]), ['ringing, from +31000000000, for a number that is withheld']);
    assert.deepEqual(reported([silent, ...heardAs('+1000')]), [
      'ringing, from +31999999999, for a caller without a number',
    ]);
  });

  describe('is looked up ahead', () => {
    const lookups = (inputs: Input[], said: Presentation | 'no answer') =>
      play(inputs, {}, undefined, said).effects.filter(({ type }) => type === 'prefetch-priority');
    const expected = [{ type: 'prefetch-priority', number: '+31201234567' }];

    test('when the PBX has said that it may be shown, and not before', () => {
      const changed = [caller(), number('1.1', '00201234567')];
      assert.deepEqual(lookups(changed, 'no answer'), []);
      assert.deepEqual(lookups([...changed, saysOf('1.1', 'allowed')], 'no answer'), expected);
    });

    test('when it comes late', () =>
      assert.deepEqual(lookups([silent, number('1.1', '0201234567')], 'allowed'), expected));

    test('not when it is withheld, or the call is over', () => {
      assert.deepEqual(lookups([caller()], 'prohibited'), []);
      assert.deepEqual(lookups([hidden], 'allowed'), []);
      assert.deepEqual(lookups([caller(), ...heardAs('-1.1'), saysOf('1.1', 'allowed')], 'no answer'), []);
    });

    test('not for a call that was in progress when the bridge connected', () => {
      const found = snapshot([row('1.1', 'PJSIP/trunk-00000001', { context: 'from-trunk-isp' })]);
      assert.deepEqual(lookups([found], 'allowed'), []);
    });
  });
});
