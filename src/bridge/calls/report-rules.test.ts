import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type CallFacts,
  decidingRule,
  isUndecided,
  type ReportRules,
  readReportRule,
  unreachableRules,
  whyIgnored,
} from './report-rules.ts';

/** A table as REPORT_RULES has it. */
function tableOf(text: string, defaultCountry?: string): ReportRules {
  const reportRules = text.split(',').map((item) => {
    const rule = readReportRule(item.trim());
    assert.ok(rule, item);
    return rule;
  });
  return { reportRules, defaultCountry };
}

const table = tableOf(
  'report called +493012345*, ignore caller +49160*, ignore channel PJSIP/fax-*, ignore extension 4??, ignore *',
  'DE',
);
const trunk = 'PJSIP/provider-0000002a';

// biome-ignore format: one case a line
const decided: readonly [facts: CallFacts, rule: string | undefined][] = [
  [{ called: '+4930123456', caller: '+491601234567', channel: trunk }, 'report called +493012345*'],
  [{ called: '4930123456', caller: '+491601234567', channel: trunk }, 'report called +493012345*'],
  [{ called: '030123456', channel: trunk }, 'report called +493012345*'],
  [{ called: '+4930999', caller: '+491601234567', channel: trunk }, 'ignore caller +49160*'],
  [{ called: 's', caller: '+4930777', channel: 'pjsip/Fax-1-0000002a' }, 'ignore channel PJSIP/fax-*'],
  [{ called: '412', caller: '+4930777', channel: trunk }, 'ignore extension 4??'],
  [{ called: '4123', caller: '+4930777', channel: trunk }, 'ignore *'],
  [{}, 'ignore *'],
];
for (const [facts, rule] of decided)
  test(`${JSON.stringify(facts)} is decided by ${rule}`, () =>
    assert.equal(decidingRule(table, facts)?.text, rule));

test('a number called is matched as it came in, and in North America as it is dialled with 1', () => {
  const rule = (facts: CallFacts, text: string, country: string) =>
    decidingRule(tableOf(`${text}, ignore *`, country), facts)?.text;
  const german = 'report called 4930901820';
  assert.equal(rule({ called: '4930901820' }, german, 'DE'), german);
  assert.equal(rule({ called: '030901820' }, german, 'DE'), 'ignore *');
  const american = 'report called 1212555*';
  for (const called of ['12125551234', '2125551234', '+12125551234'])
    assert.equal(rule({ called }, american, 'US'), american, called);
  const caller = 'report caller 1212555*';
  assert.equal(rule({ caller: '+12125551234' }, caller, 'US'), caller);
  assert.equal(rule({ caller: '+4930901820' }, 'report caller 4930*', 'DE'), 'ignore *');
});

test('[!1-3] is any character but these, as in a shell and as [^1-3]', () => {
  for (const glob of ['4[!1-3]?', '4[^1-3]?'])
    assert.deepEqual(
      ['402', '412', '4!2'].map(
        (called) => decidingRule(tableOf(`ignore extension ${glob}`), { called })?.action,
      ),
      ['ignore', undefined, 'ignore'],
    );
});

test('what no rule matches is reported', () => {
  const open = tableOf('ignore called +4930999*');
  assert.equal(decidingRule(open, { called: '+4930123456' }), undefined);
  assert.equal(whyIgnored(open, { called: '+4930123456' }), undefined);
  assert.equal(whyIgnored(tableOf('report *'), { called: '1' }), undefined);
  assert.equal(whyIgnored(tableOf('ignore *'), { called: '1' }), 'REPORT_RULES: ignore *');
});

test('an ignored call of which the number called is unknown names the rule that needs it', () => {
  const firm = tableOf('report called +4930123*, ignore caller +49160*, ignore *', 'DE');
  const why = whyIgnored(firm, { caller: '+49401234567', channel: trunk }) ?? '';
  assert.equal(why, 'REPORT_RULES: ignore *, since the number called is unknown (report called +4930123*)');
  assert.ok(isUndecided(why));
  assert.equal(isUndecided('REPORT_RULES: ignore *'), false);
  const plain = [
    whyIgnored(firm, { caller: '+49401234567', called: '+4930999', channel: trunk }),
    // Whatever number was called.
    whyIgnored(tableOf('ignore called +4930123*, ignore *'), { channel: trunk }),
    whyIgnored(tableOf('report caller +49160*, ignore *'), { caller: '+49401234567' }),
    whyIgnored(tableOf('ignore caller +49160*, report called +4930123*'), { caller: '+491601234567' }),
  ];
  for (const one of plain) assert.match(one ?? '', /^REPORT_RULES: ignore (?:\*|caller \+49160\*)$/);
});

test('a pattern does not match a fact that is unknown', () => {
  for (const subject of ['called', 'caller', 'extension', 'channel'])
    assert.equal(decidingRule(tableOf(`ignore ${subject} *`), {}), undefined, subject);
});

test('numbers are matched as they are reported, or as they are dialled in the country', () => {
  const isCaller = (pattern: string, caller: string, country?: string) =>
    decidingRule(tableOf(`ignore caller ${pattern}`, country), { caller }) !== undefined;
  assert.ok(isCaller('0160*', '+491601234567', 'DE'));
  assert.ok(isCaller('0049160*', '+491601234567', 'DE'));
  assert.ok(!isCaller('0160*', '+33160123456', 'DE'), 'a number of another country');
  assert.ok(!isCaller('4*', '+491601234567', 'DE'), 'a short number');
  assert.ok(isCaller('0160*', '01601234567'), 'reported unchanged');
  assert.ok(isCaller('+4916[02]*', '+491621234567', 'DE'));
  assert.ok(isCaller('06*', '+390612345678', 'IT'));
});

test('a channel is matched by its name or its endpoint', () => {
  const isOn = (pattern: string, channel: string) =>
    decidingRule(tableOf(`ignore channel ${pattern}`), { channel }) !== undefined;
  assert.ok(isOn('PJSIP/fax', 'PJSIP/fax-0000002a'));
  assert.ok(isOn('DAHDI/i1/*', 'DAHDI/i1/5551234-1'));
  assert.ok(!isOn('PJSIP/fax', 'PJSIP/faxes-0000002a'));
});

// biome-ignore format: one list
for (const text of ['', 'ignore', 'ignore all', 'drop caller +49*', 'ignore caller', 'ignore caller +49 160', 'ignore caller anna', 'ignore called !+49*', 'ignore channel [', 'Ignore *', 'ignore caler +49160*', 'ignore * *'])
  test(`"${text}" is no rule`, () => assert.equal(readReportRule(text), undefined));

test('blanks within a rule do not matter', () =>
  assert.equal(readReportRule('ignore   caller\t+49*')?.text, 'ignore caller +49*'));

test('entries behind one that decides about every call are found', () => {
  const texts = (text: string) => unreachableRules(tableOf(text).reportRules).map((rule) => rule.text);
  assert.deepEqual(texts('report called 1, ignore *, report caller 2, report *'), [
    'report caller 2',
    'report *',
  ]);
  assert.deepEqual(texts('report called *, ignore *'), []);
});
