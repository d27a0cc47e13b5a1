import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { table } from '../../../test/table.ts';
import { countries } from '../../shared/phone-number/normalise-number.ts';
import { readTrunkNotation } from '../../shared/phone-number/trunk-notation.ts';
import { exampleOf, inItsCountry } from '../../shared/phone-number/written-forms.fixture.ts';
import type { Input } from './input.ts';
import type { CallSettings } from './rules.ts';
import {
  at,
  caller,
  created,
  hangsUp,
  heard,
  heardAs,
  number,
  play,
  reportedAs,
  row,
  saysOf,
  snapshot,
  state,
} from './tracker.fixture.ts';
import type { Saved } from './tracker-state.ts';
import { readTrunk, storedTrunk, type Trunk } from './trunk.ts';
import { isTrunk } from './trunk-learning.ts';

const rings = (channel: string, context: string): Input =>
  created('3.1', channel, { state: 4, context, linkedid: '3.1', callerNumber: '0201234567' } as never);
const configured = (contexts: Record<string, string>): Input => ({
  type: 'endpoints',
  at,
  contexts: Object.entries(contexts),
});
const trunkRow = row('1.1', 'PJSIP/trunk-00000001');
const phoneRow = row('1.1', 'PJSIP/1001-00000001', { context: 'from-trunk-isp' });

/** The endpoints that are trunks after these inputs. */
function trunksAfter(inputs: Input[], settings: Partial<CallSettings> = {}, trunks: Trunk[] = []): string[] {
  const { state } = play(inputs, settings, { calls: [], trunks });
  return [...state.trunks.keys()].filter((endpoint) => isTrunk(state, endpoint));
}

const corrected = {
  added: [{ ...heard('PJSIP/x', ''), source: 'added' } as const],
  forgotten: ['PJSIP/trunk'],
};
const inputs: Record<string, Input> = {
  down: caller({ state: 0 } as never),
  sipDown: caller({ state: 0, channel: 'SIP/isp-1' } as never),
  foundRinging: snapshot([{ ...trunkRow, state: 4 }]),
  found: snapshot([trunkRow]),
  foundPhone: snapshot([phoneRow]),
  phoneCalls: rings('PJSIP/1001-1', 'from-internal'),
  trunkCalls: rings('PJSIP/trunk-1', 'x'),
  addedCalls: rings('PJSIP/x-1', 'from-internal'),
  trunkInbound: configured({ 'PJSIP/trunk': 'from-trunk-isp', 'PJSIP/1001': 'from-internal' }),
  trunkInternal: configured({ 'PJSIP/trunk': 'from-internal' }),
  phoneInternal: configured({ 'PJSIP/1001': 'from-internal' }),
  addedInternal: configured({ 'PJSIP/x': 'from-internal' }),
  nothingConfigured: configured({}),
  corrected: { type: 'trunks-corrected', at, ...corrected },
};
const trunksBefore: Record<string, Trunk[]> = {
  none: [],
  phone: [heard('PJSIP/1001', 'from-internal')],
  trunk: [heard('PJSIP/trunk')],
  elsewhere: [heard('PJSIP/trunk', 'from-outside')],
  added: corrected.added,
  mixed: [{ endpoint: 'PJSIP/old', source: 'configured', context: 'from-trunk-isp' }, heard('DAHDI/1')],
};

describe('an endpoint is a trunk', () => {
  const rows = table<[what: string, script: string, before: string, after: string]>(`
    when an inbound call rings on it                         | caller                         | none | PJSIP/trunk
    when it rings on chan_sip: Down first                    | sipDown 1.1=4                  | none | SIP/isp
    when its Newchannel comes after a snapshot               | foundRinging caller            | none | PJSIP/trunk
    not when it is dialled in that context                   | down 1.1=5                     | none |
    not when a snapshot shows it in that context             | foundPhone -1.1                | none |
    not when it calls as a phone                             | phoneCalls                     | none |
    no more when it calls as a phone                         | trunkCalls                     | trunk |
    no more when INBOUND_CONTEXTS no longer matches          |                                | phone |
    when the configuration gives its calls such a context    | trunkInbound                   | none | PJSIP/trunk
    the same, though calls came in in another before         | trunkInbound                   | elsewhere | PJSIP/trunk
    no more when the configuration gives it another context  | trunkInternal                  | trunk |
    no more when known by the configuration alone, and gone  | phoneInternal                  | mixed | DAHDI/1
    when calls came in on it, though the configuration has it no more | trunkInbound nothingConfigured | trunk | PJSIP/trunk
    when an operator adds it, no more when one has it forgotten | corrected                   | trunk | PJSIP/x
    for ever when an operator added it                       | addedCalls addedInternal       | added | PJSIP/x
  `);
  for (const [what, script, before, after] of rows)
    test(what, () =>
      assert.deepEqual(
        trunksAfter(heardAs(script, inputs), {}, trunksBefore[before]),
        after.split(' ').filter(Boolean),
      ),
    );
  test('as long as INBOUND_CONTEXTS matches', () =>
    assert.deepEqual(trunksAfter([], { inboundContexts: ['*'] }, trunksBefore.phone), ['PJSIP/1001']));

  test('with the context, the first and the last call on it, and how it writes numbers; written once a minute', () => {
    const later = (seconds: number, uniqueid: string) =>
      caller({
        at: at + seconds * 1_000,
        uniqueid,
        linkedid: uniqueid,
        callerNumber: '+31201234567',
      } as never);
    const { effects } = play([caller(), later(59.999, '2.1'), later(60, '3.1')]);
    const trunk = { endpoint: 'PJSIP/trunk', source: 'heard', context: 'from-trunk-isp', firstAt: at };
    assert.deepEqual(
      effects.flatMap((effect) => (effect.type === 'trunk' ? [effect.trunk] : [])),
      [
        { ...trunk, lastAt: at, writes: '02xxxxxxxx' },
        { ...trunk, lastAt: at + 60_000, writes: '+31xxxxxxxxx' },
      ],
    );
  });

  test('that passes on withheld numbers, across a restart', () => {
    const before = play([caller(), saysOf('1.1', 'prohibited'), hangsUp('1.1')], {}, undefined, 'no answer');
    const saved = {
      calls: [],
      trunks: [...before.state.trunks.values()].flatMap((it) => readTrunk(storedTrunk(it)) ?? []),
    };
    const quick = [caller(), hangsUp('1.1'), number('1.1', '0201234567'), saysOf('1.1', 'unknown')];
    assert.deepEqual(play(quick, { withheldNumber: '00' }, saved, 'no answer').reported, [
      'ringing 00',
      'completed 00',
    ]);
  });
});

describe('a trunk that writes E.164 without its plus is known', () => {
  /** Calls on a trunk of Germany: `m` a mobile with the calling code, `n` a national number, `f` one that fits both. */
  const numbers = { m: '4915112345678', n: '30901820', f: '31612345678', d: '030901820', p: '+31612345678' };
  const rings = (script: string) =>
    [...script].map((key, i) => {
      const uniqueid = `${i + 1}.1`;
      const callerNumber = numbers[key as keyof typeof numbers];
      return caller({ uniqueid, linkedid: uniqueid, callerNumber } as never);
    });
  const germany: Partial<CallSettings> = { defaultCountry: 'DE' };
  const lastOf = (script: string, settings = germany, saved?: Saved) =>
    play(rings(script), settings, saved).reported.at(-1);

  const rows = table<[what: string, script: string, reported: string]>(`
    not before it has shown it                  | mmf      | +4931612345678
    after three calls that can be nothing else  | mmmf     | +31612345678
    whatever says nothing about it in between   | mfdmpmf  | +31612345678
    not after a national number                 | mmmnf    | +4931612345678
    after three more                            | mmmnmmmf | +31612345678
  `);
  for (const [what, script, reported] of rows)
    test(what, () => assert.equal(lastOf(script), `ringing ${reported}`));

  test('but not if a rule says how it writes them', () => {
    const trunkNumbers = [readTrunkNotation('PJSIP/trunk-*:national')].filter((it) => it !== undefined);
    assert.equal(lastOf('mmmf', { ...germany, trunkNumbers }), 'ringing +4931612345678');
  });

  test('across a restart, and explain says so', () => {
    const { state } = play(rings('mmm'), germany);
    const trunks = [...state.trunks.values()].flatMap((it) => readTrunk(storedTrunk(it)) ?? []);
    const { effects } = play(rings('f'), germany, { calls: [], trunks });
    const texts = effects.flatMap((effect) => (effect.type === 'journal' ? effect.entry.text : []));
    assert.equal(
      texts.at(-1),
      'ringing, from +31612345678: the trunk presented 31612345678 (E.164 without its plus, as other calls on its trunk show)',
    );
  });

  test('not in the middle of a call', () => {
    const { reported } = play([...rings('fmmm'), hangsUp('1.1')], germany);
    assert.equal(reported[0], 'ringing +4931612345678');
    assert.equal(reported.at(-1), 'completed +4931612345678');
  });
});

test('the same in 245 countries, in eight ways of writing, live', () => {
  for (const country of countries()) {
    const example = exampleOf(country);
    for (const callerNumber of inItsCountry(example)) {
      if (callerNumber.replace(/\D/g, '').length < 6) continue;
      const { reported } = play([caller({ callerNumber } as never)], { defaultCountry: country });
      assert.deepEqual(reported, [`ringing ${example.number}`], `${callerNumber} in ${country}`);
    }
  }
});

describe('a channel that only a snapshot shows is an inbound call', () => {
  const rows = table<[what: string, script: string, before: string, reported: string]>(`
    not by the context to which a phone was led inside | phoneInternal foundPhone | none |
    by the configured context of its endpoint          | trunkInbound found       | none | (picked-up) R
    by its context if the PBX does not say             | foundPhone               | none | (picked-up) R
    by a trunk that was learnt                         | found                    | trunk | (picked-up) R
    not by what was learnt by contexts of yesterday    | found                    | elsewhere |
  `);
  for (const [what, script, before, reported] of rows)
    test(what, () => {
      const saved = { calls: [], trunks: trunksBefore[before] ?? [] };
      assert.deepEqual(play(heardAs(script, inputs), {}, saved).reported, reportedAs(reported));
    });
});

test('what is known of a trunk is kept while INBOUND_CONTEXTS leaves its context out', () => {
  const known = heard('PJSIP/trunk', 'from-provider');
  const { state } = play(
    [configured({ 'PJSIP/trunk': 'from-provider' })],
    {},
    { calls: [], trunks: [known] },
  );
  assert.deepEqual([...state.trunks.values()], [known]);
});

test('what is known of a trunk is kept when a channel rings whose beginning was not observed', () => {
  const known = heard('PJSIP/trunk', 'from-provider');
  const { state: left } = play(
    [snapshot([{ ...trunkRow, state: 0 }]), state('1.1', 4)],
    {},
    { calls: [], trunks: [known] },
  );
  assert.deepEqual([...left.trunks.values()], [known]);
});

test('a trunk that an operator added stays so when calls come in on it', () => {
  const added = { endpoint: 'PJSIP/trunk', source: 'added', context: '' } as const;
  const { state: left } = play([caller()], {}, { calls: [], trunks: [added] });
  const heardNow = { context: 'from-trunk-isp', firstAt: at, lastAt: at, writes: '02xxxxxxxx' };
  assert.deepEqual([...left.trunks.values()], [{ ...added, ...heardNow }]);
});

test('a saved trunk that another version wrote is none', () => {
  assert.equal(readTrunk({ endpoint: 'PJSIP/x', source: 'heard', state: '{}' }), undefined);
  assert.equal(readTrunk({ endpoint: 'PJSIP/x', source: 'heard', state: 'x' }), undefined);
});
