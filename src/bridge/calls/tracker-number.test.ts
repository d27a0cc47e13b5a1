import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { journalText } from '../../cli/explain/journal-text.ts';
import { readTrunkNotation } from '../../shared/phone-number/trunk-notation.ts';
import type { Input, Presentation } from './input.ts';
import {
  answered,
  becomes,
  caller,
  callerAs,
  completed,
  enters,
  gone,
  hangsUp,
  missed,
  number,
  pbxSays,
  phone,
  play,
  ringing,
  ringingPhone,
  row,
  snapshot,
  talk,
  testReports,
  tick,
} from './tracker.fixture.ts';

const given = (callerNumber: string, channel = caller.channel) => ({ ...caller, callerNumber, channel });
const [silent, hidden] = [given(''), given('anonymous')];
const [analogue, isdn] = [given('', 'DAHDI/1-1'), given('', 'DAHDI/i1/5551234-1')];
const caller2 = callerAs('2.1');
const rewritten = number(caller, '00442079460123');
const found = (more: object) => snapshot([row('1.1', caller.channel, more)]);
const foundInTrunk = found({ context: 'from-trunk-isp' });
const foundRewritten = found({ callerNumber: '00442079460123' });
const foundRinging = found({ callerNumber: '00201234567', state: 4, context: 'from-trunk-isp' });
const foundInBridge = found({ callerNumber: '00442079460123', bridge: 'b' });
const entersUnseen = { ...enters('b', caller), channel: caller.channel };
/** The numbers that stand in, and a number as a dialplan makes it. */
const [WITHHELD, MISSING, BRITISH] = ['+31000000000', '+31999999999', '+442079460123'];
const [withheld, missing] = [{ withheldNumber: WITHHELD }, { missingNumber: MISSING }];
const both = { ...withheld, ...missing };

describe("the caller's number", () => {
  // biome-ignore format: one case a line
  testReports([
    ['comes late', [silent, number(caller, '0201234567')], [ringing]],
    ['comes after the answer', [silent, talk, number(caller, '0201234567')], [ringing, answered]],
    ['does not come', [silent, tick(999), tick(1_000), hangsUp(caller)], ['no-number']],
    ['does not come, with a stand-in',
      [silent, tick(1_000), hangsUp(caller)], [{ ...ringing, from: WITHHELD }, { ...missed, from: WITHHELD }], { settings: withheld }],
    ['had not come when the caller gave up',
      [silent, hangsUp(caller)], [{ ...ringing, from: WITHHELD }, { ...missed, from: WITHHELD }], { settings: withheld }],
    ['the same, no stand-in', [silent, hangsUp(caller)], ['no-number']],
    ['comes when all hope was lost',
      [silent, tick(1_000), number(caller, '0201234567'), hangsUp(caller)], ['no-number', 'reported-late', ringing, missed]],
    ['the same, and time has passed',
      [silent, tick(1_000), { ...number(caller, '0201234567'), at: 9_000 }, hangsUp(caller)], ['no-number', 'reported-late', ringing, missed]],
    ['is anonymous', [hidden, hangsUp(caller)], ['no-number']],
    ['is anonymous, with a stand-in',
      [hidden, hangsUp(caller)], [{ ...ringing, from: WITHHELD }, { ...missed, from: WITHHELD }], { settings: withheld }],
    ['is there but must not be shown', [silent, number(caller, '0201234567', 'prohibited'), tick(1_000)], ['no-number']],
    ['stays withheld, whatever a snapshot shows', [silent, number(caller, '0201234567', 'prohibited'), found({})], ['no-number']],
    ['has no digits', [given('alice7'), tick(1_000)], ['no-number']],
    ['has no digits, with a stand-in for that',
      [given('alice7'), tick(1_000), hangsUp(caller)], [{ ...ringing, from: MISSING }, { ...missed, from: MISSING }], { settings: missing }],
    ['has no digits, with one for the withheld', [given('alice7'), tick(1_000)], [{ ...ringing, from: WITHHELD }], { settings: withheld }],
    ['has no digits, and comes from the dialplan', [given('alice7'), number(caller, '0201234567')], [ringing], { settings: missing }],
    ['is anonymous, with one for the missing', [hidden], ['no-number'], { settings: missing }],
    ['is zeros', [given('0000000000')], [{ ...ringing, from: WITHHELD }], { settings: both }],
    ['is ANONYMOUS on a keypad (Twilio)', [given('+266696687'), hangsUp(caller)], [{ ...ringing, from: WITHHELD }, { ...missed, from: WITHHELD }], { settings: both }],
    ['the same, no stand-in', [given('+266696687'), hangsUp(caller)], ['no-number']],
    ['is UNAVAILABLE on a keypad', [given('86282452253'), tick(1_000)], [{ ...ringing, from: MISSING }], { settings: both }],
    ['the same, and comes from the dialplan', [given('86282452253'), number(caller, '0201234567')], [ringing], { settings: both }],
    ['is made UNKNOWN on a keypad by the dialplan: the trunk\'s',
      [caller, number(caller, '+8656696'), phone], [ringing], { settings: { ...both, reportedNumber: 'dialplan' } }],
    ['comes after a stand-in: what is reported then has it',
      [silent, tick(1_000), number(caller, '0201234567'), talk, hangsUp(caller)], [{ ...ringing, from: WITHHELD }, 'reported-late', answered, completed], { settings: withheld }],
    ['the same, nobody answers',
      [silent, tick(1_000), number(caller, '0201234567'), hangsUp(caller)], [{ ...ringing, from: WITHHELD }, 'reported-late', missed], { settings: withheld }],
    ['comes after a stand-in, withheld',
      [silent, tick(1_000), number(caller, '0201234567', 'prohibited'), number(caller, '0201234567'), hangsUp(caller)], [{ ...ringing, from: MISSING }, { ...missed, from: WITHHELD }], { settings: both }],
    ['of an analogue line comes after three seconds',
      [analogue, tick(1_000), { ...number(caller, '0201234567'), at: 4_000 }, hangsUp(caller)], [ringing, missed], { settings: withheld }],
    ['of an analogue line does not come', [analogue, tick(3_999)], [], { settings: withheld }],
    ['the same within four seconds', [analogue, tick(4_000)], [{ ...ringing, from: WITHHELD }], { settings: withheld }],
    ['the same, and the dialplan dials a phone',
      [analogue, tick(500), { ...phone, at: 1_500 }, tick(1_499), tick(1_500)], [{ ...ringing, from: WITHHELD }], { settings: withheld }],
    ['of an ISDN line does not come', [isdn, tick(1_000)], [{ ...ringing, from: WITHHELD }], { settings: withheld }],
    ['changes after it was reported', [caller, number(caller, '0209999999'), hangsUp(caller)], [ringing, missed]],
    ['is awaited while the clock is set back an hour', [silent, tick(-3_600_000)], ['no-number']],
  ]);

  // biome-ignore format: one case a line
  testReports([
    ['is there, and the PBX says that it may be shown', [caller], [ringing], { presentation: 'allowed' }],
    ['is there, and the PBX says that it is withheld', [caller, hangsUp(caller)], ['no-number'], { presentation: 'prohibited' }],
    ['is there, and the PBX will not say more', [caller], [ringing], { presentation: 'unknown' }],
    ['the PBX takes long: nothing is reported that could be withheld', [caller, tick(999), tick(1_000), tick(30_000)], []],
    ['the PBX answers after a minute', [caller, tick(60_000), pbxSays(caller, 'allowed')], [ringing]],
    ['the PBX says after a minute that it is withheld', [caller, tick(60_000), pbxSays(caller, 'prohibited')], ['no-number']],
    ['the call is over before the PBX answers', [caller, hangsUp(caller), tick(999), tick(30_000)], []],
    ['the link ends without an answer after the call: late, but reported',
      [caller, hangsUp(caller), tick(30_000), gone], [ringing, missed]],
    ['the PBX says after the call: allowed', [caller, hangsUp(caller), pbxSays(caller, 'allowed'), tick(1_000)], [ringing, missed]],
    ['the PBX says after the call: unknown', [caller, hangsUp(caller), pbxSays(caller, 'unknown'), tick(1_000)], [ringing, missed]],
    ['the PBX says after the call: prohibited', [caller, hangsUp(caller), pbxSays(caller, 'prohibited'), tick(1_000)], ['no-number']],
    ['gone before the PBX could say, on a trunk that passes on withheld numbers',
      [caller, pbxSays(caller, 'prohibited'), hangsUp(caller), caller2, hangsUp(caller2), pbxSays(caller2, 'unknown')], ['no-number', 'no-number']],
    ['the same, and the link breaks',
      [caller, pbxSays(caller, 'prohibited'), hangsUp(caller), caller2, hangsUp(caller2), gone], ['no-number', 'no-number']],
    ['no answer before the hang-up is said, on such a trunk',
      [caller, pbxSays(caller, 'prohibited'), hangsUp(caller), caller2, pbxSays(caller2, 'unknown'), hangsUp(caller2)], ['no-number', 'no-number']],
    ['the same on a trunk that is not known to',
      [caller, pbxSays(caller, 'allowed'), hangsUp(caller), caller2, pbxSays(caller2, 'unknown'), hangsUp(caller2)], [ringing, missed, ringing, missed]],
    ['on a trunk that showed a withheld number by its own word',
      [caller, number(caller, '0201234567', 'prohibited'), hangsUp(caller), caller2, hangsUp(caller2), pbxSays(caller2, 'unknown')], ['no-number', 'no-number']],
    ['the link breaks before the PBX answers; the call is over then', [caller, gone], [ringing, missed]],
    ['comes late with its presentation: the PBX is asked all the same',
      [silent, number(caller, '0201234567')], ['no-number'], { presentation: 'prohibited' }],
    ['comes when all hope was lost: the PBX is asked',
      [silent, tick(1_000), { ...number(caller, '0201234567'), at: 9_000 }, tick(9_000)], ['no-number', 'no-number'], { presentation: 'prohibited' }],
    ['the same, and it does not answer', [silent, tick(1_000), { ...number(caller, '0201234567'), at: 9_000 }, tick(9_000)], ['no-number']],
    ['the same, and the call is over before it says withheld',
      [silent, tick(1_000), number(caller, '0201234567'), hangsUp(caller), pbxSays(caller, 'prohibited')], ['no-number', 'no-number']],
    ['is allowed by the dialplan before the PBX answers',
      [caller, number(caller, '0201234567'), pbxSays(caller, 'prohibited')], ['no-number']],
    ['is prohibited, then allowed by dialplan and answer',
      [{ ...caller, state: 0 }, number(caller, '0201234567', 'prohibited'), number(caller, '0201234567'), becomes(caller, 'ring'), pbxSays(caller, 'allowed')], ['no-number']],
    ['is rewritten before the answer: what the trunk presented counts',
      [caller, number(caller, '00201234567'), pbxSays(caller, 'allowed')], [ringing]],
    ['is replaced by a text before the PBX answers', [caller, number(caller, 'Reception'), pbxSays(caller, 'allowed')], [ringing]],
    ['is rewritten, and then the link breaks', [caller, rewritten, foundRewritten, pbxSays(caller, 'allowed')], [ringing]],
    ['is rewritten before the first snapshot, and its Newchannel comes after',
      [foundRinging, caller, pbxSays(caller, 'allowed')], ['picked-up', ringing]],
    ['rewritten, the link breaks; its BridgeEnter had come before its Newchannel',
      [entersUnseen, caller, rewritten, foundInBridge, pbxSays(caller, 'allowed')], [ringing]],
    ['is withheld by its own word: nobody is asked', [hidden, hangsUp(caller)], ['no-number']],
  ], { presentation: 'no answer' });

  describe('is reported as the dialplan has made it, by setting', () => {
    const dialplan = { settings: { reportedNumber: 'dialplan' } } as const;
    // biome-ignore format: one case a line
    testReports([
      ['when it dials a phone', [caller, rewritten, phone, number(caller, '00442079460999')], [{ ...ringing, from: BRITISH }]],
      ['when it connects the caller', [caller, rewritten, enters('b', caller)], [{ ...ringing, from: BRITISH }]],
      ['when the caller hangs up', [caller, rewritten, hangsUp(caller)], [{ ...ringing, from: BRITISH }, { ...missed, from: BRITISH }]],
      ['after a second', [caller, tick(0), rewritten, tick(999), tick(1_000), number(caller, '1')], [{ ...ringing, from: BRITISH }]],
      ['not before', [caller, rewritten, tick(999)], []],
      ["and is the trunk's where it has changed nothing", [caller, phone], [ringing]],
      ["and is the trunk's where it has made no number of it", [caller, number(caller, 'Reception'), phone], [ringing]],
      ['but not if the caller withholds it', [hidden, rewritten, phone], ['no-number']],
      ['also after the PBX said that it may be shown',
        [caller, number(caller, '0207654321'), ringingPhone], [{ ...ringing, from: '+31207654321' }]],
    ], dialplan);

    test('a tick is asked for until then', () => {
      const wakes = play([caller], dialplan).effects.filter(({ type }) => type === 'wake');
      assert.deepEqual(wakes, [{ type: 'wake', at: 2_000 }]);
    });
  });

  describe('is read as its trunk writes it', () => {
    const trunkNumbers = ['PJSIP/trunk-*:national:strip=0', '*:as-is'].flatMap(
      (entry) => readTrunkNotation(entry) ?? [],
    );
    for (const [channel, callerNumber, from] of [
      ['PJSIP/trunk-00000001', '00201234567', '+31201234567'],
      ['PJSIP/other-00000001', '0201234567', '0201234567'],
    ] as const)
      test(channel, () => {
        const { reported, effects } = play([given(callerNumber, channel)], { settings: { trunkNumbers } });
        assert.deepEqual(reported, [{ ...ringing, from }]);
        const texts = effects.flatMap((effect) =>
          effect.type === 'journal' ? journalText(effect.entry) : [],
        );
        assert.match(texts.at(-1) ?? '', /: the trunk presented 00?201234567 \(TRUNK_NUMBERS=.*: /);
      });
  });

  const presents = (presented: string) => ({ ...pbxSays(caller, 'allowed'), presented });
  const foundOnIsdn = snapshot([row('1.1', 'DAHDI/i1/5551234-1', { context: 'from-trunk-isp' })]);
  // biome-ignore format: one case a line
  testReports([
    ['of a call that is found in progress is the ANI, whatever the dialplan has made of it',
      [found({ context: 'from-trunk-isp', callerNumber: '0099' }), presents('0201234567')], ['picked-up', ringing]],
    ['of a call that is found on ISDN is not the ANI, which can be who pays', [foundOnIsdn, presents('0209999999')], ['picked-up', ringing]],
    ['is none, on a trunk that passes on withheld numbers: it is not withheld',
      [caller, pbxSays(caller, 'prohibited'), hangsUp(caller), { ...caller2, callerNumber: 'alice7' }, hangsUp(caller2)],
      ['no-number', { ...ringing, from: MISSING }, { ...missed, from: MISSING }], { settings: missing }],
  ], { presentation: 'no answer' });

  test('the question is asked once, and again after a reconnect', () => {
    const sameNumber = number(caller, '0201234567');
    const again = [sameNumber, becomes(caller, 'up'), sameNumber];
    const { effects } = play([caller, ...again], { presentation: 'no answer' });
    assert.equal(effects.filter(({ type }) => type === 'ask').length, 1, 'asked more than once');
    const asks = play([caller, found({})], { presentation: 'no answer' });
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

  test('is saved once it is decided, and not for an input that changes nothing', () => {
    const saved = (inputs: Input[], said: Presentation | 'no answer') =>
      play(inputs, { presentation: said }).effects.flatMap((effect) =>
        effect.type === 'save' ? [effect.call.number] : [],
      );
    assert.deepEqual(saved([silent, tick(1_000)], 'allowed'), ['awaited', 'absent']);
    assert.deepEqual(saved([caller, number(caller, '0201234567')], 'no answer'), ['awaited']);
  });

  test('the journal says what stands in for it', () => {
    const reported = (inputs: Input[]) =>
      play(inputs, { settings: both }).effects.flatMap((it) =>
        it.type === 'journal' && it.entry.kind === 'reported' ? [journalText(it.entry)] : [],
      );
    assert.deepEqual(reported([hidden]), ['ringing, from +31000000000, for a number that is withheld']);
    assert.deepEqual(reported([silent, tick(1_000)]), [
      'ringing, from +31999999999, for a caller without a number',
    ]);
  });

  describe('is looked up ahead', () => {
    const lookups = (inputs: Input[], said: Presentation | 'no answer') =>
      play(inputs, { presentation: said }).effects.filter(({ type }) => type === 'prefetch-priority');
    const expected = [{ type: 'prefetch-priority', number: ringing.from }];

    test('when the PBX has said that it may be shown, and not before', () => {
      const changed = [caller, number(caller, '00201234567')];
      assert.deepEqual(lookups(changed, 'no answer'), []);
      assert.deepEqual(lookups([...changed, pbxSays(caller, 'allowed')], 'no answer'), expected);
    });

    test('when it comes late', () =>
      assert.deepEqual(lookups([silent, number(caller, '0201234567')], 'allowed'), expected));

    test('not when it is withheld, or the call is over', () => {
      assert.deepEqual(lookups([caller], 'prohibited'), []);
      assert.deepEqual(lookups([hidden], 'allowed'), []);
      assert.deepEqual(lookups([caller, hangsUp(caller), pbxSays(caller, 'allowed')], 'no answer'), []);
    });

    test('not for a call that was in progress when the bridge connected', () => {
      assert.deepEqual(lookups([foundInTrunk], 'allowed'), []);
    });
  });
});
