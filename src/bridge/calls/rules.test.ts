import assert from 'node:assert/strict';
import { test } from 'node:test';
import { channelRuleText } from '../../cli/text/channel-rule-text.ts';
import { readTrunkNotation } from '../../shared/phone-number/trunk-notation.ts';
import { callSettings } from './rules.fixture.ts';
import { classifyChannel, createRules, type Rules } from './rules.ts';

const byContext = createRules(callSettings);
const byName = createRules({ ...callSettings, inboundChannels: ['PJSIP/trunk-*'] });
const seen = { channel: 'PJSIP/1001-00000001', context: 'from-internal', uniqueid: '1.1', linkedid: '1.1' };

const inbound = { inbound: true, trunk: true };
const legOnTrunk = { inbound: false, trunk: true };
const internal = { inbound: false, trunk: false };
// biome-ignore format: one case a line
const cases: [name: string, rules: Rules, differs: Partial<typeof seen>, found: { inbound: boolean; trunk: boolean }, why: string][] = [
  ['a trunk by its context', byContext, { context: 'from-trunk-sip' }, inbound, 'from-trunk-sip matches INBOUND_CONTEXTS'],
  ['a trunk by its name', byName, { channel: 'PJSIP/trunk-1' }, inbound, 'PJSIP/trunk-1 matches INBOUND_CHANNELS'],
  ['an extension', byContext, {}, internal, 'not inbound: context from-internal matches no INBOUND_CONTEXTS, and INBOUND_CHANNELS is not set'],
  ['an extension, names set too', byName, {}, internal, 'its name PJSIP/1001-00000001 matches no INBOUND_CHANNELS'],
  ['no context', byContext, { context: '' }, internal, 'context (none)'],
  ['a leg', byContext, { context: 'from-trunk', linkedid: '1.0' }, legOnTrunk, 'dialled for the call 1.0'],
  ['half of a Local pair', byContext, { channel: 'Local/1@a-1;1', context: 'from-trunk' }, internal, 'Local channel'],
  ['a helper', byContext, { channel: 'Bridge/x', context: 'from-trunk' }, internal, 'helper of Asterisk'],
];
for (const [name, rules, differs, found, reason] of cases)
  test(`inbound or not, in words: ${name}`, () => {
    const channel = { ...seen, ...differs };
    const { rule, ...rest } = classifyChannel(rules, channel);
    const why = channelRuleText({ ...channel, rule });
    assert.deepEqual(rest, found);
    assert.ok(why.includes(reason), why);
  });

test('a star stands for anything, slashes and dots too', () => {
  const rules = createRules({ ...callSettings, inboundContexts: ['*'], inboundChannels: ['DAHDI/*'] });
  assert.ok(rules.nameIsInbound('DAHDI/i1/5551234-1'));
  assert.ok(!rules.nameIsInbound('PJSIP/1001-00000001'));
  assert.ok(rules.contextIsInbound('.hidden'));
  assert.ok(!byContext.nameIsInbound('PJSIP/1001-00000001'));
});

test('globs of channels ignore case, those of contexts do not', () => {
  const rules = createRules({
    ...callSettings,
    inboundContexts: ['from-trunk-*'],
    inboundChannels: ['pjsip/Trunk-*'],
    notAPerson: ['pjsip/BOT', 'iax2/branch-[a-c]*'],
    trunkNumbers: [readTrunkNotation('Pjsip/Trunk-*:as-is')].filter((it) => it !== undefined),
  });
  for (const machine of ['PJSIP/bot-00000002', 'PJSIP/Bot-00000002', 'IAX2/BRANCH-B12'])
    assert.ok(rules.isMachine(machine), machine);
  for (const person of ['SIP/bot-00000002', 'PJSIP/bother-00000002', 'IAX2/branch-d12'])
    assert.ok(!rules.isMachine(person), person);
  assert.ok(rules.nameIsInbound('PJSIP/trunk-00000001'));
  assert.equal(rules.notationOf('PJSIP/trunk-00000001').kind, 'as-is');
  assert.ok(rules.contextIsInbound('from-trunk-sip'));
  assert.ok(!rules.contextIsInbound('From-Trunk-sip'));
});
