import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { journalText } from '../../cli/explain/journal-text.ts';
import { readReportRule } from './report-rules.ts';
import { callSettings } from './rules.fixture.ts';
import { createRules } from './rules.ts';
import {
  answered,
  caller,
  callerAs,
  completed,
  dialled,
  gone,
  hangsUp,
  missed,
  number,
  other,
  pbxSays,
  phone,
  play,
  ringing,
  row,
  type Setup,
  snapshot,
  talk,
  testReports,
  tick,
} from './tracker.fixture.ts';
import { createTracker } from './tracker.ts';

const rules = (text: string) => ({
  reportRules: text.split(', ').map((item) => {
    const rule = readReportRule(item);
    assert.ok(rule, item);
    return rule;
  }),
});
const by = (text: string, more: Setup['settings'] = {}): Setup => ({ settings: { ...rules(text), ...more } });
const called = (exten: string) => ({ ...caller, exten });
const [silent, hidden] = ['', 'anonymous'].map((callerNumber) => ({ ...caller, callerNumber }));
assert.ok(silent && hidden);
const whole = [ringing, answered, completed] as const;
const all = (...first: Parameters<typeof testReports>[0][number][1]) => [...first, talk, hangsUp(caller)];
const onFax = { ...caller, channel: 'PJSIP/fax-00000001' };
const found = snapshot([row('1.1', caller.channel, { context: 'from-trunk-isp', state: 4 })]);
const foundHidden = snapshot([
  row('1.1', caller.channel, { context: 'from-trunk-isp', state: 4, callerNumber: 'anonymous' }),
]);
const standIn = { withheldNumber: '000' };

describe('which calls are reported, by REPORT_RULES', () => {
  // biome-ignore format: one case a line
  testReports([
    ['no rule matches', all(caller), whole, by('ignore caller +32*')],
    ['the caller is ignored', all(caller), ['ignored'], by('ignore caller +3120*')],
    ['the caller is ignored, and gives up', [caller, hangsUp(caller)], ['ignored'], by('ignore caller +3120*')],
    ['the number called is ignored', all(called('0207000001')), ['ignored'], by('ignore called +31207*')],
    ['the number called is reported, and no other', all(called('0207000001')), whole, by('report called +31207*, ignore *')],
    ['the same, another number', all(called('0208000001')), ['ignored'], by('report called +31207*, ignore *')],
    ['no number was dialled', all(caller), ['ignored'], by('report called *, ignore *')],
    ['the extension is ignored', all(called('412')), ['ignored'], by('ignore extension 4??')],
    ['the extension that a queue or a menu rings does not count',
      all(called('700'), dialled(phone, '1001')), whole, by('ignore extension 1001')],
    ['the channel is ignored', [onFax, hangsUp(onFax)], ['ignored'], by('ignore channel PJSIP/fax')],
    ['one of two callers is ignored', [caller, other, hangsUp(caller), hangsUp(other)], [ringing, 'ignored', missed], by('ignore caller 0207654321')],
    ['a withheld number is matched as what stands in', all(hidden), ['ignored'], by('ignore caller 000', standIn)],
    ['the number behind it is not', [caller, number(caller, '0201234567', 'prohibited'), hangsUp(caller)],
      [{ ...ringing, from: '000' }, { ...missed, from: '000' }], { ...by('ignore caller +3120*', standIn), presentation: 'prohibited' }],
    ['without a stand-in it is not reported anyway', all(hidden), ['no-number'], by('report *')],
    ['the number comes late', all(silent, number(caller, '0201234567')), ['ignored'], by('ignore caller +3120*')],
    ['what stands in is ignored, and the number comes after all',
      all(silent, tick(1_000), number(caller, '0201234567')), ['ignored', 'reported-late', ...whole], by('ignore caller 000', standIn)],
    ['what stands in is reported, and the number that comes after all is ignored: the call ends under its number',
      [silent, tick(1_000), number(caller, '0201234567'), hangsUp(caller)],
      [{ ...ringing, from: '000' }, { ...missed, from: '000' }], by('ignore caller +3120*', standIn)],
    ['the number that the dialplan has made is matched',
      all(caller, number(caller, '00442079460123')), ['ignored'], by('ignore caller +44*', { reportedNumber: 'dialplan' })],
  ]);

  // biome-ignore format: one case a line
  testReports([
    ['the PBX says which number was called', [found, hangsUp(caller)], ['picked-up', ringing, missed], { ...by('report called +31207*, ignore *'), dnid: '0207000001' }],
    ['another number', [found, hangsUp(caller)], ['picked-up', 'ignored'], { ...by('report called +31207*, ignore *'), dnid: '0208000001' }],
    ['its caller withholds the number', [foundHidden, hangsUp(caller)],
      ['picked-up', { ...ringing, from: '000' }, { ...missed, from: '000' }], { ...by('report called +31207*, ignore *', standIn), dnid: '0207000001' }],
    ['the PBX has not answered', [foundHidden, tick(5_000)], ['picked-up'], { ...by('report called +31207*, ignore *', standIn), presentation: 'no answer' }],
    ['its Newchannel comes after the snapshot', [found, called('0207000001'), pbxSays(caller, 'allowed'), hangsUp(caller)],
      ['picked-up', ringing, missed], { ...by('report called +31207*, ignore *'), presentation: 'no answer' }],
    ['it is gone before the PBX answers', [foundHidden, gone], ['picked-up', 'ignored'], { ...by('report called +31207*, ignore *', standIn), presentation: 'no answer' }],
    ['no rule looks at the number called: it is not waited for', [foundHidden], [{ ...ringing, from: '000' }, 'picked-up'], { ...by('ignore caller 1', standIn), presentation: 'no answer' }],
  ].map(([name, ...rest]) => [`found in progress: ${name}`, ...rest] as never));

  test('an ignored call is ignored after a restart and a change of the rules, and nobody is told who talks', () => {
    const before = play([caller, phone], by('ignore caller +3120*'));
    const calls = [...before.state.calls.values()];
    assert.deepEqual(
      calls.map(({ from, ignored }) => ({ from, ignored })),
      [{ from: '', ignored: 'REPORT_RULES: ignore caller +3120*' }],
    );
    const again = snapshot([row('1.1', caller.channel, { context: 'from-trunk-isp', state: 4 })]);
    const after = play([again, talk, hangsUp(caller)], { saved: { calls, trunks: [] } });
    assert.deepEqual(after.reported, []);
    for (const { effects } of [before, after])
      assert.deepEqual(
        effects.filter(({ type }) => type === 'who' || type === 'prefetch-priority'),
        [],
      );
  });

  test('a reported call is reported to its end, whatever the rules have become', () => {
    const tracker = createTracker(createRules(callSettings), { calls: [], trunks: [] });
    tracker.apply(caller);
    tracker.apply(pbxSays(caller, 'allowed'));
    tracker.changeRules(createRules({ ...callSettings, ...rules('ignore *') }));
    const effects = [callerAs('3.1'), pbxSays(callerAs('3.1'), 'allowed'), hangsUp(caller)].flatMap(
      tracker.apply,
    );
    assert.deepEqual(
      effects.flatMap((effect) =>
        effect.type === 'report' ? [effect.status] : effect.type === 'log' ? [effect.decision] : [],
      ),
      ['ignored', 'completed'],
    );
  });

  test('the journal names the rule, and the number by which explain finds the call', () => {
    const { effects } = play([caller], by('ignore caller +3120*'));
    const entry = effects
      .flatMap((effect) => (effect.type === 'journal' ? [effect.entry] : []))
      .find(({ event }) => event.code === 'decision');
    assert.ok(entry);
    assert.equal(entry.kind, 'not-reported');
    assert.equal(entry.number, '+31201234567');
    assert.equal(journalText(entry), 'REPORT_RULES: ignore caller +3120*');
  });
});
