import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { classifyChannel, createRules } from './rules.ts';

const settings = { pbxId: 'pbx', inboundContexts: ['from-trunk*'], answeredBy: 'endpoint' } as const;
const byContext = createRules({ ...settings, inboundChannels: [] });
const byName = createRules({ ...settings, inboundChannels: ['PJSIP/trunk-*'] });
const seen = { channel: 'PJSIP/1001-00000001', context: 'from-internal', uniqueid: '1.1', linkedid: '1.1' };

const rows: readonly [string, typeof byName, Partial<typeof seen>, boolean, RegExp][] = [
  [
    'a trunk by its context',
    byContext,
    { context: 'from-trunk-sip' },
    true,
    /from-trunk-sip matches INBOUND_CON/,
  ],
  [
    'a trunk by its name',
    byName,
    { channel: 'PJSIP/trunk-1' },
    true,
    /PJSIP\/trunk-1 matches INBOUND_CHANNELS$/,
  ],
  [
    'an extension',
    byContext,
    {},
    false,
    /^not inbound: context from-internal matches no INBOUND_CONTEXTS, and INBOUND_CHANNELS is not set$/,
  ],
  [
    'an extension, names set too',
    byName,
    {},
    false,
    /its name PJSIP\/1001-00000001 matches no INBOUND_CHANNELS$/,
  ],
  ['no context', byContext, { context: '' }, false, /context \(none\)/],
  ['a leg', byContext, { context: 'from-trunk', linkedid: '1.0' }, false, /dialled for the call 1\.0$/],
  [
    'half of a Local pair',
    byContext,
    { channel: 'Local/1@a-1;1', context: 'from-trunk' },
    false,
    /Local channel/,
  ],
  ['a helper', byContext, { channel: 'Bridge/x', context: 'from-trunk' }, false, /helper of Asterisk/],
];

describe('inbound or not, in words', () => {
  for (const [name, rules, changes, inbound, why] of rows)
    test(name, () => {
      const found = classifyChannel(rules, { ...seen, ...changes });
      assert.equal(found.inbound, inbound);
      assert.equal(found.trunk, inbound || name === 'a leg');
      assert.match(found.why, why);
    });
});

test('a star stands for anything, slashes and dots too', () => {
  const rules = createRules({ ...settings, inboundContexts: ['*'], inboundChannels: ['DAHDI/*'] });
  assert.ok(rules.nameIsInbound('DAHDI/i1/5551234-1'));
  assert.ok(!rules.nameIsInbound('PJSIP/1001-00000001'));
  assert.ok(rules.contextIsInbound('.hidden'));
  assert.ok(!byContext.nameIsInbound('PJSIP/1001-00000001'));
});
