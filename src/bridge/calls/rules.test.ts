import assert from 'node:assert/strict';
import { test } from 'node:test';
import { table } from '../../../test/table.ts';
import { readTrunkNotation } from '../../shared/phone-number/trunk-notation.ts';
import { callSettings } from './rules.fixture.ts';
import { classifyChannel, createRules } from './rules.ts';

const byContext = createRules(callSettings);
const byName = createRules({ ...callSettings, inboundChannels: ['PJSIP/trunk-*'] });
const seen = { channel: 'PJSIP/1001-00000001', context: 'from-internal', uniqueid: '1.1', linkedid: '1.1' };

/** The rules, what differs from a phone's channel, whether it is inbound, and why (as it begins or ends). */
const rows = table<[name: string, by: string, differs: string, inbound: string, why: string]>(`
  a trunk by its context  | context | context=from-trunk-sip                  | yes | from-trunk-sip matches INBOUND_CONTEXTS
  a trunk by its name     | name    | channel=PJSIP/trunk-1                   | yes | PJSIP/trunk-1 matches INBOUND_CHANNELS
  an extension            | context |                                         | no  | not inbound: context from-internal matches no INBOUND_CONTEXTS, and INBOUND_CHANNELS is not set
  an extension, names set too | name |                                        | no  | its name PJSIP/1001-00000001 matches no INBOUND_CHANNELS
  no context              | context | context=                                | no  | context (none)
  a leg                   | context | context=from-trunk linkedid=1.0         | no  | dialled for the call 1.0
  half of a Local pair    | context | channel=Local/1@a-1;1 context=from-trunk | no | Local channel
  a helper                | context | channel=Bridge/x context=from-trunk     | no  | helper of Asterisk
`);
for (const [name, by, differs, inbound, why] of rows)
  test(`inbound or not, in words: ${name}`, () => {
    const changes = Object.fromEntries(
      differs
        .split(' ')
        .filter(Boolean)
        .map((text) => text.split('=')),
    );
    const found = classifyChannel(by === 'name' ? byName : byContext, { ...seen, ...changes });
    assert.equal(found.inbound, inbound === 'yes');
    assert.equal(found.trunk, inbound === 'yes' || name === 'a leg');
    assert.ok(found.why.includes(why), found.why);
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
