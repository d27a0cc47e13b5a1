import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { countries } from '../../shared/phone-number/normalise-number.ts';
import { readTrunkNotation } from '../../shared/phone-number/trunk-notation.ts';
import { exampleOf, inItsCountry } from '../../shared/phone-number/written-forms.fixture.ts';
import type { Input } from './input.ts';
import type { CallSettings } from './rules.ts';
import {
  at,
  becomes,
  caller,
  callerAs,
  hangsUp,
  heard,
  missed,
  number,
  pbxSays,
  play,
  ringing,
  row,
  snapshot,
  testReports,
  tick,
} from './tracker.fixture.ts';
import { readTrunk, storedTrunk, type Trunk } from './trunk.ts';
import { isTrunk } from './trunk-learning.ts';

const calls = (channel: string, context: string): Input => ({ ...callerAs('3.1'), channel, context });
const configured = (contexts: Record<string, string>): Input => ({
  type: 'endpoints',
  at,
  contexts: Object.entries(contexts),
  guestContext: '',
});
const trunkRow = row('1.1', 'PJSIP/trunk-00000001');
const foundPhone = snapshot([row('1.1', 'PJSIP/1001-00000001', { context: 'from-trunk-isp' })]);
const trunkInbound = configured({ 'PJSIP/trunk': 'from-trunk-isp', 'PJSIP/1001': 'from-internal' });
const phoneInternal = configured({ 'PJSIP/1001': 'from-internal' });
const [trunk, elsewhere] = [heard('PJSIP/trunk'), heard('PJSIP/trunk', 'from-outside')];
const phoneTrunk = heard('PJSIP/1001', 'from-internal');
const added: Trunk = { ...heard('PJSIP/x', ''), source: 'added' };
const mixed: Trunk[] = [
  { endpoint: 'PJSIP/old', source: 'configured', context: 'from-trunk-isp' },
  heard('DAHDI/1'),
];
const corrected: Input = { type: 'trunks-corrected', at, added: [added], forgotten: ['PJSIP/trunk'] };

/** The endpoints that are trunks after these inputs. */
function trunksAfter(inputs: Input[], settings: Partial<CallSettings> = {}, trunks: Trunk[] = []): string[] {
  const { state } = play(inputs, { settings, saved: { calls: [], trunks } });
  return [...state.trunks.keys()].filter((endpoint) => isTrunk(state, endpoint));
}

describe('an endpoint is a trunk', () => {
  // biome-ignore format: one case a line
  const cases: [name: string, before: Trunk[], heard: Input[], after: string[]][] = [
    ['when an inbound call rings on it', [], [caller], ['PJSIP/trunk']],
    ['when it rings on chan_sip: Down first', [], [{ ...caller, state: 0, channel: 'SIP/isp-1' }, becomes(caller, 'ring')], ['SIP/isp']],
    ['when its Newchannel comes after a snapshot', [], [snapshot([{ ...trunkRow, state: 4 }]), caller], ['PJSIP/trunk']],
    ['not when it is dialled in that context', [], [{ ...caller, state: 0 }, becomes(caller, 'ringing')], []],
    ['not when a snapshot shows it in that context', [], [foundPhone, hangsUp(caller)], []],
    ['not when it calls as a phone', [], [calls('PJSIP/1001-1', 'from-internal')], []],
    ['not when a guest comes in under the name of a phone', [], [phoneInternal, calls('PJSIP/1001-1', 'from-trunk-isp')], []],
    ['still when a guest comes in under its name', [], [trunkInbound, calls('PJSIP/trunk-1', 'from-sip-external')], ['PJSIP/trunk']],
    ['no more when it calls as a phone', [trunk], [calls('PJSIP/trunk-1', 'x')], []],
    ['no more when INBOUND_CONTEXTS no longer matches', [phoneTrunk], [], []],
    ['when the configuration gives its calls such a context', [], [trunkInbound], ['PJSIP/trunk']],
    ['the same, though calls came in in another before', [elsewhere], [trunkInbound], ['PJSIP/trunk']],
    ['no more when the configuration gives it another context', [trunk], [configured({ 'PJSIP/trunk': 'from-internal' })], []],
    ['no more when known by the configuration alone, and gone', mixed, [phoneInternal], ['DAHDI/1']],
    ['when calls came in on it, though the configuration has it no more', [trunk], [trunkInbound, configured({})], ['PJSIP/trunk']],
    ['when an operator adds it, no more when one has it forgotten', [trunk], [corrected], ['PJSIP/x']],
    ['for ever when an operator added it',
      [added], [calls('PJSIP/x-1', 'from-internal'), configured({ 'PJSIP/x': 'from-internal' })], ['PJSIP/x']],
  ];
  for (const [name, before, heard, after] of cases)
    test(name, () => assert.deepEqual(trunksAfter(heard, {}, before), after));
  test('as long as INBOUND_CONTEXTS matches', () =>
    assert.deepEqual(trunksAfter([], { inboundContexts: ['*'] }, [phoneTrunk]), ['PJSIP/1001']));

  test('with the context, the first and the last call on it, and how it writes numbers; written once a minute', () => {
    const later = (seconds: number, uniqueid: string) => ({
      ...callerAs(uniqueid),
      at: at + seconds * 1_000,
      callerNumber: '+31201234567',
    });
    const { effects } = play([caller, later(59.999, '2.1'), later(60, '3.1')]);
    assert.deepEqual(
      effects.flatMap((effect) => (effect.type === 'trunk' ? [effect.trunk] : [])),
      [
        { ...trunk, lastAt: at, writes: '02xxxxxxxx' },
        { ...trunk, lastAt: at + 60_000, writes: '+31xxxxxxxxx' },
      ],
    );
  });

  test('that passes on withheld numbers, across a restart', () => {
    const before = play([caller, pbxSays(caller, 'prohibited'), hangsUp(caller)], {
      presentation: 'no answer',
    });
    const saved = {
      calls: [],
      trunks: [...before.state.trunks.values()].flatMap((it) => readTrunk(storedTrunk(it)) ?? []),
    };
    const quick = [caller, hangsUp(caller), number(caller, '0201234567'), pbxSays(caller, 'unknown')];
    const settings = { withheldNumber: '00' };
    assert.deepEqual(play(quick, { settings, saved, presentation: 'no answer' }).reported, [
      { ...ringing, from: '00' },
      { ...missed, from: '00' },
    ]);
  });
});

describe('how one caller writes a number decides nothing about the numbers of others', () => {
  const from = (numbers: string[], defaultCountry: string, more: Partial<CallSettings> = {}) =>
    play([...numbers.map((callerNumber, i) => ({ ...callerAs(`${i + 1}.1`), callerNumber })), tick(100)], {
      settings: { defaultCountry, ...more },
    }).reported.at(-1);
  const rule = (text: string) => [readTrunkNotation(text)].filter((it) => it !== undefined);

  // biome-ignore format: one case a line
  const cases: [country: string, before: string, caller: string, from: string][] = [
    ['US', '12125550123', '3612345678', '+13612345678'],
    ['US', '12125550123', '4792345678', '+14792345678'],
    ['CA', '14165550123', '4165550199', '+14165550199'],
    ['DE', '4915112345678', '31612345678', '+4931612345678'],
    ['IN', '919876543210', '4412345678', '+914412345678'],
  ];
  for (const [country, before, caller, number] of cases)
    test(`${caller} in ${country}, after three calls from ${before}`, () =>
      assert.deepEqual(from([before, before, before, caller], country), { ...ringing, from: number }));

  test('a rule for the trunk does', () => {
    const trunkNumbers = rule('PJSIP/trunk-*:e164');
    assert.deepEqual(from(['31612345678'], 'DE', { trunkNumbers }), { ...ringing, from: '+31612345678' });
  });

  test('nor does what a released version has saved of a trunk', () => {
    const state = JSON.stringify({ context: 'from-trunk-isp', plusless: 3 });
    const saved = readTrunk({ endpoint: 'PJSIP/trunk', source: 'heard', state });
    assert.ok(saved);
    const { reported } = play([{ ...caller, callerNumber: '3612345678' }], {
      settings: { defaultCountry: 'US' },
      saved: { calls: [], trunks: [saved] },
    });
    assert.deepEqual(reported, [{ ...ringing, from: '+13612345678' }]);
  });
});

test('the same in 245 countries, in eight ways of writing, live', () => {
  for (const country of countries()) {
    const example = exampleOf(country);
    for (const callerNumber of inItsCountry(example)) {
      if (callerNumber.replace(/\D/g, '').length < 6) continue;
      const { reported } = play([{ ...caller, callerNumber }], { settings: { defaultCountry: country } });
      assert.deepEqual(reported, [{ ...ringing, from: example.number }], `${callerNumber} in ${country}`);
    }
  }
});

describe('a channel that only a snapshot shows is an inbound call', () => {
  // biome-ignore format: one case a line
  testReports([
    ['not by the context to which a phone was led inside', [phoneInternal, foundPhone], []],
    ['by the configured context of its endpoint', [trunkInbound, snapshot([trunkRow])], ['picked-up', ringing]],
    ['by its context if the PBX does not say', [foundPhone], ['picked-up', ringing]],
    ['by a trunk that was learnt', [snapshot([trunkRow])], ['picked-up', ringing], { saved: { calls: [], trunks: [trunk] } }],
    ['not by what was learnt by contexts of yesterday', [snapshot([trunkRow])], [], { saved: { calls: [], trunks: [elsewhere] } }],
  ]);
});

describe('what is known of a trunk is kept', () => {
  const known = heard('PJSIP/trunk', 'from-provider');
  const leaves = (heard: Input[], trunk: Trunk) => [
    ...play(heard, { saved: { calls: [], trunks: [trunk] } }).state.trunks.values(),
  ];
  test('while INBOUND_CONTEXTS leaves its context out', () =>
    assert.deepEqual(leaves([configured({ 'PJSIP/trunk': 'from-provider' })], known), [known]));

  test('when a channel rings whose beginning was not observed', () =>
    assert.deepEqual(leaves([snapshot([{ ...trunkRow, state: 0 }]), becomes(caller, 'ring')], known), [
      known,
    ]));

  test('when an operator added it, and calls come in on it', () => {
    const added: Trunk = { endpoint: 'PJSIP/trunk', source: 'added', context: '' };
    const heardNow = { context: 'from-trunk-isp', firstAt: at, lastAt: at, writes: '02xxxxxxxx' };
    assert.deepEqual(leaves([caller], added), [{ ...added, ...heardNow }]);
  });
});

test('a saved trunk that another version wrote is none', () => {
  assert.equal(readTrunk({ endpoint: 'PJSIP/x', source: 'heard', state: '{}' }), undefined);
  assert.equal(readTrunk({ endpoint: 'PJSIP/x', source: 'heard', state: 'x' }), undefined);
});
